"""MoeTokenPermuteWithRoutingMap: tokens copied to the experts that a map gives them.

Source: document MoeTokenPermuteWithRoutingMap (function: equations; parameters; constraints). It
gives, where dropAndPad is false,

    expertIndex = arrange(tokens_num).expand(expert_num, -1)
    sortedIndicesFirst = expertIndex.maskedselect(routingMap.T)
    sortedIndicesOut = argSort(sortedIndicesFirst)
    topK = numOutTokens // tokens_num
    permuteTokens[sortedIndicesOut[i]] = tokens[i // topK]
    permuteProbsOutOptional = probsOptional.T.maskedselect(routingMap.T)

and, where it is true,

    capacity = numOutTokens // expert_num
    sortedIndicesOut = argsort(routingMap.T, dim=-1)[:, :capacity]
    permutedTokensOut = tokens.index_select(0, sortedIndicesOut)
    permuteProbsOutOptional = probsOptional.T.view(-1)[arange(expert_num) * tokens_num + indices]

with sortedIndicesOut viewed as [expert_num, capacity] for those indices. Where it is silent or
contradicts itself, this reading was taken:

* The argsort of the map must be descending. An ascending one has the tokens first that the map does
  not give to the expert, and the operator is said to select by the map.
* Both sorts are stable. sortedIndicesOut without dropAndPad then names, from entry i * topK on, the
  rows of token i by rising expert.
* sortedIndicesOut is 1-D: index_select takes no other indices.
* An expert that the map gives fewer tokens than its capacity is filled up with those that it does
  not give it, by rising id, and with their probs: so the sort continues.
* Every token has topK experts (constraints: as many, and fewer than 512). A map with another number
  of them than numOutTokens // tokens_num is refused: what the equation would do then depends on
  which token has too many. What the divisions leave over of numOutTokens has no effect.
* A capacity above tokens_num is refused: the slice has no more columns than there are tokens, and
  the view as [expert_num, capacity] would fail.
* The map holds "1 or true". Other int8 numbers are refused; they would sort among themselves.
* The equation for probs stands without a condition where dropAndPad is false; there is an output
  for probs where there are probs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.permutation import MOST_TOPK
from reference.rules import reject, require_dtype, require_real

_DOCUMENT = "MoeTokenPermuteWithRoutingMap"
_FUNCTION = _DOCUMENT + ", function: equations"
_PARAMETERS = _DOCUMENT + ", parameters: "
_CONSTRAINTS = _DOCUMENT + ", constraints"


def _check(
    tokens: NDArray[Any],
    routing_map: NDArray[Any],
    probs: NDArray[Any] | None,
    num_out_tokens: int,
) -> None:
    """Check what both modes need."""
    require_real("tokens", tokens, _PARAMETERS + "tokens")
    require_dtype("routing_map", routing_map, _PARAMETERS + "routingMap", "int8", "bool")
    if tokens.ndim < 1:
        reject("tokens.shape", tokens.shape, "must have an axis of tokens", _PARAMETERS + "tokens")
    shape = routing_map.shape
    if len(shape) != 2 or shape[0] != tokens.shape[0] or 0 in shape:
        rule = f"must be ({tokens.shape[0]}, experts), neither of them 0"
        reject("routing_map.shape", shape, rule, _FUNCTION)
    other = np.argwhere((routing_map != 0) & (routing_map != 1))
    if other.size:
        at = tuple(other[0].tolist())
        rule = "must be 0 or 1"
        reject(f"routing_map{list(at)}", routing_map[at], rule, _CONSTRAINTS)
    if probs is not None:
        require_real("probs", probs, _PARAMETERS + "probsOptional")
        if probs.shape != shape:
            rule = f"must be that of routing_map, {shape}"
            reject("probs.shape", probs.shape, rule, _FUNCTION)
    if num_out_tokens < 0:
        source = _PARAMETERS + "numOutTokens"
        reject("num_out_tokens", num_out_tokens, "must be at least 0", source)


def formula(
    tokens: NDArray[Any],
    routing_map: NDArray[Any],
    probs: NDArray[Any] | None = None,
    *,
    num_out_tokens: int,
    drop_and_pad: bool = False,
) -> dict[str, NDArray[Any]]:
    """The document's equations; values are moved, in whatever dtype they come.

    * `tokens`: float16, bfloat16, float32 per the document, and any real dtype here:
      [tokens_num, hidden], or [tokens_num, ...], a row being all that follows the first axis.
    * `routing_map`: int8, 0 or 1, or bool; [tokens_num, expert_num], neither of them 0.
    * `probs`: any real dtype, the shape of `routing_map`; None: no output.
    * `num_out_tokens`, unit: rows of the result; rounded down to a multiple of tokens_num, and of
      expert_num with `drop_and_pad`.

    Returns permute_tokens [rows, hidden] in the dtype of `tokens`, sorted_indices int32 [rows] and,
    with `probs`, permute_probs [rows] in theirs. The rows lie expert by expert; sorted_indices name
    the rows of each token without `drop_and_pad`, and the token of each row with it. Raises
    TypeError for a dtype, ValueError for any other argument outside the rules.
    """
    _check(tokens, routing_map, probs, num_out_tokens)
    tokens_num, expert_num = routing_map.shape
    by_expert = routing_map.T != 0
    if drop_and_pad:
        capacity = num_out_tokens // expert_num
        if capacity > tokens_num:
            rule = f"must leave an expert at most the {tokens_num} tokens with drop_and_pad=True"
            reject("num_out_tokens", num_out_tokens, rule, _FUNCTION)
        token = np.argsort(~by_expert, axis=1, kind="stable")[:, :capacity].reshape(-1)
        expert = np.repeat(np.arange(expert_num), capacity)
        sorted_indices = token.astype(np.int32)
    else:
        top_k = num_out_tokens // tokens_num
        if top_k >= MOST_TOPK:
            rule = f"must leave a token fewer than {MOST_TOPK} rows"
            reject("num_out_tokens", num_out_tokens, rule, _CONSTRAINTS)
        experts = np.count_nonzero(routing_map, axis=1)
        wrong = np.flatnonzero(experts != top_k)
        if wrong.size:
            at = int(wrong[0])
            rule = f"must give it {top_k} = num_out_tokens // {tokens_num}"
            reject(f"routing_map[{at}]", f"{experts[at]} experts", rule, _CONSTRAINTS)
        expert, token = np.nonzero(by_expert)  # row by row of the transposed map, as maskedselect
        sorted_indices = np.argsort(token, kind="stable").astype(np.int32)
    outputs = {"permute_tokens": tokens[token], "sorted_indices": sorted_indices}
    if probs is not None:
        outputs["permute_probs"] = probs[token, expert]
    return outputs
