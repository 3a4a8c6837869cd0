// The name by which some sources include it.
#pragma once

#include "platform/platform_info.h"
