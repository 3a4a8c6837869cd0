"""MoeTokenPermuteWithEp as plain loops over lists."""

from __future__ import annotations

from typing import Any


def moe_token_permute_with_ep(
    tokens: Any,
    indices: Any,
    probs: Any = None,
    *,
    rank_range: Any = None,
    num_out_tokens: int = 0,
    padded_mode: bool = False,
) -> dict[str, list[Any]]:
    """Return permute_tokens, sorted_indices and, with probs, permute_probs, as lists.

    Source: 004_a58d120e6f26608d, "aclnnMoeTokenPermuteWithEp", sections "功能说明" (formulas),
    "参数说明" (parameters) and "约束说明" (constraints).

    Where the document is ambiguous or silent:
     1. The second formula reads argSort(sortedIndices), a name that is assigned nowhere; the first
        one assigns sortedIndicesFirst. Chosen: sortedIndices = argSort(sortedIndicesFirst), which
        is the rank of each index in the sorted order.
     2. Equal indices: the order is unsaid. Chosen: the earlier slot has the lower rank.
     3. Direction: unsaid. Chosen: ascending.
     4. topK is used but is no parameter. Chosen: indices per token, so that i // topK is a token.
     5. "rangeOptional[0]" and "range[0]" both occur. Chosen: the same number.
     6. Rows of the outputs: unsaid. Chosen: end - start rows; None stands in a row that no slot
        has, which happens where end is more than the number of indices.
     7. range[0] >= range[1]: literally no slot lies in it. Chosen: no row.
     8. Without a range: "有效输出token数，在rangeOptional为空时生效". Chosen: range
        [0, numOutTokens). Negative values are unsaid: a ValueError.
     9. permuteProbsOut with paddedMode: no formula. Chosen: a ValueError where probs are given.
    10. range and numOutTokens with paddedMode: not in the formula. Chosen: without effect.
    11. "routingMap" in the constraints is no parameter of this operator. Chosen: ignored.
    12. The table gives tokens, probs and outputs three types each, but does not say that they are
        the same. Chosen: values are moved, and a type is not looked at.
    """
    token_rows = tokens.tolist() if hasattr(tokens, "tolist") else tokens
    experts: list[int] = []
    for entry in indices.tolist() if hasattr(indices, "tolist") else indices:
        experts += entry if isinstance(entry, list) else [entry]
    weights: list[Any] | None = None
    if probs is not None:
        weights = []
        for entry in probs.tolist() if hasattr(probs, "tolist") else probs:
            weights += entry if isinstance(entry, list) else [entry]
    if padded_mode:
        if weights is not None:
            raise ValueError("probs have no formula in padded mode")
        return {
            "permute_tokens": [token_rows[index] for index in experts],
            "sorted_indices": list(experts),
        }
    if token_rows and len(experts) % len(token_rows) != 0:
        raise ValueError("the indices are not as many for each token")
    if weights is not None and len(weights) != len(experts):
        raise ValueError("there is not one probability for each index")
    start, end = (0, num_out_tokens) if rank_range is None else rank_range
    if start < 0 or end < start:
        raise ValueError("the range is none of ranks")
    top_k = len(experts) // len(token_rows) if token_rows else 0
    ranks = [0] * len(experts)
    for rank, i in enumerate(sorted(range(len(experts)), key=lambda i: (experts[i], i))):
        ranks[i] = rank
    permute_tokens: list[Any] = [None] * (end - start)
    permute_probs: list[Any] = [None] * (end - start)
    for i in range(len(experts)):
        if start <= ranks[i] < end:
            permute_tokens[ranks[i] - start] = token_rows[i // top_k]
            if weights is not None:
                permute_probs[ranks[i] - start] = weights[i]
    outputs = {"permute_tokens": permute_tokens, "sorted_indices": ranks}
    return outputs if weights is None else {**outputs, "permute_probs": permute_probs}
