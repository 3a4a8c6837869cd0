// ASSERT: what a kernel takes for granted. ASCENDSIM_UNREAD: an index that it passes over in
// silence, and that another kernel may follow; a device has no such word.
#pragma once

#include "../../engine/report/diagnostics.h"

namespace ascendsim {

inline void Assert(bool holds, const char* condition, CallSite where = CallSite::current()) {
    if (!holds) {
        Stop(Code::Assertion, {where, "S"}, "ASSERT(%s)", condition);
    }
}

inline void TellUnread(bool isUnread, int64_t index, CallSite where = CallSite::current()) {
    if (isUnread) {
        Remark(Code::IndexUnread, {where, "S"},
               "index %lld names no row, and its slot has weight 0: the slot is passed over",
               static_cast<long long>(index));
    }
}

}  // namespace ascendsim

// A device goes on where it does not hold; a kernel's next steps would mean nothing here.
#define ASSERT(condition) ::ascendsim::Assert(static_cast<bool>(condition), #condition)
#define ASCENDSIM_UNREAD(condition, index) ::ascendsim::TellUnread(condition, index)
