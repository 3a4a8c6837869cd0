"""The constraints on calls of MoeTokenUnpermuteGrad."""

from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint
from tests.cases.constraints.told_by import weighted_rows

ROUTER = "two tokens of two slots, one of probability zero"
PAIRS = tuple(f"{one} tokens, {other} probabilities" for one in DTYPES for other in DTYPES)
CONSTRAINTS = (
    Constraint(
        "no required tensor is null",
        ("rows without probabilities", "neither tokens nor probabilities"),
        (
            "permuted_tokens is null, single",
            "unpermuted_tokens_grad is null",
            "sorted_indices is null",
            "permuted_tokens_grad is null",
        ),
        NULL,
    ),
    Constraint(
        "probs have tokens",
        (ROUTER,),
        ("permuted_tokens is null",),
        NULL,
    ),
    Constraint(
        "probs have a gradient",
        (ROUTER, "rows without probabilities"),
        ("probs_grad is null",),
        NULL,
    ),
    Constraint(
        "float types, one for tokens and gradients, one for probs and theirs; indices int32",
        PAIRS,
        (
            "all floats are int32",
            "tokens and gradients are int32",
            "permuted_tokens and unpermuted_tokens_grad and permuted_tokens_grad are int32, whole",
            "probs and probs_grad are int32, whole",
            "probs and permuted_tokens are int32, whole",
        ),
        INVALID,
        of=(
            "permuted_tokens",
            "unpermuted_tokens_grad",
            "sorted_indices",
            "probs",
            "permuted_tokens_grad",
            "probs_grad",
        ),
    ),
    Constraint(
        "there are rows, columns, tokens and slots",
        ("one element",),
        ("no tokens", "top_k is 0", "no tokens, no probs", "slot is 0, uneven"),
        of=("row", "hidden", "token"),
    ),
    Constraint(
        "topK is at most 512",
        tuple(f"top_k 512 {dtype}" for dtype in DTYPES),
        ("top_k is 513", "slot is 513, uneven"),
    ),
    Constraint(
        "tokens, gradient and probs have two axes, indices one",
        (ROUTER, "top_k 1 with probabilities"),
        of=("permuted_tokens",),
    ),
    Constraint(
        "an index and a probability for every slot",
        (ROUTER, "more rows than slots", "a slot that has no row"),
        ("8 tokens without probs, gradient of 4", "10 indices for 4 tokens of 2 slots"),
        of=("sorted_indices", "probs"),
    ),
    Constraint("the gradient is [tokens, hidden]", (ROUTER,), of=("unpermuted_tokens_grad",)),
    Constraint(
        "outputs have the shapes of what they are gradients of",
        (ROUTER, "more rows than slots"),
        of=("permuted_tokens_grad", "probs_grad"),
    ),
)

MODES = weighted_rows()
"""By what a call is one of each mode."""

FREELY_AT_THE_BORDER = ("uneven",)
"""Modes whose free draws, of no row and no edge, may have a row for every slot."""
