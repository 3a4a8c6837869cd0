"""The signature of MoeTokenUnpermute, its calls, and the probabilities of their slots."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis.strategies import SearchStrategy

from cases.operators._interface import null, typed, unchecked
from cases.operators._slot_sum_cases import slot_sum_call
from cases.operators._slot_weights import WEIGHT_BITS
from conformance.call.case import Case, Tensor
from conformance.draw.built import built
from conformance.record.clause import Clause, document, source_read
from conformance.record.signature import Signature, flag, integers, tensor
from conformance.record.sizes import Size
from conformance.values.fill import Fill
from reference.permutation import MOST_TOPK

NAME = "moe_token_unpermute"
ACLNN = "aclnnMoeTokenUnpermute document"
KERNELS = "ops-transformer, moe_token_unpermute/op_kernel"
HOST = "ops-transformer, moe_token_unpermute/op_host"
DTYPES = ("float16", "bfloat16", "float32")

TOKEN, HIDDEN = Size("token"), Size("hidden")
ROW = Size("row", free=source_read("slots from the last row on add nothing", KERNELS))
SLOT = Size("slot", least=1, most=MOST_TOPK, default=1)
IGNORED = source_read("it changes nothing", HOST)


def stated(text: str, part: str = "parameters") -> Clause:
    """A clause of a part of the document."""
    return document(text, f"{ACLNN}, {part}")


SIGNATURE = Signature(
    NAME,
    (
        tensor("permuted_tokens", ROW, HIDDEN),
        tensor("sorted_indices", TOKEN * SLOT, dtype="int32", numbers=ROW),
        tensor("probs", TOKEN, SLOT, dtype=DTYPES, optional=True, acl="probsOptional"),
        flag("padded_mode", free=IGNORED),
        integers("restore_shape", free=IGNORED, acl="restoreShapeOptional"),
        tensor("out", TOKEN, HIDDEN, role="output"),
    ),
    # CANN checks the first two alone; all the rest its tiling accepts as it comes, and the call is
    # undefined there (the host sources, read).
    rules=(
        null(stated("input and output tensors are no null pointers", "status")),
        typed(source_read("float types, one for tokens and out; indices int32", HOST)),
        unchecked(stated(f"top_k is 1 to {MOST_TOPK}", "constraints"), "slot", kinds=("limit",)),
        unchecked(
            stated("tokens have two axes, indices one"),
            "permuted_tokens",
            "sorted_indices",
            kinds=("rank",),
        ),
        unchecked(
            stated("probs are [tokens, top_k], one for each index"), "probs", "sorted_indices"
        ),
        unchecked(stated("out is [tokens, hidden]"), "out"),
    ),
)
call = slot_sum_call(SIGNATURE, "permuted_tokens", "sorted_indices")


def single_call(mode: str, dtype: str, **sizes: Any) -> Case:
    """A case of mode "single", whatever the mode: one slot for each token."""
    return call("single", dtype, **sizes)


def weighted(
    case: Case, probs_dtype: str, probs: Fill | tuple[int, ...], top_k: int | None = None
) -> Case:
    """The case with a probability for each slot: a recipe, or storage bits.

    ``top_k`` must be said if there is no token.

    Values of rows are drawn so that their products with small integers add up exactly.
    """
    tokens = case.inputs["permuted_tokens"]
    if tokens.fill is not None:
        tokens = replace(tokens, fill=replace(tokens.fill, terms=tokens.fill.terms << WEIGHT_BITS))
    count = case.outputs["out"].shape[0]
    shape = (count, top_k or case.inputs["sorted_indices"].size // max(1, count))
    listed = {"fill": probs} if isinstance(probs, Fill) else {"values": probs}
    held = Tensor(shape, probs_dtype, **listed)
    return replace(case, inputs={**case.inputs, "permuted_tokens": tokens, "probs": held})


def with_probs(
    cases: SearchStrategy[Case], dtypes: SearchStrategy[str], fills: SearchStrategy[Fill]
) -> SearchStrategy[Case]:
    """Cases that have probabilities, too."""
    return built(weighted, cases, dtypes, fills)
