// What host and kernel of MoeComputeExpertTokens share: how the work is cut, in plain C++.
//
// Cores take shares of the experts, or of the entries if these are many and the experts few. The
// unified buffer (UB) of a core has 256 bytes of results, 32 of a sum, and the rest for a tile of
// the entries: 12 bytes each as int32, as fp32 and as a difference, and a word for 64 to add up.
//
//     UB bytes          416   1024   4096   196352
//     tile entries        8     56    312    16248
#ifndef MOE_COMPUTE_EXPERT_TOKENS_TILING_H
#define MOE_COMPUTE_EXPERT_TOKENS_TILING_H

#include <cstdint>

constexpr int64_t RESULTS = 64;  // that are written at once

// Integers are 64-bit, so that host and device agree on the layout without packing.
struct MoeComputeExpertTokensTilingData {
    int64_t usedCores;    // blocks to launch
    int64_t entries;      // of the input
    int64_t experts;      // of the output
    int64_t isByEntries;  // 1: shares are of the entries; 0: of the experts
    int64_t share;        // of every core but the last
    int64_t tileEntries;  // that are counted at once
};
static_assert(sizeof(MoeComputeExpertTokensTilingData) == 48, "shared with the device");

// One call as the host sees it, and the machine to cut it for.
struct MoeComputeExpertTokensCall {
    int64_t entries;
    int64_t experts;
    int64_t dtype;    // aclDataType of the entries: 3 int32
    int64_t cores;    // vector cores, at least 1
    int64_t ubBytes;  // UB bytes per core that a tiling may use
};

#define MOE_COMPUTE_EXPERT_TOKENS_EXPORT __attribute__((visibility("default")))

extern "C" {

// Cuts the call. Returns 0 with `tiling` filled, or 561002 with a sentence in `reason`.
MOE_COMPUTE_EXPERT_TOKENS_EXPORT int32_t MoeComputeExpertTokensTiling(
    const MoeComputeExpertTokensCall* call, MoeComputeExpertTokensTilingData* tiling, char* reason,
    uint64_t reasonBytes);

// Where the tiling takes another branch: "ub-bytes", the least UB bytes; "batch", the most entries
// in one tile. Returns 0 if the UB is below "ub-bytes", and -1 for an unknown axis.
MOE_COMPUTE_EXPERT_TOKENS_EXPORT int64_t
MoeComputeExpertTokensTilingLimit(const char* axis, int64_t topK, int32_t dtype, uint32_t cores,
                                  uint64_t ubBytes, int64_t hidden);
}

#endif
