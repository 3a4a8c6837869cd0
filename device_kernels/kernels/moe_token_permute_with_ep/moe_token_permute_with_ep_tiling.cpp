// Host tiling of MoeTokenPermuteWithEp: the checks on shapes and attributes, then the cut.

#include "moe_token_permute_with_ep_tiling.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>

#include "../shared/stable_sort_cut.h"

namespace {

constexpr int32_t kAccepted = 0;
constexpr int32_t kTilingRejected = 561002;
constexpr int64_t kBlockBytes = 32;  // granule of a copy to or from UB
constexpr int64_t kBuffers = 2;      // double buffering, of rows and of probs
constexpr int64_t kRankBytes = 4;    // int32
constexpr int64_t kSlotGranule = kBlockBytes / kRankBytes;
constexpr int64_t kMostCopyBlocks = 4095;  // blockCount of one DataCopyPad
constexpr int64_t kMostTopK = 512;
constexpr int64_t kSlotsEnd = 16777215;        // positions are sorted as fp32
constexpr uint64_t kWorkspaceAlignment = 512;  // of the parts of the workspace
constexpr int64_t kMostLimit = 1LL << 40;      // of what a limit is computed with

using List = MoeTokenPermuteWithEpList;
using Call = MoeTokenPermuteWithEpCall;
using TilingData = MoeTokenPermuteWithEpTilingData;
using Reason = std::string;  // empty: nothing is wrong
using stable_sort::CeilDiv;

int64_t ElementBytes(int64_t aclDataType) { return aclDataType == 0 ? 4 : 2; }

int64_t RoundDown(int64_t value, int64_t multiple) { return value / multiple * multiple; }

int64_t RoundUp(int64_t value, int64_t multiple) { return CeilDiv(value, multiple) * multiple; }

std::string Text(const List& list) {
    std::string text = "[";
    for (uint64_t at = 0; at < list.count; ++at) {
        text += (at == 0 ? "" : ", ") + std::to_string(list.values[at]);
    }
    return text + "]";
}

Reason Broken(const std::string& parameter, const std::string& value, const std::string& rule) {
    return parameter + " is " + value + "; it must be " + rule +
           " (host tiling of MoeTokenPermuteWithEp)";
}

Reason Broken(const std::string& parameter, int64_t value, const std::string& rule) {
    return Broken(parameter, std::to_string(value), rule);
}

Reason BrokenRank(const std::string& tensor, const List& shape, const std::string& rule) {
    return Broken("the rank of " + tensor + " " + Text(shape), static_cast<int64_t>(shape.count),
                  rule);
}

// The columns of a row: all dims but the first. The largest number where they are more.
int64_t Columns(const List& shape) {
    int64_t columns = 1;
    bool isEmpty = false;
    bool isTooLarge = false;
    for (uint64_t axis = 1; axis < shape.count; ++axis) {
        isEmpty |= shape.values[axis] == 0;
        isTooLarge |= __builtin_mul_overflow(columns, shape.values[axis], &columns);
    }
    return isEmpty ? 0 : isTooLarge ? std::numeric_limits<int64_t>::max() : columns;
}

int64_t TopK(const Call& call) { return call.indices.count == 2 ? call.indices.values[1] : 1; }

int64_t Slots(const Call& call) { return call.indices.values[0] * TopK(call); }

int64_t RangeStart(const Call& call) { return call.hasRange != 0 ? call.range.values[0] : 0; }

int64_t RangeEnd(const Call& call) {
    return call.hasRange != 0 ? call.range.values[1] : call.numOutTokens;
}

// The rows of the output. A range that ends where it starts means all of them, one that ends before
// leaves out what lies between.
int64_t OutRows(const Call& call) {
    const int64_t rows = RangeEnd(call) - RangeStart(call);
    return rows > 0 ? rows : rows + Slots(call);
}

Reason CheckAttributes(const Call& call) {
    if (call.hasRange != 0 && call.range.count != 2) {
        return Broken("the length of rangeOptional " + Text(call.range),
                      static_cast<int64_t>(call.range.count), "2");
    }
    if (call.paddedMode != 0) {
        return Broken("paddedMode", "true", "false");
    }
    return {};
}

Reason CheckInputs(const Call& call) {
    if (call.indices.count != 1 && call.indices.count != 2) {
        return BrokenRank("indices", call.indices, "1 or 2");
    }
    if (call.tokens.count < 1) {
        return BrokenRank("tokens", call.tokens, "1 or greater");
    }
    if (call.tokens.values[0] != call.indices.values[0]) {
        return Broken("dim 0 of tokens", call.tokens.values[0],
                      "dim 0 of indices, " + std::to_string(call.indices.values[0]));
    }
    if (call.hasProbs == 0) {
        return {};
    }
    if (call.probs.count != call.indices.count) {
        return BrokenRank("probsOptional", call.probs,
                          "that of indices, " + std::to_string(call.indices.count));
    }
    for (uint64_t axis = 0; axis < call.probs.count; ++axis) {
        if (call.probs.values[axis] != call.indices.values[axis]) {
            return Broken("dim " + std::to_string(axis) + " of probsOptional",
                          call.probs.values[axis],
                          "that of indices, " + std::to_string(call.indices.values[axis]));
        }
    }
    return {};
}

Reason CheckSlots(const Call& call) {
    if (TopK(call) < 1 || TopK(call) > kMostTopK) {
        return Broken("topK, dim 1 of indices", TopK(call), "1 to " + std::to_string(kMostTopK));
    }
    // Compared without the product, which may be too large for an integer.
    if (call.indices.values[0] > (kSlotsEnd - 1) / TopK(call)) {
        return Broken("the number of elements of indices " + Text(call.indices),
                      std::to_string(call.indices.values[0]) + " * " + std::to_string(TopK(call)),
                      "less than " + std::to_string(kSlotsEnd));
    }
    return {};
}

Reason CheckRange(const Call& call) {
    const std::string rule =
        "0 to the number of elements of indices, " + std::to_string(Slots(call));
    const auto isOutside = [&](int64_t rank) { return rank < 0 || rank > Slots(call); };
    if (call.hasRange == 0) {
        return isOutside(call.numOutTokens) ? Broken("numOutTokens", call.numOutTokens, rule)
                                            : Reason{};
    }
    if (isOutside(RangeStart(call))) {
        return Broken("the start of rangeOptional", RangeStart(call), rule);
    }
    if (isOutside(RangeEnd(call))) {
        return Broken("the end of rangeOptional", RangeEnd(call), rule);
    }
    return {};
}

Reason CheckTokensOut(const Call& call) {
    const List& shape = call.permuteTokensOut;
    if (shape.count < 2) {
        return BrokenRank("permuteTokensOut", shape, "2 or greater");
    }
    if (Columns(shape) != Columns(call.tokens)) {
        return Broken("the number of columns of permuteTokensOut " + Text(shape), Columns(shape),
                      "that of tokens, " + std::to_string(Columns(call.tokens)));
    }
    if (shape.values[0] != OutRows(call)) {
        return Broken("dim 0 of permuteTokensOut", shape.values[0],
                      "the number of ranks in the range, " + std::to_string(OutRows(call)));
    }
    return {};
}

Reason CheckVector(const char* name, const List& shape, int64_t elements,
                   const std::string& meaning) {
    if (shape.count != 1) {
        return BrokenRank(name, shape, "1");
    }
    if (shape.values[0] != elements) {
        return Broken(std::string("dim 0 of ") + name, shape.values[0],
                      meaning + ", " + std::to_string(elements));
    }
    return {};
}

Reason CheckOutputs(const Call& call) {
    Reason reason = CheckTokensOut(call);
    if (reason.empty()) {
        reason = CheckVector("sortedIndicesOut", call.sortedIndicesOut, Slots(call),
                             "the number of elements of indices");
    }
    if (reason.empty() && call.hasProbs != 0) {
        reason = CheckVector("permuteProbsOut", call.permuteProbsOut, OutRows(call),
                             "the number of ranks in the range");
    }
    return reason;
}

Reason CheckMachine(const Call& call) {
    if (call.ubBytes < stable_sort::kLeastUb) {
        return Broken("the unified buffer", std::to_string(call.ubBytes) + " bytes",
                      std::to_string(stable_sort::kLeastUb) + " bytes or more");
    }
    return {};
}

Reason Check(const Call& call) {
    for (const auto check : {CheckAttributes, CheckInputs, CheckSlots, CheckRange, CheckOutputs}) {
        if (Reason reason = check(call); !reason.empty()) {
            return reason;
        }
    }
    return CheckMachine(call);
}

// How a core copies rows: the header's table.
struct Copies {
    int64_t tokensPerBatch;
    int64_t slotsPerBatch;
    int64_t tileColumns;
};

struct CopyBytes {
    CopyBytes(int64_t topK, int64_t dtype, bool hasProbs, int64_t ubBytes)
        : topK(topK),
          element(ElementBytes(dtype)),
          perSlot(kRankBytes + (hasProbs ? kBuffers * kBlockBytes : 0)),
          ub(ubBytes) {}

