#include "machine.h"

#include <charconv>
#include <cstring>
#include <string>
#include <utility>

#include "acl/acl.h"
#include "report.h"

extern "C" {
__attribute__((weak)) uint32_t ascendsimVectorCores(void);
__attribute__((weak)) uint64_t ascendsimUbBytes(void);
__attribute__((weak)) void ascendsimDescribeRegion(const void* start, uint64_t bytes,
                                                   const char* name, int writable);
}

namespace opapi {

namespace {

constexpr int kWorkspace = 2;  // what ascendsimDescribeRegion takes for `writable`

// UB bytes that CANN's platform interface leaves to a tiling: the 910B series keeps 256 of the
// 196608 bytes for itself, the 910_93 series keeps none. 0 for other SoCs.
int64_t TilingUbBytes(const std::string& soc) {
    if (soc.starts_with("Ascend910B")) {
        return 196352;
    }
    if (soc.starts_with("Ascend910_93")) {
        return 196608;
    }
    return 0;
}

aclnnStatus RealMachine(const char* function, Machine* machine) {
    int32_t device = 0;
    aclError status = aclrtGetDevice(&device);
    if (status != ACL_SUCCESS) {
        return Fail(ACLNN_ERR_RUNTIME_ERROR, std::string(function) + ": aclrtGetDevice answered " +
                                                 std::to_string(status) + "; set a device first");
    }
    status = aclrtGetDeviceInfo(static_cast<uint32_t>(device), ACL_DEV_ATTR_VECTOR_CORE_NUM,
                                &machine->vectorCores);
    if (status != ACL_SUCCESS) {
        return Fail(ACLNN_ERR_RUNTIME_ERROR,
                    std::string(function) + ": aclrtGetDeviceInfo answered " +
                        std::to_string(status) + " for the number of vector cores");
    }
    const char* name = aclrtGetSocName();
    const std::string soc = name == nullptr ? "" : name;
    machine->ubBytes = TilingUbBytes(soc);
    if (machine->ubBytes == 0) {
        return Fail(ACLNN_ERR_RUNTIME_ERROR,
                    std::string(function) + ": the SoC is '" + soc +
                        "'; its unified buffer is known for Ascend910B and Ascend910_93 only");
    }
    return ACLNN_SUCCESS;
}

}  // namespace

aclnnStatus CurrentMachine(const char* function, Machine* machine) {
    if (ascendsimVectorCores != nullptr && ascendsimUbBytes != nullptr) {
        machine->vectorCores = ascendsimVectorCores();
        machine->ubBytes = static_cast<int64_t>(ascendsimUbBytes());
        return ACLNN_SUCCESS;
    }
    return RealMachine(function, machine);
}

bool IsBeforeCann(int major, int minor) {
    aclCANNPackageVersion version{};
    if (aclsysGetCANNVersion(ACL_PKG_NAME_CANN, &version) != ACL_SUCCESS) {
        return false;
    }
    const auto number = [](const char* text) {
        int found = 0;
        std::from_chars(text, text + std::strlen(text), found);
        return found;
    };
    const std::pair known{number(version.majorVersion), number(version.minorVersion)};
    return known.first > 0 && known < std::pair{major, minor};
}

void DescribeRegion(const void* start, uint64_t bytes, const char* name, bool writable) {
    if (ascendsimDescribeRegion != nullptr && bytes > 0) {
        ascendsimDescribeRegion(start, bytes, name, writable ? 1 : 0);
    }
}

void DescribeWorkspace(const void* start, uint64_t bytes, const char* name) {
    if (ascendsimDescribeRegion != nullptr && bytes > 0) {
        ascendsimDescribeRegion(start, bytes, name, kWorkspace);
    }
}

}  // namespace opapi
