"""MoeTokenPermuteWithRoutingMapGrad: gradients of tokens and probs from those of permuted copies.

Source: the document aclnnMoeTokenPermuteWithRoutingMapGrad (function: equations; parameters;
constraints). It gives

    permuteTokenId, outIndex = sortedIndices.sort(dim=-1)
    capacity = permutedTokenOutputGrad.size(0) / numExperts
    tokensGradOut[permuteTokenId[i]] += permutedTokens[outIndex[i]]        (from zeros)
    probsGradOut[sortedIndices[i], i / capacity] = permutedProbsOutputGrad[i]     (padded)
    probsGradOut = maskedscatter(probsGradOut, routingMap, permutedProbsOutputGrad)  (not padded)

with permutedTokens for permutedTokenOutputGrad, and probsGradOut from zeros as well. Where it is
silent or contradicts itself, this reading was taken:

* It computes the tokens' gradient only "where probs is None". It is an output that is not optional,
  so it is computed always.
* Its sum takes sortedIndices as token ids. They are that where drop_and_pad is true: one of every
  row, expert by expert. Where it is false they have shape (tokens_num * topK_num,), and tokens_num
  rows cannot hold such an index unless topK_num is 1: there they are the forward operator's ranks,
  and token i adds the rows that its topK_num entries name.
* topK_num is no parameter, and one number for all tokens. So a map that gives tokens different
  numbers of experts is rejected, also if its rows would divide by the tokens: sortedIndices then
  have another shape. A call without a map says nothing of this: its tokens share the rows evenly.
* maskedscatter does not say in which order it takes the source. The rows of permuted tokens lie
  expert by expert, and so do their probs: the first belongs to the first token of expert 0.
* permutedProbsOutputGradOptional is listed as INT8 or BOOL and tokens_num as a floating dtype. The
  constraint that all four float tensors have one dtype says otherwise of the first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.permutation import MOST_TOPK as MOST_TOPK
from reference.permutation import added_to_tokens, rows_of_tokens
from reference.rules import reject, require_dtype, require_real
from reference.terms import Terms

Floats = NDArray[Any]

_FUNCTION = "aclnnMoeTokenPermuteWithRoutingMapGrad, function: equations"
_PARAMETERS = "aclnnMoeTokenPermuteWithRoutingMapGrad, parameters: "
_CONSTRAINTS = "aclnnMoeTokenPermuteWithRoutingMapGrad, constraints"


def _check_indices(
    sorted_indices: NDArray[Any],
    routing_map: NDArray[Any] | None,
    *,
    source_rows: int,
    num_experts: int,
    tokens_num: int,
    drop_and_pad: int,
) -> None:
    """Check attributes, indices and map; raises as `terms` says."""
    for name, value in (("num_experts", num_experts), ("tokens_num", tokens_num)):
        if value <= 0:
            reject(name, value, "must be greater than 0", _PARAMETERS + name)
    if drop_and_pad not in (0, 1):
        reject("drop_and_pad", drop_and_pad, "must be 0 or 1", _PARAMETERS + "dropAndPad")
    require_dtype("sorted_indices", sorted_indices, _PARAMETERS + "sortedIndices", "int32")
    if sorted_indices.shape != (source_rows,):
        rule = f"must be ({source_rows},): an index for every row"
        reject("sorted_indices.shape", sorted_indices.shape, rule, _PARAMETERS + "sortedIndices")
    if drop_and_pad:
        if source_rows % num_experts:
            rule = f"must divide the {source_rows} rows: all experts have one capacity"
            reject("num_experts", num_experts, rule, _FUNCTION)
    else:
        if source_rows % tokens_num:
            rule = f"must divide the {source_rows} rows: all tokens have topK_num of them"
            reject("tokens_num", tokens_num, rule, _PARAMETERS + "sortedIndices")
        if source_rows // tokens_num > MOST_TOPK:
            rule = f"must leave at most {MOST_TOPK} of the {source_rows} rows to a token"
            reject("tokens_num", tokens_num, rule, _CONSTRAINTS)
    end = tokens_num if drop_and_pad else source_rows
    outside = np.flatnonzero((sorted_indices < 0) | (sorted_indices >= end))
    if outside.size:
        at = int(outside[0])
        rule = f"must lie in [0, {end}) with {drop_and_pad=}"
        reject(f"sorted_indices[{at}]", sorted_indices[at], rule, _FUNCTION)
    if routing_map is not None:
        rows = None if drop_and_pad else source_rows
        _check_map(routing_map, (tokens_num, num_experts), rows)


def _check_map(routing_map: NDArray[Any], shape: tuple[int, int], rows: int | None) -> None:
    """Check a map; that it gives every token the same number of ``rows``, None: it is not read."""
    source = _PARAMETERS + "routingMap"
    require_dtype("routing_map", routing_map, source, "int8", "bool")
    if routing_map.shape != shape:
        reject("routing_map.shape", routing_map.shape, f"must be {shape}", source)
    if rows is None:
        return
    experts, top_k = np.count_nonzero(routing_map, axis=1), rows // shape[0]
    wrong = np.flatnonzero(experts != top_k)
    if wrong.size:
        at = int(wrong[0])
        rule = f"must be {top_k}, as of every token: {rows} rows, {shape[0]} tokens"
        reject(f"routing_map[{at}]", f"{experts[at]} experts", rule, _PARAMETERS + "sortedIndices")


def _check_probs(probs: Floats, source_rows: int) -> None:
    if probs.shape != (source_rows,):
        rule = f"must be ({source_rows},): one for every row"
        source = _PARAMETERS + "permutedProbsOutputGradOptional"
        reject("permuted_probs_output_grad.shape", probs.shape, rule, source)


def terms(
    sorted_indices: NDArray[Any],
    routing_map: NDArray[Any] | None,
    *,
    source_rows: int,
    num_experts: int,
    tokens_num: int,
    drop_and_pad: int,
) -> Terms:
    """The rows of permuted_token_output_grad that each row of tokens_grad adds.

    * `sorted_indices`: int32 [source_rows]; token ids where drop_and_pad is 1, else ranks, those of
      token i from entry i * topK on, with topK = source_rows / tokens_num.
    * `routing_map`: int8 or bool [tokens_num, num_experts]; an element that is not 0 routes its
      token to its expert, topK of every token. Where drop_and_pad is 1, its elements are not read.
      None: the call has no map.
    * `source_rows`: the size of axis 0 of permuted_token_output_grad, num_experts * capacity where
      drop_and_pad is 1, else tokens_num * topK.

    The rows of the result are int32 [tokens_num, slots]: topK slots, or as many as the token that
    most indices name has; -1 for a slot that adds nothing. No coefficients, no cast.

    Raises TypeError for a dtype of sorted_indices other than int32, or of another map; ValueError
    for a count that is not above 0, a drop_and_pad outside {0, 1}, an index tensor or a map of
    another shape, rows that experts or tokens do not share evenly, more than 512 rows of a token,
    an index outside its range, a map that routes a token to another number of experts than topK.
    """
    _check_indices(
        sorted_indices,
        routing_map,
        source_rows=source_rows,
        num_experts=num_experts,
        tokens_num=tokens_num,
        drop_and_pad=drop_and_pad,
    )
    source = "permuted_token_output_grad"
    if not drop_and_pad:
        return Terms(rows=sorted_indices.copy().reshape(tokens_num, -1), source=source)
    return Terms(rows=rows_of_tokens(sorted_indices, tokens_num), source=source)


def tokens_formula(
    permuted_token_output_grad: Floats,
    sorted_indices: NDArray[Any],
    routing_map: NDArray[Any] | None,
    *,
    num_experts: int,
    tokens_num: int,
    drop_and_pad: int,
) -> Floats:
    """tokensGradOut [tokens_num, hidden], in the dtype of `permuted_token_output_grad`.

    * `permuted_token_output_grad`: float16, bfloat16, float32 per the document, and any real dtype
      here; [num_experts * capacity, hidden] where drop_and_pad is 1, else [tokens_num * topK,
      hidden].

    The other arguments are those of `terms`. The rows of a token are added to +0 in the order of
    its entries (drop_and_pad 0) or by rising row (1). Raises as `terms`, TypeError for a dtype of
    the gradient that is no number, ValueError for one that is not 2-D.
    """
    grad = permuted_token_output_grad
    require_real("permuted_token_output_grad", grad, _PARAMETERS + "permutedTokenOutputGrad")
    if grad.ndim != 2:
        source = _PARAMETERS + "permutedTokenOutputGrad"
        rule = "must be 2-D [rows, hidden]"
        reject("permuted_token_output_grad.shape", grad.shape, rule, source)
    _check_indices(
        sorted_indices,
        routing_map,
        source_rows=len(grad),
        num_experts=num_experts,
        tokens_num=tokens_num,
        drop_and_pad=drop_and_pad,
    )
    tokens_grad = np.zeros((tokens_num, grad.shape[1]), grad.dtype)
    with np.errstate(over="ignore", invalid="ignore"):  # infinities are values like others here
        if drop_and_pad:
            added_to_tokens(grad, sorted_indices, tokens_grad)
        else:
            for named in sorted_indices.reshape(tokens_num, -1).T:
                tokens_grad += grad[named]
    return tokens_grad


def probs_formula(
    permuted_probs_output_grad: Floats,
    sorted_indices: NDArray[Any],
    routing_map: NDArray[Any],
    *,
    num_experts: int,
    tokens_num: int,
    drop_and_pad: int,
) -> Floats:
    """probsGradOut [tokens_num, num_experts]: values of permuted_probs_output_grad, else +0.

    * `permuted_probs_output_grad`: of the tokens' dtype, or any; [rows].

    The other arguments are those of `terms`, but the map must be there. Raises as it does, and
    ValueError for probs of another shape, and for a token that has two rows of one expert where
    drop_and_pad is 1: which of two stores remains nobody says.
    """
    probs = permuted_probs_output_grad
    _check_probs(probs, len(probs))
    _check_indices(
        sorted_indices,
        routing_map,
        source_rows=len(probs),
        num_experts=num_experts,
        tokens_num=tokens_num,
        drop_and_pad=drop_and_pad,
    )
    probs_grad = np.zeros((tokens_num, num_experts), probs.dtype)
    if drop_and_pad:
        capacity = len(probs) // num_experts
        expert = np.arange(len(probs)) // max(capacity, 1)
        if np.unique(sorted_indices.astype(np.int64) * num_experts + expert).size < len(probs):
            rule = "a token may have one row of an expert"
            reject("sorted_indices", sorted_indices.tolist(), rule, _FUNCTION)
        probs_grad[sorted_indices, expert] = probs
        return probs_grad
    by_expert = probs_grad.T
    by_expert[routing_map.T != 0] = probs
    return probs_grad
