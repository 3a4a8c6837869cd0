"""Seeded mistakes for the MoeInitRoutingQuantV2 kernel: of the routing that it shares with
MoeInitRoutingV2, of the rows that it shares with MoeInitRoutingV3, and of its own roundings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

from tests.kernels import mutants_moe_init_routing_v2, mutants_moe_init_routing_v3
from tests.kernels.mutants import Mutant
from tests.kernels.mutants_moe_init_routing_v3 import DYNAMIC, STATIC

QUANTISE = "shared/routing/row_quantise_kernel.h"
ROWS = "shared/routing/routed_rows_kernel.h"
FOLDER = "moe_init_routing_quant_v2/moe_init_routing_quant_v2"
BY_RANK = ("dropless_static", "active_static", "dropless_dynamic", "active_dynamic")
PADDED = ("drop_pad_static", "drop_pad_dynamic")

ROUTED = (
    "merge-takes-the-later-list-first-on-ties",
    "rest-of-the-last-list-lost",
    "no-sync-between-sort-and-merge",
    "active-num-ignored",
    "active-num-counts-tokens",
    "count-flags-swapped",
    "counts-before-the-capacity-left-out-if-others-are-asked-for",
    "flag-of-counts-before-the-capacity-heeded-without-one",
    "room-for-counts-wanted-that-drop-pad-has-not",
    "cumulative-sum-without-the-expert-itself",
    "first-ranks-are-those-of-the-next-expert",
    "cumulative-sum-starts-anew-with-every-tile",
    "counts-of-the-cores-not-added",
    "counts-added-to-what-was-there",
    "counts-still-read-when-summed",
    "second-part-of-the-slots-not-counted",
    "counts-after-the-capacity",
    "dropped-slot-keeps-its-rank",
    "dropped-slot-goes-to-the-last-row",
    "rows-of-experts-laid-out-by-the-number-of-experts",
    "first-ranks-of-another-tile",
)
"""Mistakes in what MoeInitRoutingV2 is compiled from, too."""

PLACED = (
    "rows-without-a-slot-left",
    "scales-of-rows-without-a-slot-left",
    "rows-without-a-slot-hold-the-first-token",
    "capacity-keeps-the-last-slots",
    "experts-of-the-second-tile-left",
)
DIVIDED = (
    "largest-by-128",
    "largest-of-signed-values",
    "largest-rounded-to-bf16",
    "last-column-not-among-the-largest",
    "largest-of-the-last-tile-wins",
    "reciprocal-of-the-scale-stored",
    "values-times-the-reciprocal",
    "factors-of-the-next-expert",
    "factors-of-the-first-tile",
    "largest-without-factors",
    "quotients-without-factors",
)
"""Mistakes in what MoeInitRoutingV3 is compiled from, too."""


def named(mutants: Iterable[Mutant], names: Iterable[str]) -> Iterator[Mutant]:
    """Those of such names, as they are seeded for another operator."""
    wanted = set(names)
    return (one for one in mutants if one.name in wanted)


def of_both_quantisations(mutant: Mutant) -> Mutant:
    """The same in the modes of MoeInitRoutingV2, each with both kinds of quantisation."""
    kinds = ("static", "dynamic")
    return replace(mutant, modes=tuple(f"{mode}_{kind}" for mode in mutant.modes for kind in kinds))


OF_HALF = partial(Mutant, file=QUANTISE, modes=STATIC)
OF_QUOTIENTS = partial(Mutant, file=QUANTISE, modes=DYNAMIC)
OFFSET = "AscendC::Adds(halves, halves, static_cast<half>(offset_), count);"
SCALED = "AscendC::Muls(halves, halves, static_cast<half>(factor_), count);"
BARRIER = " AscendC::PipeBarrier<PIPE_V>(); "
AWAY = "WAY == Way::DYNAMIC_AWAY ? RoundMode::CAST_ROUND"
TO_EVEN = "RoundMode::CAST_RINT\n"

ROUNDED = (
    OF_HALF(
        "integers-truncated",
        before=TO_EVEN,
        after=TO_EVEN.replace("RINT", "TRUNC"),
    ),
    OF_HALF(
        "integers-rounded-up",
        before=TO_EVEN,
        after=TO_EVEN.replace("RINT", "CEIL"),
    ),
    OF_HALF(
        "offset-left-out",
        before=OFFSET,
        after="",
    ),
    OF_HALF(
        "offset-before-the-scale",
        before=SCALED,
        after=f"{OFFSET}{BARRIER}{SCALED}{BARRIER}"
        "AscendC::Adds(halves, halves, static_cast<half>(-offset_), count);",
    ),
    OF_HALF(
        "offset-is-the-scale",
        before="offset_ = NumberOf(offset);",
        after="offset_ = NumberOf(scale_);",
    ),
    Mutant(
        "second-tile-from-the-first-column",
        QUANTISE,
        "x_[token * hidden_ + column]",
        "x_[token * hidden_]",
        least_hidden=33,
    ),
)
"""Mistakes of rows that one scale and one offset make in half, and one of all rows."""

MUTANTS: tuple[Mutant, ...] = (
    *map(of_both_quantisations, named(mutants_moe_init_routing_v2.MUTANTS, ROUTED)),
    *(
        replace(
            one, modes=(one.modes and tuple(mode for mode in one.modes if mode in PADDED)) or PADDED
        )
        for one in named(mutants_moe_init_routing_v3.MUTANTS, PLACED)
    ),
    *named(mutants_moe_init_routing_v3.MUTANTS, DIVIDED),
    *ROUNDED,
    OF_QUOTIENTS(
        "quotients-truncated",
        before=AWAY,
        after=AWAY.replace("ROUND", "TRUNC"),
    ),
    OF_QUOTIENTS(
        "quotients-rounded-to-half-before",
        before="AscendC::Cast(halves, values, RoundMode::CAST_TRUNC, columns);",
        after="AscendC::Cast(halves, values, RoundMode::CAST_RINT, columns);",
    ),
    OF_QUOTIENTS(
        "halves-rounded-to-even",
        before=AWAY,
        # What lies just above the middle of two integers was truncated to it before.
        after=AWAY.replace("ROUND", "RINT"),
    ),
    Mutant(
        "row-of-another-slot-of-the-expert",
        ROWS,
        "slot / topK_ % tokens_",
        "slot % tokens_",
        least_indices=3,
    ),
    Mutant(
        "factors-of-the-expert-of-another-slot",
        ROWS,
        "slotExperts_.GetValue(slot)",
        "slotExperts_.GetValue(row + i)",
        modes=("dropless_dynamic", "active_dynamic"),
        least_indices=2,
    ),
    Mutant(
        "factors-of-the-first-expert-for-all",
        f"{FOLDER}_kernel.cpp",
        "tiling->scaleRows > 1;",
        "tiling->scaleRows > 1 << 20;",
        modes=("dropless_dynamic", "active_dynamic"),
        least_indices=1,
    ),
    Mutant(
        "first-ranks-read-before-all-are-there",
        f"{FOLDER}_kernel.cpp",
        "        AscendC::SyncAll();\n",
        "",
        modes=PADDED,
        cores=2,
        least_indices=2,
    ),
    Mutant(
        "last-place-of-the-experts-left",
        f"{FOLDER}_tiling.cpp",
        "Pads(call) ? call.experts * call.capacity : call.rows;",
        "Pads(call) ? call.experts * call.capacity - 1 : call.rows;",
        modes=PADDED,
    ),
    Mutant(
        "scales-asked-for-of-static-rows",
        f"{FOLDER}_interface.h",
        ".Only(isDynamic)",
        ".Only(isStatic)",
        modes=STATIC,
    ),
)
"""The seeded mistakes."""
