"""MoeInitRouting, the first version: tokens copied to the experts that they chose, in order.

Source: document aclnnMoeInitRouting (function: three equations; parameters; return values). It has

    expandedExpertIdx, sortedRowIdx = keyValueSort(expertIdx, rowIdx)
    expandedRowIdx[sortedRowIdx[i]] = i
    expandedX[i] = x[sortedRowIdx[i] % numRows]

If it is silent or contradicts itself, this reading holds:

* keyValueSort sorts the pairs of all numRows * K positions, as expertIdx lists them row by row, by
  their expert alone. It is stable: pairs of one expert keep the order of their positions.
* rowIdx has each number from 0 to numRows * K - 1 once. The document has it rise along axis 1 from
  0 on; its example has i + j * numRows for token i and slot j, which gives % its meaning. With any
  other permutation the equations hold word for word.
* activeNum is the number of valid rows of expandedX in the table of parameters, and at most the
  number of tokens in its shape, (min(numRows, activeNum) * k, H), which an error code repeats. The
  shape holds: it counts tokens. The other outputs have all positions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.permutation import check_routed
from reference.rules import reject, require_dtype

_DOCUMENT = "aclnnMoeInitRouting"
_ROW_IDX = f"{_DOCUMENT}, parameters: rowIdx"


def _check_row_idx(row_idx: NDArray[Any], shape: tuple[int, ...]) -> None:
    """Check that `row_idx` has the shape of expert_idx, and each number from 0 on once."""
    require_dtype("row_idx", row_idx, _ROW_IDX, "int32")
    if row_idx.shape != shape:
        reject("row_idx.shape", row_idx.shape, f"must be {shape}, as expert_idx", _ROW_IDX)
    seen = np.sort(row_idx, axis=None)
    wrong = np.flatnonzero(seen != np.arange(seen.size))
    if wrong.size:
        rule = f"must have each number from 0 to {seen.size - 1} once"
        reject("row_idx", f"[..., {seen[wrong[0]]}, ...]", rule, _ROW_IDX)


def formula(
    x: NDArray[Any], row_idx: NDArray[Any], expert_idx: NDArray[Any], *, active_num: int
) -> dict[str, NDArray[Any]]:
    """The document's equations; values are moved, in whatever dtype they come.

    * `x`: float16, bfloat16, float32 per the document, and any real dtype here; [numRows, H].
    * `row_idx`: int32 [numRows, K], a permutation of 0..numRows * K - 1; what it has at a position
      is the place of that position in expanded_row_idx, and modulo numRows the row of x.
    * `expert_idx`: int32 [numRows, K], any integers.
    * `active_num`, unit: tokens. At least 0; more than there are stands for all.

    Returns expanded_x in the dtype of `x`, [min(numRows, active_num) * K, H]; expanded_row_idx and
    expanded_expert_idx, int32 [numRows * K]. Raises TypeError for a dtype, ValueError for any other
    argument outside the rules.
    """
    check_routed(x, expert_idx, _DOCUMENT)
    _check_row_idx(row_idx, expert_idx.shape)
    if active_num < 0:
        reject("active_num", active_num, "must be at least 0", f"{_DOCUMENT}, return values")
    tokens, top_k = expert_idx.shape
    order = np.argsort(expert_idx, axis=None, kind="stable")
    sorted_row_idx = row_idx.reshape(-1)[order]
    expanded_row_idx = np.empty(sorted_row_idx.size, np.int32)
    expanded_row_idx[sorted_row_idx] = np.arange(sorted_row_idx.size, dtype=np.int32)
    active = sorted_row_idx[: min(tokens, active_num) * top_k]
    return {
        "expanded_x": x[active % max(1, tokens)],
        "expanded_row_idx": expanded_row_idx,
        "expanded_expert_idx": expert_idx.reshape(-1)[order],
    }
