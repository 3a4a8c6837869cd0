// What host and kernel of MoeInitRoutingV2Grad share: how the work is cut, in plain C++.
//
// Tokens are cut over the cores, tokensPerCore to each, the last core taking the rest. A core walks
// its tokens in batches and the columns of a row in tiles. Where a whole row fits the unified
// buffer (UB) there is one tile, and a batch holds as many tokens as fit; where it does not, a
// batch is one token and its row is cut into tiles, the last one shorter.
//
// UB of one core, in bytes, for batches of n tokens and tiles of r columns (the tile rounded up to
// 32 bytes of the data type), s bytes per element and B accumulators ("bins") per token:
//
//     input rows        2 * r * s         double buffered, one source row each
//     widened row       4 * r             16-bit types only
//     bins              4 * r * B * n     fp32
//     results           2 * r * s * n     double buffered
//
// So one token needs r * (4s + w + 4B) bytes, w = 4 for 16-bit types and 0 for fp32, and the least
// UB is that of a tile of 32 bytes: 128 + 32 B bytes for fp32, 192 + 64 B for the 16-bit types.
//
//     topK     1-3   4-7   8-15   16-31   32-63   64-127   128 and more
//     B          1     2      4       8      16       32       64
//     fp32     160   192    256     384     640     1152     2176   least UB bytes
//     16-bit   256   320    448     704    1216     2240     4288   least UB bytes
#ifndef MOE_INIT_ROUTING_V2_GRAD_TILING_H
#define MOE_INIT_ROUTING_V2_GRAD_TILING_H

#include <cstdint>

// All fields are 64-bit, so that host and device agree on the layout without packing.
struct MoeInitRoutingV2GradTilingData {
    int64_t key;             // 1000 + 100 * dropPad + 10 * active + dtype (fp32 0, fp16 1, bf16 2)
    int64_t usedCores;       // blocks to launch
    int64_t tokens;          // rows of the output
    int64_t topK;            // slots per token
    int64_t hidden;          // columns of a row
    int64_t activeNum;       // active mode: indices from here on add nothing
    int64_t bins;            // fp32 accumulators per token, a power of two
    int64_t tokensPerCore;   // of every core but the last
    int64_t tokensPerBatch;  // at most; 1 where the row is cut into tiles
    int64_t tileColumns;     // of every tile but the last
};
static_assert(sizeof(MoeInitRoutingV2GradTilingData) == 80, "shared with the device");

// One call as the host sees it, and the machine to cut it for.
struct MoeInitRoutingV2GradCall {
    int64_t tokens;
    int64_t topK;
    int64_t hidden;
    int64_t dropPadMode;
    int64_t activeNum;
    int64_t dtype;    // aclDataType: 0 fp32, 1 fp16, 27 bf16
    int64_t cores;    // vector cores, at least 1
    int64_t ubBytes;  // UB bytes per core that a tiling may use
};

#define MOE_INIT_ROUTING_V2_GRAD_EXPORT __attribute__((visibility("default")))

extern "C" {

// Cuts the call. Returns 0 with `tiling` filled, or 561002 with a sentence in `reason`
// (NUL-terminated, cut to reasonBytes). Phase 1 has checked before that the data type is one of
// these, and all numbers and shapes.
MOE_INIT_ROUTING_V2_GRAD_EXPORT int32_t MoeInitRoutingV2GradTiling(
    const MoeInitRoutingV2GradCall* call, MoeInitRoutingV2GradTilingData* tiling, char* reason,
    uint64_t reasonBytes);

// The sizes at which the tiling takes another branch, for topK > 0 and an aclDataType of above:
//
//     "ub-bytes"  the least UB bytes; one less is rejected
//     "hidden"    the largest hidden in one tile; one more gives two tiles, and one token per batch
//     "batch"     the most tokens of `hidden` columns in one batch of a core
//     "tokens"    the most tokens of `hidden` columns that give every core one batch
//     "cores"     the most tokens that give every core at most one token: `cores` itself
//     "bins"      the fp32 accumulators per token, which fix the order of the sum
//
// Only "batch" and "tokens" read `hidden`, only "tokens" and "cores" read `cores`. Returns 0 where
// the UB is below "ub-bytes", and -1 for an unknown axis.
MOE_INIT_ROUTING_V2_GRAD_EXPORT int64_t MoeInitRoutingV2GradTilingLimit(const char* axis,
                                                                        int64_t topK, int32_t dtype,
                                                                        uint32_t cores,
                                                                        uint64_t ubBytes,
                                                                        int64_t hidden);
}

#endif
