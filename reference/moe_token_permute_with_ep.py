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

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.permutation import (
    check_permuted,
    moved,
    padded,
    ranks,
    rows_kept,
    slots_of_a_token,
)
from reference.rules import reject, require_real

_DOCUMENT = "aclnnMoeTokenPermuteWithEp"
_PARAMETERS = _DOCUMENT + ", parameters: "
Range = tuple[int, int]


def window(slots: int, rank_range: Range | None = None, num_out_tokens: int = 0) -> Range:
    """First rank that goes to the outputs, and their number of rows; `slots` is indices.size.

    * start < end: the ranks from start up to end, as in the equations.
    * start == end: all ranks, from 0 on. The equations would select none.
    * start > end: the ranks from start on, and slots - (start - end) rows, more than there are
      ranks left. The equations would select none.
    * no range: as [0, num_out_tokens), "the number of valid output tokens", see `rows_kept`.

    Raises ValueError for a range that does not lie in [0, slots].
    """
    if rank_range is None:
        return 0, rows_kept(slots, num_out_tokens)
    start, end = rank_range
    if not (0 <= start <= slots and 0 <= end <= slots):
        rule = f"must be two numbers from 0 to {slots}, the number of indices"
        reject("rank_range", rank_range, rule, _PARAMETERS + "rangeOptional")
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
    check_permuted(tokens, indices, _DOCUMENT)
    if probs is not None:
        require_real("probs", probs, _PARAMETERS + "probs")
    if padded_mode:
        return _padded(tokens, indices, probs)
    slots, top_k = indices.size, slots_of_a_token(tokens, indices, _DOCUMENT)
    if probs is not None and probs.shape != indices.shape:
        rule = f"must be that of indices, {indices.shape}"
        reject("probs.shape", probs.shape, rule, _PARAMETERS + "probsOptional")
    start, rows = window(slots, rank_range, num_out_tokens)
    rank = ranks(indices)
    outputs = {
        "permute_tokens": moved(tokens, rank, top_k, start, rows),
        "sorted_indices": rank,
    }
    if probs is not None:
        outputs["permute_probs"] = moved(probs.reshape(-1), rank, 1, start, rows)
    return outputs


def _padded(
    tokens: NDArray[Any], indices: NDArray[Any], probs: NDArray[Any] | None
) -> dict[str, NDArray[Any]]:
    """The equations with paddedMode; `indices` name tokens."""
    outputs = padded(tokens, indices, _DOCUMENT)
    if probs is not None:
        experts = probs.shape[-1] if probs.ndim == 2 else 0
        if probs.shape[:1] != tokens.shape[:1] or not experts or indices.size % experts:
            rule = f"must be [{tokens.shape[0]}, experts], experts a divisor of {indices.size} rows"
            reject("probs.shape", probs.shape, rule, _PARAMETERS + "paddedMode")
        expert = np.arange(indices.size) // max(1, indices.size // experts)
        outputs["permute_probs"] = probs[indices, expert]
    return outputs
