"""The constraints on calls of MoeTokenUnpermute."""

from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint
from tests.cases.constraints.told_by import weighted_rows

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
        ("permuted_tokens and out are int32, whole",),
        INVALID,
        of=("permuted_tokens", "sorted_indices", "probs", "out"),
    ),
    Constraint(
        "there is a probability for each index, in rows of tokens",
        (ROUTER, "dropped tail of a router"),
        of=("probs",),
    ),
    Constraint(
        "topK is 1 to 512",
        ("top_k 512", "top_k 1 with probabilities"),
        ("top_k is 513", "top_k is 0"),
    ),
    Constraint("tokens have two axes", (ROUTER,), of=("permuted_tokens",)),
    Constraint("the indices have one axis", (ROUTER,), of=("sorted_indices",)),
    Constraint(
        "out is [tokens, hidden]",
        (ROUTER, "rows without probabilities"),
        ("8 tokens without probs, out of 4",),
        of=("out",),
    ),
)

MODES = weighted_rows()
"""By what a call is one of each mode."""

FREELY_AT_THE_BORDER = ("uneven",)
"""Modes whose free draws, of no row and no edge, may have a row for every slot."""
