"""MoeInitRoutingQuantV2 as plain loops over lists."""

from __future__ import annotations

from typing import Any

from tests.definitions._gating import plain
from tests.definitions.moe_init_routing_v2 import moe_init_routing_v2
from tests.definitions.moe_init_routing_v3 import fp32, quantised


def moe_init_routing_quant_v2(
    x: Any,
    expert_idx: Any,
    scale: Any = None,
    offset: Any = None,
    *,
    quant_mode: int = 0,
    **routing: Any,
) -> dict[str, list[Any]]:
    """Return expanded_x, expanded_row_idx, and the outputs that are written: the two counts and
    dynamic_quant_scale. ``routing`` are the attributes of [moe_init_routing_v2], by its names.

    Source: "aclnnMoeInitRoutingQuantV2" of ops-transformer, "功能说明", "参数说明".

    Where the document is ambiguous or silent:
     1. Sort, row indices, counts, drop/pad: as [moe_init_routing_v2]; formula 6 has i // K.
     2. "round" and the precision of each step are unsaid. Chosen: fp32 for each product, sum and
        quotient; the nearest integer, of two the even one; at most 127, at least -128.
     3. "不足的会用0填充": an int 0, to which no offset is added; the scale of such a row is 0.
     4. A row of zeros has the scale 0, and 0 / 0. Chosen: 0s.
     5. Which row of scale [expertNum, H] a row has. Chosen: that of its expert.
     6. Where dynamicQuantScaleOutOptional has the scale of a row of drop/pad. Chosen: at the row's
        number among all rows of all experts.
    """
    rows, experts = plain(x), [expert for line in plain(expert_idx) for expert in line]
    factors, added = plain(scale), plain(offset)
    if quant_mode not in (0, 1):
        raise ValueError("quant_mode is out of range")
    if quant_mode == 0 and (scale is None or offset is None):
        raise ValueError("static quantisation needs scale and offset")
    found = moe_init_routing_v2(rows, expert_idx, **routing)
    padded = routing.get("drop_pad_mode") == 1
    top_k = len(experts) // len(rows) if rows else 0
    width = len(found["expanded_x"][0]) if padded else 1
    count = len(found["expanded_x"]) * width
    expanded: list[Any] = [[0] * (len(rows[0]) if rows else 0) for _ in range(count)]
    scales: list[float] = [0.0] * count
    for slot, place in enumerate(found["expanded_row_idx"]):
        if not 0 <= place < count:
            continue
        row = list(rows[slot // top_k])
        if quant_mode == 0:
            row = [quantised(fp32(fp32(v * factors[0]) + added[0])) for v in row]
        else:
            if factors is not None:
                of = factors[experts[slot] if len(factors) > 1 else 0]
                row = [fp32(v * f) for v, f in zip(row, of, strict=True)]
            size = fp32(max([abs(v) for v in row], default=0) / 127)
            scales[place] = size
            row = [quantised(fp32(v / size)) if size else 0 for v in row]
        expanded[place] = row
    if padded:
        expanded = [expanded[at : at + width] for at in range(0, count, width)]
    found["expanded_x"] = expanded
    return {**found, "dynamic_quant_scale": scales} if quant_mode == 1 else found
