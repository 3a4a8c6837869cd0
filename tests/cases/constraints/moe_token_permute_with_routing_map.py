"""The constraints on calls of MoeTokenPermuteWithRoutingMap."""

from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint
from tests.cases.constraints.told_by import equals

WORKED_OUT = tuple(
    f"worked out {mode} {dtype}" for mode in ("dropless", "drop_pad") for dtype in DTYPES
)

CONSTRAINTS = (
    Constraint(
        "no required tensor is null",
        ("worked out dropless float32, no probs", "worked out drop_pad float32, no probs"),
        (
            "tokens is null",
            "routing_map is null",
            "permute_tokens is null",
            "sorted_indices is null",
        ),
        NULL,
    ),
    Constraint(
        "probs have an output",
        ("worked out dropless float32", "worked out drop_pad float32"),
        (
            "permute_probs is null",
            "probs are given, and permute_probs is null, padded",
        ),
        NULL,
    ),
    Constraint(
        "float types, a map of int8 or bool, and indices of int32",
        WORKED_OUT,
        (
            "tokens and probs and permute_tokens and permute_probs are int32, dropless",
            "tokens is int32, dropless",
            "tokens are float64",
            "map is uint8",
        ),
        INVALID,
        of=("routing_map", "sorted_indices"),
        retyped=True,
    ),
    Constraint(
        "tokens, probs and their copies have one dtype",
        WORKED_OUT,
        ("tokens is float16, dropless", "probs and permute_probs are int32, dropless"),
        INVALID,
        of=("probs", "permute_tokens", "permute_probs"),
        retyped=True,
    ),
    Constraint(
        "the map and probs have two axes",
        ("worked out dropless float32",),
        (),
        INVALID,
        of=("routing_map", "probs"),
        retyped=False,
    ),
    Constraint(
        "numOutTokens is 0 to the entries of the map",
        (
            "numOutTokens 0, dropless",
            "numOutTokens 0, drop_pad",
            "numOutTokens of the whole map",
            "numOutTokens of the whole map, padded",
        ),
        (
            *(f"num_out_tokens is {n}, dropless" for n in (-1, -8, -9, -11)),
            *(f"num_out_tokens is 2^32 + {n}, dropless" for n in (8, 9, 11)),
            *(f"num_out_tokens is {n}, drop_pad" for n in ("-1", "-7", "2^32 + 7")),
            "numOutTokens is 21 of 20",
            "numOutTokens is 21 of 20, padded",
        ),
        INVALID,
    ),
    Constraint(
        "copies have numOutTokens rows, rounded down to as many for each token or expert",
        (
            "numOutTokens 8 for 6 rows, dropless",
            "numOutTokens 7 for 6 rows, drop_pad",
            "numOutTokens one short of another row for each",
            "numOutTokens one short of another row for each, padded",
            "numOutTokens 2 of 3 tokens",
            "numOutTokens 1 of 2 experts, padded",
        ),
        (
            "rows of the other mode",
            *(f"num_out_tokens is {n}, dropless" for n in (0, 7, 12)),
            "num_out_tokens is 0, drop_pad",
        ),
        INVALID,
        of=("permute_tokens", "permute_probs"),
        retyped=False,
    ),
    Constraint(
        "there is an index for every row",
        ("worked out dropless float32", "worked out drop_pad float32"),
        (),
        INVALID,
        of=("sorted_indices",),
        retyped=False,
    ),
    Constraint(
        "the map has a row for every token",
        ("one token of one expert", "one token of one expert, padded"),
        (),
        of=("tokens", "routing_map"),
    ),
    Constraint(
        "topK is below 512; of 512 nothing is judged",
        tuple(f"topK 511 {dtype}" for dtype in DTYPES),
        ("topK is 513",),
    ),
    Constraint(
        "probs have the shape of the map",
        ("worked out dropless float32", "worked out drop_pad float32"),
        (),
        of=("probs",),
    ),
    Constraint(
        "permuteTokensOut has the columns of tokens",
        ("worked out dropless float32",),
        (),
        of=("permute_tokens",),
    ),
)

MODES = {
    "dropless": equals("drop_and_pad", 0),
    "drop_pad": equals("drop_and_pad", 1),
}
"""By what a call is one of each mode."""
