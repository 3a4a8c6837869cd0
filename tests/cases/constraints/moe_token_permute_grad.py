"""The constraints on calls of MoeTokenPermuteGrad."""

from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint

CONSTRAINTS = (
    Constraint(
        "no tensor is null",
        ("two rows of one token",),
        ("permuted_output_grad is null", "sorted_indices is null", "out is null"),
        NULL,
    ),
    Constraint(
        "float types, one for both; indices int32",
        tuple(f"num_topk 512 {dtype}" for dtype in DTYPES),
        (
            "indices are int64",
            "indices are float32",
            "gradient is int32",
            "gradient and out are int32",
            "out has another dtype",
        ),
        INVALID,
    ),
    Constraint(
        "num_topk is at least 1",
        ("num_topk 1",),
        ("num_topk is 0", "num_topk is -2", "num_topk is 2^32 + 2"),
    ),
    Constraint(
        "num_topk divides the indices",
        ("ranks of a router",),
        ("8 indices, num_topk 3",),
        of=("num_topk",),
    ),
    Constraint(
        "the gradient has two axes",
        ("ranks of a router",),
        (),
        of=("permuted_output_grad",),
    ),
    Constraint(
        "the indices have one axis",
        ("ranks of a router",),
        ("indices of rank 2",),
        of=("sorted_indices",),
    ),
    Constraint(
        "out is [tokens, hidden]",
        ("ranks of a router",),
        (
            "out of rank 1",
            "out of rank 3",
        ),
        of=("out",),
    ),
)
