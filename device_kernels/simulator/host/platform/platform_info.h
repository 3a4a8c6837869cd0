// The machine of a call, as it travels to a tiling function.
#pragma once

#include <cstdint>

namespace fe {

class PlatFormInfos {
public:
    PlatFormInfos() = default;
    PlatFormInfos(uint32_t vectorCores, uint64_t ubBytes)
        : vectorCores_(vectorCores), ubBytes_(ubBytes) {}

    uint32_t VectorCores() const { return vectorCores_; }
    uint64_t UbBytes() const { return ubBytes_; }

private:
    uint32_t vectorCores_ = 0;
    uint64_t ubBytes_ = 0;
};

}  // namespace fe
