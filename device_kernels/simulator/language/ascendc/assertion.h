// ASSERT: what a kernel takes for granted.
#pragma once

#include "../engine/diagnostics.h"

namespace ascendsim {

inline void Assert(bool holds, const char* condition, CallSite where = CallSite::current()) {
    if (!holds) {
        Stop(Code::Assertion, {where, "S"}, "ASSERT(%s)", condition);
    }
}

}  // namespace ascendsim

// A device goes on where it does not hold; a kernel's next steps would mean nothing here.
#define ASSERT(condition) ::ascendsim::Assert(static_cast<bool>(condition), #condition)
