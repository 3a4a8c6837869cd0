"""MoeTokenPermuteGrad: gradient of the tokens from the gradient of their permuted copies.

Source: the document aclnnMoeTokenPermuteGrad (function: three equations; first-stage interface:
parameters). With topK slots for a token it gives

    inputGrad = permutedOutputGrad.indexSelect(0, sortedIndices)
    inputGrad = inputGrad.reshape(-1, topK, hiddenSize)
    inputGrad = inputGrad.sum(dim = 1)

and permutedOutputGrad the shape (tokens_num * topK_num, hidden_size), a row for every index.

Two things go beyond the document, as the operator's public sources have them (ops-transformer,
moe_token_permute_grad, op_kernel and op_host). The forward operator hands out fewer rows where it
drops the tail of the expert-sorted list (its numOutTokens), and ranks of the rows that are not
there stay in sortedIndices: such an index adds nothing. More rows than indices are legal too. And
paddedMode, of which the document supports false only, changes nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.permutation import MOST_TOPK as MOST_TOPK
from reference.permutation import check_ranks
from reference.rules import reject, require_real
from reference.terms import Terms

_FUNCTION = "aclnnMoeTokenPermuteGrad, function: equations"
_PARAMETERS = "aclnnMoeTokenPermuteGradGetWorkspaceSize, parameters: "
_SOURCES = "ops-transformer, moe_token_permute_grad/op_kernel"


def _check(
    sorted_indices: NDArray[Any], *, source_rows: int, num_topk: int, padded_mode: int
) -> None:
    """Check everything but the gradient itself; raises as `terms` says."""
    if not 1 <= num_topk <= MOST_TOPK:
        reject("num_topk", num_topk, f"must lie in [1, {MOST_TOPK}]", _PARAMETERS + "numTopk")
    if padded_mode not in (0, 1):
        reject("padded_mode", padded_mode, "must be 0 or 1", _PARAMETERS + "paddedMode")
    check_ranks(sorted_indices, source_rows, _PARAMETERS + "sortedIndices", range_source=_SOURCES)
    if sorted_indices.size % num_topk:
        reject("num_topk", num_topk, f"must divide the {sorted_indices.size} slots", _FUNCTION)


def formula(
    permuted_output_grad: NDArray[Any],
    sorted_indices: NDArray[Any],
    *,
    num_topk: int,
    padded_mode: int = 0,
) -> NDArray[Any]:
    """The document's equations, evaluated in the dtype of `permuted_output_grad`.

    * `permuted_output_grad`: float16, bfloat16, float32 per the document, and any real dtype here;
      [rows, hidden], with tokens * num_topk rows per the document, and any number of them here.
      Rows that no index names are not read.
    * `sorted_indices`: int32 [tokens * num_topk], unit: rows of permuted_output_grad; one that is
      not below their number adds nothing. Slot t of token i is entry i * num_topk + t.
    * `num_topk`: slots of a token, 1 to 512. `padded_mode`: 0 or 1, which are the same here.

    Returns out [tokens, hidden], terms added in the order t = 0..num_topk-1 to +0. Raises TypeError
    for a dtype, ValueError for any other argument outside the document's rules.
    """
    grad = permuted_output_grad
    require_real("permuted_output_grad", grad, _PARAMETERS + "permutedOutputGrad")
    if grad.ndim != 2:
        rule = "must be 2-D [rows, hidden]"
        reject("permuted_output_grad.shape", grad.shape, rule, _PARAMETERS + "permutedOutputGrad")
    _check(sorted_indices, source_rows=len(grad), num_topk=num_topk, padded_mode=padded_mode)
    token_slots = sorted_indices.reshape(-1, num_topk)
    out = np.zeros((len(token_slots), grad.shape[1]), grad.dtype)
    with np.errstate(over="ignore", invalid="ignore"):  # infinities are values like others here
        for t in range(num_topk):
            named = token_slots[:, t]
            there = named < len(grad)
            out[there] += grad[named[there]]
    return out


def terms(
    sorted_indices: NDArray[Any], *, source_rows: int, num_topk: int, padded_mode: int = 0
) -> Terms:
    """The rows of permuted_output_grad that each row of out adds.

    `source_rows` is the size of axis 0 of permuted_output_grad; the other arguments are those of
    `formula`. The rows of the result are int32 [tokens, num_topk], -1 for a slot whose row is not
    there; the equations have no weights, so there are no coefficients and no cast.

    Raises TypeError for a dtype of sorted_indices other than int32; ValueError for num_topk outside
    1..512 or not a divisor of the slots, a padded_mode outside {0, 1}, an index tensor that is not
    1-D, an index that is neither the rank of a slot nor a row.
    """
    _check(sorted_indices, source_rows=source_rows, num_topk=num_topk, padded_mode=padded_mode)
    rows = sorted_indices.copy()
    rows[rows >= source_rows] = -1
    return Terms(rows=rows.reshape(-1, num_topk), source="permuted_output_grad")
