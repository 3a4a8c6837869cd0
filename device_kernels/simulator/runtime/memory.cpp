#include "memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

#include "acl/acl.h"
#include "device.h"
#include "engine/schedule/environment.h"
#include "errors.h"
#include "faults.h"

namespace ascendsim {
namespace {

constexpr uint64_t kAlignment = 512;
constexpr uint64_t kChunk = uint64_t{16} << 20;
constexpr uint64_t kGuard = uint64_t{64} << 10;  // no memory there, before and after an allocation

struct Block {
    uint64_t bytes = 0;     // as asked for
    uint64_t reserved = 0;  // what the device loses to it
    void* mapping = nullptr;
    uint64_t mapped = 0;  // its bytes, with the guards
};

struct Registry {
    std::mutex mutex;
    std::map<uintptr_t, Block> blocks;
    uint64_t used = 0;
};

// Leaked: libraries call in from static destructors.
Registry& TheRegistry() {
    static Registry* registry = new Registry;
    return *registry;
}

// What a card of the 910B family has, unless ASCENDSIM_MEMORY_BYTES says otherwise. Memory is
// committed when it is written, so a host with less can still hold tensors whose offsets exceed
// 2^31.
uint64_t DeviceMemoryBytes() {
    static const uint64_t bytes = [] {
        const char* named = Variable("ASCENDSIM_MEMORY_BYTES");
        const uint64_t asked = named == nullptr ? 0 : std::strtoull(named, nullptr, 10);
        return asked != 0 ? asked : uint64_t{64} << 30;
    }();
    return bytes;
}

uint64_t RoundUp(uint64_t value, uint64_t granule) {
    return (value + granule - 1) / granule * granule;
}

// An even number of bytes.
void FillWithPoison(char* start, uint64_t bytes) {
    std::fill_n(reinterpret_cast<uint16_t*>(start), bytes / sizeof kPoison, kPoison);
}

// A file of one chunk of poison. Mapped privately again and again behind a large allocation, it
// poisons that without touching a page of it. -1 where the host has no such files.
int PoisonFile() {
    static const int file = [] {
        const int fd = memfd_create("device-memory-poison", MFD_CLOEXEC);
        if (fd < 0 || ftruncate(fd, static_cast<off_t>(kChunk)) != 0) {
            return -1;
        }
        void* chunk = mmap(nullptr, kChunk, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (chunk == MAP_FAILED) {
            return -1;
        }
        FillWithPoison(static_cast<char*>(chunk), kChunk);
        munmap(chunk, kChunk);
        return fd;
    }();
    return file;
}

bool MapPoison(char* start, uint64_t bytes) {
    for (uint64_t done = 0; done < bytes; done += kChunk) {
        const uint64_t length = std::min(kChunk, bytes - done);
        if (mmap(start + done, length, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED, PoisonFile(), 0) == MAP_FAILED) {
            return false;
        }
    }
    return true;
}

// Between two guards, at the end of the memory there: what is touched behind it faults.
void* AllocatePoisoned(Block& block) {
    const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    const uint64_t inside = RoundUp(block.reserved, page);
    block.mapped = inside + 2 * kGuard;
    block.mapping = mmap(nullptr, block.mapped, PROT_NONE,
                         MAP_PRIVATE | MAP_NORESERVE | MAP_ANONYMOUS, /*fd=*/-1, 0);
    if (block.mapping == MAP_FAILED) {
        return nullptr;
    }
    char* memory = static_cast<char*>(block.mapping) + kGuard;
    char* start = memory + (inside - block.reserved);
    bool good = true;
    if (block.reserved > kChunk && PoisonFile() >= 0) {
        good = MapPoison(memory, inside);
    } else if (good = mprotect(memory, inside, PROT_READ | PROT_WRITE) == 0; good) {
        FillWithPoison(start, block.reserved);
    }
    if (!good) {
        munmap(block.mapping, block.mapped);
        return nullptr;
    }
    return start;
}

// `behind`: bytes that are there beyond `size`.
aclError Allocate(const char* function, void** devPtr, size_t size, uint64_t behind) {
    if (devPtr == nullptr) {
        return NullArgument(function, "devPtr");
    }
    *devPtr = nullptr;
    if (size == 0) {
        return Fail(ACL_ERROR_INVALID_PARAM,
                    std::string(function) + ": size is 0; it must be greater than 0");
    }
    aclError status = NeedDevice(function);
    if (status == ACL_SUCCESS) {
        status = Injected(function);
    }
    if (status != ACL_SUCCESS) {
        return status;
    }
    Registry& registry = TheRegistry();
    const std::lock_guard<std::mutex> lock(registry.mutex);
    const uint64_t free = DeviceMemoryBytes() - registry.used;
    const auto outOfMemory = [&](const char* who, uint64_t left) {
        return Fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
                    std::string(function) + ": size is " + std::to_string(size) + " bytes; " + who +
                        " has " + std::to_string(left) + " of " +
                        std::to_string(DeviceMemoryBytes()) + " bytes left");
    };
    if (size > free) {
        return outOfMemory("the simulated device", free);
    }
    Block block;
    block.bytes = size;
    block.reserved = RoundUp(size + behind, kAlignment);
    void* start = block.reserved <= free ? AllocatePoisoned(block) : nullptr;
    if (start == nullptr) {
        return outOfMemory("the host under the simulated device cannot map it; the device", free);
    }
    registry.used += block.reserved;
    registry.blocks[reinterpret_cast<uintptr_t>(start)] = block;
    *devPtr = start;
    return ACL_SUCCESS;
}

}  // namespace

uint64_t LiveBytes() {
    Registry& registry = TheRegistry();
    const std::lock_guard<std::mutex> lock(registry.mutex);
    uint64_t bytes = 0;
    for (const auto& [start, block] : registry.blocks) {
        bytes += block.bytes;
    }
    return bytes;
}

std::optional<Allocation> AllocationAt(const void* address) {
    Registry& registry = TheRegistry();
    const std::lock_guard<std::mutex> lock(registry.mutex);
    const auto at = reinterpret_cast<uintptr_t>(address);
    auto next = registry.blocks.upper_bound(at);
    if (next == registry.blocks.begin()) {
        return std::nullopt;
    }
    const auto& [start, block] = *--next;
    if (at - start >= block.reserved) {
        return std::nullopt;
    }
    return Allocation{start, block.bytes};
}

}  // namespace ascendsim

