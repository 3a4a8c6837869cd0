// Tiling functions include the definitions' header for what it includes in turn.
#pragma once

#include "register/op_impl_registry.h"
#include "register/tilingdata_base.h"
