"""MoeGatingTopKBackward as plain loops, in Python's floats."""

from __future__ import annotations

import math
from typing import Any

from tests.definitions._gating import check_rows, has_blocks, plain


def moe_gating_top_k_backward(
    x_norm: Any,
    grad_y: Any,
    expert_idx: Any,
    *,
    renorm: int = 0,
    norm_type: int = 1,
    routed_scaling_factor: float = 1.0,
    eps: float = 1e-20,
) -> list[list[float]]:
    """Return grad_x, as many rows and columns as x_norm has.

    Sources: [A] "aclnnMoeGatingTopKBackward", sections "功能说明" (formulas 1 to 4), "参数说明",
    "返回值" and "约束说明"; [R] README "MoeGatingTopKBackward" of the same folder (defaults).

    Where the documents are ambiguous or silent:
     1. The sums' order and precision are unsaid. Chosen: over p, ascending, from 0.0, and no
        rounding to an output type.
     2. Of an expert that no index names, the sum of step 3 has no term. Chosen: 0.0, so that its
        gradient is a zero of either sign.
     3. An expert that two indices of a row name has two terms. Chosen: as written, their sum; its
        xNorm is then in D twice.
     4. Indices outside of the experts are unsaid. Chosen: ValueError.
     5. renorm is "预留参数" and in no formula; 0 and 1 are explained. Chosen: either has no effect,
        and another one is a ValueError.
     6. normType 0 is named, and "当前仅支持1". Chosen: another than 1 is a ValueError.
     7. Values of xNorm are those of a sigmoid by the text, and by no rule. Chosen: any number; one
        that makes D 0, or a result no number, is a ValueError.
     8. "out的数据类型与xNorm不一致" is an error by "返回值", while "参数说明" has the data type of
        gradY. Chosen: no data type here.
     9. The limits of N and K are those of one product in "约束说明", and of all in "参数说明".
        Chosen: 2 to 2048 experts and 1 to N indices, always.
    """
    x_norm, grad_y, expert_idx = plain(x_norm), plain(grad_y), plain(expert_idx)
    if not x_norm or has_blocks(x_norm) or not 2 <= len(x_norm[0]) <= 2048:
        raise ValueError("x_norm is empty, or has not two axes, the last of 2 to 2048")
    check_rows(x_norm)
    experts = len(x_norm[0])
    if renorm not in (0, 1) or norm_type != 1:
        raise ValueError("renorm or norm_type is out of range")
    if not len(x_norm) == len(grad_y) == len(expert_idx):
        raise ValueError("there is not one line of gradients and indices for each row")
    k = len(grad_y[0])
    if not 1 <= k <= experts or any(len(line) != k for line in [*grad_y, *expert_idx]):
        raise ValueError("lines of gradients and indices differ, or are not of 1 to all experts")
    grad_x = []
    for row, grad, chosen in zip(x_norm, grad_y, expert_idx, strict=True):
        if any(not 0 <= expert < experts for expert in chosen):
            raise ValueError("an index names no expert")
        scaled = [routed_scaling_factor * value for value in grad]
        total = 0.0
        for expert in chosen:
            total = total + row[expert]
        divisor = total + eps
        if divisor == 0:
            raise ValueError("the sum of the values chosen and eps is 0")
        beta = 0.0
        for p in range(k):
            beta = beta + row[chosen[p]] / divisor * scaled[p]
        grad_norm = [0.0] * experts
        for p in range(k):
            grad_norm[chosen[p]] = grad_norm[chosen[p]] + (scaled[p] - beta) / divisor
        line = [row[j] * (1 - row[j]) * grad_norm[j] for j in range(experts)]
        if any(math.isnan(value) for value in line):
            raise ValueError("a result is no number")
        grad_x.append(line)
    return grad_x
