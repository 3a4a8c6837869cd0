"""MoeInitRoutingV2Grad as plain loops, with the element type's own arithmetic."""

from __future__ import annotations

from typing import Any


def moe_init_routing_v2_grad(
    grad_expanded_x: Any,
    expanded_row_idx: Any,
    *,
    top_k: int,
    drop_pad_mode: int,
    active_num: int,
) -> list[list[Any]]:
    """Return grad_x (num_rows x H): grad_x[i] = sum over t in [0, K) of row idx[i * K + t].

    Sources: [R] 000_1dc65ac75da822ce, "MoeInitRoutingV2Grad", sections "功能说明" (formula) and
    "参数说明"; [A] 002_a3bdbd0c37499ee0, "aclnnMoeInitRoutingV2Grad", sections "功能描述" (formula)
    and "aclnnMoeInitRoutingV2GradGetWorkspaceSize" (shapes, ranges). Unlabelled quotes: [A].

    Modes and shapes ("gradExpandedX", "dropPadMode", "activeNum"); idx is 1-D, num_rows * K long:
      drop_pad_mode 0, active_num 0   dropless: gradient R x H, every slot names a row.
      drop_pad_mode 0, active_num > 0 active: gradient active_num x H; slots >= active_num dropped.
      drop_pad_mode 1                 drop/pad: gradient E x C x H; slots equal to -1 dropped.

    Where the documents are ambiguous or silent:
     1. Both formulas run t = 0..K inclusive, which is K + 1 terms and overruns the last token.
        Chosen: t = 0..K-1, because idx has K entries per token.
     2. "加权求和" (weighted sum) in [R] and [A], but no weight is an input. Chosen: plain sum.
     3. K "能被expandedRowIdx的0轴大小整除" says literally that len(idx) divides K. Chosen: the
        reverse, which [NUM_ROWS*K] requires; num_rows = len(idx) / K.
     4. The 2-D gradient is "[NUM_ROWS, H]", as is the output, which cannot hold NUM_ROWS*K slots.
        Chosen: output num_rows = len(idx) / K; the gradient's row count is free when dropless
        and every index must fall inside it.
     5. Which rank goes with which mode is unsaid. Chosen: 2-D with 0, 3-D with 1, since E and C
        belong to drop/pad.
     6. How a 1-D index addresses [E, C, H] is unsaid. Chosen: row-major, e * C + c.
     7. The mark of a dropped slot is unsaid. Chosen: -1 and only -1, only in drop/pad mode; it
        cannot name a row. Any other index outside the gradient is a ValueError.
     8. Active mode keeps active_num rows while idx keeps NUM_ROWS*K entries; the rest is unsaid.
        Chosen: an index >= active_num is dropped, as its row does not exist. active_num may
        exceed len(idx); the spare rows are then unused.
     9. active_num > 0 with drop/pad: "0轴大小必须等于activeNum值" would then bound E, which makes
        no sense. Chosen: active_num has no effect in drop/pad mode, beyond being >= 0.
    10. Repeated indices are not excluded. Chosen: each occurrence adds, as the formula reads.
    11. Order and precision of the sum and the sign of zero are unsaid. Chosen: from int 0,
        ascending t, no rounding to an output type; a token with every slot dropped gives int 0s.
    12. Empty inputs are unsaid. Chosen: empty idx gives []; a gradient without rows is a
        ValueError, as nested lists do not then tell H.
    13. [R] gives no ranges and says active_num marks "是否为Active场景" (a flag); [A] gives K > 0,
        drop_pad_mode in [0, 1], active_num >= 0 as a row count. Chosen: [A], the narrower text.
    """
    grad = grad_expanded_x.tolist() if hasattr(grad_expanded_x, "tolist") else grad_expanded_x
    idx = expanded_row_idx.tolist() if hasattr(expanded_row_idx, "tolist") else expanded_row_idx
    if top_k <= 0 or drop_pad_mode not in (0, 1) or active_num < 0 or len(idx) % top_k != 0:
        raise ValueError("top_k, drop_pad_mode, active_num or the index length is out of range")
    rows: list[Any] = []
    for block in grad if drop_pad_mode == 1 else [grad]:
        if drop_pad_mode == 1 and len(block) != len(grad[0]):
            raise ValueError("experts differ in capacity")
        for row in block:
            if not isinstance(row, (list, tuple)) or any(isinstance(v, (list, tuple)) for v in row):
                raise ValueError("the gradient's rank does not fit drop_pad_mode")
            rows.append(row)
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        raise ValueError("the gradient has no rows, or rows of different lengths")
    active = drop_pad_mode == 0 and active_num > 0
    if active and len(rows) != active_num:
        raise ValueError("active_num differs from the gradient's row count")
    out: list[list[Any]] = []
    for i in range(len(idx) // top_k):
        total: list[Any] = [0] * len(rows[0])
        for t in range(top_k):
            source = idx[i * top_k + t]
            if (drop_pad_mode == 1 and source == -1) or (active and source >= active_num):
                continue
            if not 0 <= source < len(rows):
                raise ValueError(f"index {source} names no row of the gradient")
            for h in range(len(total)):
                total[h] = total[h] + rows[source][h]
        out.append(total)
    return out
