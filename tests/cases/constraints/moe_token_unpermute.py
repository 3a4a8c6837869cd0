"""The constraints on calls of MoeTokenUnpermute."""

from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint

ROUTER = "ranks of a router"
CONSTRAINTS = (
    Constraint(
        "no required tensor is null",
        ("rows without probabilities",),
        ("permuted_tokens is null", "sorted_indices is null", "out is null"),
        NULL,
    ),
    Constraint(
        "float types, one for tokens and out, any for probs; indices int32",
        tuple(f"{one} tokens, {other} probabilities" for one in DTYPES for other in DTYPES),
        (
            "indices are int64",
            "indices are float32",
            "tokens are int32",
            "tokens and out are int32",
            "out has another dtype",
            "probs are int32",
        ),
        INVALID,
    ),
    Constraint(
        "there is a probability for each index, in rows of tokens",
        (ROUTER, "dropped tail of a router"),
        ("probs of rank 1",),
        of=("probs",),
    ),
    Constraint(
        "topK is 1 to 512",
        ("top_k 512", "top_k 1 with probabilities"),
        (
            "top_k is 513",
            "top_k is 0",
        ),
    ),
    Constraint("tokens have two axes", (ROUTER,), (), of=("permuted_tokens",)),
    Constraint(
        "the indices have one axis", (ROUTER,), ("indices of rank 2",), of=("sorted_indices",)
    ),
    Constraint(
        "out is [tokens, hidden]",
        (ROUTER, "rows without probabilities"),
        (
            "out of rank 1",
            "out of rank 3",
            "8 tokens without probs, out of 4",
        ),
        of=("out",),
    ),
)
