"""MoeFinalizeRoutingV2Grad: gradients of the experts' outputs, and of the scales of each slot.

Source: document MoeFinalizeRoutingV2Grad (function: shapes and equations; parameters). With gradY
[R, H], i from 0 to R * K - 1 and j from 0 to H it gives

    gradExpandedXOut[expandedRowIdx[i]][j] = gradY[i / K][j]                     (no scales)
    gradExpandedXOut[expandedRowIdx[i]][j] = gradY[i / K][j] * scales[i]         (scales)
    gradScalesOut[i] =
        sum((expandedX[expandedRowIdx[i]][j] + bias[expertIdx[i]][j]) * gradY[i / K][j])

the last one without the bias where there is none. Where it is silent or contradicts itself, this
reading was taken:

* i / K is a whole number, the token of slot i: slots lie row by row. The equation of the forward
  operator has them column by column, which is its dropPadMode 0 and 1. Here there is one layout,
  and so dropPadMode has two values.
* K is R * K / R, the number of indices for each row of gradY; j ends at H - 1; the sum is over j.
  scales, expertIdx and gradScalesOut, [R, K], are indexed in their C order.
* dropPadMode is "different scenarios": 0 for gradExpandedXOut [R * K, H], or [activeNum, H] where
  activeNum is above 0, the most rows of it: [min(activeNum, R * K), H]. 1 for [expertNum,
  expertCapacity, H], indices from -1 on. The other attributes have no effect.
* A rank that is not below the number of rows, or -1, names no row: nothing is stored for it. In
  gradScalesOut its row is 0 and the bias of its expert stays, as in the reading of the forward
  operator; without bias its gradient is +0.
* A row that no index names keeps +0, that of the padding too. A row that two name is refused: which
  of two stores remains nobody says.
* Without scales there is no gradScalesOut, and of expandedXOptional nothing is read. With them it
  must be there: the equation has it.
* The dtypes are listed apart. gradExpandedXOut has that of expandedX, or of gradY where that is
  absent; gradScalesOut that of scales.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.finalize_routing import check_experts, check_matrix, rows_of_expanded
from reference.rules import reject
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

_DOCUMENT = "MoeFinalizeRoutingV2Grad"
_FUNCTION = _DOCUMENT + ", function: equations"
_PARAMETERS = _DOCUMENT + ", parameters: "


def expanded_shape(
    slots: int,
    *,
    drop_pad_mode: int = 0,
    active_num: int = 0,
    expert_num: int = 0,
    expert_capacity: int = 0,
) -> tuple[int, ...]:
    """The shape of grad_expanded_x before its axis H; `slots` is R * K.

    Raises ValueError for a drop_pad_mode that is not 0 or 1, an attribute below 0, and an
    expert_num or expert_capacity of 0 with drop_pad_mode 1.
    """
    if drop_pad_mode not in (0, 1):
        reject("drop_pad_mode", drop_pad_mode, "must be 0 or 1", _PARAMETERS + "dropPadMode")
    experts = (
        ("expert_num", "expertNum", expert_num),
        ("expert_capacity", "expertCapacity", expert_capacity),
    )
    for name, parameter, value in (("active_num", "activeNum", active_num), *experts):
        if value < 0:
            reject(name, value, "must be at least 0", _PARAMETERS + parameter)
    if drop_pad_mode == 0:
        return (min(active_num, slots) if active_num else slots,)
    for name, parameter, value in experts:
        if value == 0:
            rule = "must be greater than 0 with drop_pad_mode=1"
            reject(name, value, rule, _PARAMETERS + parameter)
    return expert_num, expert_capacity


def _rows(expanded_row_idx: NDArray[Any], shape: tuple[int, ...], tokens: int) -> NDArray[Any]:
    """The row of each slot, [R * K], -1 for none; raises as `terms` says."""
    source_rows = int(np.prod(shape))
    rows = rows_of_expanded(expanded_row_idx, source_rows, len(shape) == 2, _DOCUMENT)
    if tokens <= 0 or rows.size % tokens:
        rule = f"must be greater than 0 and divide the {rows.size} slots"
        reject("the rows of grad_y", tokens, rule, _PARAMETERS + "gradY")
    return rows_of_slots(rows, source_rows, "expanded_row_idx", _FUNCTION)


def formula(
    grad_y: NDArray[Any],
    expanded_row_idx: NDArray[Any],
    expanded_x: NDArray[Any] | None = None,
    scales: NDArray[Any] | None = None,
    expert_idx: NDArray[Any] | None = None,
    bias: NDArray[Any] | None = None,
    *,
    drop_pad_mode: int = 0,
    active_num: int = 0,
    expert_num: int = 0,
    expert_capacity: int = 0,
) -> dict[str, NDArray[Any]]:
    """The document's equations, evaluated in the dtype that all of its floats have, or float64.

    * `grad_y`: float16, bfloat16, float32 per the document, and any real dtype here, as for all
      floats; [R, H], R above 0.
    * `expanded_row_idx`: int32 [R * K], unit: rows of grad_expanded_x viewed as [rows, H]. Slot k
      of token i is entry i * K + k. No row is named twice.
    * `expanded_x`: of the shape of grad_expanded_x; must be there with `scales`. `scales`: [R, K].
    * `bias`: [E, H], and with it `expert_idx`: int32 [R, K], rows of bias. Not read without scales.
    * `drop_pad_mode`: 0 or 1. `active_num` with 0; `expert_num`, `expert_capacity` with 1.

    Returns grad_expanded_x [rows, H], rows R * K or at most active_num, or [expert_num,
    expert_capacity, H] with drop_pad_mode 1, in the dtype of `expanded_x` or else of `grad_y`; and,
    with `scales`, grad_scales [R, K] in their dtype, row and bias added before the products are,
    those in the order of H to +0. Where the floats have several dtypes all is computed in float64
    and rounded once. Raises TypeError for a dtype, ValueError for any other argument outside the
    rules.
    """
    check_matrix("grad_y", grad_y, ("R", "H"), _DOCUMENT, "gradY")
    tokens, hidden = grad_y.shape
    shape = expanded_shape(
        expanded_row_idx.size,
        drop_pad_mode=drop_pad_mode,
        active_num=active_num,
        expert_num=expert_num,
        expert_capacity=expert_capacity,
    )
    rows = _rows(expanded_row_idx, shape, tokens)
    if expanded_x is not None:
        check_matrix("expanded_x", expanded_x, (*shape, hidden), _DOCUMENT, "expandedXOptional")
    source_rows = int(np.prod(shape))
    out_dtype = grad_y.dtype if expanded_x is None else expanded_x.dtype
    if scales is None:
        moved = rows_gradient(grad_y, rows, None, source_rows, grad_y.dtype)
        grad = stored(moved.astype(common_dtype(grad_y, expanded_x)), out_dtype)
        return {"grad_expanded_x": grad.reshape(*shape, hidden)}

    slots = (tokens, rows.size // tokens)
    check_matrix("scales", scales, slots, _DOCUMENT, "scalesOptional")
    if expanded_x is None:
        source = _PARAMETERS + "expandedXOptional"
        reject("expanded_x", None, "must be there: grad_scales is a sum over it", source)
    if bias is not None:
        check_matrix("bias", bias, ("E", hidden), _DOCUMENT, "biasOptional")
        expert_idx = check_experts(expert_idx, len(bias), slots, _DOCUMENT)
    dtype = common_dtype(grad_y, expanded_x, scales, bias)
    values = gathered(expanded_x.reshape(source_rows, hidden), rows, dtype)
    live = rows >= 0
    if bias is not None and expert_idx is not None:
        with np.errstate(over="ignore", invalid="ignore"):  # infinities are values like others
            values += bias[expert_idx.reshape(-1)].astype(dtype)
        live = np.ones(rows.shape, np.bool_)
    grad = rows_gradient(grad_y, rows, scales.reshape(-1), source_rows, dtype)
    sums = weights_gradient(values, live, grad_y, dtype)
    return {
        "grad_expanded_x": stored(grad, out_dtype).reshape(*shape, hidden),
        "grad_scales": stored(sums, scales.dtype).reshape(slots),
    }


def terms(
    expanded_row_idx: NDArray[Any],
    scales: NDArray[Any] | None = None,
    *,
    tokens: int,
    drop_pad_mode: int = 0,
    active_num: int = 0,
    expert_num: int = 0,
    expert_capacity: int = 0,
) -> Terms:
    """The row of grad_y in each row of grad_expanded_x, viewed as [rows, H], and its factor.

    `tokens` is R; the other arguments are those of `formula`. The rows of the result are int64
    [rows, 1], -1 for a row that no slot names; the coefficients are the scales in float64, None
    without scales. The sums of grad_scales run along rows and not over them, so they have no terms
    of this kind.

    Raises TypeError for a dtype of expanded_row_idx other than int32 or of scales that is no
    number; ValueError as `expanded_shape` does, for tokens that are not above 0 or do not divide
    the slots, an index tensor that is not 1-D, an index outside its range, a row that two slots
    name, scales of another shape.
    """
    shape = expanded_shape(
        expanded_row_idx.size,
        drop_pad_mode=drop_pad_mode,
        active_num=active_num,
        expert_num=expert_num,
        expert_capacity=expert_capacity,
    )
    rows = _rows(expanded_row_idx, shape, tokens)
    if scales is not None:
        slots = (tokens, rows.size // tokens)
        check_matrix("scales", scales, slots, _DOCUMENT, "scalesOptional")
        scales = scales.reshape(-1)
    return rows_gradient_terms(rows, scales, int(np.prod(shape)), tokens, "grad_y")
