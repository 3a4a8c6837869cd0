"""MoeFinalizeRoutingV2Grad as plain loops, with the element type's own arithmetic."""

from __future__ import annotations

from typing import Any


def moe_finalize_routing_v2_grad(
    grad_y: Any,
    expanded_row_idx: Any,
    expanded_x: Any = None,
    scales: Any = None,
    expert_idx: Any = None,
    bias: Any = None,
    *,
    drop_pad_mode: int = 0,
    active_num: int = 0,
    expert_num: int = 0,
    expert_capacity: int = 0,
) -> tuple[list[Any], list[list[Any]] | None]:
    """Return grad_expanded_x (rows x H, or E x C x H) and grad_scales (R x K) or None.

    Sources: [R] README "MoeFinalizeRoutingV2Grad", sections "功能说明" (formulas 1 to 3) and
    "参数说明" (table); [A] hiascend, CANN 8.3.RC1.alpha001, "aclnnMoeFinalizeRoutingV2Grad",
    section "功能说明", which says the same.

    Where the documents are ambiguous or silent:
     1. Index i belongs to token i / K here, while the forward formula reads i + k * num_rows.
        Chosen: as written, the row-by-row arrangement (forward modes 2 and 3), in every mode.
     2. "j : 0 ~ H" is H + 1 values. Chosen: 0..H-1.
     3. scalesOptional[i], expertIdxOptional[i] and gradScalesOut[i] have one index into (R, K).
        Chosen: row i / K, column i % K; grad_scales is (R, K).
     4. i / K: chosen to be the quotient without remainder; K is len(idx) / R, exactly.
     5. dropPadMode is "不同的场景" without values. Chosen: 0 dropless or active, 1 drop/pad.
     6. Rows of gradExpandedXOut: activeNum is the greatest number of them. Chosen: if it is above 0
        and there is no drop/pad, min(activeNum, R * K), else R * K; with drop/pad E x C.
     7. How a 1-D index addresses E x C x H is unsaid. Chosen: row-major, e * C + c.
     8. Dropped slots: unsaid. Chosen: -1 with drop/pad, and an index at or above the number of rows
        if active. They assign no row, and their grad_scales is int 0, with a bias too.
     9. Other indices outside of the rows: unsaid. Chosen: ValueError.
    10. Rows that no index names: unsaid. Chosen: int 0s.
    11. Repeated indices would assign one row twice. Chosen: ValueError.
    12. gradScalesOut without scales: no formula. Chosen: None. bias is then not read.
    13. scales without expandedX, bias without expertIdx: unsaid. Chosen: ValueError.
    14. The sum's axis, order and precision are unsaid. Chosen: over j, ascending, from int 0, no
        rounding of a product or to an output type.
    15. Empty inputs are unsaid. Chosen: a grad_y without rows is a ValueError.
    """

    def plain(values: Any) -> Any:
        return values.tolist() if hasattr(values, "tolist") else values

    grad, idx, biases = plain(grad_y), plain(expanded_row_idx), plain(bias)
    given, weights, experts = plain(expanded_x), plain(scales), plain(expert_idx)
    drop_pad, active = drop_pad_mode == 1, drop_pad_mode == 0 and active_num > 0
    if drop_pad_mode not in (0, 1) or active_num < 0 or not grad or len(idx) % len(grad) != 0:
        raise ValueError("drop_pad_mode, active_num or the index length is out of range")
    if drop_pad and (expert_num <= 0 or expert_capacity <= 0):
        raise ValueError("drop/pad needs expert_num and expert_capacity")
    top_k, hidden = len(idx) // len(grad), len(grad[0])
    num_rows = min(active_num, len(idx)) if active else len(idx)
    num_rows = expert_num * expert_capacity if drop_pad else num_rows
    rows: list[Any] = []
    if weights is not None:
        if given is None or (biases is not None and experts is None):
            raise ValueError("scales need expanded_x, and bias needs expert_idx")
        rows = [row for block in (given if drop_pad else [given]) for row in block]
        if len(rows) != num_rows:
            raise ValueError("expanded_x has another number of rows")
    grad_rows: list[list[Any]] = [[0] * hidden for _ in range(num_rows)]
    grad_scales: list[list[Any]] = [[0] * top_k for _ in grad]
    stored = set()
    for i in range(len(idx)):
        row, token, slot = idx[i], i // top_k, i % top_k
        if (drop_pad and row == -1) or (active and row >= num_rows):
            continue
        if not 0 <= row < num_rows or row in stored:
            raise ValueError(f"index {row} names no row, or one that another names")
        stored.add(row)
        for h in range(hidden):
            if weights is None:
                grad_rows[row][h] = grad[token][h]
                continue
            grad_rows[row][h] = grad[token][h] * weights[token][slot]
            term = rows[row][h]
            if biases is not None:
                term = term + biases[experts[token][slot]][h]
            grad_scales[token][slot] = grad_scales[token][slot] + term * grad[token][h]
    grad_expanded_x: list[Any] = grad_rows
    if drop_pad:
        c = expert_capacity
        grad_expanded_x = [grad_rows[e * c : (e + 1) * c] for e in range(expert_num)]
    return grad_expanded_x, None if weights is None else grad_scales
