"""The constraints on calls of MoeTokenUnpermuteWithEp."""

from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint
from tests.cases.constraints.told_by import RANGED, ranged, unranged

MIDDLE = "the middle ranks of a router"
UNRANGED = "ranks of a router, no range, num_topk 2"
CONSTRAINTS = (
    Constraint(
        "no required tensor is null",
        ("the middle ranks of a router, no probabilities",),
        ("permuted_tokens is null", "sorted_indices is null", "out is null"),
        NULL,
    ),
    Constraint(
        "float types, one for tokens and out, any for probs; indices int32",
        tuple(f"{one} tokens, {other} probabilities" for one in DTYPES for other in DTYPES),
        ("permuted_tokens and out are int32, middle",),
        INVALID,
        of=("permuted_tokens", "sorted_indices", "probs", "out"),
    ),
    Constraint(
        "topK is 1 to 512",
        (
            "num_topk 1",
            *(f"num_topk 512 {dtype}" for dtype in DTYPES),
            *("top_k 1, no range", "top_k 512, no range"),
        ),
        ("top_k is 513", "slot is 0, no_range", "slot is 513, no_range"),
        of=("num_topk",),
    ),
    Constraint("probs are [tokens, num_topk]", (MIDDLE, UNRANGED), of=("probs",)),
    Constraint("tokens have two axes, and a row for each rank", (MIDDLE,), of=("permuted_tokens",)),
    Constraint(
        "the indices have one axis, num_topk for every token", (MIDDLE,), of=("sorted_indices",)
    ),
    Constraint(
        "a range of two numbers, with a row for every rank",
        (
            "ranks of a router",
            MIDDLE,
            "one rank in the range",
            "more rows than ranks",
            "range (-1, 3)",
            "range (4, 9)",
            *(f"range {ends} selects nothing float32" for ends in ((0, 0), (3, 3), (4, 2))),
        ),
        of=("rank_range",),
    ),
    Constraint(
        "paddedMode is false",
        (MIDDLE, UNRANGED),
        ("padded_mode is true, no probs",),
        of=("padded_mode",),
    ),
    Constraint(
        "out is [tokens, hidden]",
        (MIDDLE, "rows without probabilities, no range"),
        ("8 tokens without probs and range, out of 4",),
        of=("out",),
    ),
)

MODES = {
    **{name: ranged(name, "sorted_indices", selects=True) for name in RANGED[:4]},
    "no_range": unranged,
}
"""By what a call is one of each mode."""

IN_NONE = (
    *("padded_mode is 1, middle", "padded_mode is 1, no_range", "padded_mode is true, no probs"),
    *(f"rank_range is {ends}, middle" for ends in ("()", "(2)", "(2, 7, 0)")),
    *(f"rank_range is {ends}, middle" for ends in ("(3)", "(3, 6, 0)")),
)
"""Calls that are of no mode, as they break that by which modes are told apart: each is on record
under the mode of the good call that it was made from."""

AT_THE_BORDER = ("head", "tail", "middle")
"""Modes whose drawn cases may have no slot outside the range, or on one side of it alone."""
