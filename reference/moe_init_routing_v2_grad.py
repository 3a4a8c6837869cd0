"""MoeInitRoutingV2Grad: gradient of the tokens from the gradient of their routed copies.

Sources: document A, MoeInitRoutingV2Grad (function and parameter tables), and document B,
aclnnMoeInitRoutingV2Grad (first-stage interface, parameters). Both give

    gradX_i = sum over t of gradExpandedX[expandedRowIdx[i * K + t]]

with t from 0 to K. A token has K slots, since expandedRowIdx has shape [NUM_ROWS*K], so t runs
over 0..K-1 here. A slot may name no row, and then adds nothing: -1 in Drop/Pad and Active mode,
and in Active mode a rank of activeNum or more, as gradExpandedX has only activeNum rows there.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.rules import reject, require_dtype, require_real
from reference.terms import Terms

_FUNCTION = "aclnnMoeInitRoutingV2Grad, function: equation"
_PARAMETERS = "aclnnMoeInitRoutingV2GradGetWorkspaceSize, parameters: "


def _check_attributes(top_k: int, drop_pad_mode: int, active_num: int) -> None:
    if top_k <= 0:
        reject("top_k", top_k, "must be greater than 0", _PARAMETERS + "k")
    if drop_pad_mode not in (0, 1):
        reject("drop_pad_mode", drop_pad_mode, "must be 0 or 1", _PARAMETERS + "dropPadMode")
    if active_num < 0:
        reject("active_num", active_num, "must be at least 0", _PARAMETERS + "activeNum")


def _check_routing(
    expanded_row_idx: NDArray[Any],
    *,
    source_rows: int,
    top_k: int,
    drop_pad_mode: int,
    active_num: int,
) -> None:
    """Check the slots and the rows they name; raises as `terms` says."""
    shape = expanded_row_idx.shape
    require_dtype("expanded_row_idx", expanded_row_idx, _PARAMETERS + "expandedRowIdx", "int32")
    if len(shape) != 1:
        reject("expanded_row_idx.shape", shape, "must be 1-D", _PARAMETERS + "expandedRowIdx")
    slots = shape[0]
    if slots % top_k:
        reject("top_k", top_k, f"must divide the {slots} slots", _PARAMETERS + "k")

    if drop_pad_mode == 0 and active_num == 0 and source_rows != slots:
        rule = f"must be {slots}: every slot has its row without Drop/Pad or Active mode"
        reject("source_rows", source_rows, rule, _PARAMETERS + "expandedRowIdx [NUM_ROWS*K]")
    if drop_pad_mode == 0 and active_num > 0 and source_rows != active_num:
        rule = f"must be active_num={active_num}, the size of axis 0 in Active mode"
        reject("source_rows", source_rows, rule, _PARAMETERS + "activeNum")

    # A dropless index is a rank among all slots; a Drop/Pad index is a row of the [E*C, H] view.
    lowest = -1 if drop_pad_mode == 1 else 0
    end = source_rows if drop_pad_mode == 1 else slots
    outside = np.flatnonzero((expanded_row_idx < lowest) | (expanded_row_idx >= end))
    if outside.size:
        at = int(outside[0])
        rule = f"must lie in [{lowest}, {end}) with {drop_pad_mode=}, {active_num=}"
        reject(f"expanded_row_idx[{at}]", expanded_row_idx[at], rule, _FUNCTION)


def formula(
    grad_expanded_x: NDArray[Any],
    expanded_row_idx: NDArray[Any],
    *,
    top_k: int,
    drop_pad_mode: int = 0,
    active_num: int = 0,
) -> NDArray[Any]:
    """The document's equation, evaluated in the dtype of `grad_expanded_x`.

    * `grad_expanded_x`: float16, bfloat16, float32 per the document, and any real dtype here.
      Shape [rows, H] for drop_pad_mode 0: NUM_ROWS*K rows, or active_num in Active mode; [E, C, H]
      for drop_pad_mode 1. Rows that no slot names are not read.
    * `expanded_row_idx`: int32 [NUM_ROWS*K], unit: rows of grad_expanded_x viewed as [rows, H].
    * `top_k`: slots per token. `active_num`: 0, or the size of axis 0 of grad_expanded_x;
      ignored for drop_pad_mode 1.

    Returns grad_x [NUM_ROWS, H], terms added in the order t = 0..K-1 to +0. Raises TypeError for a
    dtype, ValueError for any other argument outside the document's rules.
    """
    _check_attributes(top_k, drop_pad_mode, active_num)
    shape = grad_expanded_x.shape
    require_real("grad_expanded_x", grad_expanded_x, _PARAMETERS + "gradExpandedX")
    if len(shape) != 2 + drop_pad_mode:
        rule = f"must be {('2-D [rows, H]', '3-D [E, C, H]')[drop_pad_mode]} with {drop_pad_mode=}"
        reject("grad_expanded_x.shape", shape, rule, _PARAMETERS + "gradExpandedX")
    if drop_pad_mode == 0 and active_num > 0 and shape[0] != active_num:
        rule = f"axis 0 must equal active_num={active_num}"
        reject("grad_expanded_x.shape", shape, rule, _PARAMETERS + "activeNum")

    source_rows, hidden = math.prod(shape[:-1]), shape[-1]
    _check_routing(
        expanded_row_idx,
        source_rows=source_rows,
        top_k=top_k,
        drop_pad_mode=drop_pad_mode,
        active_num=active_num,
    )

    rows = grad_expanded_x.reshape(source_rows, hidden)
    token_slots = expanded_row_idx.reshape(-1, top_k)
    grad_x = np.zeros((len(token_slots), hidden), grad_expanded_x.dtype)
    with np.errstate(over="ignore", invalid="ignore"):  # infinities are values like others here
        for t in range(top_k):
            named = token_slots[:, t]
            read = (named >= 0) & (named < source_rows)
            grad_x[read] += rows[named[read]]
    return grad_x


def terms(
    expanded_row_idx: NDArray[Any],
    *,
    source_rows: int,
    top_k: int,
    drop_pad_mode: int = 0,
    active_num: int = 0,
) -> Terms:
    """The rows of grad_expanded_x, viewed as [source_rows, H], that each row of grad_x adds.

    `source_rows` is NUM_ROWS*K, active_num in Active mode, or E*C for drop_pad_mode 1; the other
    arguments are those of `formula`. The rows of the result are int32 [NUM_ROWS, top_k], -1 for a
    slot that names no row; the equation has no weights, so there are no coefficients and no cast.

    Raises TypeError for a dtype of expanded_row_idx other than int32; ValueError for top_k <= 0 or
    not a divisor of the slots, drop_pad_mode outside {0, 1}, active_num < 0, an index tensor that
    is not 1-D, a number of source rows that does not fit the mode, an index outside its range.
    """
    _check_attributes(top_k, drop_pad_mode, active_num)
    _check_routing(
        expanded_row_idx,
        source_rows=source_rows,
        top_k=top_k,
        drop_pad_mode=drop_pad_mode,
        active_num=active_num,
    )
    rows = expanded_row_idx.copy()
    if drop_pad_mode == 0 and active_num > 0:
        rows[rows >= active_num] = -1
    return Terms(rows=rows.reshape(-1, top_k), source="grad_expanded_x")
