"""Seeded mistakes for the MoeInitRoutingV2 kernel: small edits that a suite must catch."""

from __future__ import annotations

from dataclasses import replace

from tests.kernels import mutants_moe_token_permute
from tests.kernels.mutants import ALL_DTYPES, Mutant

FOLDER = "moe_init_routing_v2/moe_init_routing_v2"
KERNEL = f"{FOLDER}_kernel.cpp"
COUNT = "shared/routing/slot_counts_kernel.h"
STARTS = "shared/routing/slot_starts_kernel.h"
PAD = f"{FOLDER}_kernel_pad.h"
PLACES = "shared/routing/slot_places_kernel.h"
TILING = f"{FOLDER}_tiling.cpp"
INTERFACE = "shared/routing/routing_interface.h"
PADDED = ("drop_pad",)
ACTIVE = ("active",)

SHARED = (
    "merge-takes-the-later-list-first-on-ties",
    "minus-1-sorted-to-the-tail",
    "rest-of-the-last-list-lost",
    "no-sync-between-sort-and-merge",
    "argsort-in-place-of-ranks",
    "second-tile-at-the-last-tile's-width",
    "last-core-copies-nothing",
    "columns-behind-the-last-whole-block-lost",
    "ranks-not-waited-for",
)
"""Mistakes in what MoeTokenPermute is compiled from, too."""

