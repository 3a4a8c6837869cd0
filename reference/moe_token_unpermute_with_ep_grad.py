"""MoeTokenUnpermuteWithEpGrad: gradients of the rows that MoeTokenUnpermuteWithEp adds, and probs.

Source: document aclnnMoeTokenUnpermuteWithEpGrad (function and parameter tables; statuses). It
gives, for the entries i of sortedIndices that lie in the range,

    unpermutedTokens[i] = permutedTokens[sortedIndices[i] - range[0]], else 0
    unpermutedTokens = unpermutedTokens.reshape(-1, topkNum, hiddenSize)
    unpermutedTokens = unpermutedTokensGrad.unsqueeze(1) * unpermutedTokens
    probsGrad = sum over k from 0 to topkNum of unpermutedTokens[i, j, k]
    permutedTokensGradOut[sortedIndices[i]] =
        ((unpermutedTokensGrad.unsqueeze(1) * probs.unsqueeze(-1)).reshape(-1, hiddenSize))[i]

and, without probs, permutedTokensGradOut[sortedIndices[i] - range[0]] = unpermutedTokensGrad[i].
Where it is silent or contradicts itself, this reading was taken:

* Without probs range[0] is taken off the row of the gradient, with probs it is not. The forward
  operator reads row sortedIndices[i] - range[0]: its gradient is stored there, both times.
* k is the third index of [tokens, topkNum, hiddenSize]: the sum is over the elements of a row.
* The gradient of the prob of a slot outside the range is +0: the forward operator does not read it.
  By the equations it adds 0 times a gradient: NaN beside an infinity or NaN, in which nothing else
  could show.
* The table gives tokens and their gradient tokens_num * topkNum rows. The forward operator has
  range[1] - range[0], or more that are not read. A row that no slot names has no equation: +0 here.
  Two slots that name one row would store twice, and no document says which of the two remains.
* A bound below 0 counts from the number of slots, and both are then held to 0 and that number, as
  of a slice; no document says so (ops-transformer, moe_token_unpermute_with_ep_grad/op_host, read).
  A range that is empty selects nothing; one that ends before it begins is an error by the statuses.
* Without a range ("takes no effect") every slot has the row of its rank: all must be there.
* topkNum is the number of columns of probs, and 1 without them, by the table.
* A prob of 0 is a factor like any other: 0 times an infinity or NaN is NaN.
* permutedTokensOptional is read for the gradient of probs alone. Without probs it may be left out:
  then there are as many rows as ranks in the range.
* Only paddedMode false is supported and no equation says what true would do: it is refused.
  restoreShapeOptional is a null pointer in all that is supported, and no parameter here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.moe_token_permute_with_ep import Range
from reference.permutation import MOST_TOPK
from reference.rules import reject, require_real
from reference.terms import Terms
from reference.weighted_sum import (
    check_unpermuted,
    rows_gradient_terms,
    rows_of_slots,
    unpermuted_gradients,
    unread_rows,
)

_DOCUMENT = "aclnnMoeTokenUnpermuteWithEpGrad"
_FUNCTION = _DOCUMENT + ", function: equations"
_PARAMETERS = _DOCUMENT + ", parameters: "
_STATUS = _DOCUMENT + ", status"


def resolved(slots: int, rank_range: Range | None = None) -> Range:
    """First rank of a range and the first beyond, of so many slots; None: all of them.

    A bound below 0 counts from `slots`; both are then held to [0, slots].
    """
    if rank_range is None:
        return 0, slots
    start, end = (min(max(bound + (slots if bound < 0 else 0), 0), slots) for bound in rank_range)
    return start, end


def window(slots: int, rank_range: Range | None = None) -> Range:
    """The same; ValueError for a range that ends before it begins."""
    start, end = resolved(slots, rank_range)
    if end < start:
        reject("rank_range", rank_range, "must not end before it begins", _STATUS)
    return start, end


def rows_of(sorted_indices: NDArray[Any], rank_range: Range | None = None) -> NDArray[np.int64]:
    """The row of each slot, int64 [slots]: its rank less the range's first; -1 outside of it."""
    ranks = sorted_indices.astype(np.int64)
    start, end = window(ranks.size, rank_range)
    return np.where((ranks >= start) & (ranks < end), ranks - start, -1)


