"""The constraints on calls of MoeGatingTopK."""

from __future__ import annotations

from conformance.call.case import Case
from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint
from tests.cases.constraints.told_by import Asked, equals

PAGE, NO_BIAS = "the page's call", "no bias"
ONES = "groups of one expert"
SIGMOID, SOFTMAX, SOFTPLUS = "one of sigmoid", "one of softmax", "one of softplus"
CONSTRAINTS = (
    Constraint(
        "no required tensor is null",
        (PAGE, NO_BIAS),
        ("x is null", "y is null", "expert_idx is null", "out is null"),
        NULL,
    ),
    Constraint(
        "one float type for x, bias and y; experts int32, out float32",
        tuple(f"every output {dtype}" for dtype in DTYPES),
        ("x and bias and y are int32, sigmoid",),
        INVALID,
        of=("x", "bias", "y", "expert_idx", "out"),
    ),
    Constraint(
        "x has two axes, the last of 1 to 2048",
        ("2048 experts", "one row of one expert"),
        ("2049 experts", "x and all others of rank 3"),
        of=("x", "member"),
    ),
    Constraint("bias has an element for every expert", (PAGE, NO_BIAS), of=("bias",)),
    Constraint(
        "k is 1 to the experts of kGroup groups",
        ("k 1", "k of every expert of the kept groups", "every one of 2048 experts"),
        ("k is 7 of 6 experts in kept groups, and so are the columns",),
        of=("k",),
    ),
    Constraint(
        "kGroup is 1 to groupCount, and its groups have k experts",
        ("one group kept of 8", "every group is kept"),
        of=("k_group",),
    ),
    Constraint(
        "groupCount is 1 at least, and divides the experts",
        (PAGE, "as many experts in one group, sigmoid"),
        of=("group_count",),
    ),
    Constraint(
        "the experts of a group, aligned to 32, are 2048 at most in all groups",
        ("64 groups of one expert", "64 groups of 32 experts", "32 groups of 33 experts"),
        ("65 groups of one expert", "33 groups of 33 experts"),
    ),
    Constraint(
        "groupSelectMode is 0 or 1, and less than the experts of a group",
        (ONES, "groups of two experts by both"),
        of=("group_select_mode",),
    ),
    Constraint("normType is 0, 1 or 2", (SOFTMAX, SIGMOID, SOFTPLUS), of=("norm_type",)),
    Constraint(
        "renorm is 0 or 1",
        (SOFTMAX, "one of softmax_renorm", "renorm without effect, softplus"),
        of=("renorm",),
    ),
    Constraint("y has k columns, and the rows of x", (PAGE,), of=("y",)),
    Constraint("expert_idx has the shape of y", (PAGE,), of=("expert_idx",)),
    Constraint("out has the shape of x", (PAGE, "scores are written, sigmoid"), of=("out",)),
)


def softmax(renorm: int) -> Asked:
    def asked(case: Case) -> bool:
        return equals("norm_type", 0)(case) and equals("renorm", renorm)(case)

    return asked


MODES = {
    "softmax": softmax(0),
    "softmax_renorm": softmax(1),
    "sigmoid": equals("norm_type", 1),
    "softplus": equals("norm_type", 2),
}
"""By what a call is one of each mode."""

IN_NONE = (
    *(f"renorm is {n}, softmax" for n in ("-1", "2", "2^32 + 0")),
    "renorm is 2^32 + 1, softmax_renorm",
    *(
        f"norm_type is {n}"
        for n in (
            *("-1, softmax", "3, softmax", "2^32 + 0, softmax"),
            *("-1, softmax_renorm", "3, softmax_renorm", "2^32 + 0, softmax_renorm"),
            *("-1, sigmoid", "3, sigmoid", "2^32 + 1, sigmoid"),
            *("-2, softplus", "2^32 + 2, softplus"),
        )
    ),
)
"""Calls that are of no mode, as they break that by which modes are told apart: each is on record
under the mode of the good call that it was made from."""
