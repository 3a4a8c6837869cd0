"""The constraints on calls of MoeFinalizeRoutingV4: those of V3, and of k."""

from __future__ import annotations

from tests.cases.constraints import moe_finalize_routing_v3 as without_k
from tests.cases.constraints.constraint import Constraint
from tests.cases.constraints.moe_finalize_routing_v3 import MODES

__all__ = ["CONSTRAINTS", "IN_NONE", "MODES"]

IN_NONE = (
    *without_k.IN_NONE,
    *(f"drop_pad_mode is {n}, dropless_rows" for n in ("-1", "-2", "4", "2^32 + 2")),
)
CONSTRAINTS = (
    *without_k.CONSTRAINTS,
    Constraint(
        "k is the slots of a token; one of 1 or less is not looked at beside scales",
        tuple(
            f"k {k} beside two columns of scales, {mode}"
            for k in (1, 2)
            for mode in without_k.of_rows.MODES
        ),
        of=("k",),
    ),
)
