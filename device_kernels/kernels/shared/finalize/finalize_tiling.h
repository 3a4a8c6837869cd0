// How the operators that finalize a routing cut their work, in plain C++: what their hosts and
// kernels share.
//
// Tokens are cut over min(tokens, cores) cores; the first ones take one more where they do not come
// out even. A core takes its tokens in batches, and the columns of a row as
// ../rows/row_sum_tiling.h says: there the names of a token are the row indices of its slots,
// their weights its scales, and their second names its experts, where there is a bias.
//
// A part of a token is so many slots as have their names in the unified buffer (UB) together: all
// topK where these fit a quarter of the UB, and else as many as do, but one at least. A token in
// several parts is a batch of its own, and its names are read part by part for every tile.
//
// Names of n tokens, of m slots of each, in bytes, every buffer rounded up to 32:
//
//     row indices    token-major    4 * m * n
//                    slot-major     4 * n in each of m buffers
//     scales                        s * m * n    s bytes each
//     experts                       4 * m * n    with a bias, or with ranges of special experts
//
// The least UB holds the names of one slot and a tile of 32 bytes, whatever topK is:
//
//     bias, scales      none    one    both
//     fp32               128    160     192    least UB bytes
//     16-bit, no bias    256    288
//     16-bit, bias              352     384
//
// With ranges of special experts columns take the rows of a bias, and a blended one:
//
//     fp32               192     224     without scales, with them
//     16-bit             416     448
//
// The tilings of these operators export the sizes at which they take another branch, for a topK of
// at least 1 and an aclDataType of below, that of the rows:
//
//     "ub-bytes"       the least UB bytes; one less is rejected
//     "slots"          the largest topK in one part; one more gives two parts
//     "four-buffers"   the largest hidden in one tile with four input buffers; one more: with three
//     "three-buffers"  the largest hidden with three; one more: with two
//     "hidden"         the largest hidden in one tile; one more gives two tiles
//     "batch"          the most tokens of `hidden` columns in one batch of a core
//     "tokens"         the most tokens of `hidden` columns that give every core one batch
//     "cores"          the most tokens that give every core at most one token: `cores` itself
//
// These are of calls with scales in the data type of the rows, without a bias, and slot-major. Led
// by one or more of these, in this order, they are of other calls:
//
//     "token-major-"   of row indices that lie token by token
//     "bias-"          with a bias
//     "ranges-"        with ranges, with a bias or without; they stand in the place of "bias-"
//     "no-scales-"     without scales
//     "fp32-scales-"   with scales in fp32
//
// Only "batch" and "tokens" read `hidden`, only "tokens" and "cores" read `cores`. A limit is 0
// where the UB is below "ub-bytes" or topK is no topK, and -1 for an unknown axis.
#ifndef FINALIZE_TILING_H
#define FINALIZE_TILING_H

#include <cstdint>

#include "../rows/row_sum_tiling.h"

struct FinalizeTiling {
    int64_t dtype;         // aclDataType of the rows: 0 fp32, 1 fp16, 27 bf16
    int64_t scalesDtype;   // the same of the scales; -1: there are none
    int64_t usedCores;     // blocks to launch
    int64_t topK;          // slots per token
    int64_t slotsPerPart;  // whose names are in UB together; topK where all are
    int64_t isSlotMajor;   // 1: the row indices of a slot lie together, 0: those of a token
    int64_t hasX1;         // 1: there are first addends
    int64_t hasX2;         // 1: there are second ones
    int64_t biasRows;      // experts of the bias; 0: there is none
    RowSumTiling rows;     // its batch counts tokens
};
static_assert(sizeof(FinalizeTiling) == 120, "shared with the device");

// One call as the host sees it, and the machine to cut it for.
struct FinalizeCall {
    int64_t tokens;
    int64_t topK;
    int64_t hidden;
    int64_t rows;      // of expandedX, be they places of experts or not
    int64_t biasRows;  // 0: there is no bias
    int64_t hasX1;     // 1: the call has such a tensor
    int64_t hasX2;
    int64_t dropPadMode;
    int64_t dtype;        // aclDataType of the rows: 0 fp32, 1 fp16, 27 bf16
    int64_t scalesDtype;  // the same of the scales; -1: there are none
    int64_t cores;        // vector cores, at least 1
    int64_t ubBytes;      // UB bytes per core that a tiling may use
};

// The same with experts [start, end) of each kind; 0 and 0: there are none.
struct FinalizeRangesTiling : FinalizeTiling {
    int64_t hasRanges;  // 1: there are experts of some kind
    int64_t zeroStart;
    int64_t zeroEnd;
    int64_t copyStart;
    int64_t copyEnd;
    int64_t constantStart;
    int64_t constantEnd;
};
static_assert(sizeof(FinalizeRangesTiling) == 176, "shared with the device");

// A start and an end; null: none.
struct FinalizeRange {
    const int64_t* values;
    uint64_t count;
};

struct FinalizeRangesCall : FinalizeCall {
    FinalizeRange zeroExperts;
    FinalizeRange copyExperts;
    FinalizeRange constantExperts;
    int64_t constantRows;  // of alpha1, alpha2 and v; 0: they are not read
    int64_t hasExpertIdx;  // 1: the call has such a tensor
};

#endif
