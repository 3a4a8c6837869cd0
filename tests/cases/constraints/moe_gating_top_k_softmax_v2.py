"""The constraints on calls of MoeGatingTopKSoftmaxV2."""

from __future__ import annotations

from conformance.call.case import Case
from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint
from tests.cases.constraints.told_by import Asked, equals

PAGE = "the page's call"
FINISHED, BLOCKS = "finished rows float32", "finished rows of three axes"
K = "k is 1 to the number of experts, and 1024 at most; of 0, which is allowed, nothing is judged"
"""The document has 0 <= k; the vendor's host tiling, read, has 0 < k, and so has this project's."""

ONE_OR_MORE = (
    "one row of one expert",
    "k of every expert",
    "k 1024 of 1024 experts",
    "k 1024 of 1025 experts",
)
CONSTRAINTS = (
    Constraint(
        "no required tensor is null",
        (PAGE,),
        ("x is null", "y is null", "expert_idx is null"),
        NULL,
    ),
    Constraint(
        "one float type for x and y; experts int32, finished bool, the softmax float32",
        tuple(f"finished rows {dtype}" for dtype in DTYPES),
        tuple(
            f"x and y are int32, {mode}" for mode in ("softmax_first", "topk_first", "with_result")
        ),
        INVALID,
        of=("x", "finished", "y", "expert_idx", "softmax_result"),
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
    Constraint(
        "renorm is 0 or 1",
        (PAGE, "topK first"),
        of=("renorm",),
    ),
    Constraint(
        "y has k columns, and the other axes of x",
        (PAGE, BLOCKS),
        of=("y",),
    ),
    Constraint(
        "expert_idx has the shape of y",
        (PAGE, BLOCKS),
        of=("expert_idx",),
    ),
    Constraint(
        "the softmax has the shape of x, if renorm is 0 and the flag asks for it",
        (PAGE, "topK first, the flag true"),
        of=("softmax_result",),
    ),
)


def softmax_first(flag: int) -> Asked:
    def asked(case: Case) -> bool:
        return equals("renorm", 0)(case) and equals("output_softmax_result_flag", flag)(case)

    return asked


MODES = {
    "softmax_first": softmax_first(0),
    "topk_first": equals("renorm", 1),
    "with_result": softmax_first(1),
}
"""By what a call is one of each mode."""

IN_NONE = tuple(f"renorm is {n}, with_result" for n in ("-1", "2", "2^32 + 0"))
"""Calls that are of no mode, as they break that by which modes are told apart: each is on record
under the mode of the good call that it was made from."""
