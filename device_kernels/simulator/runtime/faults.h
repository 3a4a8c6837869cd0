// Faults that ASCENDSIM_FAULTS injects, for programs that have to survive a device's. The variable
// is a list of FUNCTION[@CALL[+]][#DEVICE]:EFFECT with commas between them: the call of that number
// in this process (with +: it and all later ones; without a number: every one), on that device
// (without: on any). FUNCTION is one of faults.cpp, or * for all of them counted together. EFFECT
// is the status to be answered, or a word: crash ends the process, hang never returns; short and
// wrong are of copies, which leave their second half out, or turn over one bit of what they copy,
// and answer success. Any other function goes on as if they were not there.
//
// ASCENDSIM_CALLS names a file to which each of these calls appends a line of 32 bytes, its
// function and its process. All processes with the same file are counted together: *@N is then the
// N-th call of all, which a process that takes the place of a crashed one does not make once more.
#pragma once

#include "acl/acl_base.h"

namespace ascendsim {

/// What becomes of a call.
struct Fault {
    aclError status = ACL_SUCCESS;
    bool isShort = false;
    bool isWrong = false;
};

/// Counts a call of `function` on `device` (below 0: on none) and answers what strikes it, with a
/// text. Where the list cannot be read, every call is struck by 100000, with a text that says why.
Fault CountCall(const char* function, int32_t device);

/// The same on the calling thread's device, for functions that copy nothing: the status.
aclError Injected(const char* function);

}  // namespace ascendsim
