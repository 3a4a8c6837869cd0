"""MoeTokenUnpermute: the rows of each token, weighted and added.

Source: document aclnnMoeTokenUnpermute (function and parameter tables; constraints). With T for
permutedTokens, S for sortedIndices, P for probs and O for out it gives

    T[k] = T[S[k]]
    T[k] = T[k] * P[i][j]
    O[i] = sum of T[k] over k from i * topK to (i+1) * topK - 1

and, without probs, where topK is 1, T[i] = T[S[i]] and O[i] = T[i]. Where it is silent or
contradicts itself, this reading was taken:

* The first two equations store into what they read. Every T on their right is the input, or a later
  k would read a row that an earlier one has replaced.
* j of the second one is not tied to k: it is k - i * topK, the slot of token i.
* Pages of other versions bound S by the number of slots and give permutedTokens a row for each. The
  forward operator, MoeTokenPermute, hands out fewer rows where it drops the tail of its list (its
  numOutTokens), and the ranks of rows that are not there stay in its sortedIndices. Such an index
  adds nothing, as it does in the document's sum over the rows that are there, and its prob is not
  read. More rows than slots are taken too; those that no index names are not read.
* A prob of 0 adds nothing, of either sign: by the equation 0 times an infinity or NaN is NaN, but
  the interface leaves such a slot out (ops-transformer, moe_token_unpermute kernel, read).
* The dtypes of T and P are listed apart, so they may differ, and nothing is said of the arithmetic
  then: see `formula`.
* Only paddedMode false is supported and no equation says what true would do: it is refused.
  restoreShapeOptional is a null pointer in all that is supported, and no parameter here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.rules import reject, require_real
from reference.terms import Terms
from reference.weighted_sum import check_unpermuted, summed

_DOCUMENT = "aclnnMoeTokenUnpermute"


def formula(
    permuted_tokens: NDArray[Any],
    sorted_indices: NDArray[Any],
    probs: NDArray[Any] | None = None,
    *,
    padded_mode: bool = False,
) -> NDArray[Any]:
    """The document's equations, evaluated in one dtype: that of the tokens, or float64.

    * `permuted_tokens`: float16, bfloat16, float32 per the document, and any real dtype here;
      [rows, hidden], with tokens * topK rows per the document, and any number of them here.
    * `sorted_indices`: int32 [tokens * topK], unit: rows of permuted_tokens; one that is not below
      their number adds nothing. Slot j of token i is entry i * topK + j.
    * `probs`: any real dtype, [tokens, topK], topK 1 to 512; 0 adds nothing. None: topK is 1,
      and rows are moved.
    * `padded_mode`: False.

    Returns out [tokens, hidden] in the dtype of `permuted_tokens`. Terms are added in the order of
    their slots to +0, products and sum in the dtype that tokens and probs have; where they have
    two, in float64, and the sum is rounded once. Raises TypeError for a dtype, ValueError for any
    other argument outside the rules.
    """
    source = _DOCUMENT + ", parameters: permutedTokens"
    require_real("permuted_tokens", permuted_tokens, source)
    if permuted_tokens.ndim != 2:
        rule = "must be 2-D [rows, hidden]"
        reject("permuted_tokens.shape", permuted_tokens.shape, rule, source)
    rows, hidden = permuted_tokens.shape
    check_unpermuted(
        sorted_indices, probs, source_rows=rows, padded_mode=padded_mode, document=_DOCUMENT
    )
    if probs is None:
        out = np.zeros((sorted_indices.size, hidden), permuted_tokens.dtype)
        there = sorted_indices < rows
        out[there] = permuted_tokens[sorted_indices[there]]
        return out
    token_slots = sorted_indices.reshape(probs.shape)
    return summed(permuted_tokens, np.where(token_slots < rows, token_slots, -1), probs)


def terms(
    sorted_indices: NDArray[Any],
    probs: NDArray[Any] | None = None,
    *,
    source_rows: int,
    padded_mode: bool = False,
) -> Terms:
    """The rows of permuted_tokens that each row of out adds, and their factors.

    `source_rows` is the size of axis 0 of permuted_tokens; the other arguments are those of
    `formula`. The rows of the result are int32 [tokens, topK], -1 for a slot whose row is not
    there or whose prob is 0; the coefficients are the probs, and None without probs. No cast: where
    a product is rounded to nothing is said.

    Raises TypeError for a dtype of sorted_indices other than int32 or of probs that is no number;
    ValueError for padded_mode, for an index tensor that is not 1-D, an index that is neither the
    rank of a slot nor a row, probs of another shape, a topK outside 1..512.
    """
    check_unpermuted(
        sorted_indices, probs, source_rows=source_rows, padded_mode=padded_mode, document=_DOCUMENT
    )
    rows = sorted_indices.copy()
    rows[rows >= source_rows] = -1
    if probs is None:
        return Terms(rows=rows.reshape(-1, 1), source="permuted_tokens")
    rows = np.where(probs == 0, -1, rows.reshape(probs.shape)).astype(rows.dtype)
    return Terms(rows=rows, source="permuted_tokens", coefficients=probs.copy())
