"""MoeInitRoutingQuant as plain loops over lists."""

from __future__ import annotations

from typing import Any

from tests.definitions._gating import plain
from tests.definitions.moe_init_routing import moe_init_routing
from tests.definitions.moe_init_routing_v3 import fp32, quantised


def moe_init_routing_quant(
    x: Any, row_idx: Any, expert_idx: Any, *, active_num: int, scale: float, offset: float
) -> dict[str, list[Any]]:
    """Return expanded_x, expanded_row_idx and expanded_expert_idx, as lists.

    Source: "aclnnMoeInitRoutingQuant" of ops-transformer, "功能说明", "参数说明".

    Where the document is ambiguous or silent:
     1. Sort, row indices, activeNum: as [moe_init_routing].
     2. "quant" has no formula. Chosen: that of the static quantisation of
        [moe_init_routing_quant_v2], round(x * scale + offset), with its precision and rounding.
     3. scale and offset are of type double, and no step is said to be in double. Chosen: each
        becomes the nearest fp32 number first.
    """
    found = moe_init_routing(plain(x), row_idx, expert_idx, active_num=active_num)
    factor, added = fp32(scale), fp32(offset)
    found["expanded_x"] = [
        [quantised(fp32(fp32(v * factor) + added)) for v in row] for row in found["expanded_x"]
    ]
    return found
