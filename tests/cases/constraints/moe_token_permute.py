"""The constraints on calls of MoeTokenPermute."""

from tests.cases.constraints.constraint import INVALID, NULL, Constraint
from tests.cases.constraints.told_by import equals

CONSTRAINTS = (
    Constraint(
        "no tensor is null",
        ("1 slots",),
        ("tokens is null", "indices is null", "permute_tokens is null", "sorted_indices is null"),
        NULL,
    ),
    Constraint(
        "tokens are of a float type, indices int32 or int64, ranks int32",
        ("1 slots", "31 slots", "32 slots", "top_k 512"),
        (
            "tokens and permute_tokens are int32, first",
            "tokens are float64",
            "tokens is int32, first",
        ),
        INVALID,
        of=("indices", "sorted_indices"),
    ),
    Constraint(
        "tokens and their copies have one dtype",
        ("three tokens of two experts, all rows kept, float32",),
        ("tokens is float16, first",),
        INVALID,
        of=("permute_tokens",),
    ),
    Constraint(
        "paddedMode is false",
        ("three tokens of two experts, all rows kept, float32",),
        (),
        of=("padded_mode",),
    ),
    Constraint(
        "indices have one axis or two, and a row for each token",
        ("31 slots", "top_k 1 of two axes"),
        (),
        of=("tokens", "indices"),
    ),
    Constraint(
        "topK is at most 512", ("top_k 512", "top_k 1 of two axes"), ("top_k is 513",), of=("slot",)
    ),
    Constraint(
        "the rows of the output are those that numOutTokens keeps",
        (
            "numOutTokens 1",
            "numOutTokens of every slot",
            "numOutTokens beyond every slot",
            "all rows but one left out",
            "every row left out",
            "more rows left out than there are",
            "tokens of three axes",
        ),
        (
            "tokens of one axis, and their copies",
            "every slot, numOutTokens 4",
            "4 rows, numOutTokens -4 of 6",
        ),
        of=("permute_tokens", "num_out_tokens"),
    ),
    Constraint(
        "there is a rank for every slot",
        ("numOutTokens 1", "every row left out"),
        ("ranks of the rows only",),
        of=("sorted_indices",),
    ),
)

MODES = {
    "whole": equals("num_out_tokens", 0),
    "first": lambda case: case.attributes["num_out_tokens"] > 0,
    "without_last": lambda case: case.attributes["num_out_tokens"] < 0,
}
"""By what a call is one of each mode."""
