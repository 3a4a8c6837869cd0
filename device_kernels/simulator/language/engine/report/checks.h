// Whether a kernel's behaviour is checked: chosen when the libraries are built (SUITE_CHECKS).
//
// 0 off: nothing that a correct kernel needs. 1 all: memory bounds, arguments, queues and flags,
// synchronisation, races between blocks, and bytes that nothing defined.
#pragma once

#ifndef ASCENDSIM_CHECKS
#define ASCENDSIM_CHECKS 1
#endif

namespace ascendsim {

inline constexpr bool kChecks = ASCENDSIM_CHECKS != 0;

}  // namespace ascendsim
