"""Seeded mistakes for the MoeTokenPermuteWithRoutingMapGrad kernel: small edits that a suite must
catch. Those of its sums over slots are in mutants_moe_token_permute_grad.py.
"""

from __future__ import annotations

from functools import partial

from tests.kernels.mutants import Mutant

FOLDER = "moe_token_permute_with_routing_map_grad"
KERNEL = f"{FOLDER}/{FOLDER}_kernel"
MASK, SCATTER, SORT, ADD = (f"{KERNEL}_{part}.h" for part in ("mask", "scatter", "sort", "add"))
DROPLESS, DROP_AND_PAD = ("dropless",), ("drop_pad",)

Masked = partial(Mutant, file=MASK, modes=DROPLESS)
Walked = partial(Mutant, file="shared/routing_map/routing_map_kernel.h", modes=DROPLESS)
Scattered = partial(Mutant, file=SCATTER, modes=DROP_AND_PAD)
Sorted = partial(Mutant, file=SORT, modes=DROP_AND_PAD)
Added = partial(Mutant, file="shared/rows/sorted_sum_kernel.h", modes=DROP_AND_PAD)

MUTANTS: tuple[Mutant, ...] = (
    Masked(
        "probs-scattered-token-by-token",
        before="PlaceValues(place, count, i, tokens, experts);",
        after="int64_t rank = places.GetValue(0);"
        " for (int64_t t = 0; t < tokens; ++t) for (int64_t x = 0; x < experts; ++x)"
        " if (IsTrue(t, x, experts)) { if (x == i) output.SetValue(static_cast<uint32_t>("
        "t * OutputPitch(experts) + i), values_.GetValue(rank)); ++rank; } (void)place;",
        least_indices=3,
    ),
    Walked(
        "expert-offset-inclusive",
        before="before + places.GetValue(at)",
        after="before + totals.GetValue(at) + places.GetValue(at)",
    ),
    Walked(
        "values-of-earlier-cores-not-counted",
        before="if (core < block_) {",
        after="if (core < 0) {",
        cores=2,
        least_indices=2,
    ),
    Masked(
        "last-expert-never",
        before="++i) {\n            const int32_t count = CountTrue(i, tokens, experts);",
        after="++i) {\n            const int32_t count ="
        " i == experts_ - 1 ? 0 : CountTrue(i, tokens, experts);",
    ),
    Walked(
        "map-compared-with-one",
        before="GetValue(static_cast<uint32_t>(at)) != 0;",
        after="GetValue(static_cast<uint32_t>(at)) == 1;",
    ),
    Masked(
        "second-tile-takes-the-values-of-the-first",
        before="places.SetValue(at, place + count);",
        after="",
        least_indices=2,
    ),
    Walked(
        "second-tile-with-the-experts-of-the-first",
        before="map_[token * experts_ + expert]",
        after="map_[token * experts_]",
    ),
    Masked(
        "values-of-earlier-tiles-not-counted",
        before="before = FindPlaces(expert, experts, before);",
        after="before = FindPlaces(expert, experts, 0);",
        least_indices=2,
    ),
    Masked(
        "places-of-the-tile-before-left",
        before="AscendC::Duplicate(output, static_cast<Bits>(0),",
        after="if (token == share_.first) AscendC::Duplicate(output, static_cast<Bits>(0),",
        least_indices=2,
    ),
    Scattered(
        "rows-that-do-not-come-out-even-lost",
        before="endRow_ = block_ == blocks_ - 1 ? tiling->rows : firstRow_ + each;",
        after="endRow_ = firstRow_ + each;",
        cores=2,
        least_indices=3,
    ),
    Scattered(
        "expert-counted-from-the-core's-first-row",
        before="const int64_t expert = (first + i) / capacity_;",
        after="const int64_t expert = (first - firstRow_ + i) / capacity_;",
        cores=2,
        least_indices=3,
    ),
    Scattered(
        "rows-taken-token-by-token",
        before="const int64_t expert = (first + i) / capacity_;",
        after="const int64_t expert = (first + i) % experts_;",
        least_indices=4,
    ),
    Scattered(
        "last-core-writes-no-zeros",
        before="WriteZeros();\n        AscendC::SyncAll();",
        after="if (blocks_ == 1 || block_ < blocks_ - 1) { WriteZeros(); }\n"
        "        AscendC::SyncAll();",
        cores=2,
        least_indices=3,
    ),
    Sorted(
        "later-runs-merged-first",
        before="for (int32_t list = 0; list < LISTS; ++list) {\n            const int64_t count",
        after="for (int32_t list = LISTS - 1; list >= 0; --list) {\n"
        "            const int64_t count",
        least_indices=33,
        reorders=True,
    ),
    Sorted(
        "entries-behind-the-shortest-list-lost",
        before="next[lists[part]] += taken[part];",
        after="next[lists[part]] += counts[part];",
        least_indices=33,
    ),
    Sorted(
        "every-round-from-the-first-half",
        before="MergeRuns(first, length, halves_[level % 2], halves_[(level + 1) % 2]);",
        after="MergeRuns(first, length, halves_[0], halves_[1]);",
        least_indices=129,
    ),
    Sorted(
        "rows-numbered-from-the-run's-first",
        before="static_cast<int32_t>(first), padded);",
        after="0, padded);",
        least_indices=33,
    ),
    Added(
        "rows-of-a-token-replace-each-other",
        before="for (int64_t entry = first; entry < end; ++entry) {",
        after="for (int64_t entry = end > first ? end - 1 : end; entry < end; ++entry) {",
        least_indices=2,
    ),
    Added(
        "last-row-never",
        before="while (end < count_ &&",
        after="while (end < count_ - 1 &&",
    ),
    Mutant(
        "row-number-in-16-bits",
        ADD,
        "return window_.Get<uint32_t>().GetValue(place * ENTRY_FLOATS + 1);",
        "return static_cast<int16_t>(window_.Get<uint32_t>().GetValue(place * ENTRY_FLOATS + 1));",
        DROP_AND_PAD,
        least_indices=32_769,
    ),
    Added(
        "second-tile-without-rows",
        before="for (int64_t entry = first; entry < end; ++entry) {",
        after="for (int64_t entry = column == 0 ? first : end; entry < end; ++entry) {",
        least_hidden=81,  # of fp32 that the smallest buffer takes in two tiles
    ),
    Added(
        "first-token-of-a-core-skipped",
        before="if (entries_.TokenAt(0) < token) {",
        after="if (entries_.TokenAt(0) <= token) {",
    ),
    Added(
        "sum-of-the-token-before-kept",
        before="rows_.StartAtZero(columns);",
        after="if (token == share_.first) { rows_.StartAtZero(columns); }",
        least_indices=2,
    ),
)
