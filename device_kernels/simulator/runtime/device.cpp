#include "device.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "acl/acl.h"
#include "ascendsim.h"
#include "engine/schedule/environment.h"
#include "engine/schedule/launch.h"
#include "errors.h"
#include "faults.h"

namespace ascendsim {
namespace {

constexpr int32_t kNoDevice = -1;
constexpr int32_t kMostDevices = 64;

// The version gates which operators a caller dares to use, and what they accept: by itself that of
// the newest documents.
const char* Version() {
    static const char* const version = [] {
        const char* named = Variable("ASCENDSIM_CANN");
        return named == nullptr ? "9.1.0" : named;
    }();
    return version;
}

// The number at a place of the version, "0" where it has none.
std::string VersionPart(int place) {
    std::stringstream text(Version());
    std::string part;
    for (int at = 0; at <= place; ++at) {
        if (!std::getline(text, part, '.')) {
            return "0";
        }
    }
    return part;
}

std::atomic<bool> initialised{false};
thread_local int32_t currentDevice = kNoDevice;
int theContexts[kMostDevices];  // their addresses name the contexts of the devices

int32_t DeviceCount() {
    static const int32_t count = [] {
        const char* named = Variable("ASCENDSIM_DEVICES");
        const int64_t asked = named == nullptr ? 1 : std::strtoll(named, nullptr, 10);
        return static_cast<int32_t>(std::clamp<int64_t>(asked, 1, kMostDevices));
    }();
    return count;
}

// Makes current the device that the configuration names under "default_device", if it names one.
aclError ReadConfiguration(const char* path) {
    std::ifstream file(path);
    std::stringstream content;
    content << file.rdbuf();
    if (!file) {
        return Fail(ACL_ERROR_INVALID_FILE,
                    std::string("aclInit: configPath is \"") + path + "\", which cannot be read");
    }
    const std::string text = content.str();
    const std::string key = "\"default_device\"";
    size_t at = text.find(key);
    if (at == std::string::npos) {
        return ACL_SUCCESS;
    }
    at = text.find_first_not_of(" \t\r\n:\"", at + key.size());
    if (at == std::string::npos || std::isdigit(static_cast<unsigned char>(text[at])) == 0) {
        return Fail(ACL_ERROR_FILE_ATTR_INVALID,
                    std::string("aclInit: ") + path + ": default_device is no device number");
    }
    const int64_t device = std::strtoll(text.c_str() + at, nullptr, 10);
    const aclError status = CheckDeviceId("aclInit", "default_device", device);
    if (status == ACL_SUCCESS) {
        currentDevice = static_cast<int32_t>(device);
    }
    return status;
}

}  // namespace

int32_t CurrentDevice() { return currentDevice; }

aclError CheckDeviceId(const char* function, const char* parameter, int64_t device) {
    if (device >= 0 && device < DeviceCount()) {
        return ACL_SUCCESS;
    }
    return Fail(ACL_ERROR_RT_INVALID_DEVICEID,
                std::string(function) + ": " + parameter + " is " + std::to_string(device) +
                    "; the simulated host has " +
                    (DeviceCount() == 1 ? "device 0 only"
                                        : "devices 0 to " + std::to_string(DeviceCount() - 1)));
}

aclError NeedDevice(const char* function) {
    if (currentDevice != kNoDevice) {
        return ACL_SUCCESS;
    }
    return Fail(ACL_ERROR_RT_CONTEXT_NULL,
                std::string(function) +
                    ": the calling thread has no device; call aclrtSetDevice on it first");
}

}  // namespace ascendsim

using namespace ascendsim;

