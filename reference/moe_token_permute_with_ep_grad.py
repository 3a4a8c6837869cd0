"""MoeTokenPermuteWithEpGrad: gradients of tokens and probs from those of a range of their copies.

Source: document aclnnMoeTokenPermuteWithEpGrad (function and parameter tables; constraints). With
topK slots for a token it gives

    sortedIndices = sortedIndices[rangeOptional[0] <= i < rangeOptional[1]]
    tokenGradOut = permutedTokensOutputGrad.indexSelect(0, sortedIndices)
    tokenGradOut = tokenGradOut.reshape(-1, topK, hiddenSize)
    tokenGradOut = tokenGradOut.sum(dim = 1)

Where it is silent or contradicts itself, this reading was taken:

* After the selection of the first equation the reshape of the third one has no longer topK entries
  for each token. And if i were the place of an index, the range would be one of slots. The forward
  operator has sortedIndices[i] in the range, and row sortedIndices[i] - range[0] of its outputs for
  slot i. So that row is added here, for the slots whose rank lies in the range; the others add
  nothing. The equations do not take range[0] off, with which their rows would begin elsewhere.
* probsGradOut has no equation. The forward operator moves probs as it moves tokens: slot i gets
  the gradient of the prob that it gave, and +0 where its rank is not in the range.
* Pages of other versions give permutedTokensOutputGrad (range[1] - range[0]) * topK_num rows. The
  forward operator hands out range[1] - range[0]. So many must be there, and no more are read.
* A range that is empty or backwards selects nothing: no i fulfils the first equation. The forward
  operator's interface takes such a range for something else, of which no document of this one
  speaks.
* Without a range all is left to aclnnMoeTokenPermuteGrad, with an output for tokens alone. So it is
  here, by the reference of that operator and its rules.
* Only paddedMode false is supported and no equation says what true would do: it is refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference import moe_token_permute_grad
from reference.moe_token_permute_with_ep import Range
from reference.permutation import MOST_TOPK, check_ranks
from reference.rules import reject, require_real
from reference.terms import Terms

_DOCUMENT = "aclnnMoeTokenPermuteWithEpGrad"
_FUNCTION = _DOCUMENT + ", function: equations"
_PARAMETERS = _DOCUMENT + ", parameters: "
_CONSTRAINTS = _DOCUMENT + ", constraints"


def _check(
    sorted_indices: NDArray[Any], *, source_rows: int, num_topk: int, rank_range: Range
) -> None:
    """Check everything but the gradients themselves; raises as `terms` says."""
    if not 1 <= num_topk <= MOST_TOPK:
        reject("num_topk", num_topk, f"must lie in [1, {MOST_TOPK}]", _CONSTRAINTS)
    slots = sorted_indices.size
    check_ranks(sorted_indices, min(source_rows, slots), _PARAMETERS + "sortedIndices")
    if slots % num_topk:
        reject("num_topk", num_topk, f"must divide the {slots} slots", _FUNCTION)
    start, end = rank_range
    if not (0 <= start <= slots and 0 <= end <= slots):
        rule = f"must be two numbers from 0 to {slots}, the number of slots"
        reject("rank_range", rank_range, rule, _PARAMETERS + "rangeOptional")
    if source_rows < end - start:
        rule = f"must be at least {end - start}, the ranks of the range"
        reject("source_rows", source_rows, rule, _FUNCTION)


def _check_padded(padded_mode: bool) -> None:
    if padded_mode:
        reject("padded_mode", padded_mode, "must be False", _CONSTRAINTS)


def formula(
    permuted_tokens_output_grad: NDArray[Any],
    sorted_indices: NDArray[Any],
    permuted_probs_output_grad: NDArray[Any] | None = None,
    *,
    num_topk: int,
    rank_range: Range | None = None,
    padded_mode: bool = False,
) -> dict[str, NDArray[Any]]:
    """The gradients, tokens summed in the dtype of `permuted_tokens_output_grad`, probs moved.

    * `permuted_tokens_output_grad`: float16, bfloat16, float32 per the document, and any real dtype
      here; [rows, hidden], of which the first end - start are read.
    * `sorted_indices`: int32 [tokens * num_topk], the rank of each slot. Slot t of token i is entry
      i * num_topk + t.
    * `permuted_probs_output_grad`: any real dtype, [rows], of which as many are read; None: no
      output. Ignored without a range.
    * `num_topk`: slots of a token, 1 to 512. `padded_mode`: False.
    * `rank_range`: (start, end), unit: ranks; each 0 to tokens * num_topk. Where end <= start no
      rank is in it. None: what `reference.moe_token_permute_grad.formula` says of the same
      arguments.

    Returns token_grad [tokens, hidden], terms added in the order t = 0..num_topk-1 to +0, and, with
    a range and probs, probs_grad [tokens, num_topk]. Raises TypeError for a dtype, ValueError for
    any other argument outside the rules.
    """
    _check_padded(padded_mode)
    grad, probs = permuted_tokens_output_grad, permuted_probs_output_grad
    if rank_range is None:
        return {
            "token_grad": moe_token_permute_grad.formula(grad, sorted_indices, num_topk=num_topk)
        }
    source = _PARAMETERS + "permutedTokensOutputGrad"
    require_real("permuted_tokens_output_grad", grad, source)
    if grad.ndim != 2:
        rule = "must be 2-D [rows, hidden]"
        reject("permuted_tokens_output_grad.shape", grad.shape, rule, source)
    _check(sorted_indices, source_rows=len(grad), num_topk=num_topk, rank_range=rank_range)
    start, end = rank_range

    token_slots = sorted_indices.reshape(-1, num_topk)
    inside = (token_slots >= start) & (token_slots < end)
    token_grad = np.zeros((len(token_slots), grad.shape[1]), grad.dtype)
    with np.errstate(over="ignore", invalid="ignore"):  # infinities are values like others here
        for t in range(num_topk):
            selected = inside[:, t]
            token_grad[selected] += grad[token_slots[selected, t] - start]
    outputs = {"token_grad": token_grad}
    if probs is not None:
        source = _PARAMETERS + "permutedProbsOutputGradOptional"
        require_real("permuted_probs_output_grad", probs, source)
        if probs.ndim != 1 or probs.size < end - start:
            rule = f"must be 1-D, {end - start} at least: one for each rank of the range"
            reject("permuted_probs_output_grad.shape", probs.shape, rule, source)
        outputs["probs_grad"] = np.zeros(token_slots.shape, probs.dtype)
        outputs["probs_grad"][inside] = probs[token_slots[inside] - start]
    return outputs


def terms(
    sorted_indices: NDArray[Any],
    *,
    source_rows: int,
    num_topk: int,
    rank_range: Range | None = None,
    padded_mode: bool = False,
) -> Terms:
    """The rows of permuted_tokens_output_grad that each row of token_grad adds.

    `source_rows` is the size of axis 0 of permuted_tokens_output_grad; the other arguments are
    those of `formula`. The rows of the result are int32 [tokens, num_topk], -1 for a slot whose
    rank is not in the range; there are no weights, so no coefficients, and no cast.

    Raises TypeError for a dtype of sorted_indices other than int32; ValueError for num_topk outside
    1..512 or not a divisor of the slots, padded_mode, an index tensor that is not 1-D, an index
    that is not the rank of a slot, a range that is not two numbers from 0 to the slots, fewer rows
    than it has ranks.
    """
    _check_padded(padded_mode)
    if rank_range is None:
        plain = moe_token_permute_grad.terms(
            sorted_indices, source_rows=source_rows, num_topk=num_topk
        )
        return Terms(rows=plain.rows, source="permuted_tokens_output_grad")
    _check(sorted_indices, source_rows=source_rows, num_topk=num_topk, rank_range=rank_range)
    start, end = rank_range
    inside = (sorted_indices >= start) & (sorted_indices < end)
    rows = np.where(inside, sorted_indices - start, -1).astype(np.int32)
    return Terms(rows=rows.reshape(-1, num_topk), source="permuted_tokens_output_grad")
