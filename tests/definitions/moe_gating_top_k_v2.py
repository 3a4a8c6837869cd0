"""MoeGatingTopKV2 as plain loops, in Python's floats."""

from __future__ import annotations

from typing import Any

from tests.definitions._gating import plain
from tests.definitions.moe_gating_top_k import moe_gating_top_k, normalised, weights


def moe_gating_top_k_v2(
    x: Any,
    bias: Any = None,
    input_ids: Any = None,
    tid2eid: Any = None,
    *,
    k: int,
    k_group: int = 1,
    group_count: int = 1,
    **how: Any,
) -> dict[str, Any]:
    """Return y and expert_idx (rows x k), and out (as x; None if it is not written).

    Source: "aclnnMoeGatingTopKV2" of ops-transformer, sections "功能说明" (TopK模式, Hash模式),
    "返回值" and "约束说明".

    Where the document is ambiguous or silent:
     1. All that [moe_gating_top_k] lists; ``how`` are the attributes of both.
     2. "Hash模式需同时提供", else TopK模式: with one alone, that one is chosen to mean nothing.
     3. Whether a row of tid2eid may have an expert twice is unsaid. Chosen: it may, and counts so.
     4. What of an id outside of the table, or of an expert that is none. Chosen: ValueError.
     5. bias is in no step of Hash模式. Chosen: it is checked, and has no effect.
     6. Limits of k and groups of the other mode are listed for both. Chosen: they hold.
    """
    outputs = moe_gating_top_k(x, bias, k=k, k_group=k_group, group_count=group_count, **how)
    if input_ids is None or tid2eid is None:
        return outputs
    x, input_ids, tid2eid = plain(x), plain(input_ids), plain(tid2eid)
    experts = len(x[0])
    if k > 64 or (k_group != group_count and group_count != experts):
        raise ValueError("k is above 64, or some groups of several experts are left out")
    if len(input_ids) != len(x) or any(len(row) != k for row in tid2eid):
        raise ValueError("input_ids has another length than x, or a row of tid2eid than k")
    y, expert_idx = [], []
    for row, token in zip(x, input_ids, strict=True):
        if not 0 <= token < len(tid2eid):
            raise ValueError("an id is no row of tid2eid")
        chosen = tid2eid[token]
        if not all(0 <= expert < experts for expert in chosen):
            raise ValueError("a row of tid2eid names no expert")
        norm_type = how.get("norm_type", 1)
        renormed = norm_type != 0 or how.get("renorm", 0) == 1
        factor, eps = how.get("routed_scaling_factor", 1.0), how.get("eps", 1e-20)
        y.append(weights(normalised(row, norm_type), chosen, renormed, factor, eps))
        expert_idx.append(chosen)
    return {"y": y, "expert_idx": expert_idx, "out": outputs["out"]}
