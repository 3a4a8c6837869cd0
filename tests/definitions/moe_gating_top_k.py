"""MoeGatingTopK as plain loops, in Python's floats."""

from __future__ import annotations

import math
from typing import Any

from tests.definitions._gating import check_rows, has_blocks, plain, softmax, top_k


def moe_gating_top_k(
    x: Any,
    bias: Any = None,
    *,
    k: int,
    k_group: int = 1,
    group_count: int = 1,
    group_select_mode: int = 0,
    renorm: int = 0,
    norm_type: int = 1,
    out_flag: bool = False,
    routed_scaling_factor: float = 1.0,
    eps: float = 1e-20,
) -> dict[str, Any]:
    """Return y and expert_idx (rows x k), and out (as x; None if it is not written).

    Sources: [R] README "MoeGatingTopK", sections "功能说明" (steps of the TopK mode) and
    "约束说明"; [A] "aclnnMoeGatingTopK" of the same folder, sections "功能说明", "参数说明",
    "返回值" and "约束说明"; [O] hiascend, CANN 8.3.RC1, the same page, section "功能说明";
    [T] hiascend, Ascend Extension for PyTorch 7.0.0, "torch_npu.npu_moe_gating_top_k" (defaults).

    Where the documents are ambiguous or silent:
     1. [O] adds the bias to normOut itself, so that y and the third output have it. [A] has it in
        normValue alone. Chosen: [A], the bias chooses and weighs nothing.
     2. The experts' order is unsaid. Chosen: the greatest normValue first, bias and all, so that y
        need not fall.
     3. Which of equal values topK takes is unsaid. Chosen: the lower group, the lower expert first.
        Experts of normValue[groupIdx, :] are in the order of their groups by score; chosen all the
        same: the lower expert of equal ones, and its number in x.
     4. Experts of other groups are -inf in one formula and absent in the next. Chosen: absent, so
        that a bias of -inf does not make them equal.
     5. [A] executes step 3 "仅groupCount > 1", yet bounds kGroup and groupSelectMode always.
        Chosen: the bounds hold always.
     6. How the functions are computed is unsaid. Chosen: softmax less the greatest element; sigmoid
        by the power that does not overflow; softplus as max(x, 0) + log1p(exp(-|x|)) without a
        threshold; sums from 0.0 in the order of the experts chosen; no rounding to an output type.
     7. eps is added to the sum of values chosen, for softmax with renorm 1 too. A sum with eps of 0
        is unsaid. Chosen: ValueError.
     8. renorm is "无效" for normType 1 and 2, yet [R] supports 0 and 1. Chosen: another one is a
        ValueError, and either is the same there.
     9. -inf is unsaid. Chosen: by the functions, 0. +inf: 1 for sigmoid, else no number. Chosen: a
        result that is no number is a ValueError, and so is a NaN in x or bias.
    10. Mode 1 adds the two greatest of a group: of an infinite bias and -inf it is no number.
        Chosen: ValueError.
    11. The hash mode of [R] belongs to another interface. Chosen: no parameters.
    12. The third output is "空" without outFlag. Chosen: None.
    """
    x, bias = plain(x), plain(bias)
    if not x or has_blocks(x) or not x[0]:
        raise ValueError("x is empty, or has not two axes")
    check_rows(x)
    experts = len(x[0])
    if bias is not None and (len(bias) != experts or any(math.isnan(one) for one in bias)):
        raise ValueError("bias has another length than a row of x, or a NaN")
    if group_select_mode not in (0, 1) or renorm not in (0, 1) or norm_type not in (0, 1, 2):
        raise ValueError("group_select_mode, renorm or norm_type is out of range")
    if group_count < 1 or experts % group_count != 0 or not 1 <= k_group <= group_count:
        raise ValueError("the experts do not fall into group_count groups, of which k_group")
    size = experts // group_count
    if size <= group_select_mode or experts > 2048 or (size + 31) // 32 * 32 * group_count > 2048:
        raise ValueError("a group has too few experts, or all have too many")
    if not 1 <= k <= k_group * size:
        raise ValueError("k is below 1, or above the experts of k_group groups")
    y, expert_idx, out = [], [], []
    for row in x:
        norm_out = normalised(row, norm_type)
        norm_value = list(norm_out)
        if bias is not None:
            norm_value = [norm_out[expert] + bias[expert] for expert in range(experts)]
        candidates = list(range(experts))
        if group_count > 1:
            scores = []
            for group in range(group_count):
                values = norm_value[group * size : (group + 1) * size]
                first = [values[place] for place in top_k(values, group_select_mode + 1)]
                scores.append(first[0] if group_select_mode == 0 else first[0] + first[1])
            check_numbers(scores)
            kept = top_k(scores, k_group)
            candidates = [expert for expert in range(experts) if expert // size in kept]
        places = top_k([norm_value[expert] for expert in candidates], k)
        chosen = [candidates[place] for place in places]
        renormed = norm_type != 0 or renorm == 1
        weighted = weights(norm_out, chosen, renormed, routed_scaling_factor, eps)
        y.append(weighted)
        expert_idx.append(chosen)
        out.append(norm_out)
    return {"y": y, "expert_idx": expert_idx, "out": out if out_flag else None}


def normalised(row: list[float], norm_type: int) -> list[float]:
    """normOut of a row of x."""
    if norm_type == 0:
        return softmax(row)
    return [sigmoid(one) if norm_type == 1 else sqrt_softplus(one) for one in row]


def weights(
    norm_out: list[float], chosen: list[int], renormed: bool, factor: float, eps: float
) -> list[float]:
    """yOut of a row, for the experts chosen."""
    gathered = [norm_out[expert] for expert in chosen]
    if renormed:
        total = 0.0
        for value in gathered:
            total = total + value
        if total + eps == 0:
            raise ValueError("the sum of the values chosen and eps is 0")
        gathered = [value / (total + eps) for value in gathered]
    weighted = [value * factor for value in gathered]
    check_numbers(weighted)
    return weighted


def sigmoid(value: float) -> float:
    power = math.exp(-abs(value))
    return 1 / (1 + power) if value >= 0 else power / (1 + power)


def sqrt_softplus(value: float) -> float:
    return math.sqrt(max(value, 0.0) + math.log1p(math.exp(-abs(value))))


def check_numbers(values: list[float]) -> None:
    if any(math.isnan(value) for value in values):
        raise ValueError("a result is no number")
