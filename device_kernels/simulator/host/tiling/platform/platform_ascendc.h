// The platform's figures by the names of the Ascend C interface: those of the simulated Ascend910B.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "platform/platform_info.h"
#include "platform/soc_spec.h"

namespace platform_ascendc {

enum class CoreMemType { L0_A, L0_B, L0_C, L1, L2, UB, HBM, FB, RESERVED };

enum class SocVersion {
    ASCEND910 = 0,
    ASCEND910B,
    ASCEND310P,
    ASCEND310B,
    ASCEND910_95,
    ASCEND910E,
    ASCEND910_93,
    ASCEND950,
    RESERVED_VERSION = 99999,
};

class PlatformAscendC {
public:
    explicit PlatformAscendC(fe::PlatFormInfos* platform) : platform_(platform) {}

    SocVersion GetSocVersion() const { return SocVersion::ASCEND910B; }
    NpuArch GetCurNpuArch() const { return NpuArch::DAV_2201; }
    // The model is of the vector cores; a chip has two of them for each cube core.
    uint32_t GetCoreNum() const { return platform_->VectorCores(); }
    uint32_t GetCoreNumAiv() const { return platform_->VectorCores(); }
    uint32_t GetCoreNumAic() const { return (platform_->VectorCores() + 1) / 2; }
    uint32_t GetCoreNumVector() const { return 0; }
    uint32_t CalcTschBlockDim(uint32_t blocks, uint32_t, uint32_t) const { return blocks; }
    // 0 for memory that a vector core does not have.
    void GetCoreMemSize(CoreMemType memory, uint64_t& bytes) const {
        bytes = memory == CoreMemType::UB ? platform_->UbBytes() : 0;
    }
    // What the kernel's library functions keep of every workspace, at its start.
    uint32_t GetLibApiWorkSpaceSize() const { return 16 * 1024 * 1024; }

private:
    fe::PlatFormInfos* platform_;
};

}  // namespace platform_ascendc
