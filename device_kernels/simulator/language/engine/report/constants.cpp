#include "constants.h"

#include <link.h>

namespace ascendsim {
namespace {

struct Search {
    uintptr_t code;
    uintptr_t address;
    ConstantSegment found;
};

int Visit(dl_phdr_info* library, size_t, void* data) {
    auto& search = *static_cast<Search*>(data);
    bool isTheKernels = false;
    ConstantSegment found;
    for (int index = 0; index < library->dlpi_phnum; ++index) {
        const ElfW(Phdr) & segment = library->dlpi_phdr[index];
        if (segment.p_type != PT_LOAD) {
            continue;
        }
        const uintptr_t start = library->dlpi_addr + segment.p_vaddr;
        isTheKernels = isTheKernels || search.code - start < segment.p_memsz;
        const bool isConstant = (segment.p_flags & (PF_R | PF_W | PF_X)) == PF_R;
        if (isConstant && search.address - start < segment.p_memsz) {
            found = {start, segment.p_memsz};
        }
    }
    if (isTheKernels) {
        search.found = found;
    }
    return isTheKernels ? 1 : 0;
}

}  // namespace

ConstantSegment ConstantsAt(const void* code, uintptr_t address) {
    Search search{reinterpret_cast<uintptr_t>(code), address, {}};
    dl_iterate_phdr(&Visit, &search);
    return search.found;
}

}  // namespace ascendsim
