"""MoeInitRoutingQuantV2: tokens copied to the experts that they chose, quantised to int8.

Source: document aclnnMoeInitRoutingQuantV2 (function: equations 1 to 6; parameters; return values).
It sorts, ranks and counts in the words of MoeInitRoutingV2, and has of the values

    quantResult = round((x * scaleOptional) + offsetOptional)                        quantMode 0
    dynamicQuantScaleOutOptional = row_max(abs(x * scaleOptional)) / 127             quantMode 1
    quantResult = round(x * scaleOptional / dynamicQuantScaleOutOptional)
    expandedXOut[expandedRowIdxOut[i]] = quantResult[i // K]

Where it is silent or contradicts itself, this reading was taken:

* The sort, the ranks beyond activeNum, the rows of Drop/Pad mode and the -1 of a dropped slot are
  those of reference/moe_init_routing_v2.py. The parameters give each count one mode, as there.
* A capacity may be that of all tokens: its range is (0, NUM_ROWS].
* "Filled with 0" is an int8 0, to which no offset is added. Its dynamic scale is +0.
* A scale [expertNum, H] has a row for the expert of each slot, which must be one of these.
* The order of rounding is not said. Each product and sum is rounded to float32; what is quantised
  with them: see reference/quantisation.py.
* INT4 is left out.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from reference.init_routing import (
    DYNAMIC,
    STATIC,
    Rows,
    Source,
    check_flag,
    check_numbers,
    check_scale,
    quantised,
    routed,
)
from reference.permutation import check_routed
from reference.rules import reject

_DOCUMENT = "aclnnMoeInitRoutingQuantV2"
_PARAMETERS = f"{_DOCUMENT}, parameters: "
_SOURCE = Source(_PARAMETERS, f"{_PARAMETERS}expertCapacity", full=True)


def rows_of_slots(
    expert_idx: NDArray[Any],
    *,
    active_num: int,
    expert_capacity: int,
    expert_num: int,
    drop_pad_mode: int,
) -> Rows:
    """The rows of the slots of `expert_idx`, with the parameters of `formula`."""
    return routed(
        expert_idx,
        _SOURCE,
        active_num=active_num,
        expert_capacity=expert_capacity,
        expert_num=expert_num,
        drop_pad_mode=drop_pad_mode,
        count_flag=0,
        before_flag=False,
    )[0]


def formula(
    x: NDArray[Any],
    expert_idx: NDArray[Any],
    scale: NDArray[Any] | None = None,
    offset: NDArray[Any] | None = None,
    *,
    active_num: int = 0,
    expert_capacity: int = 0,
    expert_num: int = 0,
    drop_pad_mode: int = 0,
    expert_tokens_count_or_cumsum_flag: int = 0,
    expert_tokens_before_capacity_flag: bool = False,
    quant_mode: int = STATIC,
) -> dict[str, NDArray[Any]]:
    """The document's equations, in float32.

    * `x`: float16, bfloat16 or float32 [NUM_ROWS, H].
    * `expert_idx`: int32 [NUM_ROWS, K], at least 0; below expert_num in Drop/Pad mode, with a count
      or cumsum flag, and with a scale for each expert.
    * `scale`: float32 [1] if static; None, [expert_num, H] or [1, H] if dynamic. `offset`: float32
      [1] if static, else without effect.
    * Other attributes: those of MoeInitRoutingV2, but for a capacity of at most NUM_ROWS.
    * `quant_mode`: STATIC or DYNAMIC.

    Returns expanded_x int8 [rows, H], or [expert_num, expert_capacity, H] in Drop/Pad mode;
    expanded_row_idx int32 [NUM_ROWS * K]; the counts int32 [expert_num] that a flag asks for; if
    dynamic, dynamic_quant_scale float32, one for each row of expanded_x. Raises TypeError for a
    dtype, ValueError for any other argument outside the rules.
    """
    check_routed(x, expert_idx, _DOCUMENT)
    if x.dtype.kind in "iu":
        raise TypeError(f"x: dtype {x.dtype} must be a float [{_PARAMETERS}x]")
    if quant_mode not in (STATIC, DYNAMIC):
        reject("quant_mode", quant_mode, "must be 0 or 1", f"{_PARAMETERS}quantMode")
    numbers = {
        "active_num": active_num,
        "expert_capacity": expert_capacity,
        "expert_num": expert_num,
        "drop_pad_mode": drop_pad_mode,
    }
    flags = expert_tokens_count_or_cumsum_flag, expert_tokens_before_capacity_flag
    check_numbers(_SOURCE, len(x), **numbers)
    check_flag(_SOURCE, flags[0])
    check_scale(scale, offset, quant_mode, x.shape[1], expert_num, _PARAMETERS)
    least, most = expert_idx.min(initial=0), expert_idx.max(initial=-1)
    if least < 0:
        reject("expert_idx", least, "must be at least 0", f"{_PARAMETERS}expertIdx")
    if quant_mode == DYNAMIC and scale is not None and len(scale) > 1 and most >= len(scale):
        rule = f"must lie in [0, {len(scale)}), the rows of scale"
        reject("expert_idx", most, rule, f"{_PARAMETERS}scaleOptional")
    found, outputs = routed(
        expert_idx, _SOURCE, **numbers, count_flag=flags[0], before_flag=flags[1]
    )
    rows, scales = quantised(x, scale, offset, quant_mode, found)
    outputs["expanded_x"] = rows.reshape(*found.shape, x.shape[1])
    outputs["expanded_row_idx"] = found.place
    return outputs if scales is None else {**outputs, "dynamic_quant_scale": scales}
