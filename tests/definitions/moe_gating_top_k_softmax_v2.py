"""MoeGatingTopKSoftmaxV2 as plain loops, in Python's floats."""

from __future__ import annotations

from typing import Any

from tests.definitions._gating import check_rows, has_blocks, plain, softmax, top_k


def moe_gating_top_k_softmax_v2(
    x: Any,
    finished: Any = None,
    *,
    k: int,
    renorm: int = 0,
    output_softmax_result_flag: bool = False,
) -> dict[str, Any]:
    """Return y and expert_idx (... x k), and softmax_result (as x; None if it is not written).

    renorm 0: y, expert_idx = topK(softmax(x)); renorm 1: y = softmax(topK(x)).

    Sources: [R] README "MoeGatingTopKSoftmaxV2", sections "功能说明" (formulas), "参数说明" and
    "约束说明"; [A] "aclnnMoeGatingTopKSoftmaxV2" of the same folder, sections "功能说明",
    "参数说明" and "返回值"; [H] hiascend, CANN 8.0.0, the same page, section "参数说明".

    Where the documents are ambiguous or silent:
     1. [A] has 0 <= k, and an error for k below 0; [H] has 0 < k. Chosen: 0 is allowed, and gives
        rows without columns. Above 1024, or above the last axis of x: ValueError.
     2. The order of the k values is unsaid. Chosen: the greatest first.
     3. Which of equal scores topK takes is unsaid. Chosen: the lower expert first.
     4. With renorm 0 topK is over the softmax. Different x may be equal there: both underflow, or
        they differ by less than a rounding. Chosen: as the formula says, over the softmax.
     5. A finished row has num_expert for its experts; its y and its softmax are unsaid. [A] has
        finished as "表示该行是否参与运算" (whether the row takes part), and True for a row that is
        finished. Chosen: True is finished; y and softmax as for any other row.
     6. How softmax is computed is unsaid. Chosen: less the greatest element, from 0.0 in ascending
        order, a quotient each, no rounding to an output type.
     7. -inf is unsaid. Chosen: weight 0, by the formula. If the greatest element that a softmax
        sees is infinite, the formula has no number. Chosen: ValueError.
     8. NaN is unsaid. Chosen: ValueError, in a finished row too.
     9. The softmax is not written ("不输出") with renorm 1, or a flag of false. Whether its tensor
        may then be null is unsaid. Chosen: None.
    10. How finished belongs to three axes is unsaid. Chosen: finished[i][j] is of row x[i][j].
    11. Empty inputs are unsaid. Chosen: no row gives []; without experts k is 0.
    """
    x, finished = plain(x), plain(finished)
    if finished is not None and len(finished) != len(x):
        raise ValueError("finished has another shape than the rows of x")
    marks = [None] * len(x) if finished is None else finished
    written = renorm == 0 and output_softmax_result_flag
    if has_blocks(x):
        how: dict[str, Any] = {
            "k": k,
            "renorm": renorm,
            "output_softmax_result_flag": output_softmax_result_flag,
        }
        blocks = [moe_gating_top_k_softmax_v2(*pair, **how) for pair in zip(x, marks, strict=True)]
        return {
            "y": [block["y"] for block in blocks],
            "expert_idx": [block["expert_idx"] for block in blocks],
            "softmax_result": [block["softmax_result"] for block in blocks] if written else None,
        }
    check_rows(x)
    num_expert = len(x[0]) if x else 0
    if not 0 <= k <= 1024 or (x and k > num_expert):
        raise ValueError("k is below 0, above 1024, or above the number of experts")
    if renorm not in (0, 1):
        raise ValueError("renorm is neither 0 nor 1")
    y, expert_idx, softmax_result = [], [], []
    for row, mark in zip(x, marks, strict=True):
        scores = softmax(row) if renorm == 0 else row
        experts = top_k(scores, k)
        values = [scores[expert] for expert in experts]
        y.append(values if renorm == 0 else softmax(values))
        expert_idx.append([num_expert] * k if mark else experts)
        softmax_result.append(scores)
    return {
        "y": y,
        "expert_idx": expert_idx,
        "softmax_result": softmax_result if written else None,
    }