    // The most whole rows with all their slots; 0 where not even one fits.
    int64_t WholeTokens(int64_t hidden) const {
        if (hidden > ub) {
            return 0;
        }
        const int64_t rows = kBuffers * RoundUp(hidden * element, kBlockBytes);
        const int64_t fit = (ub - kBlockBytes) / (rows + topK * perSlot);
        return std::min({fit, kMostCopyBlocks, kMostCopyBlocks / topK});
    }

    // Slots at a time of a token that does not fit whole.
    int64_t SlotsOfPart() const {
        const int64_t fit = RoundDown(ub / 2 / perSlot, kSlotGranule);
        return std::min(topK, std::max(fit, kSlotGranule));
    }

    // Columns at a time of such a token.
    int64_t ColumnsOfTile() const {
        const int64_t slots = RoundUp(SlotsOfPart(), kSlotGranule) * perSlot;
        return RoundDown((ub - slots) / kBuffers, kBlockBytes) / element;
    }

    // The largest hidden of one tile, be it with all slots of a token or with a part of them.
    int64_t MostColumns() const {
        const int64_t row = (ub - kBlockBytes - topK * perSlot) / kBuffers;
        const int64_t whole = row < kBlockBytes ? 0 : RoundDown(row, kBlockBytes) / element;
        return std::max(whole, ColumnsOfTile());
    }

