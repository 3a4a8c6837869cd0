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
        (
            "probs of rank 1",
            "probs of rank 3",
            "probs of 3 tokens for 4",
            "probs of 3 slots for 2",
        ),
    ),
    Constraint("topK is 1 to 512", ("top_k 512", "top_k 1 with probabilities"), ("top_k is 513",)),
    Constraint("tokens have two axes", (ROUTER,), ("tokens of rank 1", "tokens of rank 3")),
    Constraint("the indices have one axis", (ROUTER,), ("indices of rank 0", "indices of rank 2")),
    Constraint(
        "out is [tokens, hidden]",
        (ROUTER, "rows without probabilities"),
        (
            "out too narrow",
            "out too wide",
            "out of 5 rows for 4",
            "out of 3 rows for 4",
            "out of rank 1",
            "out of rank 3",
            "8 tokens without probs, out of 4",
        ),
    ),
)
