// Tiling structs of library functions, for host code that only names the header.
#pragma once

#include "register/tilingdata_base.h"
