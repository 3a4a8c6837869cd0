"""The constraints on calls of MoeTokenUnpermuteWithRoutingMapGrad."""

from conformance.call.case import Case
from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint
from tests.cases.constraints.told_by import Asked

WEIGHED = ("right call 1, dropless_probs", "right call 2, padded_probs")
RIGHT = (*WEIGHED, "right call 3, dropless", "right call 4, padded")
REQUIRED = ("unpermuted_tokens_grad", "out_index", "permute_token_id", "permuted_tokens_grad")
BESIDE = ("routing_map", "permuted_tokens", "probs_grad")
EVERY = (*REQUIRED, *BESIDE, "probs")
CONSTRAINTS = (
    Constraint(
        "no required tensor is null",
        RIGHT,
        tuple(f"{name} is null" for name in REQUIRED),
        NULL,
    ),
    Constraint(
        "probs have a map, rows and a gradient",
        WEIGHED,
        (*(f"{name} is null" for name in BESIDE), "map is null, padded"),
    ),
    Constraint(
        "float types, one for tokens and gradients; probs of the same, or fp32 beside bfloat16;"
        " indices are int32, the map int8 or bool",
        (
            *(f"{one} tokens, {one} probs, dropless_probs" for one in DTYPES),
            *(f"{one} tokens, {one} probs, padded_probs" for one in DTYPES),
            *(f"bfloat16 tokens, float32 probs, {mode}_probs" for mode in ("dropless", "padded")),
            *(f"selected by the map, {one}" for one in ("int8", "bool")),
        ),
        (
            "unpermuted_tokens_grad and permuted_tokens and permuted_tokens_grad are int32,"
            " dropless_probs",
            "probs and routing_map are int32, dropless_probs",
            "probs and permuted_tokens are int32, dropless_probs",
            "probs and probs_grad are int32, dropless_probs",
            "map is uint8",
            "float32 tokens, bfloat16 probs",
        ),
        INVALID,
        of=EVERY,
        retyped=True,
    ),
    Constraint(
        "there are tokens, columns, slots and experts",
        ("one element",),
        of=("tokens", "hidden", "top_k", "capacity", "experts"),
    ),
    Constraint(
        "with probs topK is at most 512 and at most the experts, a capacity at most the tokens",
        ("top_k 512", *WEIGHED),
        ("top_k is 513", "2 slots of a token, 1 expert", "capacity 8, 4 tokens"),
    ),
    Constraint(
        "an index of either kind for each row, of which tokens have the same number, or experts",
        RIGHT,
        of=("out_index", "permute_token_id"),
    ),
    Constraint(
        "the gradient is [tokens, hidden]; a map and probs are [tokens, experts]",
        RIGHT,
        of=("unpermuted_tokens_grad", "routing_map", "probs"),
    ),
    Constraint(
        "rows, and their gradient, are [slots, hidden], the gradient of the probs is as these",
        RIGHT,
        of=("permuted_tokens", "permuted_tokens_grad", "probs_grad"),
        retyped=False,
    ),
)


def _told(padded: bool, probs: bool) -> Asked:
    def asked(case: Case) -> bool:
        return bool(case.attributes["drop_and_pad"]) == padded and ("probs" in case.inputs) == probs

    return asked


MODES = {
    "dropless": _told(False, False),
    "dropless_probs": _told(False, True),
    "padded": _told(True, False),
    "padded_probs": _told(True, True),
}
"""By what a call is one of each mode."""
