"""The constraints on calls of MoeTokenPermuteWithRoutingMap."""

from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint

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
            "probs are given, and permute_probs is null",
            "probs are given, and permute_probs is null, padded",
        ),
        NULL,
    ),
    Constraint(
        "float types, a map of int8 or bool, and indices of int32",
        WORKED_OUT,
        (
            "all floats are int32",
            "tokens are float64",
            "map is uint8",
            "map is int32",
            "sorted indices are int64",
        ),
        INVALID,
    ),
    Constraint(
        "tokens, probs and their copies have one dtype",
        WORKED_OUT,
        tuple(
            f"{name} of another dtype"
            for name in ("tokens", "probs", "permute_tokens", "permute_probs")
        ),
        INVALID,
    ),
    Constraint(
        "the map and probs have two axes",
        ("worked out dropless float32",),
        ("map of rank 1", "map of rank 3", "probs of rank 1", "probs of rank 3"),
        INVALID,
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
            "numOutTokens is -1",
            "numOutTokens is -1, padded",
            "numOutTokens is 21 of 20",
            "numOutTokens is 21 of 20, padded",
            "numOutTokens is 2^32 + 9",
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
            "a row too few",
            "a row too many",
            "a row too many, padded",
            "rows of the other mode",
            "a probability too few",
            "a probability too many, padded",
        ),
        INVALID,
    ),
    Constraint(
        "there is an index for every row",
        ("worked out dropless float32", "worked out drop_pad float32"),
        ("an index too few", "an index too many", "an index too many, padded"),
        INVALID,
    ),
    Constraint(
        "the map has a row for every token",
        ("one token of one expert", "one token of one expert, padded"),
        (
            "map of 4 tokens for 3",
            "map of 4 tokens for 5",
            "map of 4 tokens for 5, padded",
            "tokens of rank 0",
        ),
    ),
    Constraint(
        "topK is below 512; of 512 nothing is judged",
        tuple(f"topK 511 {dtype}" for dtype in DTYPES),
        ("topK is 513",),
    ),
    Constraint(
        "probs have the shape of the map",
        ("worked out dropless float32", "worked out drop_pad float32"),
        (
            "probs of 3 tokens for 4",
            "probs of 4 experts for 5",
            "probs of 4 experts for 3, padded",
        ),
    ),
    Constraint(
        "permuteTokensOut has the columns of tokens",
        ("worked out dropless float32",),
        ("a column too few", "a column too many"),
    ),
    Constraint(
        "probabilities and indices have one axis",
        ("worked out dropless float32",),
        ("probabilities of rank 2", "indices of rank 2"),
        INVALID,
    ),
)
