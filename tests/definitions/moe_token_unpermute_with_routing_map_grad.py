"""MoeTokenUnpermuteWithRoutingMapGrad as plain loops, with the element type's own arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Expert = Callable[[int, int], int]
"""The expert of the place and the row that an index stands at and names."""


def moe_token_unpermute_with_routing_map_grad(
    unpermuted_tokens_grad: Any,
    out_index: Any,
    permute_token_id: Any,
    routing_map: Any = None,
    permuted_tokens: Any = None,
    probs: Any = None,
    *,
    drop_and_pad: int = 0,
    restore_shape: Any = None,
) -> dict[str, list[list[Any]]]:
    """Return permuted_tokens_grad (rows x hidden); with probs probs_grad (tokens x experts).

    Source: [A] ops-transformer, "aclnnMoeTokenUnpermuteWithRoutingMapGrad", sections "Function"
    (formulas and notes), "Parameters" (table) and "Constraints".

    Where the document is ambiguous or silent:
     1. dropAndPad of the prototype is paddedMode of the table.
     2. The sum runs j = 0..hidden_size inclusive. Chosen: all columns, once.
     3. masked_scatter and masked_select of the transposed map list probs expert by expert, which
        are then those of the rows in the order of the forward operator. Chosen, as there: place
        i * topK + j has the prob of the j-th expert of token i, whatever row outIndex names.
     4. probs.view(1)[i] exists for one prob alone. Chosen: if padded, the prob of token
        permuteTokenId[i] for expert outIndex[i] // capacity, whose gradient is stored there.
     5. Token of place i: by the formula permuteTokenId[i]; topK places side by side are one token's
        otherwise. Chosen: a ValueError where the two disagree without padded mode.
     6. A range of outIndex from 0 on, while the forward operator has -1 in unused places. Chosen:
        these are passed over. A place with a row, but no expert, is a ValueError.
     7. Rows that no index names, and probs whose place is passed over: int 0.
     8. A row that is named twice, or a prob that has two rows, would be assigned twice. Chosen:
        ValueError, as for indices outside of their range.
     9. Without probs neither map nor permuted tokens are looked at, restoreShape never.
    10. Order and precision of the sum are unsaid. Chosen: from int 0, ascending columns, no
        rounding of a product or to an output type.
    """

    def plain(values: Any) -> Any:
        return values.tolist() if hasattr(values, "tolist") else values

    grad, idx, ids = (plain(one) for one in (unpermuted_tokens_grad, out_index, permute_token_id))
    marks, rows, weights = plain(routing_map), plain(permuted_tokens), plain(probs)
    if not idx or not grad or len(ids) != len(idx):
        raise ValueError("there are no tokens, no indices, or not one token for each index")
    if not drop_and_pad and ids != [place // (len(idx) // len(grad)) for place in range(len(idx))]:
        raise ValueError("places of a token are not side by side, or not the same number")
    tokens_grad: list[list[Any]] = [[0] * len(grad[0]) for _ in idx]
    found = {"permuted_tokens_grad": tokens_grad}
    if weights is not None:
        expert = _padded(idx, weights) if drop_and_pad else _dropless(idx, weights, marks)
        probs_grad: list[list[Any]] = [[0] * len(line) for line in weights]
        found["probs_grad"] = probs_grad
    stored: set[tuple[int, ...]] = set()
    for place, (row, token) in enumerate(zip(idx, ids, strict=True)):
        if row == -1:
            continue
        if not 0 <= row < len(idx) or not 0 <= token < len(grad):
            raise ValueError("an index is out of range")
        own = {(row,)} if weights is None else {(row,), (token, expert(place, row))}
        if own & stored:
            raise ValueError("a row or a prob is named twice")
        stored |= own
        for h in range(len(grad[0])):
            if weights is None:
                tokens_grad[row][h] = grad[token][h]
                continue
            at = expert(place, row)
            tokens_grad[row][h] = grad[token][h] * weights[token][at]
            product = rows[row][h] * grad[token][h]
            probs_grad[token][at] = probs_grad[token][at] + product
    return found


def _padded(idx: Any, weights: Any) -> Expert:
    capacity, rest = divmod(len(idx), len(weights[0]))
    if rest or capacity > len(weights):
        raise ValueError("experts have not the same number of rows, or more than there are tokens")
    return lambda place, row: row // capacity


def _dropless(idx: Any, weights: Any, marks: Any) -> Expert:
    top_k = len(idx) // len(weights)
    if top_k > min(512, len(weights[0])):
        raise ValueError("tokens have more places than 512, or than there are experts")
    own = [[expert for expert, mark in enumerate(line) if mark] for line in marks]

    def expert(place: int, row: int) -> int:
        token, j = divmod(place, top_k)
        if j >= len(own[token]):
            raise ValueError("a row has no expert")
        return own[token][j]

    return expert
