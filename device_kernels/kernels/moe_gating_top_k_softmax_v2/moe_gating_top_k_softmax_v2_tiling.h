// What host and kernel of MoeGatingTopKSoftmaxV2 share: how the work is cut, in plain C++
// (../shared/gating/gating_tiling.h).
#ifndef MOE_GATING_TOP_K_SOFTMAX_V2_TILING_H
#define MOE_GATING_TOP_K_SOFTMAX_V2_TILING_H

#include <cstdint>

#include "../shared/gating/gating_tiling.h"

struct MoeGatingTopKSoftmaxV2TilingData {
    int64_t renorm;     // 1: softmax is of the chosen alone
    int64_t hasResult;  // 1: the softmax of all experts is stored
    GatingTiling gating;
};
static_assert(sizeof(MoeGatingTopKSoftmaxV2TilingData) == 64, "shared with the device");

// One call as the host sees it, and the machine to cut it for.
struct MoeGatingTopKSoftmaxV2Call {
    int64_t rows;
    int64_t experts;  // of a row
    int64_t k;
    int64_t renorm;      // 0 or 1
    int64_t resultFlag;  // 0 or 1: with renorm 0 the softmax of all experts is wanted
    int64_t dtype;       // aclDataType of x: 0 fp32, 1 fp16, 27 bf16
    int64_t cores;       // vector cores, at least 1
    int64_t ubBytes;     // UB bytes per core that a tiling may use
};

#define MOE_GATING_TOP_K_SOFTMAX_V2_EXPORT __attribute__((visibility("default")))

extern "C" {

// Cuts the call. Returns 0 with `tiling` filled, or 561002 with a sentence in `reason`
// (NUL-terminated, cut to reasonBytes). Phase 1 has checked before that the data types are of
// these, and all numbers and shapes.
MOE_GATING_TOP_K_SOFTMAX_V2_EXPORT int32_t MoeGatingTopKSoftmaxV2Tiling(
    const MoeGatingTopKSoftmaxV2Call* call, MoeGatingTopKSoftmaxV2TilingData* tiling, char* reason,
    uint64_t reasonBytes);

// The sizes at which the tiling takes another branch, for topK of 1 to 1024, which is k:
//
//     "ub-bytes"          the least UB bytes for a row of as few experts as k; one less is rejected
//                         for any number of them
//     "pieces-ub-bytes"   the least UB bytes for rows of any number of experts
//     "experts"           the most experts of a row in one piece; one more gives two pieces
//     "two-pieces"        the most experts of a row in two pieces
//     "batch"             the most rows of `hidden` experts that a core takes at a time
//     "tokens"            the most rows of `hidden` experts that give every core one batch
//     "cores"             the most rows that give every core at most one row: `cores` itself
//
// They are those of any aclDataType. Returns 0 if the UB is below "ub-bytes", topK is no k or
// hidden no number of experts, and -1 for an unknown axis.
MOE_GATING_TOP_K_SOFTMAX_V2_EXPORT int64_t
MoeGatingTopKSoftmaxV2TilingLimit(const char* axis, int64_t topK, int32_t dtype, uint32_t cores,
                                  uint64_t ubBytes, int64_t hidden);
}

#endif
