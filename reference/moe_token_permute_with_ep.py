"""MoeTokenPermuteWithEp: tokens copied once for each of their experts, sorted, and sliced.

Source: document aclnnMoeTokenPermuteWithEp (function and parameter tables). Its equations are

    sortedIndices = argSort(argSort(indices))
    permuteTokensOut[sortedIndices[i] - range[0]] = tokens[i // topK]
    permuteProbsOut[sortedIndices[i] - range[0]] = probs[i]
                                            where range[0] <= sortedIndices[i] < range[1]

and, with paddedMode, permuteTokensOut[i] = tokens[indices[i]] and sortedIndicesOut = indices. What
the document leaves open is settled here as follows.

* argSort is stable: slots of one expert keep their order. sortedIndices[i] is then the rank of slot
  i, the row that it would have if nothing were cut off.
* topK is no parameter: it is the number of indices for each token.
* The outputs have one row for each rank of the range; `window` says which, also where the range is
  empty, backwards or absent. There the interface goes its own way, and no equation describes it.
* A row may be left that no equation assigns: `assigned` tells how many are, `formula` leaves zeros.
* With paddedMode, indices hold as many tokens for each expert, one expert after the other, and
  probs [tokens, experts] gives permuteProbsOut[i] = probs[indices[i], expert of i].
"""

from __future__ import annotations

import math
from typing import Any, NoReturn

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

_FUNCTION = "aclnnMoeTokenPermuteWithEp, function: equations"
_PARAMETERS = "aclnnMoeTokenPermuteWithEp, parameters: "
_AT_ONCE = 4096
"""Slots whose rows are moved at a time: numpy makes a copy of them before it stores them."""
Range = tuple[int, int]


def _reject(parameter: str, value: object, rule: str, source: str) -> NoReturn:
    raise ValueError(f"{parameter}={value}: {rule} [{source}]")


def ranks(indices: NDArray[Any]) -> NDArray[np.int32]:
    """The place of every index in the stable ascending order of all, int32 [indices.size].

    `indices` is int32 or int64 of any shape, read in C order.
    """
    order = np.argsort(indices.reshape(-1), kind="stable")
    return np.argsort(order, kind="stable").astype(np.int32)


def window(slots: int, rank_range: Range | None = None, num_out_tokens: int = 0) -> Range:
    """First rank that goes to the outputs, and their number of rows; `slots` is indices.size.

    * start < end: the ranks from start up to end, as in the equations.
    * start == end: all ranks, from 0 on. The equations would select none.
    * start > end: the ranks from start on, and slots - (start - end) rows, more than there are
      ranks left. The equations would select none.
    * no range: as [0, num_out_tokens), "the number of valid output tokens"; one that is larger than
      slots means all ranks, 0 or a negative one slots + num_out_tokens of them, 0 at least.

    Raises ValueError for a range that does not lie in [0, slots].
    """
    if rank_range is None:
        rows = num_out_tokens if num_out_tokens > 0 else slots + num_out_tokens
        return 0, max(0, min(rows, slots))
    start, end = rank_range
    if not (0 <= start <= slots and 0 <= end <= slots):
        rule = f"must be two numbers from 0 to {slots}, the number of indices"
        _reject("rank_range", rank_range, rule, _PARAMETERS + "rangeOptional")
    if start == end:
        return 0, slots
    return start, end - start + (slots if start > end else 0)


def assigned(slots: int, start: int, rows: int) -> int:
    """How many of the outputs' rows, from the first on, an equation assigns."""
    return max(0, min(rows, slots - start))


