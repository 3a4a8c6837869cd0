"""MoeTokenUnpermuteWithEp: the rows of each token that lie in a range of ranks, weighted and added.

Source: document aclnnMoeTokenUnpermuteWithEp (function and parameter tables; constraints; call
sample). With T for permutedTokens, S for sortedIndices, P for probs and O for out it gives

    S = S[range[0] <= i < range[1]]
    T = T.indexSelect(0, S)
    T[k] = T[k] * P[i][j]                            (only with probs)
    O[i] = sum of T[k] over k from i * topK_num to (i+1) * topK_num - 1

Where it is silent or contradicts itself, this reading was taken:

* If i of the first equation were the place of an index, the later ones would have no topK_num
  entries for each token. The call sample has 6 indices, 4 rows and the range 1 to 5: the places 1
  to 4 hold ranks 4 and 5, of which there is no row. So a rank is compared, and row rank - range[0]
  is added, as MoeTokenPermuteWithEp has stored it there. A slot whose rank is outside adds nothing.
* The table gives T (range[1] - range[0]) * topK_num rows, the call sample range[1] - range[0]. So
  many must be there, and no more are read.
* j of the product is not tied to k: it is k - i * topK_num, the slot of token i. A prob belongs to
  its slot, and not to the n-th slot that is in the range.
* topK_num is numTopk, with and without probs; probs have as many columns. Nothing else says how
  many slots a token has where there are none.
* A range that is empty or backwards selects nothing: no rank fulfils the first equation. Nor is one
  excluded that begins below 0 or ends beyond the slots: no slot has such a rank.
* A prob of 0 adds nothing, of either sign: by the equation 0 times an infinity or NaN is NaN, but
  the interface leaves such a slot out, as MoeTokenUnpermute's does (specification of the family).
* Without a range all is left to aclnnMoeTokenUnpermute, and numTopk is ignored. So it is here, by
  the reference of that operator and its rules.
* The dtypes of T and P are listed apart, so they may differ, and nothing is said of the arithmetic
  then: see `formula`.
* Only paddedMode false is supported and no equation says what true would do: it is refused.
  restoreShapeOptional is a null pointer in all that is supported, and no parameter here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference import moe_token_unpermute
from reference.moe_token_permute_with_ep import Range
from reference.permutation import MOST_TOPK
from reference.rules import reject, require_real
from reference.terms import Terms
from reference.weighted_sum import check_unpermuted, summed

_DOCUMENT = "aclnnMoeTokenUnpermuteWithEp"
_FUNCTION = _DOCUMENT + ", function: equations"
_PARAMETERS = _DOCUMENT + ", parameters: "
_CONSTRAINTS = _DOCUMENT + ", constraints"


def _rows(
    sorted_indices: NDArray[Any],
    probs: NDArray[Any] | None,
    *,
    source_rows: int,
    num_topk: int,
    rank_range: Range,
    padded_mode: bool,
) -> NDArray[np.int64]:
    """The row of each slot, [tokens, num_topk], -1 outside the range; raises as `terms` says."""
    if not 1 <= num_topk <= MOST_TOPK:
        reject("num_topk", num_topk, f"must lie in [1, {MOST_TOPK}]", _CONSTRAINTS)
    slots = sorted_indices.size
    check_unpermuted(
        sorted_indices, probs, source_rows=slots, padded_mode=padded_mode, document=_DOCUMENT
    )
    if slots % num_topk:
        reject("num_topk", num_topk, f"must divide the {slots} slots", _FUNCTION)
    if probs is not None and probs.shape[1] != num_topk:
        rule = f"must have {num_topk} columns, num_topk"
        reject("probs.shape", probs.shape, rule, _PARAMETERS + "probsOptional")
    start, end = rank_range
    if source_rows < end - start:
        rule = f"must be at least {end - start}, the ranks of the range"
        reject("source_rows", source_rows, rule, _FUNCTION)
    ranks = sorted_indices.astype(np.int64)
    inside = (ranks >= start) & (ranks < end)
    return np.where(inside, ranks - start, -1).reshape(-1, num_topk)


def formula(
    permuted_tokens: NDArray[Any],
    sorted_indices: NDArray[Any],
    probs: NDArray[Any] | None = None,
    *,
    num_topk: int = 0,
    rank_range: Range | None = None,
    padded_mode: bool = False,
) -> NDArray[Any]:
    """The document's equations, evaluated in one dtype: that of the tokens, or float64.

    * `permuted_tokens`: float16, bfloat16, float32 per the document, and any real dtype here;
      [rows, hidden], of which the first end - start are read.
    * `sorted_indices`: int32 [tokens * num_topk], the rank of each slot. Slot j of token i is entry
      i * num_topk + j.
    * `probs`: any real dtype, [tokens, num_topk]; 0 adds nothing. None: no products.
    * `num_topk`: slots of a token, 1 to 512. `padded_mode`: False.
    * `rank_range`: (start, end), unit: ranks; where end <= start none is in it. None: what
      `reference.moe_token_unpermute.formula` says of the same arguments but num_topk.

    Returns out [tokens, hidden] in the dtype of `permuted_tokens`. Terms are added in the order of
    their slots to +0, products and sum in the dtype that tokens and probs have; where they have
    two, in float64, and the sum is rounded once. Raises TypeError for a dtype, ValueError for any
    other argument outside the rules.
    """
    if rank_range is None:
        return moe_token_unpermute.formula(
            permuted_tokens, sorted_indices, probs, padded_mode=padded_mode
        )
    source = _PARAMETERS + "permutedTokens"
    require_real("permuted_tokens", permuted_tokens, source)
    if permuted_tokens.ndim != 2:
        rule = "must be 2-D [rows, hidden]"
        reject("permuted_tokens.shape", permuted_tokens.shape, rule, source)
    rows = _rows(
        sorted_indices,
        probs,
        source_rows=len(permuted_tokens),
        num_topk=num_topk,
        rank_range=rank_range,
        padded_mode=padded_mode,
    )
    return summed(permuted_tokens, rows, probs)


def terms(
    sorted_indices: NDArray[Any],
    probs: NDArray[Any] | None = None,
    *,
    source_rows: int,
    num_topk: int = 0,
    rank_range: Range | None = None,
    padded_mode: bool = False,
) -> Terms:
    """The rows of permuted_tokens that each row of out adds, and their factors.

    `source_rows` is the size of axis 0 of permuted_tokens; the other arguments are those of
    `formula`. The rows of the result are int64 [tokens, num_topk], -1 for a slot whose rank is not
    in the range or whose prob is 0; the coefficients are the probs, and None without probs. No
    cast: where a product is rounded to nothing is said.

    Raises TypeError for a dtype of sorted_indices other than int32 or of probs that is no number;
    ValueError for num_topk outside 1..512 or not a divisor of the slots, padded_mode, an index
    tensor that is not 1-D, an index that is not the rank of a slot, probs of another shape, fewer
    rows than the range has ranks.
    """
    if rank_range is None:
        return moe_token_unpermute.terms(
            sorted_indices, probs, source_rows=source_rows, padded_mode=padded_mode
        )
    rows = _rows(
        sorted_indices,
        probs,
        source_rows=source_rows,
        num_topk=num_topk,
        rank_range=rank_range,
        padded_mode=padded_mode,
    )
    if probs is None:
        return Terms(rows=rows, source="permuted_tokens")
    named = np.where(probs == 0, -1, rows)
    return Terms(rows=named, source="permuted_tokens", coefficients=probs.copy())
