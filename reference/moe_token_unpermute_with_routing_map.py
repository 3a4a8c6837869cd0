"""MoeTokenUnpermuteWithRoutingMap: permuted rows, weighted by a map's probs, added to their tokens.

Source: document aclnnMoeTokenUnpermuteWithRoutingMap (function: equations; parameters; constraints;
the edition that names -1 as an unused slot). It gives topK_num = permutedTokens.size(0) //
routingMap.size(0), capacity = sortedIndices.size(0) // numExperts and, from zeros,

    permuteProbs = probs.T.maskedSelect(routingMap.T)                                 (not padded)
    unpermutedTokens[i // topK_num] += permutedTokens[sortedIndices[i]] * permuteProbs[i],
        if sortedIndices[i] >= 0                                                      (not padded)
    permuteProbs[i // capacity, sortedIndices[i]] = probs[i]                              (padded)
    permutedTokens = permutedTokens * permuteProbs                                          (both)
    permuteTokenId, outIndex = sortedIndices.sort(dim=-1)                                 (padded)
    unpermutedTokens[permuteTokenId[i]] += permutedTokens[outIndex[i]]                    (padded)

and, without probs, the same without factors. Where it is silent or contradicts itself, this reading
was taken:

* Not padded, both products stand there; a prob is multiplied once, as in the edition before.
* Not padded, maskedSelect gives the probs expert by expert, and the sum takes them slot by slot,
  which are those of a token together. The kernel selects by tokens (ops-transformer,
  moe_token_unpermute_with_routing_map, read): the j-th slot of token i has the prob of the j-th
  expert that its row of the map marks, and permuteProbs has them in that order.
* A row of the map may mark fewer experts than topK_num; its other slots are -1. Selected from the
  whole map without gaps, the probs of every later token would belong to another slot than theirs.
  Here each token keeps its own, and a slot beyond its experts has prob 0.
* Padded, the equation for permuteProbs stores where it should read: row i is one of expert
  i // capacity, so its prob is probs[sortedIndices[i], i // capacity].
* Not padded, a slot adds nothing whose index names no row, or whose prob is 0, of either sign
  (kernel, read). Padded, 0 times an infinity or NaN is NaN, as the equation says.
* The products of a padded call are a tensor of their own, in the tokens' dtype: so they are rounded
  to it before they are added. Where tokens and probs have two dtypes nothing is said.
* The sort is stable, as the one of the forward operator.
* tokens_num is that of probs, or of restoreShape where there are none; one of the two must be
  given. outIndex and permuteTokenId have no equation if nothing is padded: there they are no
  outputs here, nor is permuteProbs without probs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.permutation import (
    MOST_TOPK,
    added_to_tokens,
    check_map,
    experts_of_slots,
    rows_of_tokens,
)
from reference.rules import reject, require_dtype, require_real
from reference.terms import Terms
from reference.weighted_sum import common_dtype, stored

_DOCUMENT = "aclnnMoeTokenUnpermuteWithRoutingMap"
_FUNCTION = f"{_DOCUMENT}, function: equations"
_PARAMETERS = f"{_DOCUMENT}, parameters: "


def _tokens_num(probs: NDArray[Any] | None, restore_shape: Sequence[int] | None) -> int:
    """The number of tokens; ValueError if nothing says it."""
    if probs is not None:
        source = _PARAMETERS + "probsOptional"
        require_real("probs", probs, source)
        if probs.ndim != 2:
            reject("probs.shape", probs.shape, "must be 2-D [tokens_num, experts_num]", source)
        return len(probs)
    if restore_shape is None or len(restore_shape) != 2:
        rule = "must be the shape of unpermutedTokens if probs are not given"
        reject("restore_shape", restore_shape, rule, _PARAMETERS + "restoreShapeOptional")
    return restore_shape[0]


def _check(
    sorted_indices: NDArray[Any],
    routing_map: NDArray[Any] | None,
    probs: NDArray[Any] | None,
    *,
    source_rows: int,
    padded_mode: bool,
    restore_shape: Sequence[int] | None,
) -> int:
    """Check what formula and terms need; the number of tokens."""
    tokens_num = _tokens_num(probs, restore_shape)
    source = _PARAMETERS + "sortedIndices"
    require_dtype("sorted_indices", sorted_indices, source, "int32")
    if sorted_indices.shape != (source_rows,):
        rule = f"must be ({source_rows},): an index for every row"
        reject("sorted_indices.shape", sorted_indices.shape, rule, source)
    shares = tokens_num if not padded_mode else 1 if probs is None else probs.shape[1]
    if source_rows % shares if shares else source_rows:
        rule = f"must be shared evenly by {shares} {'experts' if padded_mode else 'tokens'}"
        reject("permuted_tokens.shape[0]", source_rows, rule, _PARAMETERS + "permutedTokens")
    if not padded_mode:
        top_k = source_rows // max(1, tokens_num)
        if top_k > MOST_TOPK:
            reject("topK_num", top_k, f"must be at most {MOST_TOPK}", f"{_DOCUMENT}, constraints")
        if probs is not None:
            if routing_map is None:
                rule = "must be given with probs, if nothing is padded"
                reject("routing_map", None, rule, _PARAMETERS + "routingMapOptional")
            check_map(routing_map, probs, top_k, _DOCUMENT)
        return tokens_num
    outside = np.flatnonzero((sorted_indices < 0) | (sorted_indices >= tokens_num))
    if outside.size:
        at = int(outside[0])
        rule = f"must be one of {tokens_num} tokens with padded_mode=True"
        reject(f"sorted_indices[{at}]", sorted_indices[at], rule, source)
    return tokens_num


def _permuted(
    sorted_indices: NDArray[Any],
    routing_map: NDArray[Any] | None,
    probs: NDArray[Any],
    padded_mode: bool,
) -> NDArray[Any]:
    """The prob of every row, or of every slot if nothing is padded: [sorted_indices.size]."""
    if padded_mode:
        capacity = sorted_indices.size // max(1, probs.shape[1])
        expert = np.arange(sorted_indices.size) // max(1, capacity)
        return np.asarray(probs[sorted_indices, expert])
    assert routing_map is not None
    experts = experts_of_slots(routing_map, sorted_indices.size // max(1, len(probs)))
    token, slot = np.nonzero(experts >= 0)
    weights = np.zeros(experts.shape, probs.dtype)
    weights[token, slot] = probs[token, experts[token, slot]]
    return weights.reshape(-1)


def formula(
    permuted_tokens: NDArray[Any],
    sorted_indices: NDArray[Any],
    routing_map: NDArray[Any] | None = None,
    probs: NDArray[Any] | None = None,
    *,
    padded_mode: bool = False,
    restore_shape: Sequence[int] | None = None,
) -> dict[str, NDArray[Any]]:
    """The document's equations, evaluated in one dtype: that of the tokens, or float64.

    * `permuted_tokens`: float16, bfloat16, float32 per the document, and any real dtype here;
      [rows, hidden], rows being tokens_num * topK_num, or experts_num * capacity if padded.
    * `sorted_indices`: int32 [rows]. Not padded: rows of permuted_tokens, those of token i from
      entry i * topK_num on; -1, or any that names no row, adds nothing. Padded: token ids.
    * `routing_map`: int8, 0 or 1, or bool; [tokens_num, experts_num]. Read for probs if not padded.
    * `probs`: any real dtype, [tokens_num, experts_num]. None: no factors.
    * `restore_shape`: [tokens_num, hidden], read without probs.

    Returns unpermuted_tokens [tokens_num, hidden] in the dtype of `permuted_tokens`; padded also
    out_index and permute_token_id, int32 [rows]; with probs permute_probs [rows] in their dtype.
    Terms are added in the order of slots, or of rows, to +0, products and sum in the dtype that
    tokens and probs have; where they have two, in float64, and the sum is rounded once. Raises
    TypeError for a dtype, ValueError for any other argument outside the rules.
    """
    require_real("permuted_tokens", permuted_tokens, _PARAMETERS + "permutedTokens")
    if permuted_tokens.ndim != 2:
        rule, source = "must be 2-D [rows, hidden]", _PARAMETERS + "permutedTokens"
        reject("permuted_tokens.shape", permuted_tokens.shape, rule, source)
    rows, hidden = permuted_tokens.shape
    tokens_num = _check(
        sorted_indices,
        routing_map,
        probs,
        source_rows=rows,
        padded_mode=padded_mode,
        restore_shape=restore_shape,
    )
    dtype = common_dtype(permuted_tokens, probs)
    out = np.zeros((tokens_num, hidden), dtype)
    source_values = permuted_tokens.astype(dtype, copy=False)
    weights = None
    outputs: dict[str, NDArray[Any]] = {}
    if probs is not None:
        weights = _permuted(sorted_indices, routing_map, probs, padded_mode)
        outputs["permute_probs"] = weights
    with np.errstate(over="ignore", invalid="ignore"):  # infinities are values like others here
        if padded_mode:
            if weights is not None:
                source_values = source_values * weights[:, None].astype(dtype)
            token_id, out_index = added_to_tokens(source_values, sorted_indices, out)
            outputs["permute_token_id"] = token_id
            outputs["out_index"] = out_index.astype(np.int32)
        else:
            named = sorted_indices.reshape(tokens_num, rows // max(1, tokens_num))
            factors = np.ones(named.shape, dtype)
            if weights is not None:
                factors = weights.reshape(named.shape).astype(dtype)
            live = (named >= 0) & (named < rows) & (factors != 0)
            for j in range(named.shape[1]):
                there = live[:, j]
                out[there] += source_values[named[there, j]] * factors[there, j, None]
        outputs["unpermuted_tokens"] = stored(out, permuted_tokens.dtype)
    return outputs


def terms(
    sorted_indices: NDArray[Any],
    routing_map: NDArray[Any] | None = None,
    probs: NDArray[Any] | None = None,
    *,
    source_rows: int,
    padded_mode: bool = False,
    restore_shape: Sequence[int] | None = None,
    product: str | None = None,
) -> Terms:
    """The rows of permuted_tokens that each row of unpermuted_tokens adds, and their factors.

    `source_rows` is the size of axis 0 of permuted_tokens; the other arguments are those of
    `formula`. The rows of the result are int32 [tokens_num, slots], -1 for a slot that adds
    nothing: topK_num slots, or as many as the token that most rows name. Coefficients are probs,
    None without them; `product` is the storage format that the products of a padded call are
    rounded to before they are added, None: no cast.

    Raises TypeError and ValueError as `formula` does.
    """
    tokens_num = _check(
        sorted_indices,
        routing_map,
        probs,
        source_rows=source_rows,
        padded_mode=padded_mode,
        restore_shape=restore_shape,
    )
    weights = None
    if probs is not None:
        weights = _permuted(sorted_indices, routing_map, probs, padded_mode)
    if padded_mode:
        rows = rows_of_tokens(sorted_indices, tokens_num)
        if weights is not None:
            factors = np.zeros(rows.shape, weights.dtype)
            factors[rows >= 0] = weights[rows[rows >= 0]]
            return Terms(rows, "permuted_tokens", coefficients=factors, cast=product)
        return Terms(rows, "permuted_tokens")
    there = (sorted_indices >= 0) & (sorted_indices < source_rows)
    slots = (tokens_num, source_rows // max(1, tokens_num))
    rows = np.where(there, sorted_indices, -1).astype(np.int32).reshape(slots)
    if weights is None:
        return Terms(rows, "permuted_tokens")
    factors = weights.reshape(rows.shape)
    with np.errstate(invalid="ignore"):  # a NaN may be a signalling one
        rows[factors == 0] = -1
    return Terms(rows, "permuted_tokens", coefficients=factors)
