// Kernels of the operator build include this one, too: all of the language is in kernel_operator.h.
#pragma once

#include "kernel_operator.h"
