// Who may change what later launches are judged by, and take what was found of them.
#pragma once

namespace ascendsim {

/// Whether a holder has not let go (ascendsimHold); then a text of `function` is left for
/// aclGetRecentErrMsg.
bool IsHeld(const char* function);

}  // namespace ascendsim
