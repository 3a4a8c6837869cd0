"""Seeded mistakes for the MoeTokenPermuteGrad kernel: small edits that a suite must catch."""

from __future__ import annotations

from functools import partial

from tests.kernels.mutants import Mutant

SLOTS = "shared/slots/slot_sum_kernel.h"
ROWS = "shared/rows/row_sum_kernel.h"
MODES = ("whole", "uneven")
LEAST_TILES = 81
"""The fewest columns of fp32 that the smallest buffer takes in two tiles."""

LEAST_BATCHES = 17
"""The fewest indices that it takes in two batches, whatever the columns beside them."""

Mistake = partial(Mutant, modes=MODES)

MUTANTS: tuple[Mutant, ...] = (
    Mistake(
        "dropped-first-slot-taken-as-row-0",
        SLOTS,
        "rows_.StartAtZero(columns);",
        "rows_.StartAtRow(0, column, columns);",
        modes=("uneven",),
    ),
    Mistake(
        "dropped-first-slot-not-zeroed",
        ROWS,
        "AscendC::Duplicate(sum_, static_cast<Sum>(0), count);",
        "(void)count;",
        modes=("uneven",),
    ),
    Mistake(
        "index-equal-to-the-rows-kept",
        SLOTS,
        "return row < sourceRows_;",
        "return row <= sourceRows_;",
        modes=("uneven",),
    ),
    Mistake(
        "sum-of-k-plus-1-terms",
        SLOTS,
        "const int64_t slots = topK_;",
        "const int64_t slots = topK_ + 1;",
    ),
    Mistake(
        "last-slot-lost",
        SLOTS,
        "const int64_t slots = topK_;",
        "const int64_t slots = topK_ > 1 ? topK_ - 1 : 1;",
        least_indices=2,
    ),
    Mistake(
        "rows-summed-one-slot-shifted",
        SLOTS,
        "GetValue(static_cast<uint32_t>(place));",
        "GetValue(static_cast<uint32_t>(Least(place + 1, batch_ * topK_ - 1)));",
        least_indices=2,
    ),
    Mistake(
        "summed-from-the-last-slot-to-the-first",
        SLOTS,
        "for (int64_t slot = 1; slot < slots; ++slot) {",
        "for (int64_t slot = slots - 1; slot > 0; --slot) {",
        least_indices=3,
    ),
    Mistake(
        "row-index-read-as-int16",
        SLOTS,
        "return named_.RowOf(index);",
        "return named_.RowOf(static_cast<int16_t>(index));",
        modes=("uneven",),
    ),
    Mistake(
        "second-batch-with-the-indices-of-the-first",
        SLOTS,
        "rowIndices_[token * topK_]",
        "rowIndices_[share_.first * topK_]",
        least_indices=LEAST_BATCHES,
    ),
    Mistake(
        "second-tile-at-the-last-tile's-width",
        SLOTS,
        "SumTile(i * topK_, column, columns);",
        "SumTile(i * topK_, column == 0 ? 0 : columns, columns);",
        least_hidden=LEAST_TILES,
    ),
    Mistake(
        "offset-in-32-bits",
        ROWS,
        "source_[row * hidden_ + column]",
        "source_[static_cast<int32_t>(row * hidden_ + column)]",
        modes=("uneven",),  # there may be far more rows than indices
    ),
    Mistake(
        "fp16-accumulated-in-fp16",
        ROWS,
        "using Sum = float;",
        "using Sum = std::conditional_t<std::is_same_v<T, half>, half, float>;",
        dtypes=("float16",),
        least_indices=2,
    ),
    Mistake(
        "result-truncated-to-16-bit",
        ROWS,
        "RoundMode::CAST_RINT",
        "RoundMode::CAST_TRUNC",
        dtypes=("float16", "bfloat16"),
        least_indices=2,
    ),
    Mistake(
        "last-partial-block-unwritten",
        ROWS,
        "const uint32_t stored = static_cast<uint32_t>(columns * sizeof(T));",
        "const uint32_t stored = static_cast<uint32_t>(columns * sizeof(T) / 32 * 32);",
    ),
    Mistake(
        "last-core-idle",
        "shared/rows/row_share_kernel.h",
        "return {first, first + each + (block < rest ? 1 : 0)};",
        "const bool idle = blocks > 1 && block == blocks - 1;"
        " return {first, idle ? first : first + each + (block < rest ? 1 : 0)};",
        cores=2,
        least_indices=2,
    ),
    Mistake(
        "tokens-that-do-not-come-out-even-lost",
        "shared/rows/row_share_kernel.h",
        "return {first, first + each + (block < rest ? 1 : 0)};",
        "return {first, first + each};",
        cores=2,
        least_indices=3,
    ),
)
