// How much of a kernel's behaviour is checked: chosen when the libraries are built (SUITE_CHECKS).
//
// 0 off: nothing that a correct kernel needs. 1 bounds: memory bounds, arguments, queues and flags.
// 2 all: also synchronisation, races between blocks, and bytes that nothing defined.
#pragma once

#ifndef ASCENDSIM_CHECKS
#define ASCENDSIM_CHECKS 2
#endif

namespace ascendsim {

inline constexpr bool kChecksBounds = ASCENDSIM_CHECKS >= 1;
inline constexpr bool kChecksAll = ASCENDSIM_CHECKS >= 2;

}  // namespace ascendsim
