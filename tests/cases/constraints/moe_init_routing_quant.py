"""The constraints on calls of MoeInitRoutingQuant."""

from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint
from tests.cases.constraints.moe_init_routing import ALL, FEW
from tests.cases.constraints.moe_init_routing import MODES as MODES

PROGRAM = "the call of the document's program"

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
    Constraint(
        "activeNum is 0 or more",
        ("three tokens, rows in columns, activeNum 0", FEW),
        ("active_num is -1, active",),
    ),
    Constraint(
        "x, rowIdx and expertIdx have two axes, as many rows, and the indices one shape",
        (PROGRAM, "top_k 512", "top_k 513"),
        of=("x", "row_idx", "expert_idx"),
    ),
    Constraint(
        "there is a row for every slot of as many tokens as activeNum says",
        (ALL, FEW, "three tokens, rows in columns, activeNum 4"),
        ("every slot, activeNum 2", *(f"active_num is {n}, active" for n in (0, 2))),
        of=("expanded_x",),
    ),
    Constraint(
        "there is a place and an expert for every slot",
        (FEW,),
        ("experts of the active rows only",),
        of=("expanded_row_idx", "expanded_expert_idx"),
    ),
)
