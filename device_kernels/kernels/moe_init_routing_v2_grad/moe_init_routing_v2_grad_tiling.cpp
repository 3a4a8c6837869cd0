// Host tiling of MoeInitRoutingV2Grad: the checks on shapes and attributes, then the cut.

#include "moe_init_routing_v2_grad_tiling.h"

#include <algorithm>
#include <cstdio>
#include <string>

namespace {

constexpr int32_t kAccepted = 0;
constexpr int32_t kTilingRejected = 561002;
constexpr int64_t kBlockBytes = 32;       // granule of a copy to or from UB
constexpr int64_t kBuffers = 2;           // double buffering, of input rows and of results
constexpr int64_t kSumBytes = 4;          // fp32
constexpr int64_t kMaxCopyBlocks = 4095;  // blockCount of one DataCopyPad
constexpr int64_t kMaxBins = 64;

using Shape = MoeInitRoutingV2GradShape;
using Call = MoeInitRoutingV2GradCall;
using Reason = std::string;  // empty: nothing is wrong

struct DataType {
    int64_t digit;  // in the tiling key
    int64_t bytes;
};

// Of fp32 (0), fp16 (1) or bf16 (27).
DataType DataTypeOf(int64_t aclDataType) {
    switch (aclDataType) {
        case 0:
            return {0, 4};
        case 1:
            return {1, 2};
        default:
            return {2, 2};
    }
}

int64_t CeilDiv(int64_t value, int64_t divisor) {
    return value / divisor + (value % divisor != 0 ? 1 : 0);
}

int64_t RoundDown(int64_t value, int64_t multiple) { return value / multiple * multiple; }

int64_t RoundUp(int64_t value, int64_t multiple) { return CeilDiv(value, multiple) * multiple; }

// 2^max(0, floor(log2 topK) - 1), at most 64.
int64_t Bins(int64_t topK) {
    int64_t bins = 1;
    while (bins < kMaxBins && bins * 4 <= topK) {
        bins *= 2;
    }
    return bins;
}

// The UB that one column costs: the header's table, per column of the rounded tile.
struct ColumnBytes {
    ColumnBytes(int64_t topK, DataType type)
        : granule(kBlockBytes / type.bytes),
          perRow(kBuffers * type.bytes + (type.bytes < kSumBytes ? kSumBytes : 0)),
          perToken(kSumBytes * Bins(topK) + kBuffers * type.bytes) {}

    int64_t LeastUb() const { return granule * (perRow + perToken); }

    int64_t MostColumns(int64_t ubBytes) const {
        return RoundDown(ubBytes / (perRow + perToken), granule);
    }

    int64_t MostTokens(int64_t ubBytes, int64_t columns) const {
        const int64_t rounded = RoundUp(columns, granule);
        const int64_t tokens = (ubBytes - rounded * perRow) / (rounded * perToken);
        return std::min(tokens, kMaxCopyBlocks);
    }

