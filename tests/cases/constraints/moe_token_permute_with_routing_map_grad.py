"""The constraints on calls of MoeTokenPermuteWithRoutingMapGrad."""

from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint
from tests.cases.constraints.told_by import equals

CONSTRAINTS = (
    Constraint(
        "num_experts and tokens_num are above 0, before all else",
        ("one token of one expert",),
        (
            "num_experts is 0",
            "num_experts is -1",
            "num_experts is 0, no probs",
            "tokens_num is 0",
            "tokens_num is -4",
            "tokens_num is 0 and the gradient null",
        ),
        INVALID,
    ),
    Constraint(
        "no required tensor is null",
        ("neither probs nor map",),
        (
            "permuted_token_output_grad is null",
            "sorted_indices is null",
            "tokens_grad is null",
        ),
        NULL,
    ),
    Constraint(
        "probs need a map",
        ("neither probs nor map", "worked out float16 int8"),
        ("no map for probs", "no map for probs, padded", "no map for probs, no room"),
        NULL,
    ),
    Constraint(
        "float types, one for all; indices int32",
        tuple(f"topK 512 {dtype}" for dtype in DTYPES),
        (
            "gradient is int32",
            "all are int32",
            "probs have another dtype",
            "indices are int64",
            "tokens_grad has another dtype",
            "probs_grad has another dtype",
        ),
        INVALID,
    ),
    Constraint(
        "the map is int8 or bool",
        ("worked out float16 int8", "worked out bfloat16 bool"),
        ("map is uint8", "map is int32"),
        INVALID,
    ),
    Constraint(
        "gradient and map have two axes, probs one",
        ("worked out float32 int8",),
        ("map of rank 1", "map of rank 1, no probs"),
        INVALID,
        of=("permuted_token_output_grad",),
    ),
    Constraint(
        "probs_grad is [tokens_num, num_experts]",
        ("worked out float32 int8",),
        ("probs_grad of rank 1",),
        INVALID,
        of=("probs_grad",),
    ),
    Constraint(
        "tokens_grad is [tokens_num, hidden]",
        ("worked out float32 int8",),
        ("tokens_grad of rank 1",),
        INVALID,
        of=("tokens_grad",),
    ),
    Constraint(
        "an index for every row",
        ("worked out float32 int8", "worked out, padded"),
        (),
        INVALID,
        of=("sorted_indices",),
    ),
    Constraint(
        "as many probs as rows, a map [tokens_num, num_experts]",
        ("worked out float32 int8",),
        (),
        INVALID,
        of=("permuted_probs_output_grad", "routing_map"),
    ),
    Constraint(
        "tokens share the rows evenly; padded, experts do",
        ("worked out float32 int8", "worked out, padded"),
        ("8 rows, 3 tokens", "4 rows, 3 experts, padded"),
        INVALID,
        of=("num_experts", "tokens_num"),
    ),
    Constraint(
        "topK is at most 512", tuple(f"topK 512 {dtype}" for dtype in DTYPES), ("topK is 513",)
    ),
)

MODES = {
    "dropless": equals("drop_and_pad", 0),
    "drop_pad": equals("drop_and_pad", 1),
}
"""By what a call is one of each mode."""
