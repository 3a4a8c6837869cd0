"""The constraints on calls of MoeInitRoutingQuant."""

from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint
from tests.cases.constraints.moe_init_routing import ALL, PAIRS
from tests.cases.constraints.moe_init_routing import MODES as MODES

CONSTRAINTS = (
    Constraint(
        "no tensor is null",
        (ALL,),
        tuple(
            f"{name} is null"
            for name in (
                *("x", "row_idx", "expert_idx"),
                *("expanded_x", "expanded_row_idx", "expanded_expert_idx"),
            )
        ),
        NULL,
    ),
    Constraint(
        "x is of a float type, copies are int8, all other integers int32",
        tuple(f"values within int8 and beyond, {dtype}" for dtype in DTYPES),
        status=INVALID,
        of=(
            *("x", "row_idx", "expert_idx"),
            *("expanded_x", "expanded_row_idx", "expanded_expert_idx"),
        ),
    ),
    *PAIRS,
)
