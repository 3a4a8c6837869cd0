// Which bytes of UB and of a workspace hold something that the kernel or its caller put there.
//
// A result is defined where all of its sources are. Kernels compute on the padding of tails, so
// nothing is said until an undefined byte escapes: by a store to an output, or as a scalar.
#pragma once

#include <cstdint>

#include "access.h"

namespace ascendsim {

// What became of the bytes of UB that the instruction of these operands wrote (those from `begin`
// on). Operands of equally many elements belong together element by element; otherwise every
// element written depends on all that were read.
void PropagateDefinedness(Core& core, uint32_t begin);

// A copy of `bytes` between global memory, at `global`, and the running core's UB, at `ub`.
void DefineByCopyIn(const void* global, uint64_t ub, uint64_t bytes, const Doer& doer);
void JudgeCopyOut(const void* global, uint64_t ub, uint64_t bytes, Access access, const Doer& doer);

// Bytes of global memory that were filled without a copy from UB.
void DefineGlobal(const void* global, uint64_t bytes);

// Bytes of the running core's UB that a copy, a scalar or an allocation left in this state.
void MarkDefined(uint64_t ub, uint64_t bytes);
void MarkUndefined(uint64_t ub, uint64_t bytes);
bool IsUndefined(uint64_t ub, uint64_t bytes);
void JudgeScalarRead(uint64_t ub, uint64_t bytes, const Doer& doer);

}  // namespace ascendsim
