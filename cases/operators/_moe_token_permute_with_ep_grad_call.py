"""Calls of MoeTokenPermuteWithEpGrad: sums over slots whose ranks lie in a range.

A case is first drawn as a sum over slots of which those below the number of rows count, and then
its ranks are moved to where the range of its mode lies.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis.strategies import SearchStrategy
from numpy.typing import NDArray

from cases.operators._slot_sum_cases import Call
from conformance.call.case import Case, Machine, Tensor
from conformance.draw.built import built
from conformance.record.operator import TensorParameter
from conformance.values.fill import Fill

Shape = tuple[int, ...]
NAME = "moe_token_permute_with_ep_grad"
DTYPES = ("float16", "bfloat16", "float32")
MODES = ("full", "head", "tail", "middle")
GRAD, PROBS_IN = "permuted_tokens_output_grad", "permuted_probs_output_grad"
TENSORS = (
    TensorParameter(GRAD, "permutedTokensOutputGrad", "input"),
    TensorParameter("sorted_indices", "sortedIndices", "input", "int32"),
    TensorParameter(PROBS_IN, "permutedProbsOutputGradOptional", "input", optional=True),
    TensorParameter("out", "tokenGradOut", "output"),
    TensorParameter("probs_grad", "probsGradOut", "output", optional=True),
)


def drawn_as(mode: str) -> str:
    """The mode of a sum over slots as which a mode is drawn."""
    return "whole" if mode == "full" else "uneven"


def call(
    mode: str,
    dtype: str,
    *,
    source: Shape,
    indices: Shape,
    top_k: int,
    fill: Fill | None = None,
    values: Shape | None = None,
    out: Shape | None = None,
    unread: Shape = (),
    machine: Machine | None = None,
    rows: Shape | None = None,
) -> Case:
    """A case from the sizes that matter, without probabilities.

    ``indices`` are ranks as the forward operator gives them but for the range's first one, which
    is taken for rank 0; ``rows`` are the only ones of the gradient that exist.
    """
    tokens = len(indices) // top_k if top_k > 0 else 0
    start = _start(mode, source[0], len(indices))
    ranks = tuple(_moved(np.array(indices, np.int64), source[0], start).tolist())
    return Case(
        operator=NAME,
        mode=mode,
        dtype=dtype,
        attributes={
            "num_topk": top_k,
            "rank_range": (start, start + min(source[0], len(indices) - start)),
            "padded_mode": 0,
        },
        inputs={
            GRAD: Tensor(source, dtype, values, fill, unread, rows),
            "sorted_indices": Tensor((len(indices),), "int32", values=ranks),
        },
        outputs={"out": Tensor(out or (tokens, source[-1]), dtype)},
        machine=machine,
    )


def call_in(mode: str) -> Call:
    """What makes cases of a mode, whatever the mode of the sum."""

    def made(_: str, dtype: str, **sizes: Any) -> Case:
        return call(mode, dtype, **sizes)

    return made


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
        outputs={**case.outputs, "probs_grad": Tensor(shape, case.dtype)},
    )


def with_probs(
    cases: SearchStrategy[Case], probs: SearchStrategy[Fill | None]
) -> SearchStrategy[Case]:
    """Cases with and without probabilities."""
    return built(probed, cases, probs)
