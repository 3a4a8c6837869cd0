// What the process has had the device do, and what of it failed, for a program that judges the
// calls of others (ascendsimTally, ascendsimTakeFailures, ascendsimTakeFunctions).
#pragma once

#include <cstdint>
#include <string>

#include "acl/acl_base.h"

namespace ascendsim {

/// Counts a launch.
void CountLaunch();

/// Counts a fill, or a copy inside the device.
void CountTask();

/// Keeps a failure for ascendsimTakeFailures: what failed, what it answered, and why.
void KeepFailure(const std::string& what, aclError status, const std::string& text, bool isLaunch);

}  // namespace ascendsim
