"""MoeFinalizeRoutingV2 as plain loops, with the element type's own arithmetic."""

from __future__ import annotations

from typing import Any


def moe_finalize_routing_v2(
    expanded_x: Any,
    expanded_row_idx: Any,
    x1: Any = None,
    x2: Any = None,
    bias: Any = None,
    scales: Any = None,
    expert_idx: Any = None,
    *,
    drop_pad_mode: int = 0,
) -> list[list[Any]]:
    """Return out (num_rows x H): x1 + x2 + sum over k of scales * (row of expanded_x + bias).

    Sources: [R] README "MoeFinalizeRoutingV2", sections "功能说明" (formula) and "参数说明"
    (table); [A] hiascend, CANN 8.0.0.alpha003, "aclnnMoeFinalizeRoutingV2", section "参数说明"
    (shapes, range of expandedRowIdx by dropPadMode), and CANN 8.5.0, the same page.

    Where the documents are ambiguous or silent:
     1. The sum runs k = 0..K inclusive, which is K + 1 terms. Chosen: k = 0..K-1.
     2. dropPadMode is "expandedRowIdx的排列方式" without a list of values; [A] names 0 and 2
        together, and 1 and 3. The formula has one arrangement, i + k * num_rows. Chosen: that for
        0 and 1, i * K + k for 2 and 3; 0 and 2 are dropless (2-D), 1 and 3 drop/pad (E x C x H).
     3. How a 1-D index addresses E x C x H is unsaid. Chosen: row-major, e * C + c.
     4. The mark of a dropped slot is unsaid here. Chosen: -1, only with drop/pad.
     5. What a dropped slot adds is unsaid. Chosen: nothing, its bias neither, as no expert has
        seen the token there.
     6. [A] has NUM_ROWS * K rows when dropless; the backward operator has activeNum rows as well.
        Chosen: when dropless an index at or above the number of rows adds nothing, as 5.
     7. Other indices outside of the rows: unsaid. Chosen: ValueError.
     8. num_rows and K are no parameters, and every input that has them is optional. Chosen: from
        scales, else expertIdx, else the rows of x1, else of x2, else K = 1.
     9. An absent x1, x2 or bias: chosen to add nothing; absent scales: weight 1, no product.
    10. bias without expertIdx: unsaid. Chosen: ValueError. expertIdx without bias gives K only.
    11. Repeated indices are not excluded. Chosen: each occurrence adds.
    12. Order and precision of the sums are unsaid. Chosen: from int 0, x1, x2, ascending k, no
        rounding of a product or to an output type.
    13. Empty inputs are unsaid. Chosen: no index gives []; no rows of expandedX are a ValueError.
    """

    def plain(values: Any) -> Any:
        return values.tolist() if hasattr(values, "tolist") else values

    given, idx, skips = plain(expanded_x), plain(expanded_row_idx), [plain(x1), plain(x2)]
    biases, weights, experts = plain(bias), plain(scales), plain(expert_idx)
    if drop_pad_mode not in (0, 1, 2, 3):
        raise ValueError("drop_pad_mode is out of range")
    drop_pad = drop_pad_mode in (1, 3)
    rows: list[Any] = [row for block in (given if drop_pad else [given]) for row in block]
    if not rows or any(not isinstance(v, (list, tuple)) for v in rows):
        raise ValueError("expanded_x has no rows, or another rank")
    if any(len(v) != len(rows[0]) or any(isinstance(e, (list, tuple)) for e in v) for v in rows):
        raise ValueError("expanded_x has another rank, or rows of different lengths")
    shapes = [len(values) for values in (weights, experts, *skips) if values is not None]
    num_rows = shapes[0] if shapes else len(idx)
    top_k = len(idx) // max(num_rows, 1)
    if num_rows * top_k != len(idx) or any(length != num_rows for length in shapes):
        raise ValueError("the inputs differ in their number of rows")
    for lines in (weights, experts):
        if lines is not None and any(len(line) != top_k for line in lines):
            raise ValueError("scales or expert_idx have not K columns")
    if biases is not None and experts is None:
        raise ValueError("bias needs expert_idx")
    out: list[list[Any]] = []
    for i in range(num_rows):
        total: list[Any] = [0] * len(rows[0])
        for skip in skips:
            for h in range(len(total)):
                total[h] = total[h] if skip is None else total[h] + skip[i][h]
        for k in range(top_k):
            source = idx[i + k * num_rows] if drop_pad_mode in (0, 1) else idx[i * top_k + k]
            if (drop_pad and source == -1) or (not drop_pad and source >= len(rows)):
                continue
            if not 0 <= source < len(rows):
                raise ValueError(f"index {source} names no row of expanded_x")
            for h in range(len(total)):
                term = rows[source][h]
                if biases is not None:
                    term = term + biases[experts[i][k]][h]
                total[h] = total[h] + (term if weights is None else weights[i][k] * term)
        out.append(total)
    return out
