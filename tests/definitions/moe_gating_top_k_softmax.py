"""MoeGatingTopKSoftmax as plain loops, in Python's floats."""

from __future__ import annotations

from typing import Any

from tests.definitions._gating import check_rows, has_blocks, plain, softmax, top_k


def moe_gating_top_k_softmax(x: Any, finished: Any = None, *, k: int) -> dict[str, Any]:
    """Return y, expert_idx and row_idx (... x k): y, expert_idx = topK(softmax(x)).

    row_idx[i][j] = j * rows + i.

    Sources: [R] README "MoeGatingTopKSoftmax", sections "功能说明" (formulas), "参数说明" and
    "约束说明"; [A] "aclnnMoeGatingTopKSoftmax" of the same folder, sections "功能说明",
    "参数说明", "返回值" and "约束说明"; [T] hiascend, Ascend Extension for PyTorch 6.0.0,
    "torch_npu.npu_moe_gating_top_k_softmax", section "参数说明".

    Where the documents are ambiguous or silent:
     1. [A] has 0 <= k, and an error for k below 0; [T] has 0 < k. Chosen: 0 is allowed, and gives
        rows without columns. Above 1024, or above the last axis of x: ValueError.
     2. The order of the k values is unsaid. Chosen: the greatest first.
     3. Which of equal scores topK takes is unsaid. Chosen: the lower expert first. Scores are those
        of the softmax, in which different x may be equal.
     4. A finished row has num_expert for its experts ("直接填"); its y is unsaid. [A] has finished
        as "表示该行是否参与运算" (whether the row takes part), [T] as the rows that do take part,
        and both have True for a row that is finished. Chosen: True is finished; y and row_idx as
        for any other row.
     5. rowIdxOut is arange(shape[0] * shape[1]).reshape([shape[1], shape[0]]).transpose(1, 0) of
        expertIdxOut: two axes, while x may have three, and row_idx then too. The formula does not
        give as many elements then. Chosen: the rows of all blocks are counted through.
     6. [A] says of rowIdxOut that it tells the row that a place came from, and by the formula each
        element is another. Chosen: the formula; element modulo the number of rows is the row.
     7. How softmax is computed is unsaid. Chosen: less the greatest element, from 0.0 in ascending
        order, a quotient each, no rounding to an output type.
     8. -inf is unsaid. Chosen: weight 0, by the formula. If the greatest element of a row is
        infinite, the formula has no number. Chosen: ValueError.
     9. NaN is unsaid. Chosen: ValueError, in a finished row too.
    10. Bounds of single products (aligned experts, no finished, row_idx of zeros; at most 2048
        experts) are no part of the operator. Chosen: not checked, not followed.
    11. How finished belongs to three axes is unsaid. Chosen: finished[i][j] is of row x[i][j].
    12. Empty inputs are unsaid. Chosen: no row gives []; without experts k is 0.
    """
    x, finished = plain(x), plain(finished)
    blocks = x if has_blocks(x) else [x]
    if finished is None:
        marks = [[False] * len(block) for block in blocks]
    else:
        marks = finished if has_blocks(x) else [finished]
    if [len(block) for block in blocks] != [len(block) for block in marks]:
        raise ValueError("finished has another shape than the rows of x")
    check_rows([row for block in blocks for row in block])
    count = sum(len(block) for block in blocks)
    y: list[Any] = []
    expert_idx: list[Any] = []
    row_idx: list[Any] = []
    number = 0
    for block, block_marks in zip(blocks, marks, strict=True):
        for listed in (y, expert_idx, row_idx):
            listed.append([])
        for row, mark in zip(block, block_marks, strict=True):
            if not 0 <= k <= min(len(row), 1024):
                raise ValueError("k is below 0, above 1024, or above the number of experts")
            scores = softmax(row)
            experts = top_k(scores, k)
            y[-1].append([scores[expert] for expert in experts])
            expert_idx[-1].append([len(row)] * k if mark else experts)
            row_idx[-1].append([place * count + number for place in range(k)])
            number += 1
    found = {"y": y, "expert_idx": expert_idx, "row_idx": row_idx}
    return found if has_blocks(x) else {name: listed[0] for name, listed in found.items()}
