"""Gradients of rows that are added, and of their weights: what their operators have alike.

Their calls are drawn as sums over slots, of which every row is named once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.operators._slot_sum import ONCE, Call, Indices, Shape, TokenSum
from conformance.call.case import Case, Tensor
from conformance.draw.patterns import DROPPED
from conformance.draw.routings import unread_rows
from conformance.record.contract import Arrays
from conformance.values.fill import Fill
from reference.terms import Terms

KEPT = tuple(pattern for pattern in DROPPED if pattern != "all")
"""Without places different ranks of all slots name the first row, which is there."""


def graded_sums(call: Call, **how: Any) -> tuple[TokenSum, TokenSum]:
    """The calls of an operator with weights, and those without, which have one slot to a token.

    ``how`` is what else `TokenSum` says of those with weights.
    """
    weighted = TokenSum(call, **{"routings": ONCE, "patterns": KEPT, **how})
    return weighted, replace(weighted, uneven=("single",), slots=("1",), most_top_k=1)


def named_once(indices: Indices, rows: int | None = None) -> Indices:
    """The indices, those below ``rows`` all different (None: all): if some are not, their ranks."""
    kept = np.ones(indices.shape, np.bool_) if rows is None else indices < rows
    named = indices[kept]
    if np.unique(named).size == named.size:
        return indices
    ranks = np.empty_like(named)
    ranks[np.argsort(named, kind="stable")] = np.arange(named.size)
    made = indices.copy()
    made[kept] = ranks
    return made


def naming_once(of_sum: Call, order: tuple[str, ...]) -> Call:
    """What makes a case from the sizes that matter, of slots that have no weights yet.

    Where two indices name one row, the later one names another, or none. The inputs are put in an
    ``order``, in which cases in files have them: a digest depends on it.
    """

    def call(
        mode: str,
        dtype: str,
        *,
        source: Shape,
        indices: Shape,
        top_k: int,
        unread: Shape = (),
        **given: Any,
    ) -> Case:
        ranks = named_once(np.array(indices, np.int64))
        kept = unread_rows(ranks, source[0]) if unread else ()
        named = tuple(ranks.tolist())
        made = of_sum(mode, dtype, source=source, indices=named, top_k=top_k, unread=kept, **given)
        return replace(made, inputs={name: made.inputs[name] for name in order})

    return call


def listed(tensor: Tensor, elements: Fill | Shape) -> Tensor:
    """A tensor with a recipe, or with storage bits."""
    if isinstance(elements, Fill):
        return replace(tensor, fill=elements)
    return replace(tensor, values=elements)


def with_data(case: Case, given: Mapping[str, Fill | Shape]) -> Case:
    """The case with recipes, or storage bits, for some of its inputs."""
    held = {name: listed(case.inputs[name], elements) for name, elements in given.items()}
    return replace(case, inputs={**case.inputs, **held})


def products(inputs: Arrays, named: NDArray[Any], source: str, grad: str, weights: str) -> Terms:
    """The elements of the row of the tensor ``source`` that each slot names, times those of its
    token's gradient; none of a slot that names no row. Slots have ``weights``.
    """
    hidden, top_k = inputs[grad].shape[1], inputs[weights].shape[1]
    rows = math.prod(inputs[source].shape[:-1])
    first = named.reshape(-1).astype(np.int64)[:, None]
    live = (first >= 0) & (first < rows)
    elements = np.where(live, first * hidden + np.arange(hidden), -1)
    factors = inputs[grad][np.arange(named.size) // max(1, top_k)]
    return Terms(rows=elements, source=source, coefficients=factors, columns=1)


def in_float32(terms: Callable[[Arrays, Mapping[str, Any]], Terms]) -> Callable[..., Terms]:
    """The terms with weights in float32: float64 holds those of every data type, as kernels do."""

    def made(inputs: Arrays, attributes: Mapping[str, Any]) -> Terms:
        found = terms(inputs, attributes)
        if found.coefficients is None:
            return found
        return replace(found, coefficients=found.coefficients.astype(np.float32))

    return made


def named_rows(ranks: NDArray[Any], rows: int) -> NDArray[np.bool_]:
    """Which of so many rows an index names, [rows, 1]."""
    named = np.zeros((rows, 1), np.bool_)
    named[ranks[(ranks >= 0) & (ranks < rows)].astype(np.int64)] = True
    return named
