// The steps of an operator's two phases (two_phase.h), made from the table of its interface.
//
// An operator derives from `Operator`. It says at least `Interface()`, how its host tiling cuts a
// call, and how its kernel is launched:
//
//     struct Kernel : entry::Operator<Kernel, TilingData> {
//         static const entry::Table& Interface();
//         static int32_t Cut(const entry::Call&, TilingData*, char* reason, uint64_t reasonBytes);
//         static uint32_t Start(const entry::Launch&, const TilingData&);
//     };
//     MOE_TWO_PHASE(AddRows, (const aclTensor* x, int64_t rows, const aclTensor* y), x, rows, y)
//
// The other steps have defaults; an operator that needs another one declares it under that name.
//
// Each operator has two entries. `kernel<Operator>GetWorkspaceSize` and `kernel<Operator>` are the
// project's own kernels, also where CANN has its own operator of that name. They are called as the
// aclnn functions are, but for an array of integers, which is passed as a pointer (null: none) and
// a count: CANN has no public function for the values of an aclIntArray.
#pragma once

#include <cstdint>
#include <utility>

#include "call.h"
#include "plan.h"
#include "submission.h"
#include "tiling_upload.h"

namespace entry {

template <typename Self, typename TilingData>
struct Steps {
    using Tiling = TilingData;

    // Phase 1, in the order of the steps.

    /// What is refused before pointers are looked at.
    static aclnnStatus CheckFirst(const Call&) { return ACLNN_SUCCESS; }
    static aclnnStatus CheckFormats(const Call& call) { return call.CheckFormats(); }
    /// What is refused after data types, formats and layouts.
    static aclnnStatus Check(Call* call) { return call->CheckShapes(Stage::INTERFACE); }
    /// Whether there is nothing to do, so that the tiling is not asked.
    static bool HasNoWork(const Call& call) { return call.HasNoResult(); }
    /// An operator that writes strided outputs checks nothing here.
    static aclnnStatus CheckDense(const Call& call) { return call.CheckDense(); }
    /// The host tiling `Self::kTiling` cuts what `Self::Seen` tells of the call.
    static int32_t Cut(const Call& call, Tiling* tiling, char* reason, uint64_t reasonBytes) {
        const auto seen = Self::Seen(call);
        return Self::kTiling(&seen, tiling, reason, reasonBytes);
    }
    /// Blocks to launch; 0: there is nothing to do.
    static int64_t Cores(const Tiling& tiling) { return tiling.usedCores; }
    /// Device memory that a launch may use as it likes.
    static int64_t ScratchBytes(const Tiling&) { return 0; }
    static aclnnStatus HandOut(opapi::Plan plan, uint64_t* workspaceSize,
                               aclOpExecutor** executor) {
        return opapi::HandOut(std::move(plan), workspaceSize, executor);
    }

    // Phase 2.

    /// Whether a launch may touch a tensor.
    static bool Touches(const char* /*name*/, const Tiling&) { return true; }
    static aclnnStatus Upload(const Tiling& tiling, uint8_t* target, aclrtStream stream) {
        return opapi::UploadTiling(&tiling, sizeof(tiling), target, stream);
    }
};

}  // namespace entry
