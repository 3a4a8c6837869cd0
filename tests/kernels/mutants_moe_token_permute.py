"""Seeded mistakes for the MoeTokenPermute kernel: small edits that a suite must catch."""

from __future__ import annotations

from dataclasses import replace

from tests.kernels import (
    mutants_moe_token_permute_with_ep,
    mutants_moe_token_permute_with_ep_padded,
)
from tests.kernels.mutants import ALL_DTYPES, Mutant

FOLDER = "moe_token_permute/moe_token_permute"
KERNEL = f"{FOLDER}_kernel.cpp"
TILING = f"{FOLDER}_tiling.cpp"
SLOTS = "shared/slots/slot_copy_kernel.h"
SORT = "shared/sorting/slot_sort_kernel.h"
CUT = "shared/slots/slot_copy_cut.h"
MOVED = (*ALL_DTYPES, "int8")
BYTES = ("int8",)

SHARED = (
    "merge-takes-the-later-list-first-on-ties",
    "lists-of-a-run-merged-back-to-front",
    "minus-1-sorted-to-the-tail",
    "rest-of-the-last-list-lost",
    "keys-of-the-last-run-unsorted",
    "no-sync-between-sort-and-merge",
    "int64-index-truncated-to-32-bits",
    "argsort-in-place-of-ranks",
    "second-tile-at-the-last-tile's-width",
    "row-of-the-first-token-of-a-batch",
    "last-core-copies-nothing",
    "num-out-tokens-of-0-keeps-nothing",
    "negative-num-out-tokens-off-by-one",
)
"""Mistakes in what MoeTokenPermuteWithEp is compiled from, too."""

MODES = {
    "num-out-tokens-of-0-keeps-nothing": ("whole",),
    "negative-num-out-tokens-off-by-one": ("without_last",),
}
"""The modes in which some of them show."""

MUTANTS = (
    *(
        replace(mutant, modes=MODES.get(mutant.name, ()), dtypes=MOVED)
        for mutant in (
            *mutants_moe_token_permute_with_ep.MUTANTS,
            *mutants_moe_token_permute_with_ep_padded.MUTANTS,
        )
        if mutant.name in SHARED
    ),
    Mutant(
        "num-out-tokens-ignored",
        TILING,
        "slots.endRank = call.rows;",
        "slots.endRank = call.tokens * call.topK;",
        modes=("first", "without_last"),
        dtypes=MOVED,
        least_indices=2,
    ),
    Mutant(
        "last-kept-row-lost",
        TILING,
        "slots.endRank = call.rows;",
        "slots.endRank = call.rows - 1;",
        dtypes=MOVED,
    ),
    Mutant(
        "int64-indices-read-as-int32",
        KERNEL,
        "return Run<int64_t, uint32_t>",
        "return Run<int32_t, uint32_t>",
        dtypes=("float32",),
        least_indices=2,
    ),
    Mutant(
        "int8-moved-as-16-bits",
        KERNEL,
        "return Run<int32_t, uint8_t>",
        "return Run<int32_t, uint16_t>",
        dtypes=BYTES,
    ),
    Mutant(
        "int8-rows-cut-as-16-bits",
        CUT,
        """        case 2:
            return 1;
""",
        """        case 2:
            return 2;
""",
        dtypes=BYTES,
    ),
    Mutant(
        "last-byte-of-an-odd-row-lost",
        SLOTS,
        "const uint32_t bytes = static_cast<uint32_t>(columns * sizeof(T));",
        "const uint32_t bytes ="
        " static_cast<uint32_t>(columns * sizeof(T) - (columns > 1 && sizeof(T) == 1"
        " ? columns % 2 : 0));",
        dtypes=BYTES,
        least_hidden=3,
    ),
    Mutant(
        "columns-behind-the-last-whole-block-lost",
        SLOTS,
        "const uint32_t bytes = static_cast<uint32_t>(columns * sizeof(T));",
        "const int64_t over = columns > BLOCK_ELEMENTS ? columns % BLOCK_ELEMENTS : 0;"
        " const uint32_t bytes = static_cast<uint32_t>((columns - over) * sizeof(T));",
        dtypes=MOVED,
        least_hidden=9,
    ),
    Mutant(
        "token-of-a-slot-without-top-k",
        SLOTS,
        "const int64_t row = (slot + i) / topK_ - token;",
        "const int64_t row = Least(slot + i - token * topK_, tokens - 1);",
        dtypes=MOVED,
        least_indices=4,
    ),
    Mutant(
        "offset-in-32-bits",
        SLOTS,
        "tokens_[token * hidden_ + column],",
        "tokens_[static_cast<int32_t>(token * hidden_ + column)],",
        modes=("first",),
        dtypes=MOVED,
        documented=True,
    ),
    Mutant(
        "slots-by-rank-over-the-pairs",
        SORT,
        "GM_ADDR pairs = tensors.workspace + tiling->pairsOffset;",
        "GM_ADDR pairs = tensors.workspace;",
        dtypes=MOVED,
        least_indices=33,
    ),
    Mutant(
        "ranks-not-waited-for",
        SLOTS,
        "        Order<HardEvent::MTE2_S>();\n",
        "",
        dtypes=MOVED,
    ),
    Mutant(
        "next-ranks-over-those-still-read",
        SLOTS,
        "        Order<HardEvent::S_MTE2>();\n",
        "",
        dtypes=MOVED,
        least_indices=2,
    ),
)
