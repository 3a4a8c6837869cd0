// The call that the entries hand to a foreign operator's tiling function, and what it answers. The
// tiling lies in a library of its own: names of different operators' host code may meet.
#pragma once

#include <cstdint>

struct ForeignTensor {
    const int64_t* shape;
    uint64_t rank;
    int32_t dtype;    // of aclDataType, whose numbers ge::DataType shares
    int32_t present;  // 0: an optional tensor that the caller left out
};

struct ForeignAttribute {
    int64_t number;
    const int64_t* numbers;  // of a list
    uint64_t count;
    int32_t isList;
    int32_t present;
    double real;  // a floating-point number, if it is one
    int32_t isReal;
};

struct ForeignTilingCall {
    const ForeignTensor* inputs;
    uint64_t inputCount;
    const ForeignTensor* outputs;
    uint64_t outputCount;
    const ForeignAttribute* attributes;
    uint64_t attributeCount;
    uint32_t vectorCores;
    uint64_t ubBytes;
};

struct ForeignTiling {
    uint64_t key;
    uint32_t blocks;
    uint64_t workspaceBytes;
    uint64_t dataBytes;
    uint8_t data[64 * 1024];
    char reason[1024];  // of a refusal, in the host code's own words
};

// Returns 0, or 1 where the operator's host code refuses the call.
using ForeignTilingFunction = int32_t (*)(const ForeignTilingCall*, ForeignTiling*);
