"""MoeTokenUnpermute as plain loops, with the element type's own arithmetic."""

from __future__ import annotations

from typing import Any


def moe_token_unpermute(
    permuted_tokens: Any,
    sorted_indices: Any,
    probs: Any = None,
) -> list[list[Any]]:
    """Return out (tokens x hidden): out[i] = sum over j of probs[i][j] * row idx[i * K + j].

    Sources: [R] README "MoeTokenUnpermute", sections "功能说明" (formulas), "参数说明" (table) and
    "约束说明"; [A] hiascend, CANN 8.5.0.alpha002, "aclnnMoeTokenUnpermute", section "参数说明"
    (shapes, range of sortedIndices).

    Where the documents are ambiguous or silent:
     1. T[k] = T[S[k]] has the same name on both sides; done in place, it would read rows that it
        has just replaced. Chosen: every row is read as it was given.
     2. P[i][j] is multiplied by T[k], and how i, j and k go together is unsaid. Chosen:
        k = i * topK + j, which the limits of the sum require.
     3. topK is no parameter. Chosen: the second axis of probs, 1 without probs, at most 512.
     4. Without probs the formula has no sum. Chosen: rows are moved, as they are.
     5. Order and precision of the sum and the sign of zero are unsaid. Chosen: from int 0,
        ascending j, no rounding of a product or to an output type.
     6. [A] has tokens_num * topK_num rows and indices below that. The forward permutation may cut
        its tail, whose ranks then name no row. Chosen: an index that is not below the number of
        rows adds nothing, and without probs gives a row of int 0s.
     7. Negative indices are outside the range of [A]. Chosen: ValueError.
     8. Repeated indices are excluded in [A] and not in [R]. Chosen: each occurrence reads.
     9. paddedMode and restoreShape have one supported value each, and no formula has them. Chosen:
        no parameters.
    10. Empty inputs are unsaid. Chosen: no index gives []; permuted tokens without rows are a
        ValueError, as nested lists do not then tell hidden.
    """

    def plain(values: Any) -> Any:
        return values.tolist() if hasattr(values, "tolist") else values

    rows, idx, weights = plain(permuted_tokens), plain(sorted_indices), plain(probs)
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        raise ValueError("the permuted tokens have no rows, or rows of different lengths")
    if any(source < 0 for source in idx):
        raise ValueError("a negative index names no row")
    if weights is None:
        return [list(rows[s]) if s < len(rows) else [0] * len(rows[0]) for s in idx]
    top_k = len(weights[0]) if weights else 1
    if not 1 <= top_k <= 512 or any(len(line) != top_k for line in weights):
        raise ValueError("probs have no columns, more than 512, or lines of different lengths")
    if len(idx) != len(weights) * top_k:
        raise ValueError("there is not one index for each of probs")
    out: list[list[Any]] = []
    for i in range(len(weights)):
        total: list[Any] = [0] * len(rows[0])
        for j in range(top_k):
            source = idx[i * top_k + j]
            if source >= len(rows):
                continue
            for h in range(len(total)):
                total[h] = total[h] + rows[source][h] * weights[i][j]
        out.append(total)
    return out
