"""The constraints on calls of MoeGatingTopKSoftmax."""

from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint
from tests.cases.constraints.moe_gating_top_k_softmax_v2 import ONE_OR_MORE, K

PAGE = "the page's call"
FINISHED, BLOCKS = "finished rows float32", "finished rows of three axes"
CONSTRAINTS = (
    Constraint(
        "no required tensor is null",
        (PAGE,),
        ("x is null", "y is null", "expert_idx is null", "row_idx is null"),
        NULL,
    ),
    Constraint(
        "one float type for x and y; experts and rows int32, finished bool",
        tuple(f"finished rows {dtype}" for dtype in DTYPES),
        ("x and y are int32, softmax_first",),
        INVALID,
        of=("x", "finished", "y", "expert_idx", "row_idx"),
    ),
    Constraint(
        "x has two axes or three",
        (PAGE, BLOCKS),
        ("x and all others of one axis less", "x and all others of rank 4"),
        of=("x",),
    ),
    Constraint(
        "finished has the axes of x but for the last",
        (FINISHED, BLOCKS),
        ("finished of one axis, x of three",),
        of=("finished",),
    ),
    Constraint(
        K,
        ONE_OR_MORE,
        ("k is 5 of 4 experts, and so are the columns", "k is 1025 of 1025 experts"),
        of=("k",),
    ),
    Constraint("y has k columns, and the other axes of x", (PAGE, BLOCKS), of=("y",)),
    Constraint(
        "expert_idx and row_idx have the shape of y",
        (PAGE, BLOCKS),
        of=("expert_idx", "row_idx"),
    ),
)

MODES = {"softmax_first": lambda case: True}
"""There is but one."""