    int64_t granule;   // columns in 32 bytes
    int64_t perRow;    // bytes shared by all tokens of a batch
    int64_t perToken;  // bytes of each token of a batch
};

std::string Text(const Shape& shape) {
    std::string text = "[";
    for (uint64_t axis = 0; axis < shape.rank; ++axis) {
        text += (axis == 0 ? "" : ", ") + std::to_string(shape.dims[axis]);
    }
    return text + "]";
}

Reason Broken(const std::string& parameter, const std::string& value, const std::string& rule) {
    return parameter + " is " + value + "; it must be " + rule +
           " (host tiling of MoeInitRoutingV2Grad)";
}

Reason Broken(const std::string& parameter, int64_t value, const std::string& rule) {
    return Broken(parameter, std::to_string(value), rule);
}

int64_t HiddenAxis(const Call& call) { return call.dropPadMode == 1 ? 2 : 1; }

Reason CheckAttributes(const Call& call) {
    if (call.dropPadMode != 0 && call.dropPadMode != 1) {
        return Broken("dropPadMode", call.dropPadMode, "0 or 1");
    }
    if (call.topK <= 0) {
        return Broken("topK", call.topK, "greater than 0");
    }
    if (call.activeNum < 0) {
        return Broken("activeNum", call.activeNum, "0 or greater");
    }
    return {};
}

Reason CheckSourceRows(const Call& call) {
    const uint64_t rank = call.gradExpandedX.rank;
    if (rank != 2 && rank != 3) {
        return Broken("the rank of gradExpandedX " + Text(call.gradExpandedX), rank, "2 or 3");
    }
    if (call.dropPadMode == 1 && rank != 3) {
        return Broken("the rank of gradExpandedX " + Text(call.gradExpandedX), rank,
                      "3 where dropPadMode is 1");
    }
    if (call.dropPadMode == 1) {
        return {};
    }
    const int64_t rows = call.gradExpandedX.dims[0];
    if (call.activeNum == 0 && rows != call.expandedRowIdx.dims[0]) {
        return Broken("dim 0 of gradExpandedX", rows,
                      "dim 0 of expandedRowIdx, " + std::to_string(call.expandedRowIdx.dims[0]) +
                          ", where dropPadMode and activeNum are 0");
    }
    if (call.activeNum > 0 && rows != call.activeNum) {
        return Broken("dim 0 of gradExpandedX", rows,
                      "activeNum, " + std::to_string(call.activeNum) + ", where dropPadMode is 0");
    }
    return {};
}

Reason CheckOut(const Call& call) {
    if (call.out.rank != 2) {
        return Broken("the rank of out " + Text(call.out), call.out.rank, "2");
    }
    const int64_t hidden = call.gradExpandedX.dims[HiddenAxis(call)];
    if (call.out.dims[1] != hidden) {
        return Broken("dim 1 of out", call.out.dims[1],
                      "the hidden size of gradExpandedX, " + std::to_string(hidden));
    }
    const int64_t tokens = call.expandedRowIdx.dims[0] / call.topK;
    if (call.out.dims[0] != tokens) {
        return Broken("dim 0 of out", call.out.dims[0],
                      "dim 0 of expandedRowIdx divided by topK, " + std::to_string(tokens));
    }
    return {};
}

Reason CheckDims(const char* parameter, const Shape& shape) {
    for (uint64_t axis = 0; axis < shape.rank; ++axis) {
        if (shape.dims[axis] < 1) {
            return Broken("dim " + std::to_string(axis) + " of " + parameter, shape.dims[axis],
                          "greater than 0");
        }
    }
    return {};
}

Reason CheckSizes(const Call& call) {
    Reason reason = CheckDims("expandedRowIdx", call.expandedRowIdx);
    // In the other modes every index may say "dropped": then no source row is needed.
    if (reason.empty() && call.dropPadMode == 0 && call.activeNum == 0) {
        reason = CheckDims("gradExpandedX", call.gradExpandedX);
    }
    if (reason.empty() && call.expandedRowIdx.dims[0] % call.topK != 0) {
        reason = Broken("dim 0 of expandedRowIdx", call.expandedRowIdx.dims[0],
                        "a multiple of topK, " + std::to_string(call.topK));
    }
    return reason;
}

Reason CheckMachine(const Call& call, const ColumnBytes& bytes) {
    if (call.ubBytes < bytes.LeastUb()) {
        return Broken("the unified buffer", std::to_string(call.ubBytes) + " bytes",
                      std::to_string(bytes.LeastUb()) + " bytes or more for topK " +
                          std::to_string(call.topK) + " in this data type");
    }
    return {};
}

Reason Check(const Call& call) {
    for (const auto check : {CheckAttributes, CheckSourceRows, CheckOut, CheckSizes}) {
        if (Reason reason = check(call); !reason.empty()) {
            return reason;
        }
    }
    return CheckMachine(call, ColumnBytes(call.topK, DataTypeOf(call.dtype)));
}

MoeInitRoutingV2GradTilingData Cut(const Call& call, DataType type) {
    const ColumnBytes bytes(call.topK, type);
    const bool active = call.dropPadMode == 0 && call.activeNum > 0;
    MoeInitRoutingV2GradTilingData tiling{};
    tiling.key = 1000 + 100 * call.dropPadMode + (active ? 10 : 0) + type.digit;
    tiling.tokens = call.out.dims[0];
    tiling.topK = call.topK;
    tiling.hidden = call.out.dims[1];
    tiling.activeNum = call.activeNum;
    tiling.bins = Bins(call.topK);
    tiling.tokensPerCore = CeilDiv(tiling.tokens, call.cores);
    tiling.usedCores = CeilDiv(tiling.tokens, tiling.tokensPerCore);
    tiling.tileColumns = std::min(tiling.hidden, bytes.MostColumns(call.ubBytes));
    tiling.tokensPerBatch =
        tiling.tileColumns < tiling.hidden
            ? 1
            : std::min(tiling.tokensPerCore, bytes.MostTokens(call.ubBytes, tiling.tileColumns));
    return tiling;
}

}  // namespace

extern "C" int32_t MoeInitRoutingV2GradTiling(const MoeInitRoutingV2GradCall* call,
                                              MoeInitRoutingV2GradTilingData* tiling, char* reason,
                                              uint64_t reasonBytes) {
    const Reason broken = Check(*call);
    std::snprintf(reason, reasonBytes, "%s", broken.c_str());
    if (!broken.empty()) {
        return kTilingRejected;
    }
    *tiling = Cut(*call, DataTypeOf(call->dtype));
    return kAccepted;
}

extern "C" int64_t MoeInitRoutingV2GradTilingLimit(const char* axis, int64_t topK, int32_t dtype,
                                                   uint32_t cores, uint64_t ubBytes,
                                                   int64_t hidden) {
    const ColumnBytes bytes(topK, DataTypeOf(dtype));
    const int64_t mostColumns = bytes.MostColumns(static_cast<int64_t>(ubBytes));
    const std::string name = axis;
    if (name == "bins") {
        return Bins(topK);
    }
    if (name == "ub-bytes") {
        return bytes.LeastUb();
    }
    if (name == "cores") {
        return cores;
    }
    if (name == "hidden") {
        return mostColumns;
    }
    if (name != "batch" && name != "tokens") {
        return -1;
    }
    const int64_t batch = hidden > mostColumns
                              ? std::min<int64_t>(mostColumns, 1)
                              : bytes.MostTokens(static_cast<int64_t>(ubBytes), hidden);
    return name == "batch" ? batch : batch * cores;
}
