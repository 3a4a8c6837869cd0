"""Weighted sums of rows: their arithmetic where dtypes differ, and the gradients of their parts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.floats import format_of, round_once
from reference.permutation import MOST_TOPK, check_ranks
from reference.rules import reject, require_real
from reference.terms import Terms


def check_unpermuted(
    sorted_indices: NDArray[Any],
    probs: NDArray[Any] | None,
    *,
    source_rows: int,
    padded_mode: bool,
    document: str,
) -> None:
    """Check what MoeTokenUnpermute and its gradient, each by its `document`, take besides rows.

    Raises TypeError for a dtype of sorted_indices other than int32 or of probs that is no number;
    ValueError for padded_mode, for an index tensor that is not 1-D, an index that is neither the
    rank of a slot nor one of `source_rows`, probs of another shape, a topK outside 1..512.
    """
    if padded_mode:
        reject("padded_mode", padded_mode, "must be False", f"{document}, parameters: paddedMode")
    check_ranks(sorted_indices, source_rows, f"{document}, parameters: sortedIndices")
    if probs is None:
        return
    source = f"{document}, parameters: probsOptional"
    require_real("probs", probs, source)
    if probs.ndim != 2 or probs.size != sorted_indices.size:
        rule = f"must be 2-D [tokens, topK], one prob for each of {sorted_indices.size} slots"
        reject("probs.shape", probs.shape, rule, source)
    if not 1 <= probs.shape[1] <= MOST_TOPK:
        rule = f"topK must lie in [1, {MOST_TOPK}]"
        reject("probs.shape", probs.shape, rule, f"{document}, constraints")


def common_dtype(*arrays: NDArray[Any] | None) -> np.dtype[Any]:
    """The dtype of all `arrays` that are there, or float64 where they have several.

    float64 contains the three dtypes of the documents, and every product of two of their
    numbers; no document says which dtype wins.
    """
    dtypes = {array.dtype for array in arrays if array is not None}
    return dtypes.pop() if len(dtypes) == 1 else np.dtype(np.float64)


def stored(values: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """`values`, of `dtype` or float64, in `dtype`: rounded once, to nearest, ties to even.

    Integers take the whole part.
    """
    if values.dtype == dtype or dtype.kind in "iu":
        return values.astype(dtype, copy=False)
    return round_once(values, format_of(dtype)).astype(dtype)


def summed(
    source: NDArray[Any], rows: NDArray[Any], weights: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Of each token the sum of its rows of `source` [rows, hidden], times their weights.

    `rows` are integers [tokens, slots], -1 for a slot that adds nothing, as one of weight 0 does;
    `weights` have their shape. Terms are added in the order of their slots to +0, products and sum
    in the dtype that both arrays have, or in float64 where they have two; rounded once to that of
    `source`.
    """
    dtype = common_dtype(source, weights)
    out = np.zeros((len(rows), source.shape[1]), dtype)
    with np.errstate(over="ignore", invalid="ignore"):  # infinities are values like others here
        for j in range(rows.shape[1]):
            there = rows[:, j] >= 0
            if weights is not None:
                there &= weights[:, j] != 0
            named = source[rows[there, j]].astype(dtype)
            out[there] += (
                named if weights is None else named * weights[there, j, None].astype(dtype)
            )
    return stored(out, source.dtype)


def rows_of_slots(indices: NDArray[Any], source_rows: int, name: str, source: str) -> NDArray[Any]:
    """`indices` [slots], -1 for each that is not in [0, source_rows): the rows that slots weigh.

    Raises ValueError where two slots name one row: a gradient would be stored there twice, and no
    document says which of the two remains.
    """
    rows = np.where((indices >= 0) & (indices < source_rows), indices, -1)
    named = rows[rows >= 0]
    twice = np.flatnonzero(np.bincount(named) > 1)
    if twice.size:
        reject(name, f"{twice[0]} twice", "a row may be named by one slot", source)
    return rows


