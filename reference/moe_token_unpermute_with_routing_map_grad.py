"""MoeTokenUnpermuteWithRoutingMapGrad: gradients of the rows that a map weighs, and of its probs.

Source: document aclnnMoeTokenUnpermuteWithRoutingMapGrad (function: equations; parameters;
constraints; the edition in which a token has at most topK_num experts). With probs it gives

    permutedTokensGrad[outIndex[i]] = unpermutedTokensGrad[permuteTokenId[i]]
    permutedProbsGrad = permutedTokensGrad * permutedTokens
    probsGradExpertOrder = sum over j from 0 to hidden_size of permutedProbsGrad[i, j]
    probsGradOut = masked_scatter(routingMap.T, probsGradExpertOrder)                 (not padded)
    permutedProbs = probs.T.masked_select(routingMap.T)                               (not padded)
    probsGradOut[permuteTokenId[i], outIndex[i] / capacity] =
        probsGradExpertOrder[outIndex[i]]                                                 (padded)
    permutedProbs[outIndex[i]] = probs.view(1)[i]                                         (padded)
    permutedTokensGradOut = permutedProbs.unsqueeze(-1) * permutedTokensGrad                (both)

and, without probs, permutedTokensGradOut[outIndex[i]] = unpermutedTokensGrad[permuteTokenId[i]].
Where it is silent or contradicts itself, this reading was taken:

* Not padded, scatter and select go expert by expert, and so fit rows in that order alone. The
  kernel goes by slots (specification of the family, section 6): slot j of token i has the prob of
  the j-th expert that its row of the map marks, as in the forward operator; the two agree where
  outIndex is what the forward permutation gives.
* Not padded, entry i is of token i // topK_num, whatever permuteTokenId has there: torch_npu gives
  the ranks in its place.
* A token may have fewer experts than topK_num. Its other slots are -1, which the parameters exclude
  and the forward operator's document names. Such a slot stores nothing, and no prob has its sum.
* probs.view(1)[i] has no meaning for more than one prob. Row s is of expert s // capacity.
* probsGradOut is 0 where nothing is scattered: a place that the map does not mark has no slot.
* A row of permutedTokensGradOut that no slot names has no equation; it is +0 here.
* Two slots that name one row, or one prob, would store twice: neither is taken.
* The sum runs over hidden_size elements, and its products enter it unrounded, as in
  MoeTokenUnpermuteGrad: a 16-bit tensor of products would be the other reading.
* restoreShape is that of unpermutedTokensGrad, if padded; nothing follows from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reference.permutation import MOST_TOPK, check_map, experts_of_slots
from reference.rules import reject, require_dtype, require_real
from reference.terms import Terms
from reference.weighted_sum import (
    common_dtype,
    gathered,
    rows_gradient,
    rows_gradient_terms,
    rows_of_slots,
    stored,
    weights_gradient,
)

_DOCUMENT = "aclnnMoeTokenUnpermuteWithRoutingMapGrad"
_PARAMETERS = f"{_DOCUMENT}, parameters: "
_CONSTRAINTS = f"{_DOCUMENT}, constraints"
_GRAD = "unpermuted_tokens_grad"


class _Slots(NamedTuple):
    """Of every entry of out_index its token, row and expert, int64 [entries]; -1: it has none."""

    token: NDArray[Any]
    row: NDArray[Any]
    expert: NDArray[Any]

    def weights(self, probs: NDArray[Any] | None) -> NDArray[Any] | None:
        """The prob of every entry, 0 of one without an expert; None without probs."""
        if probs is None:
            return None
        there = self.expert >= 0
        found = np.zeros(self.row.size, probs.dtype)
        found[there] = probs[self.token[there], self.expert[there]]
        return found


def _check_indices(
    out_index: NDArray[Any], permute_token_id: NDArray[Any], tokens: int, padded: bool
) -> None:
    """Check both lists of indices alone."""
    source = _PARAMETERS + "outIndex"
    require_dtype("out_index", out_index, source, "int32")
    if out_index.ndim != 1:
        reject("out_index.shape", out_index.shape, "must be 1-D", source)
    least = 0 if padded else -1
    outside = np.flatnonzero((out_index < least) | (out_index >= out_index.size))
    if outside.size:
        at = int(outside[0])
        reject(
            f"out_index[{at}]", out_index[at], f"must lie in [{least}, {out_index.size})", source
        )
    source = _PARAMETERS + "permuteTokenId"
    require_dtype("permute_token_id", permute_token_id, source, "int32")
    if permute_token_id.shape != out_index.shape:
        rule = f"must be {out_index.shape}, of out_index"
        reject("permute_token_id.shape", permute_token_id.shape, rule, source)
    outside = np.flatnonzero((permute_token_id < 0) | (permute_token_id >= tokens))
    if padded and outside.size:
        at = int(outside[0])
        rule = f"must be one of {tokens} tokens with drop_and_pad=True"
        reject(f"permute_token_id[{at}]", permute_token_id[at], rule, source)


def _check_shares(slots: int, tokens: int, probs: NDArray[Any] | None, padded: bool) -> None:
    """Check how many slots a token has or, padded, an expert."""
    shares = tokens if not padded else 1 if probs is None else probs.shape[1]
    if slots % shares if shares else slots:
        rule = f"must be shared evenly by {shares} {'experts' if padded else 'tokens'}"
        reject("out_index.shape[0]", slots, rule, _PARAMETERS + "outIndex")
    if probs is None:
        return
    share = slots // max(1, shares)
    if padded and share > tokens:
        reject("capacity", share, f"must be at most the {tokens} tokens", _CONSTRAINTS)
    most = min(MOST_TOPK, probs.shape[1])
    if not padded and share > most:
        rule = f"must be at most {MOST_TOPK}, and the {probs.shape[1]} experts"
        reject("topK_num", share, rule, _CONSTRAINTS)


def _slots(
    out_index: NDArray[Any],
    permute_token_id: NDArray[Any],
    routing_map: NDArray[Any] | None,
    probs: NDArray[Any] | None,
    *,
    tokens: int,
    drop_and_pad: bool,
) -> _Slots:
    """Check what formula and terms need; the token, row and expert of every entry."""
    _check_indices(out_index, permute_token_id, tokens, drop_and_pad)
    slots = out_index.size
    if probs is not None:
        source = _PARAMETERS + "probsOptional"
        require_real("probs", probs, source)
        if probs.ndim != 2 or len(probs) != tokens:
            reject("probs.shape", probs.shape, f"must be ({tokens}, experts_num)", source)
    _check_shares(slots, tokens, probs, drop_and_pad)
    top_k = slots // max(1, tokens)
    row = rows_of_slots(out_index, slots, "out_index", _DOCUMENT + ", function: equations")
    token = np.arange(slots) // max(1, top_k)
    if drop_and_pad:
        token = permute_token_id.astype(np.int64)
    expert = np.full(slots, -1)
    if probs is not None:
        if routing_map is None:
            source = _PARAMETERS + "routingMapOptional"
            reject("routing_map", None, "must be given with probs", source)
        check_map(routing_map, probs, None if drop_and_pad else top_k, _DOCUMENT)
        if drop_and_pad:
            expert = row // max(1, slots // max(1, probs.shape[1]))
        else:
            expert = experts_of_slots(routing_map, top_k).reshape(-1)
        named = (token * probs.shape[1] + expert)[(row >= 0) & (expert >= 0)]
        twice = np.flatnonzero(np.bincount(named) > 1)
        if twice.size:
            place = list(divmod(int(twice[0]), probs.shape[1]))
            rule, source = "a token may have one row of an expert", _CONSTRAINTS
            reject("permute_token_id", f"probs{place} twice", rule, source)
    return _Slots(token, row, expert)


def formula(
    unpermuted_tokens_grad: NDArray[Any],
    out_index: NDArray[Any],
    permute_token_id: NDArray[Any],
    routing_map: NDArray[Any] | None = None,
    permuted_tokens: NDArray[Any] | None = None,
    probs: NDArray[Any] | None = None,
    *,
    drop_and_pad: bool = False,
    restore_shape: Sequence[int] | None = None,
) -> dict[str, NDArray[Any]]:
    """The document's equations, evaluated in the dtype that all of its floats have, or float64.

    * `unpermuted_tokens_grad`: float16, bfloat16, float32 per the document, and any real dtype
      here; [tokens_num, hidden].
    * `out_index`: int32 [rows], rows of permuted_tokens, none of them twice; rows being
      tokens_num * topK_num, or experts_num * capacity if padded. Not padded, those of token i begin
      at entry i * topK_num, and -1 is an unused slot.
    * `permute_token_id`: int32 [rows], the token of each entry. Read only if padded.
    * `routing_map`: int8, 0 or 1, or bool; [tokens_num, experts_num]. Must be there with probs.
    * `permuted_tokens`: any real dtype, [rows, hidden]. Must be there with probs.
    * `probs`: any real dtype, [tokens_num, experts_num]. None: no factors.
    * `restore_shape`: not read.

    Returns permuted_tokens_grad [rows, hidden] in the dtype of `unpermuted_tokens_grad` and, with
    probs, probs_grad [tokens_num, experts_num] in that of `probs`, products added over hidden in
    its order to +0. Where the floats have several dtypes all is computed in float64 and rounded
    once. Raises TypeError for a dtype, ValueError for any other argument outside the rules.
    """
    grad = unpermuted_tokens_grad
    source = _PARAMETERS + "unpermutedTokensGrad"
    require_real(_GRAD, grad, source)
    if grad.ndim != 2:
        reject(f"{_GRAD}.shape", grad.shape, "must be 2-D", source)
    tokens, hidden = grad.shape
    slots = _slots(
        out_index, permute_token_id, routing_map, probs, tokens=tokens, drop_and_pad=drop_and_pad
    )
    rows = slots.row.size
    of_slots = grad[slots.token]
    if probs is None:
        moved = rows_gradient(of_slots, slots.row, None, rows, grad.dtype)
        return {"permuted_tokens_grad": moved}
    source = _PARAMETERS + "permutedTokensOptional"
    if permuted_tokens is None:
        reject("permuted_tokens", None, "must be given with probs", source)
    require_real("permuted_tokens", permuted_tokens, source)
    if permuted_tokens.shape != (rows, hidden):
        rule = f"must be ({rows}, {hidden})"
        reject("permuted_tokens.shape", permuted_tokens.shape, rule, source)
    dtype = common_dtype(permuted_tokens, grad, probs)
    weighted = rows_gradient(of_slots, slots.row, slots.weights(probs), rows, dtype)
    values, live = gathered(permuted_tokens, slots.row, dtype), slots.row >= 0
    sums = weights_gradient(values, live, of_slots, dtype)
    live &= slots.expert >= 0
    probs_grad = np.zeros(probs.shape, dtype)
    probs_grad[slots.token[live], slots.expert[live]] = sums[live]
    return {
        "permuted_tokens_grad": stored(weighted, grad.dtype),
        "probs_grad": stored(probs_grad, probs.dtype),
    }


def terms(
    out_index: NDArray[Any],
    permute_token_id: NDArray[Any],
    routing_map: NDArray[Any] | None = None,
    probs: NDArray[Any] | None = None,
    *,
    source_rows: int,
    drop_and_pad: bool = False,
) -> Terms:
    """The row of unpermuted_tokens_grad in each row of permuted_tokens_grad, and its factor.

    `source_rows` is tokens_num; the other arguments are those of `formula`. The rows of the result
    are int64 [rows, 1], -1 for a row that no slot names; the coefficients are the probs in float64,
    None without probs. Raises TypeError and ValueError as `formula` does.
    """
    slots = _slots(
        out_index,
        permute_token_id,
        routing_map,
        probs,
        tokens=source_rows,
        drop_and_pad=drop_and_pad,
    )
    rows = slots.row.size
    found = rows_gradient_terms(slots.row, slots.weights(probs), rows, rows, _GRAD)
    token = np.append(slots.token, -1)[found.rows]
    return Terms(rows=token, source=_GRAD, coefficients=found.coefficients)


def rows_of_probs(
    out_index: NDArray[Any],
    permute_token_id: NDArray[Any],
    routing_map: NDArray[Any] | None,
    probs: NDArray[Any],
    *,
    drop_and_pad: bool = False,
) -> NDArray[np.int64]:
    """The row of permuted_tokens whose products are added for each prob, int64 of their shape.

    -1 for a prob that no slot has, whose gradient is 0. The arguments are those of `formula`, which
    says what is raised.
    """
    slots = _slots(
        out_index,
        permute_token_id,
        routing_map,
        probs,
        tokens=len(probs),
        drop_and_pad=drop_and_pad,
    )
    live = (slots.row >= 0) & (slots.expert >= 0)
    rows = np.full(probs.shape, -1, np.int64)
    rows[slots.token[live], slots.expert[live]] = slots.row[live]
    return rows
