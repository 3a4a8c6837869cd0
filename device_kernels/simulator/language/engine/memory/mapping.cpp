#include "mapping.h"

#include <sys/mman.h>
#include <unistd.h>

#include <new>

namespace ascendsim {

uint8_t* MapGuarded(uint64_t bytes) {
    const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    const uint64_t inside = (bytes + page - 1) / page * page;
    void* whole =
        mmap(nullptr, inside + 2 * kGuardBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (whole == MAP_FAILED) {
        throw std::bad_alloc();
    }
    uint8_t* memory = static_cast<uint8_t*>(whole) + kGuardBytes;
    if (mprotect(memory, inside, PROT_READ | PROT_WRITE) != 0) {
        munmap(whole, inside + 2 * kGuardBytes);
        throw std::bad_alloc();
    }
    return memory;
}

}  // namespace ascendsim
