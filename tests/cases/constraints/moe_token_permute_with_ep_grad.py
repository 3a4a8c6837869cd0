"""The constraints on calls of MoeTokenPermuteWithEpGrad."""

from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint

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
        ("probs_grad is null, and its rows are given",),
        NULL,
    ),
    Constraint(
        "float types, one for all; indices int32",
        tuple(f"num_topk 512 {dtype}" for dtype in DTYPES),
        (
            "indices are int64",
            "indices are float32",
            "gradient is int32",
            "all floats are int32",
            "permuted_tokens_output_grad of another dtype",
            "permuted_probs_output_grad of another dtype",
            "out of another dtype",
            "probs_grad of another dtype",
        ),
        INVALID,
    ),
    Constraint(
        "num_topk is 1 or more",
        ("num_topk 1", *(f"num_topk 512 {dtype}" for dtype in DTYPES)),
        ("num_topk is 0", "num_topk is -2"),
    ),
    Constraint(
        "the gradient of tokens has two axes, that of probs one",
        ROUTED,
        (),
        of=("permuted_tokens_output_grad",),
    ),
    Constraint(
        "paddedMode is false", ROUTED, ("padded_mode is true", "padded_mode is true, no probs")
    ),
    Constraint(
        "the indices are num_topk for every token",
        ("ranks of a router", "num_topk 1"),
        ("indices of rank 2",),
        of=("sorted_indices", "num_topk"),
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
        (
            "range of no numbers",
            "range of 1 number",
            "range of 3 numbers",
            "range (1, 7) of 5 rows",
            "range (1, 5 + 2^32)",
        ),
    ),
    Constraint(
        "a gradient for every row's probability", ROUTED, (), of=("permuted_probs_output_grad",)
    ),
    Constraint(
        "out is [tokens, hidden]",
        ROUTED,
        ("out of rank 1",),
        of=("out",),
    ),
    Constraint(
        "probs_grad is [tokens, num_topk]",
        ROUTED,
        ("probs_grad of rank 1",),
        of=("probs_grad",),
    ),
)
