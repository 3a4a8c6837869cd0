"""MoeInitRoutingV2 as plain loops over lists."""

from __future__ import annotations

from typing import Any


def moe_init_routing_v2(
    x: Any,
    expert_idx: Any,
    *,
    active_num: int = 0,
    expert_capacity: int = 0,
    expert_num: int = 0,
    drop_pad_mode: int = 0,
    count_or_cumsum_flag: int = 0,
    before_capacity_flag: bool = False,
) -> dict[str, list[Any]]:
    """Return expanded_x, expanded_row_idx and, where they exist, the two count outputs.

    expanded_x is rows x H, and E x C x H in drop/pad mode. The count outputs are named
    expert_tokens_count_or_cumsum and expert_tokens_before_capacity.

    Sources: [R] README "MoeInitRoutingV2", sections "功能说明" (formulas 1 to 5), "参数说明"
    (table) and "约束说明"; [A] hiascend, CANN 8.0.0.alpha001, "aclnnMoeInitRoutingV2", "功能描述",
    which says the same; [P] "aclnnMoeInitRoutingV2" of ops-transformer, "参数说明".

    Where the documents are ambiguous or silent:
     1. expertIdx is 2-D, and how it becomes one list is unsaid. Formula 3, sortedRowIdx
        % numRows, fits column by column; MoeInitRoutingV2Grad reads the row indices of token i at
        i * K + t, which fits row by row. Chosen: row by row; the token of a slot is slot // K.
     2. Formula 3 is for "前numRows个" slots, which leaves most of NUM_ROWS * K out. Chosen: all.
     3. Order of equal experts and direction: unsaid. Chosen: ascending, the earlier slot first.
     4. activeNum is "是否为Active场景" (a flag), and the number of rows is unsaid. Chosen: if it is
        above 0, the first min(activeNum, NUM_ROWS * K) rows; the row indices are not changed.
     5. activeNum with drop/pad: no formula. Chosen: no effect, beyond being >= 0.
     6. Drop/pad has words and no formula. Chosen: expert e keeps the first C of its slots in sorted
        order, in rows e * C + c; other rows are int 0s.
     7. Row indices with drop/pad are unsaid; formula 2 gives ranks, which name no row of E x C.
        Chosen: e * C + c, and -1 for a dropped slot.
     8. Formula 4 is always a cumulative sum; the table has flag 1 for that and 2 for counts.
        Chosen: the table, the sum including the expert itself.
     9. Which mode has which count: the first is "Dropless模式下", the second "Drop模式下". [P] has
        the flags of any mode, and each output "仅在" its own: in the other mode it is absent,
        whatever its flag. Chosen: active mode counts every slot.
    10. Length of the counts: unsaid. Chosen: expertNum, which must then be above 0.
    11. Experts outside [0, expertNum) are unsaid. Chosen: a ValueError if negative, and if at or
        above an expertNum that is above 0.
    12. numRows must be above expertCapacity; no formula needs it. Chosen: not looked at.
    13. Empty inputs are unsaid. Chosen: empty lists; with drop/pad a ValueError, as H is not told.
    """
    rows = x.tolist() if hasattr(x, "tolist") else x
    chosen = expert_idx.tolist() if hasattr(expert_idx, "tolist") else expert_idx
    lines = [list(e) if isinstance(e, (list, tuple)) else [e] for e in chosen]
    if len(lines) != len(rows) or any(len(line) != len(lines[0]) for line in lines):
        raise ValueError("there are not as many experts for each row of x")
    if drop_pad_mode not in (0, 1) or count_or_cumsum_flag not in (0, 1, 2) or active_num < 0:
        raise ValueError("drop_pad_mode, count_or_cumsum_flag or active_num is out of range")
    if drop_pad_mode == 1 and (expert_num <= 0 or expert_capacity <= 0 or not rows):
        raise ValueError("drop/pad needs rows, expert_num and expert_capacity")
    experts: list[int] = [expert for line in lines for expert in line]
    if any(expert < 0 or 0 < expert_num <= expert for expert in experts):
        raise ValueError("an expert is out of range")
    top_k = len(lines[0]) if lines else 0
    order: list[int] = []  # the slots, in sorted order
    for expert in sorted(set(experts)):
        for slot in range(len(experts)):
            if experts[slot] == expert:
                order.append(slot)
    counts = [0] * expert_num
    if expert_num > 0:
        for expert in experts:
            counts[expert] += 1
    expanded_row_idx = [-1] * len(experts)
    if drop_pad_mode == 1:
        blocks: list[Any] = [
            [[0] * len(rows[0]) for _ in range(expert_capacity)] for _ in range(expert_num)
        ]
        taken = [0] * expert_num
        for slot in order:
            expert = experts[slot]
            if taken[expert] < expert_capacity:
                blocks[expert][taken[expert]] = list(rows[slot // top_k])
                expanded_row_idx[slot] = expert * expert_capacity + taken[expert]
                taken[expert] += 1
        outputs = {"expanded_x": blocks, "expanded_row_idx": expanded_row_idx}
        if before_capacity_flag:
            outputs["expert_tokens_before_capacity"] = counts
        return outputs
    for i in range(len(order)):
        expanded_row_idx[order[i]] = i
    kept = order[:active_num] if active_num > 0 else order
    expanded_x = [list(rows[slot // top_k]) for slot in kept]
    outputs = {"expanded_x": expanded_x, "expanded_row_idx": expanded_row_idx}
    if count_or_cumsum_flag == 0:
        return outputs
    if expert_num <= 0:
        raise ValueError("counts need expert_num")
    if count_or_cumsum_flag == 1:
        for e in range(1, expert_num):
            counts[e] += counts[e - 1]
    return {**outputs, "expert_tokens_count_or_cumsum": counts}
