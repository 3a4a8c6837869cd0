// What a program asks of the device before it uses it, and what it sets for all calls: stored, as
// nothing of it changes what a simulated kernel computes.

#include <map>
#include <mutex>
#include <string>

#include "acl/acl.h"
#include "ascendsim.h"
#include "device.h"
#include "errors.h"

namespace ascendsim {
namespace {

// As an Ascend910B has: part of what a caller may plan by, no kernel here sees it.
constexpr int64_t kL2Bytes = int64_t{192} << 20;

struct Parameters {
    std::mutex mutex;
    std::map<aclSysParamOpt, int64_t> values;
};

Parameters& TheParameters() {
    static Parameters* parameters = new Parameters;
    return *parameters;
}

aclError Get(const char* function, aclSysParamOpt option, int64_t* value) {
    if (value == nullptr) {
        return NullArgument(function, "value");
    }
    Parameters& parameters = TheParameters();
    const std::lock_guard<std::mutex> lock(parameters.mutex);
    *value = parameters.values[option];
    return ACL_SUCCESS;
}

aclError Set(aclSysParamOpt option, int64_t value) {
    Parameters& parameters = TheParameters();
    const std::lock_guard<std::mutex> lock(parameters.mutex);
    parameters.values[option] = value;
    return ACL_SUCCESS;
}

int64_t Cores(bool vector) {
    // Each core of the 910B and 910_93 families pairs two vector cores with a cube core.
    return vector ? ascendsimVectorCores() : (ascendsimVectorCores() + 1) / 2;
}

aclError Limit(const char* function, aclrtDevResLimitType type, uint32_t* value) {
    if (value == nullptr) {
        return NullArgument(function, "value");
    }
    if (type != ACL_RT_DEV_RES_CUBE_CORE && type != ACL_RT_DEV_RES_VECTOR_CORE) {
        return Fail(ACL_ERROR_INVALID_PARAM, std::string(function) + ": type is " +
                                                 std::to_string(type) +
                                                 "; it must be 0 (cube) or 1 (vector cores)");
    }
    *value = static_cast<uint32_t>(Cores(type == ACL_RT_DEV_RES_VECTOR_CORE));
    return ACL_SUCCESS;
}

}  // namespace
}  // namespace ascendsim

using namespace ascendsim;

extern "C" {

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
    return Get("aclrtGetSysParamOpt", opt, value);
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value) { return Set(opt, value); }

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
    return Get("aclrtCtxGetSysParamOpt", opt, value);
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value) { return Set(opt, value); }

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t* value) {
    if (value == nullptr) {
        return NullArgument("aclGetDeviceCapability", "value");
    }
    const aclError status = CheckDeviceId("aclGetDeviceCapability", "deviceId", deviceId);
    if (status != ACL_SUCCESS) {
        return status;
    }
    switch (deviceInfo) {
        case ACL_DEVICE_INFO_AI_CORE_NUM:
        case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
            *value = Cores(deviceInfo == ACL_DEVICE_INFO_VECTOR_CORE_NUM);
            return ACL_SUCCESS;
        case ACL_DEVICE_INFO_L2_SIZE:
            *value = kL2Bytes;
            return ACL_SUCCESS;
        default:
            return Fail(ACL_ERROR_INVALID_PARAM,
                        "aclGetDeviceCapability: deviceInfo is " + std::to_string(deviceInfo) +
                            "; the simulated device knows 0 (cores), 1 (vector cores), 2 (L2)");
    }
}

aclError aclrtGetDeviceResLimit(int32_t, aclrtDevResLimitType type, uint32_t* value) {
    return Limit("aclrtGetDeviceResLimit", type, value);
}

aclError aclrtGetStreamResLimit(aclrtStream, aclrtDevResLimitType type, uint32_t* value) {
    return Limit("aclrtGetStreamResLimit", type, value);
}

aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t* value) {
    return Limit("aclrtGetResInCurrentThread", type, value);
}

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode) {
    if (mode == ACL_RT_OVERFLOW_MODE_INFNAN) {
        return ACL_SUCCESS;
    }
    return Fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                "aclrtSetDeviceSatMode: mode is " + std::to_string(mode) +
                    "; the simulated device computes in mode 1 (infinity and NaN) alone");
}

aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode* mode) {
    if (mode == nullptr) {
        return NullArgument("aclrtGetDeviceSatMode", "mode");
    }
    *mode = ACL_RT_OVERFLOW_MODE_INFNAN;
    return ACL_SUCCESS;
}

aclError aclrtSetOpExecuteTimeOut(uint32_t) { return ACL_SUCCESS; }

aclError aclrtSetOpWaitTimeout(uint32_t) { return ACL_SUCCESS; }

aclError aclrtDeviceCanAccessPeer(int32_t* canAccessPeer, int32_t, int32_t) {
    if (canAccessPeer == nullptr) {
        return NullArgument("aclrtDeviceCanAccessPeer", "canAccessPeer");
    }
    *canAccessPeer = 0;
    return ACL_SUCCESS;
}

void aclAppLog(aclLogLevel, const char*, const char*, uint32_t, const char*, ...) {
    // A device's log goes to a file of its own; what fails is told by aclGetRecentErrMsg.
}
}
