"""The constraints on calls of MoeTokenPermuteWithEpGrad."""

from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint
from tests.cases.constraints.told_by import RANGED, ranged

ROUTED = ("ranks of a router", "the middle ranks of a router")
CONSTRAINTS = (
    Constraint(
        "no required tensor is null",
        ("no probabilities",),
        ("permuted_tokens_output_grad is null", "sorted_indices is null", "out is null"),
        NULL,
    ),
    Constraint(
        "gradients of probs go somewhere",
        ROUTED,
        ("probs_grad is null",),
        NULL,
    ),
    Constraint(
        "float types, one for all; indices int32",
        tuple(f"num_topk 512 {dtype}" for dtype in DTYPES),
        (
            "permuted_tokens_output_grad and permuted_probs_output_grad and out and probs_grad"
            " are int32, middle",
            "permuted_probs_output_grad and probs_grad are int32, middle",
        ),
        INVALID,
        of=(
            "permuted_tokens_output_grad",
            "sorted_indices",
            "permuted_probs_output_grad",
            "out",
            "probs_grad",
        ),
    ),
    Constraint(
        "num_topk is 1 or more, and divides the indices",
        ("num_topk 1", *(f"num_topk 512 {dtype}" for dtype in DTYPES)),
        of=("num_topk",),
    ),
    Constraint(
        "the gradient of tokens has two axes, that of probs one",
        ROUTED,
        of=("permuted_tokens_output_grad",),
    ),
    Constraint(
        "paddedMode is false", ROUTED, ("padded_mode is true, no probs",), of=("padded_mode",)
    ),
    Constraint(
        "the indices are num_topk for every token",
        ("ranks of a router", "num_topk 1"),
        of=("sorted_indices",),
    ),
    Constraint(
        "a range of two numbers, with a row for every rank",
        (
            "ranks of a router",
            "the first four ranks of a router",
            "the last four ranks of a router",
            "one rank in the range",
            "more rows than ranks",
        ),
        of=("rank_range",),
    ),
    Constraint(
        "a gradient for every row's probability", ROUTED, of=("permuted_probs_output_grad",)
    ),
    Constraint(
        "out is [tokens, hidden]",
        ROUTED,
        of=("out",),
    ),
    Constraint(
        "probs_grad is [tokens, num_topk]",
        ROUTED,
        of=("probs_grad",),
    ),
)

MODES = {name: ranged(name, "sorted_indices", selects=True) for name in RANGED[:4]}
"""By what a call is one of each mode."""

IN_NONE = (
    "padded_mode is 1, middle",
    "padded_mode is true, no probs",
    *(f"rank_range is {ends}, middle" for ends in ("()", "(2)", "(2, 7, 0)")),
    *(f"rank_range is {ends}, middle" for ends in ("(3)", "(3, 6, 0)")),
    "no range",
)
"""Calls that are of no mode, as they break that by which modes are told apart: each is on record
under the mode of the good call that it was made from."""

AT_THE_BORDER = ("head", "tail", "middle")
"""Modes whose drawn cases may have no slot outside the range, or on one side of it alone."""
