// What a parse function reads and fills before the first tiling: the operator's compile info.
#pragma once

#include <string>
#include <utility>

#include "platform/platform_info.h"

namespace gert {

class TilingParseContext {
public:
    TilingParseContext(std::string operatorType, void* compileInfo, fe::PlatFormInfos platform)
        : type_(std::move(operatorType)), compileInfo_(compileInfo), platform_(platform) {}

    const char* GetNodeName() const { return type_.c_str(); }
    const char* GetNodeType() const { return type_.c_str(); }
    template <typename CompileInfo>
    CompileInfo* GetCompiledInfo() const {
        return static_cast<CompileInfo*>(compileInfo_);
    }
    fe::PlatFormInfos* GetPlatformInfo() const { return &platform_; }

private:
    std::string type_;
    void* compileInfo_;
    mutable fe::PlatFormInfos platform_;
};

}  // namespace gert
