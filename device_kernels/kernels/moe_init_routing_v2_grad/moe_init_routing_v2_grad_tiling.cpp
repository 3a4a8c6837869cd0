// Host tiling of MoeInitRoutingV2Grad: whether it can be done, then the cut.

#include "moe_init_routing_v2_grad_tiling.h"

#include <algorithm>
#include <string>

#include "../shared/checks/tiling_checks.h"

namespace {

constexpr const char* kSource = "host tiling of MoeInitRoutingV2Grad";
constexpr int64_t kBlockBytes = 32;       // granule of a copy to or from UB
constexpr int64_t kBuffers = 2;           // double buffering, of input rows and of results
constexpr int64_t kSumBytes = 4;          // fp32
constexpr int64_t kMaxCopyBlocks = 4095;  // blockCount of one DataCopyPad
constexpr int64_t kMaxBins = 64;

using Call = MoeInitRoutingV2GradCall;
using tiling_checks::Reason;

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

Reason Check(const Call& call) {
    return tiling_checks::CheckUb(call.ubBytes,
                                  ColumnBytes(call.topK, DataTypeOf(call.dtype)).LeastUb(),
                                  " for topK " + std::to_string(call.topK) + " in this data type");
}

MoeInitRoutingV2GradTilingData Cut(const Call& call, DataType type) {
    const ColumnBytes bytes(call.topK, type);
    const bool active = call.dropPadMode == 0 && call.activeNum > 0;
    MoeInitRoutingV2GradTilingData tiling{};
    tiling.key = 1000 + 100 * call.dropPadMode + (active ? 10 : 0) + type.digit;
    tiling.tokens = call.tokens;
    tiling.topK = call.topK;
    tiling.hidden = call.hidden;
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
    const int32_t status = tiling_checks::Answer(Check(*call), kSource, reason, reasonBytes);
    if (status == tiling_checks::kAccepted) {
        *tiling = Cut(*call, DataTypeOf(call->dtype));
    }
    return status;
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
