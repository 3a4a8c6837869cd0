"""MoeTokenUnpermuteGrad: gradients of the rows that MoeTokenUnpermute adds, and of their probs.

Source: document aclnnMoeTokenUnpermuteGrad (function and parameter tables; constraints). It gives

    unpermutedTokens[i] = permutedTokens[sortedIndices[i]]
    unpermutedTokens = unpermutedTokens.reshape(-1, topK_num, hiddenSize)
    unpermutedTokens = unpermutedTokensGrad.unsqueeze(1) * unpermutedTokens
    probsGrad = sum over k from 0 to K of unpermutedTokens[i, j, k]
    permutedTokensGrad[sortedIndices[i]] =
        ((unpermutedTokensGrad.unsqueeze(1) * probs.unsqueeze(-1)).reshape(-1, hiddensize))[i]

and, without probs, permutedTokensGrad[sortedIndices[i]] = unpermutedOutputGrad[i]. Where it is
silent or contradicts itself, this reading was taken:

* It calls itself the gradient of aclnnMoeTokenUnpermuteGrad: that of aclnnMoeTokenUnpermute.
* K is defined nowhere. k is the third index of [tokens, topK_num, hiddenSize]: the sum is over the
  hiddenSize elements of a row, 0 to hiddenSize - 1.
* unpermutedOutputGrad is the input unpermutedTokensGrad. topK_num is 1 there, as it is without
  probs in the forward operator.
* An index that is not below the number of rows of permutedTokens names a row that the forward
  operator MoeTokenPermute has dropped. It added nothing: it stores no row here, and the gradient of
  its prob is +0. A row that no index names keeps +0; a row that two name is refused (pages of other
  versions exclude it), since which of two stores remains nobody says.
* A prob of 0 is a factor like any other: 0 times an infinity or NaN is NaN.
* permutedTokens is read for the gradient of probs alone. Without probs it may be left out from CANN
  9.1 on (ops-transformer of 2026-07, read): then there are as many rows as indices.
* All dtypes are listed apart. A gradient has the dtype of what it is the gradient of.
* Only paddedMode false is supported and no equation says what true would do: it is refused.
  restoreShapeOptional is a null pointer in all that is supported, and no parameter here.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from reference.rules import reject, require_real
from reference.terms import Terms
from reference.weighted_sum import (
    check_unpermuted,
    rows_gradient_terms,
    rows_of_slots,
    unpermuted_gradients,
    unread_rows,
)

_DOCUMENT = "aclnnMoeTokenUnpermuteGrad"
_PARAMETERS = _DOCUMENT + ", parameters: "


def _rows(
    sorted_indices: NDArray[Any],
    probs: NDArray[Any] | None,
    *,
    source_rows: int,
    padded_mode: bool,
) -> NDArray[Any]:
    """The row of each slot, -1 for one that is not there; raises as `terms` says."""
    check_unpermuted(
        sorted_indices, probs, source_rows=source_rows, padded_mode=padded_mode, document=_DOCUMENT
    )
    source = _DOCUMENT + ", function: equations"
    return rows_of_slots(sorted_indices, source_rows, "sorted_indices", source)


def formula(
    unpermuted_tokens_grad: NDArray[Any],
    sorted_indices: NDArray[Any],
    permuted_tokens: NDArray[Any] | None = None,
    probs: NDArray[Any] | None = None,
    *,
    padded_mode: bool = False,
) -> dict[str, NDArray[Any]]:
    """The document's equations, evaluated in the dtype that all of its floats have, or float64.

    * `permuted_tokens`: float16, bfloat16, float32 per the document, and any real dtype here;
      [rows, hidden], with tokens * topK rows per the document, and any number of them here. Only
      its shape and dtype matter without probs; None: tokens * topK rows in those of the gradient.
    * `unpermuted_tokens_grad`: any real dtype, [tokens, hidden].
    * `sorted_indices`: int32 [tokens * topK], unit: rows of permuted_tokens; one that is not below
      their number names none. Slot j of token i is entry i * topK + j. No row is named twice.
    * `probs`: any real dtype, [tokens, topK], topK 1 to 512; None: topK is 1.
    * `padded_mode`: False.

    Returns permuted_tokens_grad [rows, hidden] in the dtype of `permuted_tokens`, or without it of
    the gradient, and, with probs, probs_grad [tokens, topK] in that of `probs`, products added over
    hidden in its order to +0. Where the floats have several dtypes all is computed in float64 and
    rounded once. Raises TypeError for a dtype, ValueError for any other argument outside the rules.
    """
    if permuted_tokens is None:
        if probs is not None:
            source = _PARAMETERS + "permutedTokens"
            reject("permuted_tokens", None, "must be given with probs", source)
        permuted_tokens = unread_rows(sorted_indices.size, unpermuted_tokens_grad)
    for name, array, parameter in (
        ("permuted_tokens", permuted_tokens, "permutedTokens"),
        ("unpermuted_tokens_grad", unpermuted_tokens_grad, "unpermutedTokensGrad"),
    ):
        require_real(name, array, _PARAMETERS + parameter)
        if array.ndim != 2:
            reject(f"{name}.shape", array.shape, "must be 2-D", _PARAMETERS + parameter)
    rows, hidden = permuted_tokens.shape
    row = _rows(sorted_indices, probs, source_rows=rows, padded_mode=padded_mode)
    tokens = row.size if probs is None else len(probs)
    if unpermuted_tokens_grad.shape != (tokens, hidden):
        rule = f"must be ({tokens}, {hidden})"
        source = _PARAMETERS + "unpermutedTokensGrad"
        reject("unpermuted_tokens_grad.shape", unpermuted_tokens_grad.shape, rule, source)
    return unpermuted_gradients(permuted_tokens, unpermuted_tokens_grad, row, probs)


def terms(
    sorted_indices: NDArray[Any],
    probs: NDArray[Any] | None = None,
    *,
    source_rows: int,
    padded_mode: bool = False,
) -> Terms:
    """The row of unpermuted_tokens_grad in each row of permuted_tokens_grad, and its factor.

    `source_rows` is the size of axis 0 of permuted_tokens; the other arguments are those of
    `formula`. The rows of the result are int64 [source_rows, 1], -1 for a row that no slot names;
    the coefficients are the probs in float64, None without probs. The sums of probs_grad run along
    rows and not over them, so they have no terms of this kind.

    Raises TypeError for a dtype of sorted_indices other than int32 or of probs that is no number;
    ValueError for padded_mode, for an index tensor that is not 1-D, an index that is neither the
    rank of a slot nor a row, a row that two slots name, probs of another shape, a topK outside
    1..512.
    """
    row = _rows(sorted_indices, probs, source_rows=source_rows, padded_mode=padded_mode)
    weights = None if probs is None else probs.reshape(-1)
    tokens = row.size if probs is None else len(probs)
    return rows_gradient_terms(row, weights, source_rows, tokens, "unpermuted_tokens_grad")
