"""Seeded mistakes in which row a rank of a range names: operators with a range have them all."""

from __future__ import annotations

from functools import partial

from tests.kernels.mutants import Mutant

NAMED = "shared/slots/slot_rows_kernel.h"
SLOTS = "shared/slots/slot_sum_kernel.h"

Named = partial(Mutant, file=NAMED)
Kept = partial(Mutant, file=SLOTS, before="return row < sourceRows_;")

OF_STARTS: tuple[Mutant, ...] = (
    Named(
        "rows-not-counted-from-the-start",
        before="INT64_MAX : index - first;",
        after="INT64_MAX : index;",
    ),
    Named("first-rank-of-the-range-lost", before="index < first ?", after="index <= first ?"),
    Named(
        "rank-before-the-range-taken-as-row-0",
        before="index < first ? INT64_MAX",
        after="index < first ? 0",
    ),
)

OF_SUMMED_ENDS: tuple[Mutant, ...] = (
    Kept("last-rank-of-the-range-lost", after="return row < sourceRows_ - 1;"),
    Kept("ranks-beyond-the-range-kept", after="return row != INT64_MAX;"),
)
