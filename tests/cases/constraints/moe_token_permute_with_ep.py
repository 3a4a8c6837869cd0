"""The constraints on calls of MoeTokenPermuteWithEp."""

from tests.cases.constraints.constraint import INVALID, NULL, Constraint
from tests.cases.constraints.told_by import RANGED, padded, ranged, unranged

CONSTRAINTS = (
    Constraint(
        "no required tensor is null",
        (
            "room for probabilities that are not given",
            "three tokens of two experts, range 1 to 5",
        ),
        (
            "tokens is null",
            "indices is null",
            "sorted_indices is null",
            "permute_tokens is null",
        ),
        NULL,
    ),
    Constraint(
        "probs have an output",
        ("probs of one axis", "room for probabilities that are not given"),
        ("permute_probs is null",),
        NULL,
    ),
    Constraint(
        "tokens are of a float type, indices int32 or int64, ranks int32",
        ("1 slots", "31 slots", "32 slots", "top_k 512"),
        (
            "tokens are float64",
            "tokens and probs and permute_tokens and permute_probs are int32, middle",
        ),
        INVALID,
        of=("tokens", "indices", "sorted_indices"),
    ),
    Constraint(
        "tokens, probs and their outputs have one dtype",
        ("three tokens of two experts, range 1 to 5",),
        ("probs and permute_probs are int32, middle",),
        INVALID,
        of=("probs", "permute_tokens", "permute_probs"),
    ),
    Constraint(
        "a range has two numbers",
        ("range of every rank", "no range and no number of tokens"),
        tuple(f"rank_range is {ends}, middle" for ends in ("()", "(1)", "(1, 5, 0)", "(1, 4, 0)")),
    ),
    Constraint(
        "both numbers of the range lie in [0, slots]",
        (
            "range of every rank",
            "range of the first rank",
            "range of the last rank",
            "empty range at 0",
            "empty range at the end",
            "range from the last rank backwards",
        ),
        tuple(
            f"range {given}"
            for given in ((5, -1), (-1, -1), (1, 7), (7, 1), (7, 7), (-1, 3), (3, 7))
        )
        + tuple(
            f"rank_range is {ends}, middle"
            for ends in ("(-1, 5)", "(-1, 4)", "(1, 5)", "(1, 2^32 + 5)", "(1, 2^32 + 4)")
        ),
    ),
    Constraint(
        "indices have one axis or two, and a row for each token",
        ("31 slots", "top_k 1 of two axes"),
        (),
        of=("tokens", "indices"),
        modes=("middle",),
    ),
    Constraint(
        "probs have the shape of indices",
        ("probs of one axis", "three tokens of two experts, range 1 to 5"),
        (),
        of=("probs",),
        modes=("middle",),
    ),
    Constraint(
        "top_k is 1 to 512",
        ("top_k 1 of two axes", "top_k 512"),
        ("top_k is 0", "slot is 513, middle"),
    ),
    Constraint(
        "permuteTokensOut has the rows of the range and the columns of tokens",
        (
            "tokens of three axes",
            "three tokens of two experts, range 1 to 5",
            "empty range at the end",
            "range from the last rank backwards",
        ),
        (
            *(f"rank_range is {ends}, middle" for ends in ("(2, 5)", "(1, 4)", "(2, 4)", "(1, 3)")),
            "tokens of one axis, and their copies",
            "rows of an empty range, which keeps all",
            "rows of the ranks left in a backward range",
        ),
        of=("permute_tokens",),
        modes=("middle",),
    ),
    Constraint(
        "sortedIndicesOut has a rank for every slot",
        ("three tokens of two experts, range 1 to 5",),
        ("ranks of the range only",),
        of=("sorted_indices",),
        modes=("middle",),
    ),
    Constraint(
        "permuteProbsOut has the rows of the range, where probs are given",
        ("probs of one axis", "room for probabilities that are not given"),
        (),
        of=("permute_probs",),
        modes=("middle",),
    ),
    Constraint(
        "paddedMode is false",
        ("range of every rank",),
        ("paddedMode is true",),
        routes=("aclnn",),
    ),
    Constraint(
        "without a range numOutTokens lies in [0, slots], and fits the rows",
        ("no range and no number of tokens",),
        ("numOutTokens is -1, 4 rows", "numOutTokens is 7 of 6, 7 rows"),
        routes=("aclnn",),
    ),
    Constraint(
        "without a range numOutTokens n has min(n, slots) rows, n <= 0 max(0, slots + n)",
        tuple(f"no range, numOutTokens {n} of 6" for n in (1, 6, 7, -5, -6)),
        (
            "numOutTokens is 7 of 6, 7 rows, kernel",
            "numOutTokens is 4 of 6, 5 rows",
            "numOutTokens is -2 of 6, 6 rows",
            "numOutTokens is -7 of 6, 6 rows",
        ),
        routes=("kernel",),
        of=("num_out_tokens",),
    ),
    Constraint(
        "padded indices have one axis",
        ("attributes without effect, padded",),
        ("padded, indices of rank 2",),
        routes=("kernel",),
    ),
    Constraint(
        "padded tokens have an axis of rows",
        ("attributes without effect, padded",),
        ("tokens is [], not [5, 4], padded",),
        routes=("kernel",),
    ),
    Constraint(
        "padded indices name 2^31 tokens at most",
        ("padded, the last token that an int32 names",),
        ("padded, more tokens than an int32 names",),
        routes=("kernel",),
    ),
    Constraint(
        "padded probs are [tokens, experts], and experts share the rows evenly",
        ("padded, probabilities of one expert", "padded, an expert for every row"),
        (
            "tokens is [4, 4], not [5, 4], padded",
            "tokens is [6, 4], not [5, 4], padded",
            "padded, probs of 4 experts for 6 rows",
            "padded, probs of 0 experts",
        ),
        routes=("kernel",),
        of=("probs",),
        modes=("padded",),
    ),
    Constraint(
        "padded outputs have a row for every index",
        ("padded, probabilities of two experts",),
        ("tokens is [5, 3], not [5, 4], padded", "tokens is [5, 5], not [5, 4], padded"),
        routes=("kernel",),
        of=("indices", "permute_tokens", "sorted_indices", "permute_probs"),
        modes=("padded",),
    ),
)

MODES = {
    **{name: ranged(name, "indices", selects=False) for name in RANGED},
    "no_range": lambda case: unranged(case) and case.attributes["num_out_tokens"] == 0,
    "num_out_tokens": lambda case: unranged(case) and case.attributes["num_out_tokens"] != 0,
    "padded": padded,
}
"""By what a call is one of each mode."""

IN_NONE = (*(f"rank_range is {ends}, middle" for ends in ("()", "(1)", "(1, 5, 0)", "(1, 4, 0)")),)
"""Calls that are of no mode, as they break that by which modes are told apart: each is on record
under the mode of the good call that it was made from."""
