"""The constraints on calls of MoeTokenPermuteWithRoutingMapGrad."""

from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint
from tests.cases.constraints.told_by import equals

MODES = ("dropless", "drop_pad")
CONSTRAINTS = (
    Constraint(
        "num_experts and tokens_num are above 0, before all else",
        ("one token of one expert",),
        (
            *(f"num_experts is {n}, {mode}" for n in (0, -2) for mode in MODES),
            *(f"tokens_num is {n}, dropless" for n in (0, -4)),
            *(f"tokens_num is {n}, drop_pad" for n in (0, -2)),
            "num_experts is 0, no probs",
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
        ("routing_map is null", "no map for probs, padded", "no map for probs, no room"),
        NULL,
    ),
    Constraint(
        "float types, one for all; indices int32",
        tuple(f"topK 512 {dtype}" for dtype in DTYPES),
        (
            "permuted_token_output_grad and permuted_probs_output_grad and tokens_grad and"
            " probs_grad are int32, dropless",
            "permuted_probs_output_grad and routing_map are int32, dropless",
        ),
        INVALID,
        of=(
            "permuted_token_output_grad",
            "permuted_probs_output_grad",
            "sorted_indices",
            "tokens_grad",
            "probs_grad",
        ),
        retyped=True,
    ),
    Constraint(
        "the map is int8 or bool",
        ("worked out float16 int8", "worked out bfloat16 bool"),
        ("map is uint8",),
        INVALID,
        of=("routing_map",),
        retyped=True,
    ),
    Constraint(
        "gradient and map have two axes, probs one",
        ("worked out float32 int8",),
        ("map of rank 1, no probs",),
        INVALID,
        of=("permuted_token_output_grad",),
        retyped=False,
    ),
    Constraint(
        "probs_grad is [tokens_num, num_experts]",
        ("worked out float32 int8",),
        status=INVALID,
        of=("probs_grad",),
        retyped=False,
    ),
    Constraint(
        "tokens_grad is [tokens_num, hidden]",
        ("worked out float32 int8",),
        status=INVALID,
        of=("tokens_grad",),
        retyped=False,
    ),
    Constraint(
        "an index for every row",
        ("worked out float32 int8", "worked out, padded"),
        (),
        INVALID,
        of=("sorted_indices",),
        retyped=False,
    ),
    Constraint(
        "as many probs as rows, a map [tokens_num, num_experts]",
        ("worked out float32 int8",),
        (),
        INVALID,
        of=("permuted_probs_output_grad", "routing_map"),
        retyped=False,
    ),
    Constraint(
        "tokens share the rows evenly; padded, experts do",
        ("worked out float32 int8", "worked out, padded"),
        (
            "8 rows, 3 tokens",
            "4 rows, 3 experts, padded",
            *(f"num_experts is {n}, {mode}" for n in ("1", "3", "2^32 + 2") for mode in MODES),
            *(f"tokens_num is {n}, dropless" for n in ("3", "5", "2^32 + 4")),
            *(f"tokens_num is {n}, drop_pad" for n in ("1", "3", "2^32 + 2")),
        ),
        INVALID,
    ),
    Constraint(
        "topK is at most 512",
        tuple(f"topK 512 {dtype}" for dtype in DTYPES),
        ("topK is 513",),
        of=("top_k",),
    ),
)

MODES = {
    "dropless": equals("drop_and_pad", 0),
    "drop_pad": equals("drop_and_pad", 1),
}
"""By what a call is one of each mode."""