def gathered(source: NDArray[Any], rows: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """The row of `source` that each slot names, [slots, hidden] in `dtype`; +0 for one of -1."""
    values = np.zeros((len(rows), source.shape[1]), dtype)
    values[rows >= 0] = source[rows[rows >= 0]].astype(dtype)
    return values


def rows_gradient(
    out_grad: NDArray[Any],
    rows: NDArray[Any],
    weights: NDArray[Any] | None,
    source_rows: int,
    dtype: np.dtype[Any],
) -> NDArray[Any]:
    """The gradient [source_rows, hidden] of rows of which out = sum of weight * row.

    `out_grad` is [tokens, hidden], `rows` and `weights` [slots], the slots of a token one after the
    other. In `dtype`; without weights the rows of out_grad are moved; +0 where no slot names a row.
    """
    live = np.flatnonzero(rows >= 0)
    token = live // max(1, rows.size // max(1, len(out_grad)))
    grad = np.zeros((source_rows, out_grad.shape[1]), dtype)
    with np.errstate(over="ignore", invalid="ignore"):  # infinities are values like others here
        stored_rows = out_grad[token].astype(dtype)
        if weights is not None:
            stored_rows = stored_rows * weights[live, None].astype(dtype)
    grad[rows[live]] = stored_rows
    return grad


def rows_gradient_terms(
    rows: NDArray[Any],
    weights: NDArray[Any] | None,
    source_rows: int,
    tokens: int,
    source: str,
) -> Terms:
    """The one row of out_grad, named `source`, in each row of `rows_gradient`, and its weight.

    Rows int64 [source_rows, 1], -1 where no slot names a row; coefficients are float64, 0 there.
    """
    live = np.flatnonzero(rows >= 0)
    token = np.full((source_rows, 1), -1, np.int64)
    token[rows[live], 0] = live // max(1, rows.size // max(1, tokens))
    if weights is None:
        return Terms(rows=token, source=source)
    coefficients = np.zeros(token.shape)
    coefficients[rows[live], 0] = weights[live].astype(np.float64)
    return Terms(rows=token, source=source, coefficients=coefficients)


def weights_gradient(
    values: NDArray[Any], live: NDArray[np.bool_], out_grad: NDArray[Any], dtype: np.dtype[Any]
) -> NDArray[Any]:
    """The gradient [slots] of the weights: sum over h of values[slot, h] * out_grad[token, h].

    `values` is [slots, hidden] in `dtype`, what each slot weighs. The products are added in the
    order of h to +0, in `dtype`; a slot that is not `live` has +0, whatever is in its values.
    """
    grad = np.zeros(len(values), dtype)
    slots = np.flatnonzero(live)
    token = slots // max(1, len(values) // max(1, len(out_grad)))
    with np.errstate(over="ignore", invalid="ignore"):
        for h in range(out_grad.shape[1]):
            grad[slots] += values[slots, h] * out_grad[token, h].astype(dtype)
    return grad


def unread_rows(rows: int, out_grad: NDArray[Any]) -> NDArray[Any]:
    """Rows in place of those that are left out and not read: their number, else as `out_grad`."""
    return np.broadcast_to(np.zeros((), out_grad.dtype), (rows, *out_grad.shape[1:]))


def unpermuted_gradients(
    source: NDArray[Any], out_grad: NDArray[Any], rows: NDArray[Any], probs: NDArray[Any] | None
) -> dict[str, NDArray[Any]]:
    """What MoeTokenUnpermuteGrad and its variant with a range compute, of the row of each slot.

    `source` is [rows, hidden], of which only shape and dtype matter without `probs`; `out_grad` is
    [tokens, hidden], `probs` [tokens, topK]. Returns permuted_tokens_grad in the shape and dtype of
    `source` and, with probs, probs_grad in those of `probs`; all is computed in the dtype that the
    arrays have, or in float64 where they have several.
    """
    dtype = common_dtype(source, out_grad, probs)
    if probs is None:
        moved = rows_gradient(out_grad, rows, None, len(source), dtype)
        return {"permuted_tokens_grad": stored(moved, source.dtype)}
    weighted = rows_gradient(out_grad, rows, probs.reshape(-1), len(source), dtype)
    sums = weights_gradient(gathered(source, rows, dtype), rows >= 0, out_grad, dtype)
    return {
        "permuted_tokens_grad": stored(weighted, source.dtype),
        "probs_grad": stored(sums, probs.dtype).reshape(probs.shape),
    }
