// Host tiling of MoeTokenPermuteWithEp: the checks on shapes and attributes, then the cut.

#include "moe_token_permute_with_ep_tiling.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>

#include "../shared/stable_sort_cut.h"
#include "moe_token_permute_with_ep_cut.h"

namespace {

constexpr int32_t kAccepted = 0;
constexpr int32_t kTilingRejected = 561002;
constexpr int64_t kMostTopK = 512;
constexpr int64_t kSlotsEnd = 16777215;        // positions are sorted as fp32
constexpr int64_t kMostTokens = 1LL << 31;     // that an int32 can name
constexpr uint64_t kWorkspaceAlignment = 512;  // of the parts of the workspace
constexpr int64_t kMostLimit = 1LL << 40;      // of what a limit is computed with

using List = MoeTokenPermuteWithEpList;
using Call = MoeTokenPermuteWithEpCall;
using TilingData = MoeTokenPermuteWithEpTilingData;
using Reason = std::string;  // empty: nothing is wrong
using moe_token_permute_with_ep_cut::Copies;
using moe_token_permute_with_ep_cut::CopyBytes;
using moe_token_permute_with_ep_cut::ElementBytes;
using moe_token_permute_with_ep_cut::kRankBytes;
using moe_token_permute_with_ep_cut::RoundUp;
using stable_sort::CeilDiv;

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
// leaves out what lies between. numOutTokens without a range is to CANN the end of one; as the
// document has it, more than there are slots mean all of them, and a negative one leaves out so
// many.
int64_t OutRows(const Call& call) {
    if (call.paddedMode != 0) {
        return Slots(call);
    }
    if (call.hasRange == 0 && call.asDocument != 0) {
        return call.numOutTokens > 0 ? std::min(call.numOutTokens, Slots(call))
                                     : std::max<int64_t>(0, call.numOutTokens + Slots(call));
    }
    const int64_t rows = RangeEnd(call) - RangeStart(call);
    return rows > 0 ? rows : rows + Slots(call);
}

Reason CheckAttributes(const Call& call) {
    if (call.hasRange != 0 && call.range.count != 2) {
        return Broken("the length of rangeOptional " + Text(call.range),
                      static_cast<int64_t>(call.range.count), "2");
    }
    if (call.paddedMode != 0 && call.asDocument == 0) {
        return Broken("paddedMode", "true", "false");
    }
    return {};
}

// paddedMode: indices name tokens, and probs have a column for each expert, whose rows lie
// together.
Reason CheckPadded(const Call& call) {
    if (call.indices.count != 1) {
        return BrokenRank("indices", call.indices, "1 with paddedMode");
    }
    if (call.tokens.count < 1) {
        return BrokenRank("tokens", call.tokens, "1 or greater");
    }
    if (call.tokens.values[0] > kMostTokens) {
        return Broken("dim 0 of tokens", call.tokens.values[0],
                      "at most 2^31 with paddedMode, as sortedIndicesOut names them by int32");
    }
    if (call.hasProbs == 0) {
        return {};
    }
    if (call.probs.count != 2) {
        return BrokenRank("probsOptional", call.probs, "2 with paddedMode");
    }
    if (call.probs.values[0] != call.tokens.values[0]) {
        return Broken("dim 0 of probsOptional", call.probs.values[0],
                      "dim 0 of tokens, " + std::to_string(call.tokens.values[0]));
    }
    if (call.probs.values[1] == 0 || Slots(call) % call.probs.values[1] != 0) {
        return Broken(
            "dim 1 of probsOptional", call.probs.values[1],
            "a number of experts that share the " + std::to_string(Slots(call)) + " rows evenly");
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
        return call.asDocument == 0 && isOutside(call.numOutTokens)
                   ? Broken("numOutTokens", call.numOutTokens, rule)
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
    const bool isPadded = call.paddedMode != 0;
    const auto sorted = {CheckAttributes, CheckInputs, CheckSlots, CheckRange, CheckOutputs};
    const auto padded = {CheckAttributes, CheckPadded, CheckOutputs};
    for (const auto check : isPadded&& call.asDocument != 0 ? padded : sorted) {
        if (Reason reason = check(call); !reason.empty()) {
            return reason;
        }
    }
    return CheckMachine(call);
}

int64_t AlignedWorkspace(int64_t bytes) { return RoundUp(bytes, kWorkspaceAlignment); }

TilingData Cut(const Call& call) {
    const bool isPadded = call.paddedMode != 0;
    TilingData tiling{};
    tiling.key = 1000 + (isPadded ? 100 : 0) + (call.indexDtype == 9 ? 10 : 0) +
                 (ElementBytes(call.dtype) == 2 ? 1 : 0);
    tiling.tokens = call.tokens.values[0];
    tiling.topK = TopK(call);
    tiling.hidden = Columns(call.tokens);
    tiling.hasProbs = call.hasProbs != 0 ? 1 : 0;
    const int64_t cut = call.indices.values[0];  // tokens, or padded: rows
    if (cut == 0) {
        return tiling;
    }
    const int64_t rows = OutRows(call);
    tiling.firstRank = rows < Slots(call) ? RangeStart(call) : 0;
    tiling.endRank = tiling.firstRank + rows;
    tiling.tokensPerCore = CeilDiv(cut, call.cores);
    tiling.usedCores = CeilDiv(cut, tiling.tokensPerCore);
    const CopyBytes bytes(tiling.topK, call.dtype, call.hasProbs != 0, isPadded, call.ubBytes);
    const Copies copies = bytes.Cut(tiling.hidden);
    tiling.tokensPerBatch = std::min(copies.tokensPerBatch, tiling.tokensPerCore);
    tiling.slotsPerBatch = std::min(copies.slotsPerBatch, tiling.tokensPerBatch * tiling.topK);
    tiling.tileColumns = copies.tileColumns;
    if (isPadded) {
        tiling.experts = call.hasProbs != 0 ? call.probs.values[1] : 0;
        return tiling;
    }
    tiling.sort = stable_sort::Cut(Slots(call), call.cores, call.ubBytes);
    tiling.usedCores = std::max(tiling.usedCores, std::min(tiling.sort.runs, call.cores));
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
    std::string stem = name;
    const auto endsWith = [&stem](const std::string& suffix) {
        const bool ends = stem.ends_with(suffix);
        stem.resize(stem.size() - (ends ? suffix.size() : 0));
        return ends;
    };
    const bool hasProbs = endsWith("-probs");
    const bool isPadded = endsWith("-padded");
    if (stem != "hidden" && stem != "batch" && stem != "tokens") {
        return -1;
    }
    if (ub < stable_sort::kLeastUb || topK < 1 || topK > kMostTopK || hidden < 0) {
        return 0;
    }
    const CopyBytes bytes(topK, dtype, hasProbs, isPadded, ub);
    if (stem == "hidden") {
        return bytes.MostColumns();
    }
    const int64_t batch = bytes.Cut(hidden).tokensPerBatch;
    return stem == "batch" ? batch : batch * cores;
}
