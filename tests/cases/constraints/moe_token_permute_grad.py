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
        ("permuted_output_grad and out are int32, whole",),
        INVALID,
        of=("permuted_output_grad", "sorted_indices", "out"),
    ),
    Constraint(
        "num_topk is at least 1, and divides the indices",
        ("num_topk 1", "ranks of a router"),
        ("8 indices, num_topk 3",),
        of=("num_topk",),
    ),
    Constraint(
        "the gradient has two axes",
        ("ranks of a router",),
        of=("permuted_output_grad",),
    ),
    Constraint(
        "the indices have one axis",
        ("ranks of a router",),
        of=("sorted_indices",),
    ),
    Constraint(
        "out is [tokens, hidden]",
        ("ranks of a router",),
        of=("out",),
    ),
)
