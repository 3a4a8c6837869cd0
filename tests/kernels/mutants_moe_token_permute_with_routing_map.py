"""Seeded mistakes for the MoeTokenPermuteWithRoutingMap kernel: small edits that a suite must
catch. Others of its walk over the map are in mutants_moe_token_permute_with_routing_map_grad.py.
"""

from __future__ import annotations

from functools import partial

from tests.kernels.mutants import Mutant

FOLDER = "moe_token_permute_with_routing_map"
KERNEL = f"{FOLDER}/{FOLDER}_kernel"
PLACE, RANK, PAD = (f"{KERNEL}_{part}.h" for part in ("place", "rank", "pad"))
TILING = f"{FOLDER}/{FOLDER}_tiling.cpp"
CHECK = f"{FOLDER}/{FOLDER}_check.h"
WALK = "shared/routing_map/routing_map_kernel.h"
CUT = "shared/routing_map/routing_map_cut.h"
COPY = "shared/slots/slot_copy_kernel.h"
GATHER = "shared/rows/row_gather_kernel.h"
DROPLESS, DROP_AND_PAD = ("dropless",), ("drop_pad",)

Ranked = partial(Mutant, file=RANK, modes=DROPLESS)
Padded = partial(Mutant, file=PAD, modes=DROP_AND_PAD)