using namespace ascendsim;

extern "C" {

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy) {
    // The interface rounds a size up and adds 32 bytes, which vector copies may touch.
    return Allocate("aclrtMalloc", devPtr, size, 32);
}

aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy) {
    return Allocate("aclrtMallocAlign32", devPtr, size, 0);
}

aclError aclrtGetMemInfo(aclrtMemAttr, size_t* free, size_t* total) {
    if (free == nullptr || total == nullptr) {
        return NullArgument("aclrtGetMemInfo", free == nullptr ? "free" : "total");
    }
    const aclError status = NeedDevice("aclrtGetMemInfo");
    if (status != ACL_SUCCESS) {
        return status;
    }
    Registry& registry = TheRegistry();
    const std::lock_guard<std::mutex> lock(registry.mutex);
    *total = DeviceMemoryBytes();
    *free = *total - registry.used;
    return ACL_SUCCESS;
}
aclError aclrtFree(void* devPtr) {
    if (devPtr == nullptr) {
        return NullArgument("aclrtFree", "devPtr");
    }
    if (const aclError fault = Injected("aclrtFree"); fault != ACL_SUCCESS) {
        return fault;
    }
    Registry& registry = TheRegistry();
    const std::lock_guard<std::mutex> lock(registry.mutex);
    const auto found = registry.blocks.find(reinterpret_cast<uintptr_t>(devPtr));
    if (found == registry.blocks.end()) {
        return Fail(ACL_ERROR_RT_PARAM_INVALID,
                    "aclrtFree: devPtr is " + Hex(devPtr) +
                        ", which no live aclrtMalloc returned; it was freed before, or is not the "
                        "start of an allocation");
    }
    const Block block = found->second;
    registry.blocks.erase(found);
    registry.used -= block.reserved;
    munmap(block.mapping, block.mapped);
    return ACL_SUCCESS;
}
}