MUTANTS = (
    *(
        replace(mutant, modes=(), dtypes=ALL_DTYPES)
        for mutant in mutants_moe_token_permute.MUTANTS
        if mutant.name in SHARED
    ),
    Mutant(
        "active-num-ignored",
        INTERFACE,
        'return call.Number("activeNum") == 0 ? slots : std::min(call.Number("activeNum"), slots);',
        "return slots;",
        modes=ACTIVE,
        least_indices=2,
    ),
    Mutant(
        "active-num-counts-tokens",
        INTERFACE,
        'std::min(call.Number("activeNum"), slots);',
        'std::min(call.Number("activeNum") * call.Size("topK"), slots);',
        modes=ACTIVE,
        least_indices=2,
    ),
    Mutant(
        "count-flags-swapped",
        "shared/routing/routed_rows_cut.h",
        "return capacity == 0 ? countOrCumsumFlag",
        "return capacity == 0 ? (3 - countOrCumsumFlag) % 3",
        modes=("dropless", "active"),
    ),
    Mutant(
        "counts-before-the-capacity-left-out-if-others-are-asked-for",
        "shared/routing/routed_rows_cut.h",
        ": beforeCapacityFlag != 0 ? 2 : 0;",
        ": beforeCapacityFlag != 0 && countOrCumsumFlag == 0 ? 2 : 0;",
        modes=PADDED,
        least_indices=2,
    ),
    Mutant(
        "flag-of-counts-before-the-capacity-heeded-without-one",
        "shared/routing/routed_rows_cut.h",
        "return capacity == 0 ? countOrCumsumFlag",
        "return capacity == 0 ? (beforeCapacityFlag != 0 ? 2 : countOrCumsumFlag)",
        modes=("dropless", "active"),
    ),
    Mutant(
        "room-for-counts-wanted-that-drop-pad-has-not",
        INTERFACE,
        "Only(Both(dropless, counted))",
        "Only(counted)",
        modes=PADDED,
        documented=True,
    ),
    Mutant(
        "cumulative-sum-without-the-expert-itself",
        COUNT,
        "static_cast<int32_t>(hasStarts_ ? sum : after)",
        "static_cast<int32_t>(sum)",
        modes=("dropless", "active"),
    ),
    Mutant(
        "first-ranks-are-those-of-the-next-expert",
        COUNT,
        "static_cast<int32_t>(hasStarts_ ? sum : after)",
        "static_cast<int32_t>(after)",
        modes=PADDED,
    ),
    Mutant(
        "cumulative-sum-starts-anew-with-every-tile",
        COUNT,
        "int64_t sum = lower;",
        "int64_t sum = 0;",
    ),
    Mutant(
        "counts-of-the-cores-not-added",
        COUNT,
        "        AscendC::SetAtomicAdd<int32_t>();\n",
        "",
        cores=2,
        least_indices=2,
    ),
    Mutant(
        "counts-added-to-what-was-there",
        COUNT,
        "if (countsKind_ != 0) {\n            WriteZerosTo",
        "if (countsKind_ > 2) {\n            WriteZerosTo",
    ),
    Mutant(
        "counts-still-read-when-summed",
        COUNT,
        "            Order<HardEvent::MTE3_S>();\n",
        "",
        modes=PADDED,
    ),
    Mutant(
        "last-expert-not-counted",
        COUNT,
        "const Share share(experts_);",
        "const Share share(experts_ - 1);",
        modes=("dropless", "active"),
    ),
    Mutant(
        "second-part-of-the-slots-not-counted",
        COUNT,
        "slot < endSlot; slot += partSlots_",
        "slot < endSlot; slot = endSlot",
        least_indices=65,
    ),
    Mutant(
        "counts-after-the-capacity",
        PLACES,
        "const bool isKept = place >= 0 && place < capacity_;",
        "const bool isKept = place >= 0 && place <= capacity_;",
        modes=PADDED,
        least_indices=2,
    ),
    Mutant(
        "dropped-slot-keeps-its-rank",
        PLACES,
        "static_cast<int32_t>(isKept ? index * capacity_ + place : -1)",
        "isKept ? static_cast<int32_t>(index * capacity_ + place) : rows.GetValue(at)",
        modes=PADDED,
        least_indices=2,
    ),
    Mutant(
        "dropped-slot-goes-to-the-last-row",
        PLACES,
        "isKept ? index * capacity_ + place : -1)",
        "index * capacity_ + (isKept ? place : capacity_ - 1))",
        modes=PADDED,
        least_indices=2,
    ),
    Mutant(
        "rows-of-experts-laid-out-by-the-number-of-experts",
        PLACES,
        "isKept ? index * capacity_ + place : -1)",
        "isKept ? place * experts_ + index : -1)",
        modes=PADDED,
        least_indices=2,
    ),
    Mutant(
        "first-unfilled-row-left",
        PAD,
        "const int64_t free = expert * capacity_ + taken;",
        "const int64_t free = expert * capacity_ + taken + 1;",
        modes=PADDED,
    ),
    Mutant(
        "zeros-over-the-last-filled-row",
        PAD,
        "const int64_t free = expert * capacity_ + taken;",
        "const int64_t free = expert * capacity_ + (taken > 0 ? taken - 1 : 0);",
        modes=PADDED,
    ),
    Mutant(
        "rows-of-the-last-core-not-filled",
        PAD,
        "const Share share(experts_ * capacity_);",
        "Share share(experts_ * capacity_); if (AscendC::GetBlockIdx() > 0 &&"
        " AscendC::GetBlockIdx() == AscendC::GetBlockNum() - 1) { share.end = share.first; }",
        modes=PADDED,
        cores=2,
    ),
    Mutant(
        "only-the-first-zeros-of-a-row",
        PAD,
        "element < end; element += zeroElements_",
        "element < end; element = end",
        modes=PADDED,
    ),
    Mutant(
        "first-ranks-of-another-tile",
        STARTS,
        "if (first == first_ && count == count_) {",
        "if (count == count_) {",
        modes=PADDED,
    ),
    Mutant(
        "first-ranks-read-before-all-are-there",
        KERNEL,
        "slots.end);\n    AscendC::SyncAll();\n",
        "slots.end);\n",
        modes=PADDED,
        cores=2,
        least_indices=2,
    ),
    Mutant(
        "full-load-ranks-of-every-core-over-the-output",
        KERNEL,
        "mine.sortedIndices = own + bytes;",
        "mine.sortedIndices = tensors.sortedIndices;",
        modes=("dropless", "active"),
        cores=2,
        least_indices=2,
    ),
    Mutant(
        "full-load-cores-share-their-slots-by-rank",
        KERNEL,
        "GM_ADDR own = tensors.workspace + 2 * bytes * AscendC::GetBlockIdx();",
        "GM_ADDR own = tensors.workspace;",
        modes=("dropless", "active"),
        cores=2,
        least_indices=2,
    ),
    Mutant(
        "full-load-of-more-slots-than-a-run",
        TILING,
        " && slots.sort.runs == 1 &&",
        " &&",
        modes=("dropless", "active"),
        least_indices=33,
    ),
    Mutant(
        "product-of-experts-and-capacity-in-16-bits",
        TILING,
        "return Pads(call) ? call.experts * call.capacity : call.rows;",
        "return Pads(call) ? static_cast<int16_t>(call.experts * call.capacity) : call.rows;",
        modes=PADDED,
    ),
)
