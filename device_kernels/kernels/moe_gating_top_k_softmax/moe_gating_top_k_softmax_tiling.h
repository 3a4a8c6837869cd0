// What host and kernel of MoeGatingTopKSoftmax share: how the work is cut, in plain C++
// (../shared/gating/gating_tiling.h).
#ifndef MOE_GATING_TOP_K_SOFTMAX_TILING_H
#define MOE_GATING_TOP_K_SOFTMAX_TILING_H

#include <cstdint>

#include "../shared/gating/gating_tiling.h"

struct MoeGatingTopKSoftmaxTilingData {
    GatingTiling gating;
};
static_assert(sizeof(MoeGatingTopKSoftmaxTilingData) == 48, "shared with the device");

// One call as the host sees it, and the machine to cut it for.
struct MoeGatingTopKSoftmaxCall {
    int64_t rows;
    int64_t experts;  // of a row
    int64_t k;
    int64_t dtype;    // aclDataType of x: 0 fp32, 1 fp16, 27 bf16
    int64_t cores;    // vector cores, at least 1
    int64_t ubBytes;  // UB bytes per core that a tiling may use
};

#define MOE_GATING_TOP_K_SOFTMAX_EXPORT __attribute__((visibility("default")))

extern "C" {

// Cuts the call. Returns 0 with `tiling` filled, or 561002 with a sentence in `reason`
// (NUL-terminated, cut to reasonBytes). Phase 1 has checked before that the data types are of
// these, and all numbers and shapes.
MOE_GATING_TOP_K_SOFTMAX_EXPORT int32_t MoeGatingTopKSoftmaxTiling(
    const MoeGatingTopKSoftmaxCall* call, MoeGatingTopKSoftmaxTilingData* tiling, char* reason,
    uint64_t reasonBytes);

// The sizes at which the tiling takes another branch; those of MoeGatingTopKSoftmaxV2
// (../moe_gating_top_k_softmax_v2/moe_gating_top_k_softmax_v2_tiling.h).
MOE_GATING_TOP_K_SOFTMAX_EXPORT int64_t MoeGatingTopKSoftmaxTilingLimit(const char* axis,
                                                                        int64_t topK, int32_t dtype,
                                                                        uint32_t cores,
                                                                        uint64_t ubBytes,
                                                                        int64_t hidden);
}

#endif
