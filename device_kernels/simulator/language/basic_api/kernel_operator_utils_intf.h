// Some kernels of the operator build name this part of the interface: all of it is in
// kernel_operator.h.
#pragma once

#include "../kernel_operator.h"
