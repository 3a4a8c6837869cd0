"""MoeInitRoutingV3 as plain loops over lists."""

from __future__ import annotations

import struct
from typing import Any

from tests.definitions._gating import plain


def moe_init_routing_v3(
    x: Any,
    expert_idx: Any,
    scale: Any = None,
    offset: Any = None,
    *,
    active_num: int = 0,
    expert_capacity: int = 0,
    expert_num: int = 0,
    drop_pad_mode: int = 0,
    expert_tokens_num_type: int = 0,
    expert_tokens_num_flag: bool = False,
    quant_mode: int = -1,
    active_expert_range: Any = None,
    row_idx_type: int = 0,
) -> dict[str, list[Any]]:
    """Return expanded_x, expanded_row_idx, and the outputs that are written: expanded_scale and
    expert_tokens_count_or_cumsum. None stands for a row or number that nobody writes.

    Source: "aclnnMoeInitRoutingV3" of ops-transformer, "功能说明", "参数说明", "约束说明",
    without the parts of Ascend 950.

    Where the document is ambiguous or silent:
     1. How expertIdx becomes one list, and the order of equal experts: as [moe_init_routing_v2].
     2. Where experts outside the range are sorted. "前availableIdxNum个元素" are those
        in the range. Chosen: the others come last.
     3. Row indices of type 0: "前availableIdxNum个元素为有效数据", the others -1; the formula puts
        the index of slot p at p. Chosen: -1 at each slot whose expert is outside the range.
     4. activeNum keeps as many rows; whether it changes indices or counts is unsaid. Chosen: no.
        The document wants 0 or more; -1 is taken as 0, as an operator's attribute has it.
     5. "前缀和" of type 0. Chosen: the sum includes the expert itself.
     6. Type 2 is "非0的expert" beside its count. Chosen: pairs in ascending order of the experts,
        numbered in [0, expertNum), then pairs of 0.
     7. Drop/pad has words and no formula. Chosen: expert e keeps the first C of its slots in sorted
        order in rows e * C + c, which are also their indices; -1 for a dropped slot. Other rows and
        their scales are 0, and no offset is added to them.
     8. Counts with drop/pad: before or after dropping is unsaid. Chosen: before, as in V2.
     9. Dynamic quantisation divides x, where the maximum is of abs(x * scale). Chosen: x * scale in
        both, as the quotient need not be within 127 otherwise.
    10. "round" and the precision of each step are unsaid. Chosen: fp32 for each product, sum and
        quotient; the nearest integer, of two the even one; at most 127, at least -128.
    11. A row of zeros has the scale 0, and 0 / 0. Chosen: 0s.
    12. Which row of scale a slot has. Chosen: expert - start; the only row if there is one.
    13. Without quantisation scale is [NUM_ROWS], and what becomes of it is unsaid. Chosen: each row
        has that of its token, and a row of drop/pad without a token 0.
    """
    rows, chosen, factors = plain(x), plain(expert_idx), plain(scale)
    start, end = active_expert_range or (0, expert_num)
    padded = drop_pad_mode == 1
    if active_num < -1 or quant_mode not in (-1, 0, 1) or not 0 <= start < end <= expert_num:
        raise ValueError("active_num, quant_mode or active_expert_range is out of range")
    if padded and (row_idx_type != 0 or (start, end) != (0, expert_num) or not rows):
        raise ValueError("drop/pad needs rows, all experts and row indices of type 0")
    if quant_mode == 0 and (scale is None or offset is None):
        raise ValueError("static quantisation needs scale and offset")
    experts = [expert for line in chosen for expert in line]
    top_k = len(chosen[0]) if chosen else 0
    order: list[int] = []  # the slots of the range, in sorted order
    counts = [0] * (end - start)
    for expert in sorted(set(experts)):
        for slot in range(len(experts)):
            if start <= expert < end and experts[slot] == expert:
                order.append(slot)
                counts[expert - start] += 1
    found: dict[str, list[Any]] = {"expanded_row_idx": [None] * len(experts)}
    if row_idx_type == 0:
        found["expanded_row_idx"] = [-1] * len(experts)
    total = len(experts) if active_num <= 0 else min(active_num, len(experts))
    places: list[int | None] = [None] * (expert_num * expert_capacity if padded else total)
    taken = [0] * expert_num
    for rank in range(len(order)):
        slot, place = order[rank], rank
        if padded:
            expert = experts[slot]
            place = expert * expert_capacity + taken[expert]
            taken[expert] += 1
            if taken[expert] > expert_capacity:
                continue
        if place < len(places):
            places[place] = slot
        if row_idx_type == 0:
            found["expanded_row_idx"][slot] = place
        else:
            found["expanded_row_idx"][rank] = slot
    if expert_tokens_num_flag:
        if expert_tokens_num_type == 2:
            pairs = [[start + j, counts[j]] for j in range(end - start) if counts[j] > 0]
            counts_out: list[Any] = pairs + [[0, 0]] * (expert_num - len(pairs))
        elif expert_tokens_num_type == 0:
            counts_out = [sum(counts[: j + 1]) for j in range(end - start)]
        else:
            counts_out = counts
        found["expert_tokens_count_or_cumsum"] = counts_out
    expanded: list[Any] = []
    scales: list[Any] = []
    for at in places:
        row, factor = [0] * len(rows[0]) if padded else None, 0 if padded else None
        if at is not None:
            row, factor = list(rows[at // top_k]), None
            if quant_mode == 0:
                row = [quantised(fp32(fp32(v * factors[0]) + plain(offset)[0])) for v in row]
            elif quant_mode == 1:
                if factors is not None:
                    of = factors[experts[at] - start if len(factors) > 1 else 0]
                    row = [fp32(v * f) for v, f in zip(row, of, strict=True)]
                factor = fp32(max([abs(v) for v in row], default=0) / 127)
                row = [quantised(fp32(v / factor)) if factor else 0 for v in row]
            elif factors is not None:
                factor = factors[at // top_k]
        expanded.append(row)
        scales.append(factor)
    if padded:
        size = expert_capacity
        expanded = [expanded[e * size : (e + 1) * size] for e in range(expert_num)]
    found["expanded_x"] = expanded
    if quant_mode == 1 or (quant_mode == -1 and factors is not None):
        found["expanded_scale"] = scales
    return found


def fp32(number: float) -> float:
    """The nearest fp32 number, in a float of 64 bits."""
    return float(struct.unpack("f", struct.pack("f", number))[0])


def quantised(number: float) -> int:
    """The nearest integer, of two the even one, within an int8."""
    return max(-128, min(127, round(number)))