def formula(
    tokens: NDArray[Any],
    indices: NDArray[Any],
    probs: NDArray[Any] | None = None,
    *,
    rank_range: Range | None = None,
    num_out_tokens: int = 0,
    padded_mode: bool = False,
) -> dict[str, NDArray[Any]]:
    """The document's equations; values are moved, in whatever dtype they come.

    * `tokens`: float16, bfloat16, float32 per the document, and any real dtype here: [N, ...], a
      row being all that follows the first axis.
    * `indices`: int32 or int64, [N] or [N, K]: the expert of each slot. With `padded_mode`
      [experts * capacity]: the row of `tokens` for each row of the result.
    * `probs`: of the dtype of tokens per the document, the shape of `indices`; with `padded_mode`
      [N, experts]; None: no output.
    * `rank_range`: (start, end), unit: ranks. `num_out_tokens`: see `window`. Both are ignored with
      `padded_mode`, the second one also where there is a range.

    Returns permute_tokens [rows, ...], sorted_indices int32 [indices.size] and, with `probs`,
    permute_probs [rows]. Raises TypeError for a dtype, ValueError for any other argument outside
    the rules.
    """
    _check_dtypes(tokens, indices, probs)
    if padded_mode:
        return _padded(tokens, indices, probs)
    _check_shapes(tokens, indices, probs)
    slots, top_k = indices.size, math.prod(indices.shape[1:])
    start, rows = window(slots, rank_range, num_out_tokens)
    rank = ranks(indices)
    kept = np.flatnonzero((rank >= start) & (rank < start + rows))
    permute_tokens = np.zeros((rows, *tokens.shape[1:]), tokens.dtype)
    for some in np.array_split(kept, 1 + kept.size // _AT_ONCE):
        permute_tokens[rank[some] - start] = tokens[some // max(1, top_k)]
    outputs = {"permute_tokens": permute_tokens, "sorted_indices": rank}
    if probs is not None:
        permute_probs = np.zeros(rows, probs.dtype)
        permute_probs[rank[kept] - start] = probs.reshape(-1)[kept]
        outputs["permute_probs"] = permute_probs
    return outputs


def _padded(
    tokens: NDArray[Any], indices: NDArray[Any], probs: NDArray[Any] | None
) -> dict[str, NDArray[Any]]:
    """The equations with paddedMode; `indices` name tokens."""
    if indices.ndim != 1:
        rule = "must be 1-D with padded_mode=True"
        _reject("indices.shape", indices.shape, rule, _PARAMETERS + "paddedMode")
    outside = np.flatnonzero((indices < 0) | (indices >= tokens.shape[0]))
    if outside.size:
        at = int(outside[0])
        rule = f"must name one of {tokens.shape[0]} tokens with padded_mode=True"
        _reject(f"indices[{at}]", indices[at], rule, _FUNCTION)
    wide = np.flatnonzero(indices > np.iinfo(np.int32).max)
    if wide.size:
        at, rule = int(wide[0]), "must fit the int32 of sorted_indices with padded_mode=True"
        _reject(f"indices[{at}]", indices[at], rule, _PARAMETERS + "sortedIndicesOut")
    outputs = {"permute_tokens": tokens[indices], "sorted_indices": indices.astype(np.int32)}
    if probs is not None:
        experts = probs.shape[-1] if probs.ndim == 2 else 0
        if probs.shape[:1] != tokens.shape[:1] or not experts or indices.size % experts:
            rule = f"must be [{tokens.shape[0]}, experts], experts a divisor of {indices.size} rows"
            _reject("probs.shape", probs.shape, rule, _PARAMETERS + "paddedMode")
        expert = np.arange(indices.size) // max(1, indices.size // experts)
        outputs["permute_probs"] = probs[indices, expert]
    return outputs


def _check_dtypes(tokens: NDArray[Any], indices: NDArray[Any], probs: NDArray[Any] | None) -> None:
    if indices.dtype not in (np.int32, np.int64):
        raise TypeError(
            f"indices: dtype {indices.dtype} must be int32 or int64 [{_PARAMETERS}indices]"
        )
    named = (("tokens", tokens), ("probs", probs))
    for name, array in ((name, array) for name, array in named if array is not None):
        if array.dtype.kind not in "iuf" and array.dtype != ml_dtypes.bfloat16:
            rule = f"dtype {array.dtype} must be a real number type"
            raise TypeError(f"{name}: {rule} [{_PARAMETERS}{name}]")


def _check_shapes(tokens: NDArray[Any], indices: NDArray[Any], probs: NDArray[Any] | None) -> None:
    if tokens.ndim < 1:
        _reject("tokens.shape", tokens.shape, "must have an axis of tokens", _PARAMETERS + "tokens")
    if indices.ndim not in (1, 2) or indices.shape[0] != tokens.shape[0]:
        rule = f"must be ({tokens.shape[0]},) or ({tokens.shape[0]}, K)"
        _reject("indices.shape", indices.shape, rule, _FUNCTION + " (tokens[i // topK])")
    if probs is not None and probs.shape != indices.shape:
        rule = f"must be that of indices, {indices.shape}"
        _reject("probs.shape", probs.shape, rule, _PARAMETERS + "probsOptional")
