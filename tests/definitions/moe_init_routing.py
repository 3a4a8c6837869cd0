"""MoeInitRouting as plain loops over lists."""

from __future__ import annotations

from typing import Any


def moe_init_routing(
    x: Any, row_idx: Any, expert_idx: Any, *, active_num: int
) -> dict[str, list[Any]]:
    """Return expanded_x, expanded_row_idx and expanded_expert_idx, as lists.

    Sources: [A] hiascend, CANN 8.1.RC1.beta1, "aclnnMoeInitRouting", sections "功能描述" (formulas)
    and "参数说明"; [P] hiascend, Ascend Extension for PyTorch 6.0.RC2, "npu_moe_init_routing".

    Where the documents are ambiguous or silent:
     1. How the two tables become lists is unsaid. Chosen: row by row, both in the same way.
     2. Order of equal experts and direction: unsaid. Chosen: ascending, the earlier place first.
     3. activeNum is "总的最大处理row数" (a number of rows), but the shape of expandedXOut has
        min(NUM_ROWS, activeNum) * k rows. Chosen: the shape, so activeNum counts tokens.
     4. activeNum of 0: chosen by the shape, no row. Negative ones have no meaning: a ValueError.
     5. Whether activeNum cuts the two outputs of integers is unsaid; their shape is NUM_ROWS * K.
        Chosen: it does not.
     6. rowIdx counts from 0 and rises along axis 1, says [A]; the example of [P] rises along axis 0
        ([[0, 3], [1, 4], [2, 5]]). The formulas need a number for each place, and no more. Chosen:
        any permutation of 0 to NUM_ROWS * K - 1, else a ValueError.
     7. Range of experts: unsaid. Chosen: any integer, negative ones too.
     8. Empty inputs are unsaid. Chosen: empty lists.
    """
    rows = x.tolist() if hasattr(x, "tolist") else x
    named = row_idx.tolist() if hasattr(row_idx, "tolist") else row_idx
    chosen = expert_idx.tolist() if hasattr(expert_idx, "tolist") else expert_idx
    if len(named) != len(rows) or [len(line) for line in named] != [len(line) for line in chosen]:
        raise ValueError("there are not as many row indices and experts for each row of x")
    if active_num < 0:
        raise ValueError("active_num is below 0")
    values: list[int] = [value for line in named for value in line]
    experts: list[int] = [expert for line in chosen for expert in line]
    if sorted(values) != list(range(len(values))):
        raise ValueError("row_idx is no permutation")
    sorted_experts: list[int] = []
    sorted_values: list[int] = []
    for expert in sorted(set(experts)):
        for place in range(len(experts)):
            if experts[place] == expert:
                sorted_experts.append(expert)
                sorted_values.append(values[place])
    expanded_row_idx = [0] * len(values)
    for i in range(len(values)):
        expanded_row_idx[sorted_values[i]] = i
    top_k = len(named[0]) if named else 0
    expanded_x = []
    for i in range(min(len(rows), active_num) * top_k):
        expanded_x.append(rows[sorted_values[i] % len(rows)])
    return {
        "expanded_x": expanded_x,
        "expanded_row_idx": expanded_row_idx,
        "expanded_expert_idx": sorted_experts,
    }
