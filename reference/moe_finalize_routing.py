"""MoeFinalizeRouting: MoeFinalizeRoutingV2 in its first mode, where all but x2 must be given.

Source: document aclnnMoeFinalizeRouting (function: equation; parameters). The equation is that of
MoeFinalizeRoutingV2, with the names x2Optional and expandedExpertIdx. Beside what that module says:

* There is no dropPadMode: slots lie column by column, i + k * num_rows, and expandedRowIdx is from
  0 to NUM_ROWS * K - 1, a row of expandedX [NUM_ROWS * K, H] for every slot.
* E is the number of all experts, of which K are selected: E may be no less.
* x2Optional is listed among required inputs; by its name it may be absent, and then adds nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference import moe_finalize_routing_v2 as of_rows
from reference.rules import reject
from reference.terms import Terms

_PARAMETERS = "aclnnMoeFinalizeRouting, parameters: "


def _check(
    expanded_row_idx: NDArray[Any], scales: NDArray[Any], source_rows: int, experts: int
) -> None:
    """Check the sizes that MoeFinalizeRoutingV2 leaves open."""
    if scales.ndim != 2:
        reject("scales.shape", scales.shape, "must be 2-D", _PARAMETERS + "scales")
    slots = scales.size
    if source_rows != slots or expanded_row_idx.shape != (slots,):
        rule = f"must be {slots}, of the slots"
        reject("rows of expanded_x", source_rows, rule, _PARAMETERS + "expandedX")
    if experts < scales.shape[1]:
        rule = f"must be at least {scales.shape[1]}, of which a token selects"
        reject("bias.shape[0]", experts, rule, _PARAMETERS + "bias")
    outside = np.flatnonzero((expanded_row_idx < 0) | (expanded_row_idx >= slots))
    if outside.size:
        at = int(outside[0])
        rule = f"must lie in [0, {slots})"
        source = _PARAMETERS + "expandedRowIdx"
        reject(f"expanded_row_idx[{at}]", expanded_row_idx[at], rule, source)


def formula(
    expanded_x: NDArray[Any],
    x1: NDArray[Any],
    bias: NDArray[Any],
    scales: NDArray[Any],
    expanded_row_idx: NDArray[Any],
    expert_idx: NDArray[Any],
    x2: NDArray[Any] | None = None,
) -> dict[str, NDArray[Any]]:
    """The document's equation, evaluated in the dtype that all of its floats have, or float64.

    * `expanded_x`: float16, bfloat16, float32 per the document, and any real dtype here, as for all
      floats; [num_rows * K, H].
    * `x1`, `x2`: [num_rows, H]; `x2` may be None.
    * `bias`: [E, H], E being K or more. `scales`: [num_rows, K].
    * `expanded_row_idx`: int32 [num_rows * K], rows of expanded_x; slot k of token i is entry
      i + k * num_rows.
    * `expert_idx`: int32 [num_rows, K], rows of bias.

    Returns out [num_rows, H] in the dtype of `expanded_x`, as MoeFinalizeRoutingV2 adds it. Raises
    TypeError for a dtype, ValueError for any other argument outside the rules.
    """
    _check(expanded_row_idx, scales, len(expanded_x), len(bias))
    out = of_rows.formula(
        expanded_x, expanded_row_idx, x1, x2, bias, scales, expert_idx, num_rows=len(scales)
    )
    return {"out": out}


def terms(
    scales: NDArray[Any],
    expanded_row_idx: NDArray[Any],
    expert_idx: NDArray[Any],
    *,
    source_rows: int,
    experts: int,
    x2: bool = False,
) -> tuple[Terms, ...]:
    """What each row of out adds, of each source: as in MoeFinalizeRoutingV2.

    `source_rows` is the number of rows of expanded_x, `experts` that of bias, `x2` whether it is
    there; the other arguments are those of `formula`, which says what is raised.
    """
    _check(expanded_row_idx, scales, source_rows, experts)
    return of_rows.terms(
        expanded_row_idx,
        scales,
        expert_idx,
        source_rows=source_rows,
        num_rows=len(scales),
        experts=experts,
        x1=True,
        x2=x2,
    )
