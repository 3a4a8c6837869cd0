"""The constraints on calls of MoeInitRouting."""

from conformance.call.case import Case
from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint

ALL = "three tokens, rows in columns, activeNum 3"
FEW = "three tokens, rows in any order, activeNum 2"

PAIRS = (
    Constraint(
        "activeNum is 0 or more",
        ("three tokens, rows in columns, activeNum 0", FEW),
        ("active_num is -1, active",),
    ),
    Constraint(
        "x, rowIdx and expertIdx have two axes, as many rows, and the indices one shape",
        (ALL, "top_k 512", "top_k 513"),
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
"""Those of each operator whose slots are pairs of an expert and a row index."""

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
        "x is of a float type, all integers are int32",
        tuple(f"every kind of pattern {dtype}" for dtype in DTYPES),
        ("x is float64", "x and expanded_x are int32, dropless"),
        INVALID,
        of=("x", "row_idx", "expert_idx", "expanded_row_idx", "expanded_expert_idx"),
    ),
    Constraint("x and its copies have one dtype", (ALL,), status=INVALID, of=("expanded_x",)),
    *PAIRS,
)


def is_active(case: Case) -> bool:
    """Whether activeNum leaves out a token of x, if x tells how many there are."""
    shape = case.inputs["x"].shape if "x" in case.inputs else ()
    return bool(shape) and case.attributes["active_num"] < shape[0]


MODES = {"dropless": lambda case: not is_active(case), "active": is_active}
"""By what a call is one of each mode."""
