"""MoeFinalizeRoutingV4 as plain loops: which row each slot stands for, then V2's sum."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from tests.definitions._gating import plain
from tests.definitions.moe_finalize_routing_v2 import moe_finalize_routing_v2


def moe_finalize_routing_v4(
    expanded_x: Any,
    expanded_row_idx: Any,
    x1: Any = None,
    x2: Any = None,
    bias: Any = None,
    scales: Any = None,
    expert_idx: Any = None,
    x: Any = None,
    alpha1: Any = None,
    alpha2: Any = None,
    v: Any = None,
    *,
    drop_pad_mode: int = 0,
    zero_expert_range: Any = None,
    copy_expert_range: Any = None,
    constant_expert_range: Any = None,
    k: int = 1,
) -> list[list[Any]]:
    """Return out (num_rows x H): x1 + x2 + sum over the slots of scales * (term + bias).

    The term of a slot is its row of expanded_x; x[i] for a copy expert; for a constant expert
    alpha1[c] * x[i] + alpha2[c] * v[c]; a zero expert is passed over.

    Source: "aclnnMoeFinalizeRoutingV4" of ops-transformer, "功能说明", "参数说明", "约束说明".

    Where the document is ambiguous or silent:
     1. All that [moe_finalize_routing_v2] lists, but for K without scales: it is k.
     2. The equation says "out(i, j) = ..." in each branch. Chosen: each slot has a branch of its
        own, and all add to one sum. Its copy and constant branches sum k = 1..K, the other 0..K.
        Chosen: K slots.
     3. "skip" of a zero expert: chosen to leave out its bias, too. Copy and constant experts have
        one, as the equation says.
     4. How the expert picks its row of alpha1, alpha2 and v is unsaid; these have as many rows as
        the range has experts. Chosen: id - start.
     5. Whether the index of a zero, copy or constant expert names a row is unsaid. Chosen: unread.
     6. A range must be of values above 0, and end at most at "expertIdxOptional的最大值", which
        excludes the expert 0, or the last one. Chosen: 0 <= start < end <= E, [start, end), with
        a bias for E experts.
     7. Ranges are not marked optional. Chosen: None is no expert.
     8. What a range without expertIdx means, or a copy or constant one without what it reads, is
        unsaid. Chosen: ValueError. What nothing reads has no effect.
     9. k of 0 or less without scales: unsaid. Chosen: ValueError. With scales only k > 1 counts.
    """
    idx, weights, experts = plain(expanded_row_idx), plain(scales), plain(expert_idx)
    ranges = [zero_expert_range, copy_expert_range, constant_expert_range]
    given = sorted(tuple(one) for one in ranges if one is not None)
    if any(len(one) != 2 or not 0 <= one[0] < one[1] for one in given):
        raise ValueError("a range is none")
    if any(one[1] > other[0] for one, other in pairwise(given)):
        raise ValueError("ranges overlap")
    if given and (experts is None or (bias is not None and given[-1][1] > len(bias))):
        raise ValueError("a range needs expert_idx, and ends within the bias")
    if k < 1 if weights is None else k > 1 and any(len(line) != k for line in weights):
        raise ValueError("k is none, or not that of scales")
    top_k = k if weights is None else len(weights[0]) if weights else 1
    num_rows = len(idx) // top_k
    zero, copy, constant = (range(*one) if one is not None else range(0) for one in ranges)
    x, alpha1, alpha2, v = plain(x), plain(alpha1), plain(alpha2), plain(v)
    parts = (alpha1, alpha2, v)
    if ((copy or constant) and x is None) or (
        constant and any(part is None or len(part) != len(constant) for part in parts)
    ):
        raise ValueError("x, or what constant experts read, lacks or has another length")
    drop_pad, by_column = drop_pad_mode in (1, 3), drop_pad_mode in (0, 1)
    table = plain(expanded_x)
    rows = [row for block in (table if drop_pad else [table]) for row in block]
    names, passed_over = list(idx), []
    for i in range(num_rows if given else 0):
        for slot, expert in enumerate(experts[i]):
            place = i + slot * num_rows if by_column else i * top_k + slot
            if expert in zero:
                passed_over.append(place)
            if expert in copy:
                names[place] = len(rows)
                rows.append(x[i])
            if expert in constant:
                a1, a2, added = (part[expert - constant.start] for part in parts)
                names[place] = len(rows)
                rows.append([p * q + r * s for p, q, r, s in zip(a1, x[i], a2, added, strict=True)])
    for place in passed_over:
        names[place] = -1 if drop_pad else len(rows)
    return moe_finalize_routing_v2(
        [rows] if drop_pad else rows,
        names,
        x1,
        x2,
        bias,
        weights,
        [[0] * top_k] * num_rows if experts is None else experts,
        drop_pad_mode=drop_pad_mode,
    )