    Copies Cut(int64_t hidden) const {
        const int64_t tokens = WholeTokens(hidden);
        return tokens > 0 ? Copies{tokens, tokens * topK, hidden}
                          : Copies{1, SlotsOfPart(), std::min(hidden, ColumnsOfTile())};
    }

    int64_t topK;
    int64_t element;  // bytes of one
    int64_t perSlot;  // bytes
    int64_t ub;
};

int64_t AlignedWorkspace(int64_t bytes) { return RoundUp(bytes, kWorkspaceAlignment); }

TilingData Cut(const Call& call) {
    TilingData tiling{};
    tiling.key = 1000 + (call.indexDtype == 9 ? 10 : 0) + (ElementBytes(call.dtype) == 2 ? 1 : 0);
    tiling.tokens = call.indices.values[0];
    tiling.topK = TopK(call);
    tiling.hidden = Columns(call.tokens);
    tiling.hasProbs = call.hasProbs != 0 ? 1 : 0;
    if (tiling.tokens == 0) {
        return tiling;
    }
    const int64_t rows = OutRows(call);
    tiling.firstRank = rows < Slots(call) ? RangeStart(call) : 0;
    tiling.endRank = tiling.firstRank + rows;
    tiling.sort = stable_sort::Cut(Slots(call), call.cores, call.ubBytes);
    tiling.tokensPerCore = CeilDiv(tiling.tokens, call.cores);
    const int64_t copyingCores = CeilDiv(tiling.tokens, tiling.tokensPerCore);
    const int64_t sortingCores = std::min(tiling.sort.runs, call.cores);
    tiling.usedCores = std::max(copyingCores, sortingCores);
    const CopyBytes bytes(tiling.topK, call.dtype, call.hasProbs != 0, call.ubBytes);
    const Copies copies = bytes.Cut(tiling.hidden);
    tiling.tokensPerBatch = std::min(copies.tokensPerBatch, tiling.tokensPerCore);
    tiling.slotsPerBatch = std::min(copies.slotsPerBatch, tiling.tokensPerBatch * tiling.topK);
    tiling.tileColumns = copies.tileColumns;
    tiling.pairsOffset = AlignedWorkspace(Slots(call) * kRankBytes);
    tiling.pairsBytes = AlignedWorkspace(stable_sort::PairBytes(tiling.sort));
    tiling.workspaceBytes = tiling.pairsOffset + 2 * tiling.pairsBytes;
    return tiling;
}

}  // namespace

extern "C" int32_t MoeTokenPermuteWithEpTiling(const MoeTokenPermuteWithEpCall* call,
                                               MoeTokenPermuteWithEpTilingData* tiling,
                                               char* reason, uint64_t reasonBytes) {
    const Reason broken = Check(*call);
    std::snprintf(reason, reasonBytes, "%s", broken.c_str());
    if (!broken.empty()) {
        return kTilingRejected;
    }
    *tiling = Cut(*call);
    return kAccepted;
}

extern "C" int64_t MoeTokenPermuteWithEpTilingLimit(const char* axis, int64_t topK, int32_t dtype,
                                                    uint32_t cores, uint64_t ubBytes,
                                                    int64_t hidden) {
    const std::string name = axis;
    if (name == "ub-bytes") {
        return stable_sort::kLeastUb;
    }
    if (name == "cores") {
        return cores;
    }
    const int64_t ub = static_cast<int64_t>(std::min<uint64_t>(ubBytes, kMostLimit));
    const int64_t run = stable_sort::LargestRun(ub);
    if (name == "sort") {
        return run;
    }
    if (name == "merge-1") {
        return run * stable_sort::kMergedAtOnce;
    }
    if (name == "merge-2") {
        return run * stable_sort::kMergedAtOnce * stable_sort::kMergedAtOnce;
    }
    if (name == "runs") {
        return run * cores;
    }
    const std::string suffix = "-probs";
    const bool hasProbs = name.ends_with(suffix);
    const std::string stem = hasProbs ? name.substr(0, name.size() - suffix.size()) : name;
    if (stem != "hidden" && stem != "batch" && stem != "tokens") {
        return -1;
    }
    if (ub < stable_sort::kLeastUb || topK < 1 || topK > kMostTopK || hidden < 0) {
        return 0;
    }
    const CopyBytes bytes(topK, dtype, hasProbs, ub);
    if (stem == "hidden") {
        return bytes.MostColumns();
    }
    const int64_t batch = bytes.Cut(hidden).tokensPerBatch;
    return stem == "batch" ? batch : batch * cores;
}
