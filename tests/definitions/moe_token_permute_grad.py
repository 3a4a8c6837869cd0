"""MoeTokenPermuteGrad as plain loops, with the element type's own arithmetic."""

from __future__ import annotations

from typing import Any


def moe_token_permute_grad(
    permuted_output_grad: Any,
    sorted_indices: Any,
    *,
    num_topk: int,
    padded_mode: int,
) -> list[list[Any]]:
    """Return out (tokens x hidden): out[i] = sum over t in [0, K) of row idx[i * K + t].

    Source: 003_99a992a2a6d19cd0, "MoeTokenPermuteGrad", sections "功能说明" (equations),
    "aclnnMoeTokenPermuteGradGetWorkspaceSize" (shapes, ranges) and "约束说明".

    Where the document is ambiguous or silent:
     1. indexSelect, reshape(-1, topK, hiddenSize), sum(dim=1): entry i * K + t is slot t of token
        i. The order and precision of the sum and the sign of zero are unsaid. Chosen: from int 0,
        ascending t, no rounding to an output type.
     2. permutedOutputGrad is (tokens_num * topK_num, hidden_size), so every index names a row. The
        forward operator may drop the tail of its list ("numOutTokens" there), whose ranks then
        name no row. Chosen: an index that is not below the number of rows adds nothing.
     3. Negative indices are unsaid; indexSelect does not count from the end. Chosen: ValueError.
     4. Repeated indices are not excluded. Chosen: each occurrence adds.
     5. numTopk has an upper bound, 512, and no lower one. Chosen: at least 1, a divisor of the
        number of indices, else reshape fails.
     6. paddedMode: "目前仅支持false"; what true would do is unsaid. Chosen: it has no effect, since
        no equation has it.
     7. Empty inputs are unsaid. Chosen: no index gives []; a gradient without rows is a ValueError,
        as nested lists do not then tell hidden.
    """
    rows = permuted_output_grad
    rows = rows.tolist() if hasattr(rows, "tolist") else rows
    idx = sorted_indices.tolist() if hasattr(sorted_indices, "tolist") else sorted_indices
    if not 1 <= num_topk <= 512 or len(idx) % num_topk != 0 or padded_mode not in (0, 1):
        raise ValueError("num_topk, padded_mode or the index length is out of range")
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        raise ValueError("the gradient has no rows, or rows of different lengths")
    out: list[list[Any]] = []
    for i in range(len(idx) // num_topk):
        total: list[Any] = [0] * len(rows[0])
        for t in range(num_topk):
            source = idx[i * num_topk + t]
            if source < 0:
                raise ValueError(f"index {source} names no row of the gradient")
            if source >= len(rows):
                continue
            for h in range(len(total)):
                total[h] = total[h] + rows[source][h]
        out.append(total)
    return out
