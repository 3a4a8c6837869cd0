"""MoeFinalizeRoutingV2: the experts' outputs for each token, weighted and added to what it skips.

Sources: document MoeFinalizeRoutingV2 (function: equation; parameters) and, for shapes and the
values of dropPadMode, pages aclnnMoeFinalizeRoutingV2 of other versions. The equation is

    expertid = expertIdx[i, k]
    out(i, j) = x1(i, j) + x2(i, j) + sum over k from 0 to K of
        scales(i, k) * (expandedX(expandedRowIdx(i + k * num_rows), j) + bias(expertid, j))

Where the documents are silent or contradict themselves, this reading was taken:

* k ends at K - 1: scales and expertIdx have K columns.
* What is optional and absent leaves the equation: x1, x2 and bias add nothing, each for itself, and
  scales is 1. (A page of the framework's interface wants x2 wherever x1 is; no rule here.)
* num_rows and K belong to shapes, those of out and scales. Where scales are absent only out tells
  num_rows: it is an argument here, and K = expandedRowIdx.size / num_rows.
* dropPadMode says "whether" rows may be dropped, and how expandedRowIdx is laid out; the pages have
  it from 0 to 3, indices from 0 on with 0 and 2, and from -1 on with 1 and 3, where expandedX is
  [E, C, H]. The equation lays slots out column by column, i + k * num_rows. That is 0 and 1, the
  values of the first version, of which it is; 2 and 3 are then row by row, i * K + k, as
  MoeInitRoutingV2 writes expandedRowIdx and the gradient reads it.
* For -1 expandedX has no row, and it is not said whether the bias of the expert stays. Only what
  has no value is left out here: the row is 0, and scales * bias is added. Without bias nothing is.
* Without drop, expandedX may have fewer rows than slots (the gradient's document has activeNum of
  them); a rank that is not below their number is as -1.
* A scale of 0 is a factor like any other: 0 times an infinity or NaN is NaN.
* The dtypes are listed apart, so they may differ, and nothing is said of the arithmetic then: see
  `formula`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.finalize_routing import (
    WithoutRows,
    check_experts,
    check_matrix,
    rows_of_expanded,
)
from reference.rules import reject
from reference.terms import Terms
from reference.weighted_sum import common_dtype, gathered, stored

_DOCUMENT = "MoeFinalizeRoutingV2"
_PARAMETERS = _DOCUMENT + ", parameters: "


def _rows(
    expanded_row_idx: NDArray[Any], *, source_rows: int, num_rows: int, drop_pad_mode: int
) -> NDArray[np.int32]:
    """The row of each slot, int32 [num_rows, K], -1 for none; raises as `terms` says."""
    if drop_pad_mode not in (0, 1, 2, 3):
        reject("drop_pad_mode", drop_pad_mode, "must lie in [0, 3]", _PARAMETERS + "dropPadMode")
    drop_pad = drop_pad_mode in (1, 3)
    rows = rows_of_expanded(expanded_row_idx, source_rows, drop_pad, _DOCUMENT)
    if num_rows <= 0 or rows.size % num_rows:
        rule = f"must be greater than 0 and divide the {rows.size} slots"
        reject("num_rows", num_rows, rule, _PARAMETERS + "expandedRowIdx")
    by_column = drop_pad_mode in (0, 1)
    return rows.reshape(-1, num_rows).T if by_column else rows.reshape(num_rows, -1)


def formula(
    expanded_x: NDArray[Any],
    expanded_row_idx: NDArray[Any],
    x1: NDArray[Any] | None = None,
    x2: NDArray[Any] | None = None,
    bias: NDArray[Any] | None = None,
    scales: NDArray[Any] | None = None,
    expert_idx: NDArray[Any] | None = None,
    *,
    num_rows: int,
    drop_pad_mode: int = 0,
    instead: WithoutRows | None = None,
) -> NDArray[Any]:
    """The document's equation, evaluated in the dtype that all of its floats have, or float64.

    * `expanded_x`: float16, bfloat16, float32 per the document, and any real dtype here, as for all
      floats; [rows, H] for drop_pad_mode 0 and 2, [E, C, H] for 1 and 3.
    * `expanded_row_idx`: int32 [num_rows * K], unit: rows of expanded_x viewed as [rows, H]. Slot k
      of token i is entry i + k * num_rows for drop_pad_mode 0 and 1, i * K + k for 2 and 3.
    * `x1`, `x2`: [num_rows, H]. `scales`: [num_rows, K]. Any of them may be None.
    * `bias`: [E, H], or None; with it `expert_idx`: int32 [num_rows, K], rows of bias, which is not
      read without.
    * `num_rows`: the size of axis 0 of out, above 0. `drop_pad_mode`: 0 to 3.
    * `instead`: the slots of experts without rows, which MoeFinalizeRoutingV3 has; else None.

    Returns out [num_rows, H] in the dtype of `expanded_x`: x1, x2 and the slots in the order of k
    added to +0, row and bias of a slot before they are scaled. Where the floats have several dtypes
    all is computed in float64 and rounded once. Raises TypeError for a dtype, ValueError for any
    other argument outside the rules.
    """
    drop_pad = drop_pad_mode in (1, 3)
    shape = ("E", "C", "H") if drop_pad else ("rows", "H")
    check_matrix("expanded_x", expanded_x, shape, _DOCUMENT, "expandedX")
    hidden = expanded_x.shape[-1]
    source_rows = math.prod(expanded_x.shape[:-1])
    rows = _rows(
        expanded_row_idx, source_rows=source_rows, num_rows=num_rows, drop_pad_mode=drop_pad_mode
    )
    skips = [x for x in (x1, x2) if x is not None]
    for name, parameter, x in (("x1", "x1Optional", x1), ("x2", "x2Optional", x2)):
        if x is not None:
            check_matrix(name, x, (num_rows, hidden), _DOCUMENT, parameter)
    if scales is not None:
        check_matrix("scales", scales, rows.shape, _DOCUMENT, "scalesOptional")
    if bias is not None:
        check_matrix("bias", bias, ("E", hidden), _DOCUMENT, "biasOptional")
        expert_idx = check_experts(expert_idx, len(bias), rows.shape, _DOCUMENT)

    dtype = common_dtype(expanded_x, x1, x2, bias, scales)
    source = expanded_x.reshape(source_rows, hidden)
    out = np.zeros((num_rows, hidden), dtype)
    with np.errstate(over="ignore", invalid="ignore"):  # infinities are values like others here
        for x in skips:
            out += x.astype(dtype)
        for k in range(rows.shape[1]):
            values, live = gathered(source, rows[:, k], dtype), rows[:, k] >= 0
            if instead is not None:
                live = instead.of_slot(k, values, live)
            if bias is not None and expert_idx is not None:
                values += bias[expert_idx[:, k]].astype(dtype)
                live = np.ones(num_rows, np.bool_)
            if scales is not None:
                values *= scales[:, k, None].astype(dtype)
            if instead is not None:
                live = live & ~instead.zero[:, k]
            out[live] += values[live]
        return stored(out, expanded_x.dtype)


def terms(
    expanded_row_idx: NDArray[Any],
    scales: NDArray[Any] | None = None,
    expert_idx: NDArray[Any] | None = None,
    *,
    source_rows: int,
    num_rows: int,
    drop_pad_mode: int = 0,
    experts: int | None = None,
    x1: bool = False,
    x2: bool = False,
) -> tuple[Terms, ...]:
    """What each row of out adds, one of Terms for each source: out is the sum of them all.

    `source_rows` is the number of rows of expanded_x viewed as [rows, H], `experts` that of bias or
    None for no bias, `x1` and `x2` whether they are there; the other arguments are those of
    `formula`. The sources are expanded_x, then bias, x1 and x2 where they are there. Rows are int32
    [num_rows, K], -1 for a slot without a row, and [num_rows, 1] for x1 and x2; the coefficients of
    the first two are the scales in float64, None without scales. No cast.

    Raises TypeError for a dtype of indices other than int32 or of scales that is no number;
    ValueError for drop_pad_mode outside 0..3, num_rows that is not above 0 or no divisor of the
    slots, an index outside its range, shapes that do not fit, a bias without expert_idx.
    """
    rows = _rows(
        expanded_row_idx, source_rows=source_rows, num_rows=num_rows, drop_pad_mode=drop_pad_mode
    )
    coefficients = None
    if scales is not None:
        check_matrix("scales", scales, rows.shape, _DOCUMENT, "scalesOptional")
        coefficients = scales.astype(np.float64)
    found = [Terms(rows=rows, source="expanded_x", coefficients=coefficients)]
    if experts is not None:
        expert_idx = check_experts(expert_idx, experts, rows.shape, _DOCUMENT).copy()
        found.append(Terms(rows=expert_idx, source="bias", coefficients=coefficients))
    own = np.arange(num_rows, dtype=np.int32)[:, None]
    found += [Terms(rows=own, source=name) for name, there in (("x1", x1), ("x2", x2)) if there]
    return tuple(found)
