#include "machine.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <mutex>

#include "launch.h"

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

}  // namespace

Machine ConfiguredMachine() {
    const std::lock_guard lock(machineMutex);
    return machine;
}

const char* SocName() { return ConfiguredMachine().soc; }

}  // namespace ascendsim

extern "C" int ascendsimConfigure(const char* soc, uint32_t vectorCores, uint64_t ubBytes) {
    using namespace ascendsim;
    const Machine* product = FindProduct(soc);
    if (product == nullptr || vectorCores > kMostVectorCores) {
        return kStatusInvalidParameter;
    }
    Machine wanted = *product;
    if (vectorCores != 0) {
        wanted.vectorCores = vectorCores;
    }
    if (ubBytes != 0) {
        if (ubBytes < kFewestUbBytes || ubBytes > product->physicalUbBytes ||
            ubBytes % kUbGranule != 0) {
            return kStatusInvalidParameter;
        }
        wanted.usableUbBytes = std::min(ubBytes, product->usableUbBytes);
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
