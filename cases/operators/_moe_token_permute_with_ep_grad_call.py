"""The signature of MoeTokenPermuteWithEpGrad, and its calls: sums over a range of ranks."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from hypothesis.strategies import SearchStrategy

from cases.operators._interface import INTERFACE, REQUIRED, checked, null, typed, unchecked
from cases.operators._slot_sum import TokenSum, slot_sum_call
from cases.operators._slot_sum_ranges import RANGED, kept, ranged_call, window
from conformance.call.case import Case, Tensor
from conformance.draw.built import built
from conformance.record.clause import document, inferred, source_read
from conformance.record.signature import Signature, flag, integers, number, tensor
from conformance.record.sizes import Size, function
from conformance.values.fill import Fill

Shape = tuple[int, ...]
NAME = "moe_token_permute_with_ep_grad"
README = "aclnnMoeTokenPermuteWithEpGrad document"
KERNELS = "ops-transformer, moe_token_permute_with_ep_grad/op_kernel"
HOST = "ops-transformer, moe_token_permute_with_ep_grad/op_host"
DTYPES = ("float16", "bfloat16", "float32")
GRAD, PROBS_IN = "permuted_tokens_output_grad", "permuted_probs_output_grad"
MODES = tuple(RANGED)
INDICES, PROBS_GRAD = "sorted_indices", "probs_grad"


follows = partial(inferred, source=f"{README}, function: equations")


TOKEN, SLOT, HIDDEN = Size("token"), Size("slot", least=1), Size("hidden")
BEYOND = source_read("rows beyond those of the range are not read", KERNELS)
KEPT = function("kept", kept, "rank_range", free=BEYOND)
AT_LEAST_ONE = source_read("num_topk is 1 or more", HOST)
TWO_AND_ONE = source_read("the gradient of tokens has two axes, that of probs one", HOST)
NOT_PADDED = document("paddedMode is false", f"{README}, constraints")
probs = partial(tensor, optional=True)


SIGNATURE = Signature(
    NAME,
    (
        tensor(GRAD, KEPT, HIDDEN),
        tensor(INDICES, TOKEN * SLOT, dtype="int32"),
        probs(PROBS_IN, KEPT, acl="permutedProbsOutputGradOptional"),
        number("num_topk", SLOT),
        integers("rank_range", acl="rangeOptional", count=2),
        flag("padded_mode", most=0),
        tensor("out", TOKEN, HIDDEN, role="output", acl="tokenGradOut"),
        probs(PROBS_GRAD, TOKEN, SLOT, role="output", beside=PROBS_IN, acl="probsGradOut"),
    ),
    rules=(
        null(inferred("gradients of probs go somewhere", INTERFACE), PROBS_GRAD),
        REQUIRED,
        typed(source_read("float types, one for all; indices int32", HOST)),
        checked(AT_LEAST_ONE, "num_topk", kinds=("attribute",)),
        checked(TWO_AND_ONE, GRAD, PROBS_IN, kinds=("rank",)),
        unchecked(NOT_PADDED, "padded_mode", kinds=("attribute",)),
        unchecked(follows("the indices are num_topk for every token"), INDICES),
        unchecked(follows("a gradient for every row's probability"), PROBS_IN),
        unchecked(
            follows("a range of two numbers, with a row for every rank"),
            "rank_range",
            "kept",
            kinds=("attribute", "extent"),
        ),
        unchecked(document("out is [tokens, hidden]", f"{README}, parameters"), "out"),
        unchecked(follows("probs_grad is [tokens, num_topk]")),
    ),
)
of_sum = slot_sum_call(SIGNATURE, GRAD, INDICES)


call = ranged_call(of_sum)
SUM = TokenSum(call, uneven=MODES[1:], window=window)


def probed(case: Case, probs: Fill | Shape | None) -> Case:
    """The case with a gradient for every row's probability: a recipe, or storage bits."""
    if probs is None:
        return case
    rows, tokens = case.inputs[GRAD].shape[0], case.outputs["out"].shape[0]
    fills = {"fill": probs} if isinstance(probs, Fill) else {"values": probs}
    shape = (tokens, case.attributes["num_topk"])
    return replace(
        case,
        inputs={**case.inputs, PROBS_IN: Tensor((rows,), case.dtype, **fills)},
        outputs={**case.outputs, PROBS_GRAD: Tensor(shape, case.dtype)},
    )


def with_probs(
    cases: SearchStrategy[Case], probs: SearchStrategy[Fill | None]
) -> SearchStrategy[Case]:
    """Cases with and without probabilities."""
    return built(probed, cases, probs)