def _rows(
    sorted_indices: NDArray[Any],
    probs: NDArray[Any] | None,
    *,
    source_rows: int | None,
    topk_num: int,
    rank_range: Range | None,
    padded_mode: bool,
) -> tuple[NDArray[Any], int]:
    """The row of each slot, -1 outside the range, and how many rows there are.

    ``source_rows`` None: as many as ranks in the range. Raises as `terms` says.
    """
    if not 1 <= topk_num <= MOST_TOPK:
        reject("topk_num", topk_num, f"must lie in [1, {MOST_TOPK}]", _STATUS)
    slots = sorted_indices.size
    start, end = window(slots, rank_range)
    count = end - start if source_rows is None else source_rows
    check_unpermuted(
        sorted_indices, probs, source_rows=slots, padded_mode=padded_mode, document=_DOCUMENT
    )
    columns = 1 if probs is None else probs.shape[1]
    if columns != topk_num:
        rule = f"must be {columns}, the columns of probs, 1 without"
        reject("topk_num", topk_num, rule, _PARAMETERS + "probsOptional")
    if count < end - start:
        rule = f"must be at least {end - start}, the ranks of the range"
        reject("source_rows", count, rule, _FUNCTION)
    rows = rows_of(sorted_indices, rank_range)
    return rows_of_slots(rows, count, "sorted_indices", _FUNCTION), count


def formula(
    unpermuted_tokens_grad: NDArray[Any],
    sorted_indices: NDArray[Any],
    permuted_tokens: NDArray[Any] | None = None,
    probs: NDArray[Any] | None = None,
    *,
    topk_num: int,
    rank_range: Range | None = None,
    padded_mode: bool = False,
) -> dict[str, NDArray[Any]]:
    """The document's equations, evaluated in the dtype that all of its floats have, or float64.

    * `unpermuted_tokens_grad`: float16, bfloat16, float32 per the document, and any real dtype
      here; [tokens, hidden].
    * `sorted_indices`: int32 [tokens * topk_num], the rank of each slot, none of them twice.
    * `permuted_tokens`: any real dtype, [rows, hidden], a row at least for each rank of the range.
      Must be there with probs. Only its shape and dtype matter without.
    * `probs`: any real dtype, [tokens, topk_num]. None: topk_num is 1.
    * `rank_range`: (start, end), unit: ranks; see `window`. `padded_mode`: False.

    Returns permuted_tokens_grad, of the shape and dtype of `permuted_tokens` or, without, [ranks of
    the range, hidden] in those of the gradient; with probs also probs_grad [tokens, topk_num] in
    their dtype, products added over hidden in its order to +0. Where the floats have several dtypes
    all is computed in float64 and rounded once. Raises TypeError for a dtype, ValueError for any
    other argument outside the rules.
    """
    grad = unpermuted_tokens_grad
    for name, array, parameter in (
        ("unpermuted_tokens_grad", grad, "unpermutedTokensGrad"),
        ("permuted_tokens", permuted_tokens, "permutedTokensOptional"),
    ):
        if array is None:
            continue
        require_real(name, array, _PARAMETERS + parameter)
        if array.ndim != 2:
            reject(f"{name}.shape", array.shape, "must be 2-D", _PARAMETERS + parameter)
    if permuted_tokens is None and probs is not None:
        source = _PARAMETERS + "permutedTokensOptional"
        reject("permuted_tokens", None, "must be given with probs", source)
    row, rows = _rows(
        sorted_indices,
        probs,
        source_rows=None if permuted_tokens is None else len(permuted_tokens),
        topk_num=topk_num,
        rank_range=rank_range,
        padded_mode=padded_mode,
    )
    hidden = grad.shape[1] if permuted_tokens is None else permuted_tokens.shape[1]
    shape = row.size // topk_num, hidden
    if grad.shape != shape:
        source = _PARAMETERS + "unpermutedTokensGrad"
        reject("unpermuted_tokens_grad.shape", grad.shape, f"must be {shape}", source)
    if permuted_tokens is None:
        permuted_tokens = unread_rows(rows, grad)
    return unpermuted_gradients(permuted_tokens, grad, row, probs)


def terms(
    sorted_indices: NDArray[Any],
    probs: NDArray[Any] | None = None,
    *,
    source_rows: int,
    topk_num: int,
    rank_range: Range | None = None,
    padded_mode: bool = False,
) -> Terms:
    """The row of unpermuted_tokens_grad in each row of permuted_tokens_grad, and its factor.

    `source_rows` is the size of axis 0 of permuted_tokens_grad; the other arguments are those of
    `formula`. The rows of the result are int64 [source_rows, 1], -1 for a row that no slot names;
    the coefficients are the probs in float64, None without probs. The sums of probs_grad run along
    rows and not over them, so they have no terms of this kind.

    Raises TypeError for a dtype of sorted_indices other than int32 or of probs that is no number;
    ValueError for topk_num outside 1..512 or other than the columns of probs, padded_mode, an index
    tensor that is not 1-D, an index that is not the rank of a slot, a row that two slots name,
    probs of another shape, fewer rows than the range has ranks, a range that ends before it begins.
    """
    row, _ = _rows(
        sorted_indices,
        probs,
        source_rows=source_rows,
        topk_num=topk_num,
        rank_range=rank_range,
        padded_mode=padded_mode,
    )
    weights = None if probs is None else probs.reshape(-1)
    tokens = row.size // topk_num
    return rows_gradient_terms(row, weights, source_rows, tokens, "unpermuted_tokens_grad")
