// The workspace that an operator's kernel is given.
#pragma once

#include <cstdint>

#include "../vocabulary/qualifiers.h"

// In the operator build the system keeps the first bytes of a workspace for itself
// (operator_build.h); a kernel that is launched directly has all of it.
#ifndef ASCENDSIM_SYSTEM_WORKSPACE
#define ASCENDSIM_SYSTEM_WORKSPACE 0
#endif

namespace AscendC {

// The part of the workspace that is the kernel's own.
template <uint64_t systemBytes = ASCENDSIM_SYSTEM_WORKSPACE>
GM_ADDR GetUserWorkspace(GM_ADDR workspace) {
    return workspace + systemBytes;
}

}  // namespace AscendC
