"""MoeInitRoutingQuant: the rows of MoeInitRouting, quantised to int8 by one scale and offset.

Source: document aclnnMoeInitRoutingQuant (function: three equations; parameters; return values). It
is that of MoeInitRouting, but for

    expandedXOut[i] = quant(x[sortedRowIdx[i] % NUM_ROWS])

Where it is silent, this reading was taken:

* What the equations leave open of the sort, rowIdx and activeNum: as reference/moe_init_routing.py.
* `quant` has no equation here. It is that of static quantisation in the document
  aclnnMoeInitRoutingQuantV2, which says that it is made from this operator: round(x * scale +
  offset). Each product and sum is rounded to float32 (see reference/quantisation.py).
* The attributes are of type double, which no kernel computes in: they are rounded to float32.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference import moe_init_routing
from reference.quantisation import static


def formula(
    x: NDArray[Any],
    row_idx: NDArray[Any],
    expert_idx: NDArray[Any],
    *,
    active_num: int,
    scale: float,
    offset: float,
) -> dict[str, NDArray[Any]]:
    """The document's equations, in float32.

    * `x`: float16, bfloat16 or float32 [NUM_ROWS, H].
    * `row_idx`, `expert_idx`, `active_num`: those of MoeInitRouting.
    * `scale`, `offset`: any finite numbers.

    Returns expanded_x int8 [min(NUM_ROWS, active_num) * K, H]; expanded_row_idx and
    expanded_expert_idx, int32 [NUM_ROWS * K]. Raises TypeError for a dtype, ValueError for any
    other argument outside the rules.
    """
    if x.dtype.kind in "iu":
        source = "aclnnMoeInitRoutingQuant, parameters: x"
        raise TypeError(f"x: dtype {x.dtype} must be a float [{source}]")
    outputs = moe_init_routing.formula(x, row_idx, expert_idx, active_num=active_num)
    one = (np.array([value], np.float32) for value in (scale, offset))
    return {**outputs, "expanded_x": static(outputs["expanded_x"], *one)}
