"""The constraints on calls of MoeTokenPermuteGrad."""

from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint
from tests.cases.constraints.told_by import cut, padded

CONSTRAINTS = (
    Constraint(
        "no tensor is null",
        ("two rows of one token",),
        ("permuted_output_grad is null", "sorted_indices is null", "out is null"),
        NULL,
    ),
    Constraint(
        "float types, one for both; indices int32",
        tuple(f"num_topk 512 {dtype}" for dtype in DTYPES),
        ("permuted_output_grad and out are int32, whole",),
        INVALID,
        of=("permuted_output_grad", "sorted_indices", "out"),
    ),
    Constraint(
        "num_topk is at least 1, and divides the indices",
        ("num_topk 1", "ranks of a router"),
        ("8 indices, num_topk 3",),
        of=("num_topk",),
    ),
    Constraint(
        "the gradient has two axes",
        ("ranks of a router",),
        of=("permuted_output_grad",),
    ),
    Constraint(
        "the indices have one axis",
        ("ranks of a router",),
        of=("sorted_indices",),
    ),
    Constraint(
        "out is [tokens, hidden]",
        ("ranks of a router",),
        of=("out",),
    ),
)

MODES = {
    "whole": lambda case: (
        not padded(case) and not cut(case, "permuted_output_grad", "sorted_indices")
    ),
    "uneven": lambda case: not padded(case) and cut(case, "permuted_output_grad", "sorted_indices"),
    "padded": padded,
}
"""By what a call is one of each mode."""

FREELY_AT_THE_BORDER = ("uneven",)
"""Modes whose free draws, of no row and no edge, may have a row for every slot."""
