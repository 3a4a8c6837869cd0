// The same figures under the name of another repository layout.
#pragma once

#include "util/platform_util.h"
