"""Seeded mistakes for the MoeInitRouting kernel: small edits that a suite must catch."""

from __future__ import annotations

from dataclasses import replace

from tests.kernels import mutants_moe_token_permute_with_ep
from tests.kernels.mutants import Mutant

FOLDER = "moe_init_routing/moe_init_routing"
KERNEL = f"{FOLDER}_kernel.cpp"
TILING = f"{FOLDER}_tiling.cpp"
INTERFACE = "shared/routing/row_indices_interface.h"
SORT = "shared/sorting/stable_sort_kernel.h"
SORTED = "shared/sorting/row_index_sort_kernel.h"
GATHER = "shared/rows/row_gather_kernel.h"
ACTIVE = ("active",)

SHARED = (
    "merge-takes-the-later-list-first-on-ties",
    "minus-1-sorted-to-the-tail",
    "rest-of-the-last-list-lost",
    "no-sync-between-sort-and-merge",
)
"""Mistakes in what MoeTokenPermuteWithEp is compiled from, too."""

SORTED_PAIRS = """    sorter.SortPairs(At<int32_t>(tensors.expertIdx), At<int32_t>(tensors.rowIdx),
                     At<int32_t>(tensors.expandedExpertIdx), sortedRowIdx);
"""

MUTANTS = (
    *(
        replace(mutant, modes=())
        for mutant in mutants_moe_token_permute_with_ep.MUTANTS
        if mutant.name in SHARED
    ),
    Mutant(
        "row-index-modulo-top-k",
        GATHER,
        "inputRows_ = tiling->tokens;",
        "inputRows_ = Least(tiling->topK, tiling->tokens);",
        least_indices=2,
    ),
    Mutant(
        "active-num-counts-rows",
        INTERFACE,
        'std::min(call.Number("activeNum"), call.Size("tokens")) * call.Size("topK");',
        'std::min(call.Number("activeNum"), call.Size("tokens") * call.Size("topK"));',
        least_indices=2,
    ),
    Mutant(
        "active-num-ignored",
        INTERFACE,
        'std::min(call.Number("activeNum"), call.Size("tokens")) * call.Size("topK");',
        'call.Size("tokens") * call.Size("topK");',
        modes=ACTIVE,
    ),
    Mutant(
        "experts-unsorted",
        SORT,
        "StoreKeys(Out()[padded], count, first);",
        "AscendC::PipeBarrier<PIPE_ALL>();"
        " AscendC::DataCopyPad(sortedKeys_[first], inBuffer_.Get<int32_t>(),"
        " DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(int32_t)), 0, 0, 0});",
        least_indices=2,
    ),
    Mutant(
        "experts-of-every-part-in-the-first-places",
        SORT,
        "sortedKeys_[first], keys,",
        "sortedKeys_[0], keys,",
        least_indices=33,
    ),
    Mutant(
        "row-idx-ignored",
        SORT,
        "AscendC::Adds(positions, values, 0, static_cast<int32_t>(count));",
        "",
        least_indices=2,
    ),
    Mutant(
        "row-indices-of-the-first-run-for-all",
        SORT,
        "values, values_[begin],",
        "values, values_[0],",
        least_indices=33,
    ),
    Mutant(
        "inverse-forgotten",
        SORTED,
        "sorter.ArgSort(sortedRowIdx, At<int32_t>(tensors.expandedRowIdx));",
        "sorter.SortPairs(At<int32_t>(tensors.expertIdx), At<int32_t>(tensors.rowIdx),"
        " At<int32_t>(tensors.expandedExpertIdx), At<int32_t>(tensors.expandedRowIdx));",
        least_indices=3,
    ),
    Mutant(
        "equal-experts-by-row-index",
        SORTED,
        SORTED_PAIRS,
        """    const auto numbers = At<int32_t>(tensors.expandedRowIdx);
    const auto experts = At<int32_t>(tensors.expandedExpertIdx);
    sorter.SortPairs(At<int32_t>(tensors.rowIdx), At<int32_t>(tensors.expertIdx), numbers, experts);
    sorter.SortPairs(experts, numbers, experts, sortedRowIdx);
""",
        least_indices=2,
    ),
    Mutant(
        "last-kept-row-lost",
        TILING,
        "slots.endRank = call.rows;",
        "slots.endRank = call.rows - 1;",
    ),
    Mutant(
        "rows-that-do-not-come-out-even-lost",
        GATHER,
        "endRow_ = Least(firstRow_ + tiling->tokensPerCore, tiling->endRank);",
        "endRow_ = firstRow_ + tiling->tokensPerCore;"
        " endRow_ = endRow_ > tiling->endRank ? firstRow_ : endRow_;",
        cores=2,
        least_indices=3,
    ),
    Mutant(
        "second-tile-from-the-first-column",
        GATHER,
        "tokens_[token * hidden_ + column],",
        "tokens_[token * hidden_],",
        least_hidden=9,
    ),
    Mutant(
        "columns-behind-the-last-whole-block-lost",
        GATHER,
        "const uint32_t bytes = static_cast<uint32_t>(columns * sizeof(T));",
        "const int64_t over = columns > BLOCK_ELEMENTS ? columns % BLOCK_ELEMENTS : 0;"
        " const uint32_t bytes = static_cast<uint32_t>((columns - over) * sizeof(T));",
        least_hidden=9,
    ),
    Mutant(
        "16-bit-rows-copied-as-32-bit",
        KERNEL,
        "return Run<uint16_t>(tensors, data->slots);",
        "return Run<uint32_t>(tensors, data->slots);",
        dtypes=("float16", "bfloat16"),
    ),
)
