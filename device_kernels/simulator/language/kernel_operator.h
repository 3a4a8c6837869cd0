// The CPU model of Ascend C: the one header that a kernel includes.
//
// It executes vector kernels on the host, instruction by instruction in program order, and stops a
// kernel that breaks a rule of the interface (docs/diagnostics.md). What is not here does not
// compile: the model rejects what it cannot execute faithfully.
#pragma once

#include "ascendc/arithmetic.h"
#include "ascendc/block.h"
#include "ascendc/cast.h"
#include "ascendc/copy_params.h"
#include "ascendc/data_copy.h"
#include "ascendc/data_copy_pad.h"
#include "ascendc/duplicate.h"
#include "ascendc/enumerations.h"
#include "ascendc/global_tensor.h"
#include "ascendc/local_tensor.h"
#include "ascendc/qualifiers.h"
#include "ascendc/sixteen_bit.h"
#include "ascendc/synchronization.h"
#include "ascendc/t_buf.h"
#include "ascendc/t_pipe.h"
#include "ascendc/t_que.h"
