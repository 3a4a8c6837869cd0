"""MoeTokenUnpermuteWithEp as plain loops, with the element type's own arithmetic."""

from __future__ import annotations

from typing import Any

from tests.definitions.moe_token_unpermute import moe_token_unpermute


def moe_token_unpermute_with_ep(
    permuted_tokens: Any,
    sorted_indices: Any,
    probs: Any = None,
    *,
    num_topk: int = 0,
    rank_range: Any = None,
    padded_mode: Any = False,
    restore_shape: Any = None,
) -> list[list[Any]]:
    """Return out (tokens x hidden): the sum over j of probs[i][j] * row idx[i * K + j] - first,
    of the slots whose index lies in the range from first on.

    Source: the document "aclnnMoeTokenUnpermuteWithEp", sections "功能说明" (formulas),
    "参数说明" (table), "约束说明" and "调用示例" (one call).

    Where the document is ambiguous or silent:
     1. "sortedIndices[range[0]<=i<range[1]]" compares a position. The sample has four rows, range
        {1, 5} and indices 2 0 4 1 5 3: positions 1 to 4 would read rows 4 and 5. Chosen: an index
        in the range is kept, and row index - range[0] is read.
     2. An index outside the range is unsaid. Chosen: its slot adds nothing, and its prob is not
        read.
     3. The table has (range[1] - range[0]) * topK rows, the sample range[1] - range[0]. Chosen:
        their number is not looked at, but an index in the range whose row is not there is a
        ValueError.
     4. How i, j and k go together is unsaid. Chosen: k = i * numTopk + j.
     5. range[1] <= range[0] is unsaid. Chosen: no index is in it, and all rows are int 0s.
     6. Without a range the operator is MoeTokenUnpermute, and numTopk is ignored. Chosen: so.
     7. Order and precision of the sum are unsaid. Chosen: from int 0, ascending j, no rounding of a
        product or to an output type.
     8. numTopk has an upper bound, 512, and no lower one. Chosen: at least 1, the number of columns
        of probs, and a divisor of the number of indices.
     9. paddedMode and restoreShape have one supported value each. Chosen: no effect.
    10. Empty tensors are not supported. Chosen: permuted tokens without rows are a ValueError.
    """

    def plain(values: Any) -> Any:
        return values.tolist() if hasattr(values, "tolist") else values

    if rank_range is None:
        return moe_token_unpermute(permuted_tokens, sorted_indices, probs)
    rows, idx, weights = plain(permuted_tokens), plain(sorted_indices), plain(probs)
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        raise ValueError("the permuted tokens have no rows, or rows of different lengths")
    if not 1 <= num_topk <= 512 or len(idx) % num_topk != 0:
        raise ValueError("num_topk or the index length is out of range")
    tokens = len(idx) // num_topk
    if weights is not None and [len(line) for line in weights] != [num_topk] * tokens:
        raise ValueError("there is not one prob for each index")
    start, end = plain(rank_range)
    out: list[list[Any]] = []
    for i in range(tokens):
        total: list[Any] = [0] * len(rows[0])
        for j in range(num_topk):
            source = idx[i * num_topk + j]
            if not start <= source < end:
                continue
            if source - start >= len(rows):
                raise ValueError(f"index {source} is in the range and names no row")
            for h in range(len(total)):
                value = rows[source - start][h]
                total[h] = total[h] + (value if weights is None else value * weights[i][j])
        out.append(total)
    return out
