// What host and kernel of MoeGatingTopK share (../shared/gating/group_tiling.h).
#ifndef MOE_GATING_TOP_K_TILING_H
#define MOE_GATING_TOP_K_TILING_H

#include <cstdint>

#include "../shared/gating/group_tiling.h"

struct MoeGatingTopKTilingData {
    GroupGatingTiling gating;
};

// One call as the host sees it, and the machine to cut it for.
struct MoeGatingTopKCall {
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
    int64_t dtype;    // aclDataType of x: 0 fp32, 1 fp16, 27 bf16
    int64_t cores;    // vector cores, at least 1
    int64_t ubBytes;  // UB bytes per core that a tiling may use
};

#define MOE_GATING_TOP_K_EXPORT __attribute__((visibility("default")))

extern "C" {

// Cuts the call. Returns 0 with `tiling` filled, or 561002 with a sentence in `reason`
// (NUL-terminated, cut to reasonBytes). Phase 1 has checked before that the data types are of
// these, that each number is of its own range, experts are 1 to 2048 and kGroup is at most
// groupCount.
MOE_GATING_TOP_K_EXPORT int32_t MoeGatingTopKTiling(const MoeGatingTopKCall* call,
                                                    MoeGatingTopKTilingData* tiling, char* reason,
                                                    uint64_t reasonBytes);

// The sizes at which the tiling takes another branch, for topK of 1 to 2048, which is k:
//
//     "ub-bytes"   the least UB bytes for a row of as few experts as k, in one group; one less is
//                  rejected for any number of them
//     "experts"    the most experts of a row in one group, at most 2048
//     "cores"      the most rows that give every core at most one: `cores` itself
//
// They are those of any aclDataType and any hidden. Returns 0 if the UB is below "ub-bytes" or topK
// is no k, and -1 for an unknown axis.
MOE_GATING_TOP_K_EXPORT int64_t MoeGatingTopKTilingLimit(const char* axis, int64_t topK,
                                                         int32_t dtype, uint32_t cores,
                                                         uint64_t ubBytes, int64_t hidden);
}

#endif
