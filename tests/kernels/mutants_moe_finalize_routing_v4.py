"""Seeded mistakes for the MoeFinalizeRoutingV4 kernel: of experts without rows, and of k. Those of
the sum itself are in mutants_moe_finalize_routing_v2.py, too.
"""

from __future__ import annotations

from functools import partial

from tests.kernels.mutants import Mutant

RANGED = ("experts_without_rows",)
SUM = "shared/finalize/finalize_sum_kernel.h"
Slots = partial(Mutant, file=SUM)
Kinds = partial(Mutant, file=SUM, modes=RANGED)
Ranges = partial(Mutant, file="shared/finalize/finalize_ranges_kernel.h", modes=RANGED)
DROPS = ("drop_pad_columns", "drop_pad_rows")
ZERO = "if (ranges_.IsZero(expert)) {"
COPY = "if (ranges_.IsCopy(expert)) {"
COPIED = "return AddTerm(ranges_.RowOf(token * hidden_ + column), expert, column, columns,"
BLEND = "return {alpha1_[own], x_[token * hidden + column], alpha2_[own], v_[own]};"
OWN = "(expert - tiling_->constantStart) * hidden"
HAS_ROW = "const bool hasRow = row >= 0 && row < sourceRows_;"

MUTANTS: tuple[Mutant, ...] = (
    Kinds(
        "zero-expert-adds-its-bias",
        before=ZERO,
        after=ZERO + " if (HasBias(expert)) { Add(BiasOf(expert, column), columns, scale); }",
    ),
    Ranges(
        "zero-expert-has-a-row",
        before="expert >= tiling_->zeroStart && expert < tiling_->zeroEnd",
        after="expert < 0",
    ),
    *(
        Ranges(
            f"end-of-{kind}-experts-is-one-of-them",
            before=f"expert < tiling_->{kind}End",
            after=f"expert <= tiling_->{kind}End",
        )
        for kind in ("zero", "copy", "constant")
    ),
    Kinds(
        "copy-expert-adds-its-row-of-expanded-x-too",
        before=COPY,
        after=COPY + " if (row >= 0 && row < sourceRows_) {"
        " Add(rows_.RowOf(row, column), columns, scale); }",
    ),
    Kinds(
        "copy-expert-has-no-bias",
        before=COPIED,
        after="return Add(ranges_.RowOf(token * hidden_ + column), columns,",
    ),
    Kinds(
        "copy-expert-takes-the-first-token",
        before=COPIED,
        after=COPIED.replace("token * hidden_ + column", "column"),
        least_indices=2,
    ),
    Kinds(
        "copy-expert-of-a-dropped-slot-is-dropped",
        before=COPY,
        after=COPY.replace("if (", "if (row >= 0 && "),
    ),
    Ranges(
        "constant-expert-by-its-id",
        before=OWN,
        after="expert * hidden",
    ),
    Ranges(
        "first-constant-expert-for-all",
        before=OWN,
        after="0 * hidden",
    ),
    Ranges(
        "alpha1-and-alpha2-change-places",
        before=BLEND,
        after="return {alpha2_[own], x_[token * hidden + column], alpha1_[own], v_[own]};",
    ),
    Ranges(
        "constant-of-the-first-tile-for-all",
        before="const int64_t own = " + OWN + " + column;",
        after="const int64_t own = " + OWN + ";",
    ),
    Mutant(
        "without-scales-a-token-has-one-slot",
        "shared/finalize/finalize_interface.h",
        '!call.Has("scalesOptional") ||',
        'call.Has("scalesOptional") &&',
        least_indices=2,
    ),
    Slots(
        "minus-1-is-the-last-row",
        before=HAS_ROW,
        after="row = row < 0 ? sourceRows_ - 1 : row;\n        " + HAS_ROW,
        modes=DROPS,
    ),
    Slots(
        "dropped-slot-has-the-row-of-the-slot-before",
        before="AddSlot(token, RowIndex(place, slot), place",
        after="AddSlot(token,"
        " RowIndex(place, slot > 0 && RowIndex(place, slot) < 0 ? slot - 1 : slot), place",
        modes=DROPS,
        least_indices=2,
    ),
    Slots(
        "last-odd-slot-lost",
        before="for (int64_t slot = 0; slot < slots; ++slot) {\n            AddSlot(",
        after="for (int64_t slot = 0; slot < slots / 2 * 2; ++slot) {\n            AddSlot(",
    ),
)
