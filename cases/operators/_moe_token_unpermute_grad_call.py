"""The signature of MoeTokenUnpermuteGrad, its calls, and the probabilities of their slots.

They are drawn as sums over slots, of which every row is named once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from cases.operators._interface import NULL, checked, in_document, null, typed, unchecked
from cases.operators._moe_token_unpermute_calls import DTYPES as DTYPES
from cases.operators._slot_grads import graded_sums, listed, naming_once, with_data
from cases.operators._slot_sum import slot_sum_call
from cases.operators._values import WEIGHT_BITS, weight_fills
from conformance.call.case import Case, Tensor
from conformance.draw.built import built
from conformance.draw.values import MOVED
from conformance.record.clause import document, source_read
from conformance.record.signature import Signature, flag, integers, tensor
from conformance.record.sizes import Size
from conformance.record.variations import without
from conformance.values.fill import Fill
from reference.permutation import MOST_TOPK

Shape = tuple[int, ...]
NAME = "moe_token_unpermute_grad"
ACLNN = "aclnnMoeTokenUnpermuteGrad document"
KERNELS = "ops-transformer, moe_token_unpermute_grad/op_kernel"
HOST = "ops-transformer, moe_token_unpermute_grad/op_host"
MODES = ("whole", "uneven", "single")
TOKENS, TOKENS_GRAD, GRAD = "permuted_tokens", "permuted_tokens_grad", "unpermuted_tokens_grad"
INDICES, PROBS, PROBS_GRAD = "sorted_indices", "probs", "probs_grad"

stated = in_document(ACLNN)
ROW, HIDDEN, TOKEN = Size("row", least=1), Size("hidden", least=1), Size("token", least=1)
SLOT = Size("slot", least=1, most=MOST_TOPK, default=1)
IGNORED = source_read("host sources do not look at it", HOST)
TYPES = source_read("float types, one for tokens and gradients; indices int32", HOST)
SLOTS = source_read(f"top_k is 1 to {MOST_TOPK}", HOST)
SOME = source_read("there are rows, columns, tokens and slots", HOST)
weights = partial(tensor, dtype=DTYPES, optional=True)
SIGNATURE = Signature(
    NAME,
    (
        tensor(TOKENS, ROW, HIDDEN, optional=True, beside=PROBS),
        tensor(GRAD, TOKEN, HIDDEN),
        tensor(INDICES, TOKEN * SLOT, dtype="int32", numbers=ROW),
        weights(PROBS, TOKEN, SLOT, acl="probsOptional"),
        flag("padded_mode", free=IGNORED),
        integers("restore_shape", free=IGNORED, acl="restoreShapeOptional"),
        tensor(TOKENS_GRAD, ROW, HIDDEN, role="output", acl="permutedTokensGradOut"),
        weights(PROBS_GRAD, TOKEN, SLOT, role="output", beside=PROBS, acl="probsGradOut"),
    ),
    rules=(
        unchecked(stated("probs have a gradient"), PROBS_GRAD, kinds=("null",), status=NULL),
        unchecked(stated("probs have tokens"), TOKENS, kinds=("null",), status=NULL),
        null(stated("input and output tensors are no null pointers", "status")),
        typed(TYPES),
        checked(SLOTS, "slot", kinds=("limit",)),
        checked(SOME, kinds=("limit",)),
        unchecked(
            stated("tokens and gradients have two axes, indices one"),
            *(TOKENS, GRAD, INDICES, PROBS),
            kinds=("rank",),
        ),
        unchecked(
            stated("an index and a probability for every slot"), INDICES, PROBS, kinds=("extent",)
        ),
        unchecked(stated("the gradient is [tokens, hidden]"), GRAD, kinds=("extent",)),
        unchecked(document("outputs have the shapes of what they are gradients of", ACLNN)),
    ),
)
of_sum = slot_sum_call(SIGNATURE, TOKENS, INDICES)


call = naming_once(of_sum, (TOKENS, INDICES, GRAD))
SUM, SINGLE = graded_sums(call)


def graded(case: Case, grad: Fill | Shape) -> Case:
    """The case with a gradient of the output: a recipe, or storage bits."""
    return with_data(case, {GRAD: grad})


def weighted(case: Case, probs_dtype: str, probs: Fill | Shape, grad: Fill | Shape) -> Case:
    """The case with a probability for each slot and a gradient: recipes, or storage bits.

    Values of rows are drawn so that their products with small integers add up exactly along a row.
    """
    tokens = case.inputs[TOKENS]
    if tokens.fill is not None:
        terms = max(1, tokens.shape[-1]) << WEIGHT_BITS
        tokens = replace(tokens, fill=replace(tokens.fill, terms=terms))
    count = case.inputs[GRAD].shape[0]
    slots = Tensor((count, case.inputs[INDICES].size // max(1, count)), probs_dtype)
    made = with_data(case, {GRAD: grad})
    inputs = {**made.inputs, TOKENS: tokens, PROBS: listed(slots, probs)}
    return replace(made, inputs=inputs, outputs={**made.outputs, PROBS_GRAD: slots})


def with_probs(
    cases: SearchStrategy[Case], dtypes: SearchStrategy[str], fills: SearchStrategy[Fill]
) -> SearchStrategy[Case]:
    """Cases that have probabilities, too, and a gradient of the output."""
    return built(weighted, cases, dtypes, fills, weight_fills())


def every_slot(case: Case) -> int:
    """How many rows a call without tokens has: one for each slot."""
    return case.inputs[INDICES].size


def bare(
    cases: SearchStrategy[Case], rows: Callable[[Case], int] = every_slot
) -> SearchStrategy[Case]:
    """Cases without probabilities, whose gradient is moved.

    Nobody reads their tokens, so they have them or not: without them there are so many ``rows``,
    and a case with another number keeps them.
    """

    def left_out(case: Case, alone: bool) -> Case:
        exact = case.outputs[TOKENS_GRAD].shape[0] == rows(case)
        return without(case, TOKENS) if alone and exact else case

    return built(left_out, with_grad(cases), st.booleans())


def with_grad(cases: SearchStrategy[Case]) -> SearchStrategy[Case]:
    """Cases without probabilities, whose gradient of the output is moved."""
    return built(graded, cases, MOVED)
