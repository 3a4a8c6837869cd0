"""The constraints on calls of MoeTokenUnpermuteWithEpGrad."""

from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint
from tests.cases.constraints.told_by import RANGED, ranged, unranged

MIDDLE = "two tokens of two slots, middle"
UNRANGED = "two tokens of two slots, no_range"
ALL_ROWS = ("full", "head", "tail", "middle", "no_range")
CONSTRAINTS = (
    Constraint(
        "no required tensor is null",
        ("neither probabilities nor tokens, middle",),
        (
            "unpermuted_tokens_grad is null",
            "sorted_indices is null",
            "permuted_tokens_grad is null",
        ),
        NULL,
    ),
    Constraint(
        "probs have a gradient",
        (MIDDLE, "no probabilities, middle"),
        ("probs_grad is null",),
        NULL,
    ),
    Constraint(
        "with probs there are tokens",
        (MIDDLE, "neither probabilities nor tokens, middle"),
        ("permuted_tokens is null",),
    ),
    Constraint(
        "float types, one for tokens and gradients, one for probs and theirs; indices int32",
        tuple(f"{one} tokens, {other} probabilities" for one in DTYPES for other in DTYPES),
        (
            "all floats are int32",
            "unpermuted_tokens_grad and permuted_tokens and permuted_tokens_grad are int32, middle",
            "probs and permuted_tokens are int32, middle",
            "probs and probs_grad are int32, middle",
        ),
        INVALID,
        of=(
            "unpermuted_tokens_grad",
            "sorted_indices",
            "permuted_tokens",
            "probs",
            "permuted_tokens_grad",
            "probs_grad",
        ),
    ),
    Constraint(
        "topkNum is 1 to 512, and the columns of probs",
        ("topk_num 1 with probabilities", *(f"topk_num 512 {dtype}" for dtype in DTYPES)),
        ("topk_num is 513",),
        of=("topk_num",),
    ),
    Constraint(
        "there are rows, columns and tokens", ("one element",), of=("kept", "hidden", "token")
    ),
    Constraint(
        "paddedMode is false", (MIDDLE,), ("padded_mode is true, no probs",), of=("padded_mode",)
    ),
    Constraint(
        "a range of two numbers that does not end before it begins, with a row for every rank",
        (
            *(f"two tokens of two slots, {mode}" for mode in ALL_ROWS),
            "one rank in the range",
            "more rows than ranks",
            *(f"range {ends} selects nothing float32" for ends in ((0, 0), (3, 3), (-1, -1))),
            *(f"range {ends} of 4 slots" for ends in ((-3, -1), (1, -1), (2, 9), (-9, 2))),
        ),
        ("range (4, 2)", "range (-1, -3)"),
        of=("rank_range",),
    ),
    Constraint("an index for every slot", (MIDDLE, UNRANGED), of=("sorted_indices",)),
    Constraint(
        "shapes are those of the table",
        (MIDDLE, UNRANGED),
        of=(
            "unpermuted_tokens_grad",
            "permuted_tokens",
            "probs",
            "permuted_tokens_grad",
            "probs_grad",
        ),
    ),
)

MODES = {
    **{name: ranged(name, "sorted_indices", selects=True, wraps=True) for name in RANGED[:4]},
    "no_range": unranged,
}
"""By what a call is one of each mode."""

IN_NONE = (
    *("padded_mode is 1, middle", "padded_mode is 1, no_range", "padded_mode is true, no probs"),
    *(f"rank_range is {ends}, middle" for ends in ("()", "(2)", "(2, 7, 0)", "(2, 0)", "(2, -7)")),
    *(f"rank_range is {ends}, middle" for ends in ("(3)", "(3, 6, 0)", "(3, 0)", "(3, -6)")),
    *(f"rank_range is {ends}, middle" for ends in ("(1)", "(1, 0)", "(1, 4, 0)")),
    *(f"rank_range is (2^32 + {ends}), middle" for ends in ("2, 7", "3, 6", "1, 4")),
    *("range (4, 2)", "range (-1, -3)"),
)
"""Calls that are of no mode, as they break that by which modes are told apart: each is on record
under the mode of the good call that it was made from."""

AT_THE_BORDER = ("head", "tail", "middle")
"""Modes whose drawn cases may have no slot outside the range, or on one side of it alone."""
