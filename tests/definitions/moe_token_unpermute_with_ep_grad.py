"""MoeTokenUnpermuteWithEpGrad as plain loops, with the element type's own arithmetic."""

from __future__ import annotations

from typing import Any


def moe_token_unpermute_with_ep_grad(
    unpermuted_tokens_grad: Any,
    sorted_indices: Any,
    permuted_tokens: Any = None,
    probs: Any = None,
    *,
    topk_num: int,
    rank_range: Any = None,
    padded_mode: Any = False,
    restore_shape: Any = None,
) -> tuple[list[list[Any]], list[list[Any]] | None]:
    """Return permuted_tokens_grad (rows x hidden) and probs_grad (tokens x K) or None.

    Source: the document "aclnnMoeTokenUnpermuteWithEpGrad", sections "功能说明" (formulas),
    "参数说明" (table), "返回值" (statuses) and "调用示例" (one call).

    Where the document is ambiguous or silent:
     1. With probs it stores at sortedIndices[i], without at sortedIndices[i] - range[0]; rows are
        read at the latter. Chosen: the latter, always.
     2. The sum of probsGrad runs k = 0..topkNum inclusive, and the axis k is hidden. Chosen: all of
        hidden, once.
     3. Shapes have tokens * topkNum rows. Chosen: as many as permuted tokens, of which there is one
        at least for each index in the range; without them, as many as indices in the range.
     4. Rows that no index names are unsaid. Chosen: int 0s.
     5. Repeated indices would assign one row twice. Chosen: ValueError.
     6. A negative bound is unsaid. Chosen: it counts from the number of indices, and both bounds
        are then held to 0 and that number. A range that ends before it begins is an error by the
        statuses.
     7. Without a range ("takes no effect") all indices count.
     8. topkNum without probs is 1 by the table. Chosen: another one is a ValueError.
     9. Order and precision of the sum are unsaid. Chosen: from int 0, ascending hidden, no rounding
        of a product or to an output type.
    10. paddedMode and restoreShape have one supported value each. Chosen: no effect.
    """

    def plain(values: Any) -> Any:
        return values.tolist() if hasattr(values, "tolist") else values

    grad, idx = plain(unpermuted_tokens_grad), plain(sorted_indices)
    tokens, weights = plain(permuted_tokens), plain(probs)
    if weights is not None and tokens is None:
        raise ValueError("there are probs and no permuted tokens")
    if topk_num != (1 if weights is None else len(weights[0])) or not 1 <= topk_num <= 512:
        raise ValueError("topk_num is not the number of probs of a token")
    if len(idx) != len(grad) * topk_num:
        raise ValueError("there is not one index for each token and prob")
    start, end = 0, len(idx)
    if rank_range is not None:
        bounds = [bound + len(idx) if bound < 0 else bound for bound in plain(rank_range)]
        start, end = (min(max(bound, 0), len(idx)) for bound in bounds)
        if end < start:
            raise ValueError("the range ends before it begins")
    rows = end - start if tokens is None else len(tokens)
    permuted_tokens_grad: list[list[Any]] = [[0] * len(grad[0]) for _ in range(rows)]
    probs_grad: list[list[Any]] = [[0] * topk_num for _ in grad]
    stored = set()
    for i in range(len(idx)):
        if idx[i] < 0 or idx[i] in stored:
            raise ValueError(f"index {idx[i]} is negative or occurs twice")
        stored.add(idx[i])
        if not start <= idx[i] < end:
            continue
        row, token, slot = idx[i] - start, i // topk_num, i % topk_num
        if row >= rows:
            raise ValueError(f"index {idx[i]} is in the range and names no row")
        if weights is None:
            permuted_tokens_grad[row] = list(grad[token])
            continue
        for h in range(len(grad[0])):
            permuted_tokens_grad[row][h] = grad[token][h] * weights[token][slot]
            product = grad[token][h] * tokens[row][h]
            probs_grad[token][slot] = probs_grad[token][slot] + product
    return permuted_tokens_grad, None if weights is None else probs_grad
