"""The constraints on calls of MoeTokenUnpermuteWithRoutingMap."""

from conformance.call.case import Case
from tests.cases.constraints.constraint import DTYPES, INVALID, NULL, Constraint
from tests.cases.constraints.told_by import Asked

ROWS = tuple(f"right call {n}" for n in ("1, dropless_probs", "2, padded_probs", "3, dropless"))
RIGHT = (*ROWS, "right call 4, padded")
REQUIRED = ("permuted_tokens", "sorted_indices", "unpermuted_tokens", "out_index",
            "permute_token_id")  # fmt: skip
EVERY = (*REQUIRED, "routing_map", "probs", "permute_probs")
CONSTRAINTS = (
    Constraint(
        "no required tensor is null, nor what probs need beside them",
        RIGHT,
        tuple(f"{name} is null" for name in (*REQUIRED, "routing_map", "permute_probs")),
        NULL,
    ),
    Constraint(
        "probs or restore_shape have the number of tokens",
        (*RIGHT, "another restore_shape beside probs"),
        tuple(f"neither probs nor restore_shape, {mode}" for mode in ("dropless", "padded")),
        NULL,
    ),
    Constraint(
        "float types, one for tokens and result; probs of the same, or fp32 beside bfloat16; other"
        " results are int32, the map int8 or bool",
        (
            *(f"{one} tokens, {one} probs, dropless_probs" for one in DTYPES),
            *(f"{one} tokens, {one} probs, padded_probs" for one in DTYPES),
            *(f"bfloat16 tokens, float32 probs, {mode}_probs" for mode in ("dropless", "padded")),
            *(f"selected by the map, {one}" for one in ("int8", "bool")),
        ),
        (
            "permuted_tokens and unpermuted_tokens are int32, dropless_probs",
            "probs and routing_map are int32, dropless_probs",
            "probs and permute_probs are int32, dropless_probs",
            "map is uint8",
            "float32 tokens, bfloat16 probs",
        ),
        INVALID,
        of=EVERY,
        retyped=True,
    ),
    Constraint(
        "tokens, map, probs and result have two axes, the others one",
        RIGHT,
        status=INVALID,
        of=EVERY,
        retyped=False,
    ),
    Constraint(
        "topK is at most 512",
        ("top_k 512", "no probs, top_k 512"),
        of=("top_k",),
    ),
    Constraint(
        "an index for each row, of which tokens have the same number, or experts if padded",
        (*RIGHT, "no rows, dropless", "no rows, padded"),
        ("8 rows, 3 tokens",),
        of=("permuted_tokens", "sorted_indices"),
    ),
    Constraint(
        "a map and probs are [tokens, experts]",
        ROWS[:2],
        of=("routing_map", "probs"),
    ),
    Constraint(
        "unpermuted_tokens are [tokens, hidden], the other results have an element for each row",
        RIGHT,
        of=("unpermuted_tokens", "out_index", "permute_token_id", "permute_probs"),
    ),
)


def _told(padded: bool, probs: bool) -> Asked:
    def asked(case: Case) -> bool:
        return bool(case.attributes["padded_mode"]) == padded and ("probs" in case.inputs) == probs

    return asked


MODES = {
    "dropless": _told(False, False),
    "dropless_probs": _told(False, True),
    "padded": _told(True, False),
    "padded_probs": _told(True, True),
}
"""By what a call is one of each mode."""
