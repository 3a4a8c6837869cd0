"""Seeded mistakes for the MoeInitRoutingQuant kernel: of the sort that it shares with
MoeInitRouting, and of rows that it quantises as MoeInitRoutingQuantV2 does static ones.
"""

from __future__ import annotations

from dataclasses import replace

from tests.kernels import mutants_moe_init_routing
from tests.kernels.mutants import Mutant
from tests.kernels.mutants_moe_init_routing_quant_v2 import ROUNDED, ROWS, named

FOLDER = "moe_init_routing_quant/moe_init_routing_quant"

SORTED = (
    "merge-takes-the-later-list-first-on-ties",
    "minus-1-sorted-to-the-tail",
    "rest-of-the-last-list-lost",
    "no-sync-between-sort-and-merge",
    "active-num-counts-rows",
    "active-num-ignored",
    "experts-unsorted",
    "experts-of-every-part-in-the-first-places",
    "row-idx-ignored",
    "row-indices-of-the-first-run-for-all",
    "inverse-forgotten",
    "equal-experts-by-row-index",
)
"""Mistakes in what MoeInitRouting is compiled from, too."""

MUTANTS: tuple[Mutant, ...] = (
    *named(mutants_moe_init_routing.MUTANTS, SORTED),
    *(replace(one, modes=()) for one in ROUNDED),
    Mutant(
        "row-index-modulo-top-k",
        f"{FOLDER}_tiling.cpp",
        "slots.topK = 1;",
        "slots.tokens = std::min(call.topK, call.tokens); slots.topK = 1;",
        least_indices=2,
    ),
    Mutant(
        "row-index-by-slots-of-a-token",
        f"{FOLDER}_tiling.cpp",
        "slots.topK = 1;",
        "slots.topK = call.topK;",
        least_indices=2,
    ),
    Mutant(
        "last-kept-row-lost",
        f"{FOLDER}_tiling.cpp",
        "routed_rows::CutRows(ub, call.rows,",
        "routed_rows::CutRows(ub, call.rows - 1,",
    ),
    Mutant(
        "scale-and-offset-change-places",
        f"{FOLDER}_kernel.cpp",
        "tensors.x, (GM_ADDR)&tiling->scale, (GM_ADDR)&tiling->offset,",
        "tensors.x, (GM_ADDR)&tiling->offset, (GM_ADDR)&tiling->scale,",
    ),
    Mutant(
        "second-batch-of-row-indices-left",
        ROWS,
        "row < end; row += rowsAtOnce_) {",
        "row < end; row = end) {",
        least_indices=33,
    ),
)
"""The seeded mistakes."""
