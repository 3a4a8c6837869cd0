// What host and kernel of MoeGatingTopKV2 share (../shared/gating/group_tiling.h). A call that
// looks experts up has one group; k ids of a table's row take 8 bytes each of the lanes of k
// experts.
#ifndef MOE_GATING_TOP_K_V2_TILING_H
#define MOE_GATING_TOP_K_V2_TILING_H

#include <cstdint>

#include "../shared/gating/group_tiling.h"

struct MoeGatingTopKV2TilingData {
    int64_t inputIdBytes;   // 4 or 8; 0: experts are chosen by key
    int64_t expertIdBytes;  // of the table, likewise
    GroupGatingTiling gating;
};

// One call as the host sees it, and the machine to cut it for.
struct MoeGatingTopKV2Call {
    int64_t rows;
    int64_t experts;  // of a row
    int64_t k;
    int64_t kGroup;
    int64_t groupCount;
    int64_t groupSelectMode;  // 0 or 1
    int64_t renorm;           // 0 or 1
    int64_t normType;         // 0 to 2
    int64_t outFlag;          // 0 or 1
    double routedScalingFactor;
    double eps;
    int64_t dtype;          // aclDataType of x: 0 fp32, 1 fp16, 27 bf16
    int64_t cores;          // vector cores, at least 1
    int64_t ubBytes;        // UB bytes per core that a tiling may use
    int64_t inputIdBytes;   // 4 or 8; 0: there are not both ids and table
    int64_t expertIdBytes;  // likewise
};

#define MOE_GATING_TOP_K_V2_EXPORT __attribute__((visibility("default")))

extern "C" {

// As MoeGatingTopKTiling.
MOE_GATING_TOP_K_V2_EXPORT int32_t MoeGatingTopKV2Tiling(const MoeGatingTopKV2Call* call,
                                                         MoeGatingTopKV2TilingData* tiling,
                                                         char* reason, uint64_t reasonBytes);

// The limits of MoeGatingTopKTilingLimit (../moe_gating_top_k/moe_gating_top_k_tiling.h).
MOE_GATING_TOP_K_V2_EXPORT int64_t MoeGatingTopKV2TilingLimit(const char* axis, int64_t topK,
                                                              int32_t dtype, uint32_t cores,
                                                              uint64_t ubBytes, int64_t hidden);
}

#endif