MUTANTS: tuple[Mutant, ...] = (
    Ranked(
        "ranks-of-a-token-in-falling-order-of-experts",
        before="ranks.SetValue(static_cast<uint32_t>(first), static_cast<int32_t>(rank));",
        after="ranks.SetValue(static_cast<uint32_t>(2 * token * topK_ + topK_ - 1 - first),"
        " static_cast<int32_t>(rank));",
        least_indices=2,
    ),
    Ranked(
        "every-token-of-a-tile-takes-the-same-rank",
        before="Base::SetPlace(i, rank + 1);",
        after="Base::SetPlace(i, rank);",
        least_indices=2,
    ),
    Ranked(
        "probs-token-by-token",
        before="Base::Store(Base::permuteProbs_, Base::PlaceOf(expert), rows_, values, count);",
        after="Base::Store(Base::permuteProbs_, share_.first * topK_ + expert * count,"
        " rows_, values, count);",
        least_indices=3,
    ),
    Ranked(
        "first-prob-of-a-run-for-all",
        before="values.SetValue(static_cast<uint32_t>(count), "
        "Base::ProbOf(token, expert, experts));",
        after="values.SetValue(static_cast<uint32_t>(count),"
        " count > 0 ? values.GetValue(0) : Base::ProbOf(token, expert, experts));",
        least_indices=2,
    ),
    Ranked(
        "places-of-earlier-tiles-not-counted",
        before="before = Base::FindPlaces(expert, experts, before);",
        after="before = Base::FindPlaces(expert, experts, 0);",
        least_indices=2,
    ),
    Ranked(
        "slots-of-earlier-tiles-not-counted",
        before="const int64_t before = expert > 0 ? FoundBefore(token) : 0;",
        after="const int64_t before = expert > tileExperts_ ? FoundBefore(token) : 0;",
        least_indices=2,
    ),
    Ranked(
        "places-found-kept-in-one-place-for-all-tokens",
        before="Base::Store(found_, token, token + 1, found, 1);",
        after="Base::Store(found_, share_.first, share_.first + 1, found, 1);",
        least_indices=2,
    ),
    Ranked(
        "ranks-of-the-tile-before-not-waited-for",
        before="        Order<HardEvent::MTE3_S>();\n        int64_t found = 0;",
        after="        int64_t found = 0;",
        least_indices=2,
    ),
    Ranked(
        "ranks-stored-from-the-core's-first-token",
        before="Base::Store(Base::sortedIndices_, token * topK_ + before,",
        after="Base::Store(Base::sortedIndices_, (token - share_.first) * topK_ + before,",
        cores=2,
        least_indices=2,
    ),
    Padded(
        "no-padding-rows",
        before="if (rest < capacity_) {",
        after="if (rest < 0) {",
    ),
    Padded(
        "unselected-tokens-first",
        before="== run.isSelected) {",
        after="!= run.isSelected) {",
        least_indices=2,
    ),
    Padded(
        "padding-behind-the-selected-of-this-core-alone",
        before="const int64_t rest = total + token - selected;",
        after="const int64_t rest = total + token - share_.first - selected;",
        cores=2,
        least_indices=2,
    ),
    Padded(
        "capacity-not-applied-to-the-selected",
        before="MoveRun({token, tokens, i, experts, true}, row + selected, row + capacity_);",
        after="MoveRun({token, tokens, i, experts, true}, row + selected, Base::rows_);",
        least_indices=2,
    ),
    Padded(
        "tokens-numbered-in-their-tile",
        before="named.SetValue(at, static_cast<int32_t>(run.token + i));",
        after="named.SetValue(at, static_cast<int32_t>(i));",
        least_indices=2,
    ),
    Padded(
        "token-number-in-16-bits",
        before="named.SetValue(at, static_cast<int32_t>(run.token + i));",
        after="named.SetValue(at, static_cast<int16_t>(run.token + i));",
        least_indices=32_769,
        documented=True,
    ),
    Padded(
        "probs-of-the-padding-zero",
        before="values.SetValue(at, Base::ProbOf(i, run.expert, run.experts));",
        after="values.SetValue(at,"
        " run.isSelected ? Base::ProbOf(i, run.expert, run.experts) : Bits{0});",
    ),
    Padded(
        "second-tile-takes-the-rows-of-the-first",
        before="Base::SetPlace(i, selected + found);",
        after="(void)found;",
        least_indices=2,
    ),
    Padded(
        "rows-of-the-second-tile-of-experts-in-those-of-the-first",
        before="const int64_t row = (expert + i) * capacity_;",
        after="const int64_t row = i * capacity_;",
        least_indices=2,
    ),
    Padded(
        "rows-read-token-by-token",
        file=GATHER,
        before="tokens_[token * hidden_ + column],",
        after="tokens_[Least(row + i, token) * hidden_ + column],",
        least_indices=2,
    ),
    Padded(
        "element-offset-in-32-bits",
        file=GATHER,
        before="tokens_[token * hidden_ + column],",
        after="tokens_[static_cast<uint32_t>(token * hidden_ + column)],",
        least_indices=2,
        least_hidden=1 << 16,
        documented=True,
    ),
    Mutant(
        "second-tile-of-experts-with-the-probs-of-the-first",
        PLACE,
        "probs_[token * experts_ + expert],",
        "probs_[token * experts_],",
        least_indices=2,
    ),
    Mutant(
        "last-prob-of-a-run-lost",
        PLACE,
        "const int64_t kept = Least(count, end - first);",
        "const int64_t kept = Least(count, end - first) - (sizeof(Element) == 2 && count > 1);",
        dtypes=("float16", "bfloat16"),
        least_indices=2,
    ),
    Mutant(
        "quiet-bit-set-in-every-probability",
        PLACE,
        "return probBuffer_.template Get<Bits>().GetValue(static_cast<uint32_t>(at));",
        "const Bits bits = probBuffer_.template Get<Bits>().GetValue(static_cast<uint32_t>(at));"
        " return bits == 0x7F81 ? Bits{0x7FC1} : bits;",
        dtypes=("bfloat16",),
    ),
    Mutant(
        "last-token-of-a-core-not-counted",
        WALK,
        "const int64_t tokens = Least(tileTokens_, share_.end - token);\n"
        "            LoadMap(token, tokens, expert, experts);",
        "const int64_t tokens = Least(tileTokens_, share_.end - token - (block_ == 0 &&"
        " share_.end - token > 1));\n            LoadMap(token, tokens, expert, experts);",
        least_indices=2,
    ),
    Mutant(
        "counts-without-a-barrier-between-blocks",
        WALK,
        "        AscendC::SyncAll();\n",
        "",
    ),
    Mutant(
        "blocks-do-not-wait-for-the-places",
        f"{KERNEL}.cpp",
        "    pipe.Destroy();\n    AscendC::SyncAll();\n",
        "    pipe.Destroy();\n",
        modes=(*DROP_AND_PAD, *DROPLESS),
        cores=2,
        least_indices=2,
    ),
    Ranked(
        "rows-beside-their-token",
        file=COPY,
        before="const int64_t row = (slot + i) / topK_ - token;",
        after="const int64_t row = (slot + i) % (tokens * topK_) / topK_;",
        least_indices=2,
    ),
    Mutant(
        "one-tile-more-than-fits",
        CUT,
        "const int64_t perToken = rounded * placeBytes + tokenBytes;",
        "const int64_t perToken = rounded * placeBytes;",
        least_indices=8,
    ),
    Mutant(
        "capacity-by-the-tokens",
        CHECK,
        "return call.dropAndPad != 0 ? Each(call, Experts(call)) : 0;",
        "return call.dropAndPad != 0 ? Each(call, Tokens(call)) : 0;",
        modes=DROP_AND_PAD,
    ),
    Ranked(
        "room-for-places-found-within-the-counts",
        file=TILING,
        before="RoundUp(slots.usedCores * Experts(call) * kCountBytes,",
        after="RoundUp(Experts(call),",
        cores=2,
        least_indices=2,
    ),
    Padded(
        "capacity-of-an-expert-in-its-tile-alone",
        before="const int64_t row = (expert + i) * capacity_;",
        after="const int64_t row = i * capacity_;",
    ),
)
