"""Seeded mistakes for the MoeFinalizeRouting kernel: of what it hands to that of V2, and those of
V2 but of slots that are dropped, of what may be absent, and of float32 scales.
"""

from __future__ import annotations

from functools import partial

from tests.kernels.mutants import Mutant
from tests.kernels.mutants_moe_finalize_routing_v2 import MUTANTS as OF_V2

OF_MORE = (
    "modes-1-and-2-change-places",
    "dropped-slot-without-its-bias",
    "bias-of-a-dropped-slot-not-scaled",
    "dropped-slot-takes-the-first-row",
    "minus-1-taken-as-a-row",
    "nothing-to-add-leaves-what-was-there",
    "row-offset-in-32-bits",
    "fp32-scales-ignored-beside-bf16",
    "fp32-scales-read-as-bf16",
)
Entry = partial(Mutant, file="moe_finalize_routing/aclnn_moe_finalize_routing.cpp")

MUTANTS: tuple[Mutant, ...] = (
    Entry(
        "indices-lie-row-by-row",
        before="/*dropPadMode=*/0",
        after="/*dropPadMode=*/2",
        least_indices=4,
    ),
    Entry("second-addend-is-the-first", before='at["x2Optional"],', after='at["x1"],'),
    Entry(
        "second-addend-if-there-is-a-first",
        before='call.Has("x2Optional")',
        after='call.Has("x1")',
    ),
    Entry(
        "indices-and-experts-change-places",
        before='at["expandedRowIdx"], at[kExperts]',
        after='at[kExperts], at["expandedRowIdx"]',
    ),
    *(one for one in OF_V2 if one.name not in OF_MORE),
)
