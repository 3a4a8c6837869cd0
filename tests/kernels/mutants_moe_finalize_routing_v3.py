"""Seeded mistakes for the MoeFinalizeRoutingV3 kernel: of what it hands to that of V4, and those of
V4 but of k.
"""

from __future__ import annotations

from functools import partial

from tests.kernels.mutants import Mutant
from tests.kernels.mutants_moe_finalize_routing_v4 import MUTANTS as OF_V4

RANGED = ("experts_without_rows",)
ENTRY = "moe_finalize_routing_v3/aclnn_moe_finalize_routing_v3.cpp"
Entry = partial(Mutant, file=ENTRY, modes=RANGED)

MUTANTS: tuple[Mutant, ...] = (
    Entry(
        "copy-experts-take-x1",
        before='at["xOptional"]',
        after='at["x1Optional"]',
    ),
    Entry(
        "v-is-alpha2",
        before='at["vOptional"]',
        after='at["alpha2Optional"]',
    ),
    Mutant(
        "ranges-are-not-looked-at",
        "shared/finalize/finalize_kernel.h",
        "if (tiling->hasRanges != 0) {",
        "if (tiling->hasRanges == 2) {",
        modes=RANGED,
    ),
    *(one for one in OF_V4 if one.name != "without-scales-a-token-has-one-slot"),
)
