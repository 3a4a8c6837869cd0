"""The signature of MoeTokenPermuteWithEpGrad, and its calls: sums over slots of a range of ranks.

A case is first drawn as a sum over slots of which those below the number of rows count, and then
its ranks are moved to where the range of its mode lies.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from hypothesis.strategies import SearchStrategy
from numpy.typing import NDArray

from cases.operators._interface import INTERFACE, REQUIRED, checked, null, typed, unchecked
from cases.operators._slot_sum import TokenSum, slot_sum_call
from conformance.call.case import Case, Tensor
from conformance.draw.built import built
from conformance.record.clause import document, inferred, source_read
from conformance.record.signature import Signature, flag, integers, number, tensor
from conformance.record.sizes import Size, function
from conformance.values.fill import Fill
from reference.moe_token_permute_with_ep import Range

Shape = tuple[int, ...]
NAME = "moe_token_permute_with_ep_grad"
README = "aclnnMoeTokenPermuteWithEpGrad document"
KERNELS = "ops-transformer, moe_token_permute_with_ep_grad/op_kernel"
HOST = "ops-transformer, moe_token_permute_with_ep_grad/op_host"
DTYPES = ("float16", "bfloat16", "float32")
MODES = ("full", "head", "tail", "middle")
GRAD, PROBS_IN = "permuted_tokens_output_grad", "permuted_probs_output_grad"
INDICES, PROBS_GRAD = "sorted_indices", "probs_grad"


follows = partial(inferred, source=f"{README}, function: equations")


def kept(rank_range: Range | None) -> int:
    """How many ranks a range selects; null has range (0, 0)."""
    start, end = rank_range or (0, 0)
    return max(0, end - start)


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


def call(mode: str, dtype: str, *, source: Shape, indices: Shape, **given: Any) -> Case:
    """A case from the sizes that matter, without probabilities.

    ``indices`` are ranks as the forward operator gives them but for the range's first one, which
    is taken for rank 0.
    """
    start = _start(mode, source[0], len(indices))
    ranks = tuple(_moved(np.array(indices, np.int64), source[0], start).tolist())
    ends = (start, start + min(source[0], len(indices) - start))
    return of_sum(mode, dtype, source=source, indices=ranks, rank_range=ends, **given)


def _start(mode: str, rows: int, slots: int) -> int:
    """The range's first rank, as many of the others before it as the mode says."""
    outside = max(0, slots - rows)
    return {"tail": outside, "middle": (outside + 1) // 2}.get(mode, 0)


def _moved(ranks: NDArray[np.int64], rows: int, start: int) -> NDArray[np.int64]:
    """The ranks after the range has moved from 0 to ``start``: a permutation of all ranks."""
    beyond = ranks - rows
    return np.where(ranks < rows, ranks + start, np.where(beyond < start, beyond, ranks))


def window(case: Case) -> tuple[int, int]:
    """The range of a case: first rank, and first beyond."""
    start, end = case.attributes["rank_range"]
    return start, end


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
