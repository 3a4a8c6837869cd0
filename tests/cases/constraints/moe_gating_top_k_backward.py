"""The constraints on calls of MoeGatingTopKBackward."""

from __future__ import annotations

from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint
from tests.cases.constraints.told_by import equals

PAGE = "the page's call"
CONSTRAINTS = (
    Constraint(
        "no tensor is null",
        (PAGE,),
        ("x_norm is null", "grad_y is null", "expert_idx is null", "out is null"),
        NULL,
    ),
    Constraint(
        "x_norm is float32, grad_y of any float type, which out has, expert_idx int32",
        tuple(f"of {dtype}" for dtype in DTYPES),
        ("grad_y and out are int32, sigmoid",),
        INVALID,
        of=("x_norm", "grad_y", "expert_idx", "out"),
    ),
    Constraint(
        "x_norm has two axes, the last of 2 to 2048",
        ("one of two experts", "2048 experts"),
        ("one expert", "2049 experts", "all of rank 3"),
        of=("x_norm", "expert"),
    ),
    Constraint(
        "k is 1 to the number of experts",
        ("one of two experts", "every token of every expert", "every one of 2048 experts"),
        ("k is 6 of 5 experts",),
        of=("grad_y", "slot"),
    ),
    Constraint("expert_idx has the shape of grad_y", (PAGE,), of=("expert_idx",)),
    Constraint(
        "normType is 1",
        (PAGE, "renorm without effect"),
        ("a softmax",),
        of=("norm_type",),
    ),
    Constraint("out has the shape of x_norm", (PAGE,), of=("out",)),
)

MODES = {"sigmoid": equals("norm_type", 1)}
"""By what a call is one of each mode."""

IN_NONE = (
    "a softmax",
    *(f"norm_type is {n}, sigmoid" for n in ("-1", "0", "2", "2^32 + 1")),
)
"""Calls that are of no mode, as they break that by which modes are told apart: each is on record
under the mode of the good call that it was made from."""
