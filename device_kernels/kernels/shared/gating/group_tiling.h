// What host and kernel share of a choice of experts by group: how the work is cut, in plain C++.
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
#ifndef GROUP_TILING_H
#define GROUP_TILING_H

#include <cstdint>

// Integers are 64-bit, so that host and device agree on the layout without packing.
struct GroupGatingTiling {
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
static_assert(sizeof(GroupGatingTiling) == 104, "shared with the device");

#endif
