// A call of an operator that routes without row indices, as host tilings see it.
#ifndef ROUTING_CALL_H
#define ROUTING_CALL_H

#include <cstdint>

// With the machine to cut it for.
struct RoutingCall {
    int64_t tokens;
    int64_t topK;
    int64_t hidden;
    int64_t rows;  // of expandedXOut without drop/pad
    int64_t experts;
    int64_t capacity;  // drop/pad: rows of every expert; else 0
    int64_t countOrCumsumFlag;
    int64_t beforeCapacityFlag;
    int64_t dtype;    // aclDataType of x: 0 fp32, 1 fp16, 27 bf16
    int64_t cores;    // vector cores, at least 1
    int64_t ubBytes;  // UB bytes per core that a tiling may use
};

#endif
