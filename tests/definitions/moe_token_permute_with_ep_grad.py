"""MoeTokenPermuteWithEpGrad as plain loops, with the element type's own arithmetic."""

from __future__ import annotations

from typing import Any


def moe_token_permute_with_ep_grad(
    permuted_tokens_output_grad: Any,
    sorted_indices: Any,
    permuted_probs_output_grad: Any = None,
    *,
    num_topk: int,
    rank_range: Any = None,
    padded_mode: bool = False,
) -> tuple[list[list[Any]], list[list[Any]] | None]:
    """Return token_grad (tokens x hidden) and probs_grad (tokens x K) or None.

    Sources: [R] README "MoeTokenPermuteWithEpGrad", sections "功能说明" (formulas), "参数说明"
    (table) and "约束说明"; [A] hiascend, CANN 8.5.0, "aclnnMoeTokenPermuteWithEpGrad", section
    "功能说明" (formulas), and CANN 8.2.RC1, the same page, "参数说明" (shapes).

    Where the documents are ambiguous or silent:
     1. [R] keeps the indices "rangeOptional[0]<=i<rangeOptional[1]" and selects rows by them. That
        compares a position, leaves fewer indices than the reshape needs, and takes rows from
        range[0] on, where the forward operator's rows start at 0. [A] compares sortedIndices[i],
        takes row sortedIndices[i] - range[0], and else 0. Chosen: [A].
     2. probsGradOut has no formula. Chosen: that of the forward operator turned round: entry i is
        value sortedIndices[i] - range[0] of the probs' gradient, and int 0 outside the range.
     3. Shape of probsGradOut: unsaid. Chosen: (tokens, numTopk).
     4. Without a range, probs' gradient is ignored and the operator is MoeTokenPermuteGrad. Chosen:
        range [0, rows), so that an index at or above the number of rows adds nothing; None.
     5. [A] has (range[1] - range[0]) * topK_num rows, the forward operator range[1] - range[0].
        Chosen: their number is not looked at, but an index inside the range whose row or prob is
        not there is a ValueError.
     6. range[0] < 0 or range[1] < range[0]: unsaid. Chosen: ValueError, as in the forward operator.
     7. Negative indices are unsaid. Chosen: ValueError, as they are no ranks.
     8. Repeated indices are not excluded. Chosen: each occurrence adds.
     9. Order and precision of the sum are unsaid. Chosen: from int 0, ascending slot, no rounding
        to an output type.
    10. top_k has an upper bound, 512, and no lower one. Chosen: at least 1, a divisor of the number
        of indices.
    11. paddedMode true is not supported, and no formula has it. Chosen: it has no effect.
    12. Empty inputs are unsaid. Chosen: no index gives []; a gradient without rows is a ValueError.
    """

    def plain(values: Any) -> Any:
        return values.tolist() if hasattr(values, "tolist") else values

    rows, idx = plain(permuted_tokens_output_grad), plain(sorted_indices)
    probs = None if rank_range is None else plain(permuted_probs_output_grad)
    if not 1 <= num_topk <= 512 or len(idx) % num_topk != 0 or padded_mode not in (0, 1):
        raise ValueError("num_topk, padded_mode or the index length is out of range")
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        raise ValueError("the gradient has no rows, or rows of different lengths")
    start, end = (0, len(rows)) if rank_range is None else plain(rank_range)
    if start < 0 or end < start:
        raise ValueError("the range is none of ranks")
    token_grad: list[list[Any]] = []
    probs_grad: list[list[Any]] = []
    for i in range(len(idx) // num_topk):
        total: list[Any] = [0] * len(rows[0])
        line: list[Any] = [0] * num_topk
        for t in range(num_topk):
            rank = idx[i * num_topk + t]
            if rank < 0:
                raise ValueError(f"index {rank} is no rank")
            if not start <= rank < end:
                continue
            source = rank - start
            if source >= len(rows) or (probs is not None and source >= len(probs)):
                raise ValueError(f"index {rank} is in the range and names no row of the gradient")
            for h in range(len(total)):
                total[h] = total[h] + rows[source][h]
            if probs is not None:
                line[t] = probs[source]
        token_grad.append(total)
        probs_grad.append(line)
    return token_grad, None if probs is None else probs_grad
