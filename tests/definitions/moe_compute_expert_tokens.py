"""MoeComputeExpertTokens as plain loops over lists."""

from __future__ import annotations

from typing import Any


def moe_compute_expert_tokens(sorted_experts: Any, *, num_experts: int) -> list[int]:
    """Return out as a list.

    Sources: [A] hiascend, "aclnnMoeComputeExpertTokens", sections "功能描述", "参数说明" and
    "约束说明".

    Where the document is ambiguous or silent:
     1. "The last row that each expert handles" is counted from 1, by the document's example.
     2. An expert without rows has the last row of those before it, and 0 without any.
    """
    if not 0 < num_experts <= 2048 or len(sorted_experts) >= 2**24:
        raise ValueError("num_experts or the number of entries is out of range")
    out = []
    row = 0
    for expert in range(num_experts):
        while row < len(sorted_experts) and sorted_experts[row] <= expert:
            row += 1
        out.append(row)
    return out
