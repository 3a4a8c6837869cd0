#include "machine.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <mutex>
#include <string>

#include "../order/hold.h"
#include "launch.h"

// Absent where the engine is linked without the runtime.
extern "C" __attribute__((weak)) void ascendsimReportError(const char* text);

namespace ascendsim {
namespace {

// Vector cores, physical and usable UB bytes of each product (operators.md, section 1.2).
constexpr Machine kProducts[] = {
    {"Ascend910B1", 48, 196608, 196352},    {"Ascend910B2", 48, 196608, 196352},
    {"Ascend910B3", 40, 196608, 196352},    {"Ascend910B4", 40, 196608, 196352},
    {"Ascend910_9382", 48, 196608, 196608}, {"Ascend910_9392", 48, 196608, 196608},
    {"Ascend910_9362", 40, 196608, 196608}, {"Ascend910_9372", 40, 196608, 196608},
};
constexpr uint32_t kMostVectorCores = 64;
constexpr uint64_t kFewestUbBytes = 1024;
constexpr uint64_t kUbGranule = 32;

std::mutex machineMutex;
Machine machine = kProducts[0];

const Machine* FindProduct(const char* soc) {
    if (soc == nullptr || *soc == '\0') {
        return &kProducts[0];
    }
    const Machine* found =
        std::find_if(std::begin(kProducts), std::end(kProducts),
                     [soc](const Machine& product) { return !std::strcmp(product.soc, soc); });
    return found == std::end(kProducts) ? nullptr : found;
}

// Leaves a text for aclGetRecentErrMsg and returns the status of a wrong parameter.
int Refuse(const std::string& text) {
    if (ascendsimReportError != nullptr) {
        ascendsimReportError(text.c_str());
    }
    return kStatusInvalidParameter;
}

int RefuseSoc(const char* soc) {
    std::string known;
    for (const Machine& product : kProducts) {
        known += known.empty() ? "" : ", ";
        known += product.soc;
    }
    return Refuse("unknown SoC '" + std::string(soc) + "'; known SoCs: " + known);
}

}  // namespace

Machine ConfiguredMachine() {
    const std::lock_guard lock(machineMutex);
    return machine;
}

const char* SocName() { return ConfiguredMachine().soc; }

}  // namespace ascendsim

extern "C" int ascendsimConfigure(const char* soc, uint32_t vectorCores, uint64_t ubBytes) {
    using namespace ascendsim;
    if (IsHeld(__func__)) {
        return kStatusInvalidParameter;
    }
    const Machine* product = FindProduct(soc);
    if (product == nullptr) {
        return RefuseSoc(soc);
    }
    if (vectorCores > kMostVectorCores) {
        return Refuse("vectorCores is " + std::to_string(vectorCores) + "; it must be at most " +
                      std::to_string(kMostVectorCores));
    }
    Machine wanted = *product;
    if (vectorCores != 0) {
        wanted.vectorCores = vectorCores;
    }
    if (ubBytes != 0) {
        if (ubBytes < kFewestUbBytes || ubBytes > product->physicalUbBytes ||
            ubBytes % kUbGranule != 0) {
            return Refuse("ubBytes is " + std::to_string(ubBytes) + "; it must be a multiple of " +
                          std::to_string(kUbGranule) + " from " + std::to_string(kFewestUbBytes) +
                          " to " + std::to_string(product->physicalUbBytes));
        }
        // Beyond what this SoC leaves to a tiling: the buffer of one that keeps nothing for itself.
        wanted.usableUbBytes = ubBytes;
        wanted.physicalUbBytes =
            ubBytes < product->usableUbBytes ? ubBytes : product->physicalUbBytes;
    }
    const std::lock_guard lock(machineMutex);
    machine = wanted;
    return kStatusOk;
}

extern "C" uint32_t ascendsimVectorCores(void) {
    return ascendsim::ConfiguredMachine().vectorCores;
}

extern "C" uint64_t ascendsimUbBytes(void) { return ascendsim::ConfiguredMachine().usableUbBytes; }
