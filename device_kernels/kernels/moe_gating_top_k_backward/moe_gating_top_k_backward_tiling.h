// What host and kernel of MoeGatingTopKBackward share: how the work is cut, in plain C++.
//
// Rows are cut over min(rows, cores) cores; the first ones take one more if they do not come out
// even. A core takes as many whole rows at a time as its unified buffer (UB) has room for, up to
// 4095, which is what one DataCopyPad moves. A row has its experts and its slots, which are the k
// experts chosen for it, each rounded up to 16, so that rows of any data type begin on 32 bytes:
//
//     scores       of the experts, fp32, 4 bytes; then x * (1 - x)
//     gradients    of the experts, fp32, 4 bytes; before that sums of slots and 1 - x, and then
//                  fp16 or bf16 to be stored
//     ids          of the slots, int32, 4 bytes
//     slots        gradients of the weights, fp32, 4 bytes; then those of the scores
//     weights      of the slots, fp32, 4 bytes; then products with gradients
//     divisors     of the slots, fp32, 4 bytes; before that gradients as they are stored, and
//     places
//                  of scores
//
//     experts            2    16    64   256   256   384   2048   2048
//     k                  1     8     8     8    64     8      8   2048
//     bytes of a row   384   384   768  2304  3072  3328  16640  49152    least UB bytes
#ifndef MOE_GATING_TOP_K_BACKWARD_TILING_H
#define MOE_GATING_TOP_K_BACKWARD_TILING_H

#include <cstdint>

// Integers are 64-bit, so that host and device agree on the layout without packing.
struct MoeGatingTopKBackwardTilingData {
    int64_t dtype;      // aclDataType of gradY and out: 0 fp32, 1 fp16, 27 bf16
    int64_t usedCores;  // blocks to launch
    int64_t rows;
    int64_t experts;  // of a row
    int64_t k;        // chosen of them
    int64_t batch;    // rows that a core takes at a time
    float factor;     // of the weights
    float eps;        // added to the sum of the scores that were chosen
};
static_assert(sizeof(MoeGatingTopKBackwardTilingData) == 56, "shared with the device");

// One call as the host sees it, and the machine to cut it for.
struct MoeGatingTopKBackwardCall {
    int64_t rows;
    int64_t experts;  // of a row
    int64_t k;
    double routedScalingFactor;
    double eps;
    int64_t dtype;    // aclDataType of gradY: 0 fp32, 1 fp16, 27 bf16
    int64_t cores;    // vector cores, at least 1
    int64_t ubBytes;  // UB bytes per core that a tiling may use
};

#define MOE_GATING_TOP_K_BACKWARD_EXPORT __attribute__((visibility("default")))

extern "C" {

// Cuts the call. Returns 0 with `tiling` filled, or 561002 with a sentence in `reason`
// (NUL-terminated, cut to reasonBytes). Phase 1 has checked before that the data types are of
// these, and all numbers and shapes.
MOE_GATING_TOP_K_BACKWARD_EXPORT int32_t MoeGatingTopKBackwardTiling(
    const MoeGatingTopKBackwardCall* call, MoeGatingTopKBackwardTilingData* tiling, char* reason,
    uint64_t reasonBytes);

// The sizes at which the tiling takes another branch, for topK of 1 to 2048, which is k:
//
//     "ub-bytes"   the least UB bytes for a row of as few experts as k, but 2; one less is rejected
//                  for any number of them
//     "experts"    the most experts of a row, at most 2048
//     "batch"      the most rows of `hidden` experts that a core takes at a time
//     "tokens"     the most rows of `hidden` experts that give every core one batch
//     "cores"      the most rows that give every core at most one: `cores` itself
//
// They are those of any aclDataType. Returns 0 if the UB is below "ub-bytes", topK is no k or
// hidden no number of experts, and -1 for an unknown axis.
MOE_GATING_TOP_K_BACKWARD_EXPORT int64_t
MoeGatingTopKBackwardTilingLimit(const char* axis, int64_t topK, int32_t dtype, uint32_t cores,
                                 uint64_t ubBytes, int64_t hidden);
}

#endif
