// What host and kernel of MoeGatingTopK share: how the work is cut, in plain C++.
//
// Rows are cut over min(rows, cores) cores; the first ones take one more if they do not come out
// even. A core takes one row at a time, whole. In the unified buffer (UB) each group of experts has
// as many lanes as it has members, rounded up to 32, as Sort takes so many at a time. A call that
// does not choose among groups has one group. A lane has 32 bytes:
//
//     scores     fp32, 4 bytes
//     keys       score plus bias, fp32, 4 bytes
//     bias       fp32, 4 bytes, 0 if there is none, and -infinity behind the last member
//     numbers    of the lanes that may be chosen, fp32, 4 bytes, and -1 of the others
//     pairs      of key and number, sorted, 8 bytes; before that the row in its own data type
//     work       of Sort and of reductions, 8 bytes
//
//     experts                          1-32    64   256   384   2048
//     not grouped                      1024  2048  8192 12288  65536    least UB bytes
//     grouped: 32 * groupCount * RoundUp(experts / groupCount, 32), at most 65536
#ifndef MOE_GATING_TOP_K_TILING_H
#define MOE_GATING_TOP_K_TILING_H

#include <cstdint>

// Integers are 64-bit, so that host and device agree on the layout without packing.
struct MoeGatingTopKTilingData {
    int64_t dtype;      // aclDataType of x and bias: 0 fp32, 1 fp16, 27 bf16
    int64_t usedCores;  // blocks to launch
    int64_t rows;
    int64_t experts;        // of a row
    int64_t k;              // chosen of them
    int64_t groups;         // 1: there is no choice among groups
    int64_t keptGroups;     // of which experts may be chosen
    int64_t scoreByTwo;     // 1: a group's score is the sum of its two greatest keys, not the first
    int64_t normType;       // 0 softmax, 1 sigmoid, 2 square root of softplus
    int64_t normalises;     // 1: weights are divided by their sum
    int64_t hasResult;      // 1: the scores of all experts are stored
    int64_t lanesPerGroup;  // a multiple of 32
    float factor;           // of the weights
    float eps;              // added to their sum
};
static_assert(sizeof(MoeGatingTopKTilingData) == 104, "shared with the device");

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
