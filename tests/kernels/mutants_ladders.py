"""Mistakes in the width of a size, or at one size alone: what only a ladder shows.

A number kept in 16 bits goes wrong behind 65,536 tokens, slots, rows, columns or experts; a table
that ends early behind its last entry; a table with one entry wrong at that top_k.
"""

from __future__ import annotations

import re
from dataclasses import replace

from tests.kernels.mutants import Mutant

BITS = 2**16
"""The first number that 16 bits do not hold."""


def _narrow(name: str, file: str, before: str, number: str, **how: int | tuple[str, ...]) -> Mutant:
    """A ``number`` in ``before`` that is kept in 16 bits."""
    at = re.compile(rf"(?<![\w]){re.escape(number)}(?![\w])")
    after = at.sub(f"static_cast<uint16_t>({number})", before, count=1)
    sizes = {"least_indices": BITS + 1} | how
    return Mutant(name, file, before, after, **sizes)  # type: ignore[arg-type]


COPIES = "shared/slots/slot_copy_kernel.h"
GATED = (
    _narrow(
        "row-of-a-batch-in-16-bits",
        "shared/gating/gating_batch_kernel.h",
        "AscendC::DataCopyPad(raw, call_.x[row * experts_], copy,",
        "row",
    ),
    _narrow(
        "expert-of-a-row-in-16-bits",
        "shared/gating/gating_row_kernel.h",
        "call_.x[row * experts_ + piece.expert],",
        "piece.expert",
        least_indices=1,
    ),
)
GROUP_GATE = "shared/gating/group_gate_kernel.h"
GROUP_GATED = (
    _narrow(
        "row-of-scores-in-16-bits",
        GROUP_GATE,
        "const int64_t first = row * tiling_->experts;",
        "row",
    ),
    _narrow("row-of-ids-in-16-bits", GROUP_GATE, "Store(expertIdx_, row * k_, ids, k_);", "row"),
)
LOOKED_UP_KEY = _narrow(
    "key-in-16-bits",
    "moe_gating_top_k_v2/moe_gating_top_k_v2_kernel_lookup.h",
    "LoadExperts(ub, InputId(row) * k, k, ids);",
    "InputId(row) * k",
)
GATE_GRAD = "moe_gating_top_k_backward/moe_gating_top_k_backward_kernel.cpp"
GATE_GRADS = (
    _narrow("row-of-inputs-in-16-bits", GATE_GRAD, "from[row * count], copy,", "row"),
    _narrow(
        "row-of-gradients-in-16-bits",
        GATE_GRAD,
        "StoreRounded(result_, row * tiling_->experts,",
        "row",
    ),
)
SEGMENTS = "moe_re_routing/moe_re_routing_kernel.cpp"
MOVED = "Move(tokens, row, permuteTokens, begin, mine, tiling_->rowBytes);"
OF_MOVES = ("float16", "bfloat16", "int8")
REROUTED = (
    _narrow("row-of-tokens-in-16-bits", SEGMENTS, MOVED, "row", dtypes=OF_MOVES),
    _narrow("place-of-a-row-in-16-bits", SEGMENTS, MOVED, "begin", dtypes=OF_MOVES),
    _narrow(
        "first-count-of-a-rank-in-16-bits",
        SEGMENTS,
        "counts_[rank * words + at]",
        "rank * words",
        dtypes=OF_MOVES,
        least_indices=1,
    ),
)
ENTRIES = "moe_compute_expert_tokens/moe_compute_expert_tokens_kernel.cpp"
ENTERED = (
    _narrow("middle-in-16-bits", ENTRIES, "Entry(middle) <= expert", "middle", dtypes=("int32",)),
    _narrow("entry-in-16-bits", ENTRIES, "integers, entries_, at, count", "at", dtypes=("int32",)),
)
SORTED_SLOT = _narrow("slot-offset-in-16-bits", COPIES, "ranks, ranks_[slot],", "slot")
COPIED_ROW = _narrow("row-offset-in-16-bits", COPIES, "tokens_[token * hidden_ + column],", "token")
COPIED_COLUMN = _narrow(
    "column-offset-in-16-bits",
    COPIES,
    "tokens_[token * hidden_ + column],",
    "column",
    least_indices=1,
    least_hidden=BITS + 1,
)
COPIED_RANK = _narrow(
    "rank-in-16-bits",
    COPIES,
    "AscendC::DataCopyPad(permuteTokens_[(rank - firstRank_) * hidden_ + column],",
    "(rank - firstRank_)",
)
ONE_TOP_K = Mutant(
    "no-slots-of-top-k-13",
    COPIES,
    "const int64_t endSlot = endToken * topK_;",
    "const int64_t endSlot = topK_ == 13 ? token * topK_ : endToken * topK_;",
    least_indices=13,
)
SUMS = "shared/slots/slot_sum_kernel.h"
SUMMED_SLOT = _narrow(
    "slot-offset-in-16-bits", SUMS, "rowIndices_[token * topK_],", "token * topK_"
)
SUMMED_TOP_K = Mutant(
    "last-slot-of-top-k-19-lost",
    SUMS,
    "const int64_t slots = topK_;",
    "const int64_t slots = topK_ == 19 ? 18 : topK_;",
    least_indices=19,
)
ROWS = "shared/rows/row_sum_kernel.h"
SUMMED_ROW = _narrow(
    "source-row-in-16-bits", ROWS, "return source_[row * hidden_ + column];", "row"
)
SUMMED_COLUMN = _narrow(
    "column-of-a-sum-in-16-bits",
    ROWS,
    "return source_[row * hidden_ + column];",
    "column",
    least_indices=1,
    least_hidden=BITS + 1,
)
STORED_TOKEN = _narrow(
    "token-of-a-sum-in-16-bits", ROWS, "output_[token * hidden_ + column], result,", "token"
)
SLOT_SUMS = (SUMMED_SLOT, SUMMED_TOP_K, SUMMED_ROW, SUMMED_COLUMN, STORED_TOKEN)
GRADS = "shared/slots/slot_grad_kernel.h"
SLOT_GRADS = (
    _narrow("slot-offset-of-a-gradient-in-16-bits", GRADS, "indices_[slot],", "slot"),
    _narrow("token-of-a-gradient-in-16-bits", GRADS, "grads_[token * hidden_ + column],", "token"),
    _narrow("row-of-a-gradient-in-16-bits", GRADS, "rows_[row * hidden_ + column],", "row"),
)
MAPS = "shared/routing_map/routing_map_kernel.h"
MAP = (
    _narrow(
        "expert-of-the-counts-in-16-bits",
        MAPS,
        "counts_[core * experts_ + expert],",
        "expert",
        least_indices=1,
    ),
    Mutant(
        "counts-of-1024-experts",
        MAPS,
        "            before += totals.GetValue(at);\n",
        "            before += expert + i < 1024 ? totals.GetValue(at) : 0;\n",
    ),
)
SORTED_KEYS = Mutant(
    "more-repeats-than-a-sort-takes",
    "shared/sorting/stable_sort_cut.h",
    "kMostRepeats = 255;",
    "kMostRepeats = 256;",
    least_indices=255 * 32 + 1,
)
GATHERS = "shared/rows/row_gather_kernel.h"
GATHERED = (
    _narrow("row-index-in-16-bits", GATHERS, "WRAPS ? index % inputRows_ : index", "index"),
    _narrow("row-offset-in-16-bits", GATHERS, "permuteTokens_[row * hidden_ + column],", "row"),
    _narrow("place-in-16-bits", GATHERS, "indices, indices_[row],", "row"),
    SORTED_KEYS,
)
SORTS = (SORTED_SLOT, COPIED_ROW, COPIED_COLUMN, COPIED_RANK, ONE_TOP_K, SORTED_KEYS)
FINALIZE = "shared/finalize/finalize_sum_kernel.h"
INIT = "shared/routing/slot_counts_kernel.h"
INIT_GRAD = "moe_init_routing_v2_grad/moe_init_routing_v2_grad_kernel.cpp"
RANK = "moe_token_permute_with_routing_map/moe_token_permute_with_routing_map_kernel_rank.h"
FINALIZED = (
    SUMMED_ROW,
    SUMMED_COLUMN,
    STORED_TOKEN,
    _narrow(
        "slot-offset-in-16-bits",
        FINALIZE,
        "const int64_t first = token * topK_ + slot;",
        "token * topK_ + slot",
    ),
    replace(
        _narrow(
            "expert-of-a-bias-in-16-bits",
            FINALIZE,
            "return bias_[expert * hidden_ + column];",
            "expert",
        ),
        least_indices=1,
    ),
)
COPIED_ROUTE = _narrow(
    "row-offset-in-16-bits",
    "moe_init_routing_v3/moe_init_routing_v3_kernel_rows.h",
    "x_[token * rowBytes_ + at], tiles_,",
    "token",
)
ROUTED_RANK = _narrow(
    "rank-in-16-bits",
    "shared/routing/routed_rows_kernel.h",
    "slotOfRank_, row + ahead, rows);",
    "row + ahead",
)
QUANTISE = "shared/routing/row_quantise_kernel.h"
QUANTISED = (
    _narrow("token-in-16-bits", QUANTISE, "x_[token * hidden_ + column], columns);", "token"),
    _narrow("row-of-integers-in-16-bits", QUANTISE, "StoreIntegers(row * hidden_ + column,", "row"),
    ROUTED_RANK,
    SORTED_KEYS,
)
COUNTED = (
    Mutant(
        "counts-in-16-bits",
        INIT,
        "numbers.SetValue(at, numbers.GetValue(at) + 1);",
        "numbers.SetValue(at, static_cast<uint16_t>(numbers.GetValue(at) + 1));",
        least_indices=BITS,
    ),
    Mutant(
        "counts-of-1024-experts",
        INIT,
        "if (index >= expert && index < expert + entries) {",
        "if (index >= expert && index < expert + entries && index < 1024) {",
    ),
    Mutant(
        "slots-of-lower-experts-in-16-bits",
        INIT,
        "        int64_t lower = 0;",
        "        uint16_t lower = 0;",
        least_indices=BITS,
    ),
)
MUTANTS: dict[str, tuple[Mutant, ...]] = {
    "moe_token_permute": SORTS,
    "moe_token_permute_with_ep": SORTS,
    "moe_init_routing": GATHERED,
    "moe_init_routing_quant": QUANTISED,
    "moe_init_routing_quant_v2": (*QUANTISED, *COUNTED),
    "moe_init_routing_v2": (*SORTS, *COUNTED),
    "moe_init_routing_v3": (COPIED_ROUTE, ROUTED_RANK, SORTED_KEYS, *COUNTED),
    "moe_token_permute_grad": SLOT_SUMS,
    "moe_token_permute_with_ep_grad": SLOT_SUMS,
    "moe_token_unpermute": SLOT_SUMS,
    "moe_token_unpermute_with_ep": SLOT_SUMS,
    "moe_token_unpermute_with_routing_map": SLOT_SUMS,
    "moe_init_routing_v2_grad": (
        _narrow(
            "slot-offset-in-16-bits",
            INIT_GRAD,
            "return rowIndices_.GetValue(token * topK_ + slot);",
            "token * topK_ + slot",
        ),
        _narrow("source-row-in-16-bits", INIT_GRAD, "sourceRows_[row * hidden_ + column],", "row"),
        _narrow(
            "token-in-16-bits", INIT_GRAD, "output_[token * hidden_ + column], result,", "token"
        ),
        Mutant(
            "last-slot-of-top-k-19-lost",
            INIT_GRAD,
            "        const int64_t slots = topK_;\n        const int64_t slotsOfStep1",
            "        const int64_t slots = topK_ == 19 ? 18 : topK_;\n"
            "        const int64_t slotsOfStep1",
            least_indices=19,
        ),
    ),
    "moe_compute_expert_tokens": ENTERED,
    "moe_gating_top_k": GROUP_GATED,
    "moe_gating_top_k_backward": GATE_GRADS,
    "moe_gating_top_k_softmax": GATED,
    "moe_gating_top_k_softmax_v2": GATED,
    "moe_gating_top_k_v2": (*GROUP_GATED, LOOKED_UP_KEY),
    "moe_re_routing": REROUTED,
    "moe_token_unpermute_grad": SLOT_GRADS,
    "moe_token_unpermute_with_ep_grad": SLOT_GRADS,
    "moe_token_unpermute_with_routing_map_grad": SLOT_GRADS,
    "moe_finalize_routing": FINALIZED,
    "moe_finalize_routing_v2": FINALIZED,
    "moe_finalize_routing_v3": FINALIZED,
    "moe_finalize_routing_v4": FINALIZED,
    "moe_finalize_routing_v2_grad": (
        *SLOT_GRADS,
        replace(
            _narrow(
                "expert-of-a-bias-in-16-bits",
                "shared/slots/slot_bias_kernel.h",
                "biases_[ExpertOf(place) * hidden_ + column],",
                "ExpertOf(place)",
            ),
            least_indices=1,
        ),
    ),
    "moe_token_permute_with_routing_map": (
        *MAP,
        Mutant(
            "more-blocks-of-a-map-than-a-copy-takes",
            "shared/routing_map/routing_map_cut.h",
            "kMostTileTokens = 4095;",
            "kMostTileTokens = 8190;",
            least_indices=4096,
        ),
        replace(COPIED_ROW, modes=("dropless",)),
        replace(COPIED_COLUMN, modes=("dropless",)),
        _narrow(
            "slots-of-a-token-in-16-bits",
            RANK,
            "Base::Store(Base::sortedIndices_, token * topK_ + before, (token + tokens) * topK_,",
            "token * topK_ + before",
            modes=("dropless",),
        ),
    ),
    "moe_token_permute_with_routing_map_grad": (
        *SLOT_SUMS,
        *MAP,
        Mutant(
            "more-rows-than-a-copy-takes",
            "moe_token_permute_with_routing_map_grad/moe_token_permute_with_routing_map_grad_ub.h",
            "kMostCopyBlocks = 4095;",
            "kMostCopyBlocks = 8190;",
            least_indices=4096,
            modes=("drop_pad",),
        ),
        Mutant(
            SORTED_KEYS.name,
            "moe_token_permute_with_routing_map_grad/moe_token_permute_with_routing_map_grad_ub.h",
            "kMostSorted = 255 *",
            "kMostSorted = 256 *",
            least_indices=255 * 32 + 1,
            modes=("drop_pad",),
        ),
    ),
}
"""By operator. Those of shared sources are in every operator that is compiled from them."""
