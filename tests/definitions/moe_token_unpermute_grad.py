"""MoeTokenUnpermuteGrad as plain loops, with the element type's own arithmetic."""

from __future__ import annotations

from typing import Any


def moe_token_unpermute_grad(
    permuted_tokens: Any,
    unpermuted_tokens_grad: Any,
    sorted_indices: Any,
    probs: Any = None,
) -> tuple[list[list[Any]], list[list[Any]] | None]:
    """Return permuted_tokens_grad (rows x hidden) and probs_grad (tokens x K) or None.

    Sources: [R] README "MoeTokenUnpermuteGrad", sections "功能说明" (formulas), "参数说明" (table)
    and "约束说明"; [A] hiascend, CANN 8.3.RC1.alpha001, "aclnnMoeTokenUnpermuteGrad" (formulas),
    and CANN 8.5.0.alpha002, "aclnnMoeTokenUnpermute" (shapes, range of sortedIndices).

    Where the documents are ambiguous or silent:
     1. [R] calls it the backward of itself, "aclnnMoeTokenUnpermuteGrad". Chosen: as [A], of
        aclnnMoeTokenUnpermute.
     2. The sum over unpermutedTokens_{i,j,k} runs k = 0..K inclusive, and the axis k is hidden, not
        topK. Chosen: all of hidden, once.
     3. unpermutedTokens is assigned three times. Chosen: in that order; nothing else reads it.
     4. "unpermutedOutputGrad", without probs, is no parameter. Chosen: unpermutedTokensGrad.
     5. topK_num is no parameter. Chosen: the second axis of probs, 1 without probs, at most 512.
     6. Rows that no index names are unsaid. Chosen: int 0s. There are as many rows as in
        permutedTokens, of which nothing else is read without probs. Where it is None, as without
        probs it may be, there is one for each index.
     7. Repeated indices would assign one row twice. Chosen: ValueError.
     8. Indices at or above the number of rows are unsaid; in the forward operator they are ranks
        whose rows were cut. Chosen: no row is assigned, and the gradient of that prob is int 0.
        Negative ones are a ValueError.
     9. Order and precision of the sum are unsaid. Chosen: from int 0, ascending hidden, no rounding
        of a product or to an output type.
    10. Empty inputs are unsaid. Chosen: permuted tokens without rows are a ValueError.
    """

    def plain(values: Any) -> Any:
        return values.tolist() if hasattr(values, "tolist") else values

    rows, grad = plain(permuted_tokens), plain(unpermuted_tokens_grad)
    idx, weights = plain(sorted_indices), plain(probs)
    if rows is None and weights is None:
        rows = [[0] * len(line) for line in grad]  # one slot to a token
    if not rows or any(len(row) != len(rows[0]) for row in [*rows, *grad]):
        raise ValueError("the permuted tokens have no rows, or lengths differ")
    top_k = 1 if not weights else len(weights[0])
    if not 1 <= top_k <= 512 or len(idx) != len(grad) * top_k:
        raise ValueError("there is not one index for each token and prob")
    if weights is not None and [len(line) for line in weights] != [top_k] * len(grad):
        raise ValueError("there is not one line of probs for each token")
    permuted_tokens_grad: list[list[Any]] = [[0] * len(rows[0]) for _ in rows]
    probs_grad: list[list[Any]] = [[0] * top_k for _ in grad]
    stored = set()
    for i in range(len(idx)):
        if idx[i] < 0 or idx[i] in stored:
            raise ValueError(f"index {idx[i]} is negative or occurs twice")
        stored.add(idx[i])
        if idx[i] >= len(rows):
            continue
        token, slot = i // top_k, i % top_k
        if weights is None:
            permuted_tokens_grad[idx[i]] = list(grad[token])
            continue
        for h in range(len(rows[0])):
            permuted_tokens_grad[idx[i]][h] = grad[token][h] * weights[token][slot]
            product = grad[token][h] * rows[idx[i]][h]
            probs_grad[token][slot] = probs_grad[token][slot] + product
    return permuted_tokens_grad, None if weights is None else probs_grad