extern "C" {

aclError aclInit(const char* configPath) {
    if (const aclError fault = Injected("aclInit"); fault != ACL_SUCCESS) {
        return fault;
    }
    if (initialised.exchange(true)) {
        // No text: callers tolerate this status, and a text that nobody fetches would be shown
        // with the next, unrelated error.
        return ACL_ERROR_REPEAT_INITIALIZE;
    }
    const aclError status = configPath == nullptr ? ACL_SUCCESS : ReadConfiguration(configPath);
    initialised = status == ACL_SUCCESS;
    return status;
}

aclError aclFinalize() {
    initialised = false;
    return ACL_SUCCESS;
}

aclError aclrtGetDeviceCount(uint32_t* count) {
    if (count == nullptr) {
        return NullArgument("aclrtGetDeviceCount", "count");
    }
    if (const aclError fault = Injected("aclrtGetDeviceCount"); fault != ACL_SUCCESS) {
        return fault;
    }
    *count = static_cast<uint32_t>(DeviceCount());
    return ACL_SUCCESS;
}

aclError aclrtSetDevice(int32_t deviceId) {
    aclError status = CheckDeviceId("aclrtSetDevice", "deviceId", deviceId);
    if (status == ACL_SUCCESS) {
        status = CountCall("aclrtSetDevice", deviceId).status;
    }
    if (status == ACL_SUCCESS) {
        currentDevice = deviceId;
    }
    return status;
}

aclError aclrtGetDevice(int32_t* deviceId) {
    if (deviceId == nullptr) {
        return NullArgument("aclrtGetDevice", "deviceId");
    }
    const aclError status = NeedDevice("aclrtGetDevice");
    if (status == ACL_SUCCESS) {
        *deviceId = currentDevice;
    }
    return status;
}

aclError aclrtResetDevice(int32_t deviceId) {
    const aclError status = CheckDeviceId("aclrtResetDevice", "deviceId", deviceId);
    if (status == ACL_SUCCESS) {
        // Memory stays: libraries free theirs from static destructors, after the reset.
        currentDevice = kNoDevice;
    }
    return status;
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
    if (context == nullptr) {
        return NullArgument("aclrtGetCurrentContext", "context");
    }
    *context = nullptr;
    const aclError status = NeedDevice("aclrtGetCurrentContext");
    if (status == ACL_SUCCESS) {
        *context = &theContexts[currentDevice];
    }
    return status;
}

aclError aclrtSetCurrentContext(aclrtContext context) {
    for (int32_t device = 0; device < DeviceCount(); ++device) {
        if (context == &theContexts[device]) {
            currentDevice = device;
            return ACL_SUCCESS;
        }
    }
    return Fail(ACL_ERROR_INVALID_PARAM, "aclrtSetCurrentContext: context is " + Hex(context) +
                                             "; it must be a device's own context");
}

const char* aclrtGetSocName() { return SocName(); }

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t* value) {
    if (value == nullptr) {
        return NullArgument("aclrtGetDeviceInfo", "value");
    }
    const aclError status = CheckDeviceId("aclrtGetDeviceInfo", "deviceId", deviceId);
    if (status != ACL_SUCCESS) {
        return status;
    }
    switch (attr) {
        case ACL_DEV_ATTR_VECTOR_CORE_NUM:
            *value = ascendsimVectorCores();
            return ACL_SUCCESS;
        case ACL_DEV_ATTR_AICORE_CORE_NUM:
            // Each core of the 910B and 910_93 families pairs two vector cores with a cube core.
            *value = (ascendsimVectorCores() + 1) / 2;
            return ACL_SUCCESS;
        default:
            return Fail(ACL_ERROR_RT_PARAM_INVALID,
                        "aclrtGetDeviceInfo: attr is " + std::to_string(attr) +
                            "; the simulated device knows 101 (cores) and 201 (vector cores)");
    }
}

aclError aclsysGetCANNVersion(aclCANNPackageName, aclCANNPackageVersion* version) {
    if (version == nullptr) {
        return NullArgument("aclsysGetCANNVersion", "version");
    }
    // Older callers reserve exactly this many bytes.
    static_assert(sizeof(*version) == 512);
    std::memset(version, 0, sizeof(*version));
    const auto put = [](auto& field, const std::string& text) {
        std::snprintf(field, sizeof(field), "%s", text.c_str());
    };
    put(version->version, Version());
    put(version->majorVersion, VersionPart(0));
    put(version->minorVersion, VersionPart(1));
    put(version->releaseVersion, VersionPart(2));
    put(version->patchVersion, VersionPart(3));
    return ACL_SUCCESS;
}

aclError aclsysGetVersionStr(char* pkgName, char* versionStr) {
    if (pkgName == nullptr) {
        return NullArgument("aclsysGetVersionStr", "pkgName");
    }
    if (versionStr == nullptr) {
        return NullArgument("aclsysGetVersionStr", "versionStr");
    }
    std::snprintf(versionStr, ACL_PKG_VERSION_MAX_SIZE, "%s", Version());
    return ACL_SUCCESS;
}
}
