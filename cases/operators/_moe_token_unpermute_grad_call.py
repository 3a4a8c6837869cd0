"""Calls of MoeTokenUnpermuteGrad: drawn as sums over slots, of which every row is named once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis.strategies import SearchStrategy
from numpy.typing import NDArray

from cases.operators._moe_token_unpermute_call import DTYPES as DTYPES
from cases.operators._slot_weights import WEIGHT_BITS, weight_fills
from conformance.call.case import Case, Machine, Tensor
from conformance.draw.built import built
from conformance.draw.routings import unread_rows
from conformance.draw.values import MOVED
from conformance.record.operator import TensorParameter
from conformance.values.fill import Fill

Shape = tuple[int, ...]
NAME = "moe_token_unpermute_grad"
MODES = ("whole", "uneven", "single")
TOKENS, GRAD, PROBS = "permuted_tokens", "unpermuted_tokens_grad", "probs"
TOKENS_GRAD, PROBS_GRAD = "permuted_tokens_grad", "probs_grad"
TENSORS = (
    TensorParameter(TOKENS, "permutedTokens", "input"),
    TensorParameter(GRAD, "unpermutedTokensGrad", "input"),
    TensorParameter("sorted_indices", "sortedIndices", "input", "int32"),
    TensorParameter(PROBS, "probsOptional", "input", DTYPES, optional=True),
    TensorParameter(TOKENS_GRAD, "permutedTokensGradOut", "output"),
    TensorParameter(PROBS_GRAD, "probsGradOut", "output", DTYPES, optional=True),
)


def call(
    mode: str,
    dtype: str,
    *,
    source: Shape,
    indices: Shape,
    top_k: int,
    fill: Fill | None = None,
    values: Shape | None = None,
    unread: Shape = (),
    machine: Machine | None = None,
    rows: Shape | None = None,
) -> Case:
    """A case from the sizes that matter, of slots that have no probabilities yet.

    Where two indices name one row, the later one names another, or none.
    """
    tokens = len(indices) // top_k if top_k > 0 else 0
    ranks = named_once(np.array(indices, np.int64))
    kept = unread_rows(ranks, source[0]) if unread else ()
    return Case(
        operator=NAME,
        mode=mode,
        dtype=dtype,
        attributes={"padded_mode": 0, "restore_shape": None},
        inputs={
            TOKENS: Tensor(source, dtype, values, fill, kept, rows),
            "sorted_indices": Tensor((len(indices),), "int32", values=tuple(ranks.tolist())),
            GRAD: Tensor((tokens, source[-1]), dtype),
        },
        outputs={TOKENS_GRAD: Tensor(source, dtype)},
        machine=machine,
    )


def single_call(mode: str, dtype: str, **sizes: Any) -> Case:
    """A case of mode "single", whatever the mode: one slot for each token."""
    return call("single", dtype, **sizes)


def named_once(indices: NDArray[np.int64]) -> NDArray[np.int64]:
    """The indices, all different: where some are not, their ranks."""
    if np.unique(indices).size == indices.size:
        return indices
    order = np.argsort(indices, kind="stable")
    ranks = np.empty_like(order)
    ranks[order] = np.arange(indices.size)
    return ranks


def graded(case: Case, grad: Fill | Shape) -> Case:
    """The case with a gradient of the output: a recipe, or storage bits."""
    tensor = case.inputs[GRAD]
    listed = {"fill": grad} if isinstance(grad, Fill) else {"values": grad}
    return replace(
        case,
        inputs={**case.inputs, GRAD: replace(tensor, **listed)},
    )


def weighted(case: Case, probs_dtype: str, probs: Fill | Shape, grad: Fill | Shape) -> Case:
    """The case with a probability for each slot and a gradient: recipes, or storage bits.

    Values of rows are drawn so that their products with small integers add up exactly along a row.
    """
    tokens = case.inputs[TOKENS]
    if tokens.fill is not None:
        terms = max(1, tokens.shape[-1]) << WEIGHT_BITS
        tokens = replace(tokens, fill=replace(tokens.fill, terms=terms))
    count = case.inputs[GRAD].shape[0]
    shape = (count, case.inputs["sorted_indices"].size // max(1, count))
    listed = {"fill": probs} if isinstance(probs, Fill) else {"values": probs}
    made = graded(case, grad)
    inputs = {
        **made.inputs,
        TOKENS: tokens,
        PROBS: Tensor(shape, probs_dtype, **listed),
    }
    return replace(
        made, inputs=inputs, outputs={**made.outputs, PROBS_GRAD: Tensor(shape, probs_dtype)}
    )


def with_probs(
    cases: SearchStrategy[Case], dtypes: SearchStrategy[str], fills: SearchStrategy[Fill]
) -> SearchStrategy[Case]:
    """Cases that have probabilities, too, and a gradient of the output."""
    return built(weighted, cases, dtypes, fills, weight_fills())


def with_grad(cases: SearchStrategy[Case]) -> SearchStrategy[Case]:
    """Cases without probabilities, whose gradient of the output is moved."""
    return built(graded, cases, MOVED)
