"""MoeTokenUnpermuteWithRoutingMap as plain loops, with the element type's own arithmetic."""

from __future__ import annotations

from typing import Any


def moe_token_unpermute_with_routing_map(
    permuted_tokens: Any,
    sorted_indices: Any,
    routing_map: Any = None,
    probs: Any = None,
    *,
    padded_mode: int = 0,
    restore_shape: Any = None,
) -> dict[str, list[Any]]:
    """Return unpermuted_tokens; with probs permute_probs; padded out_index and permute_token_id.

    Source: [A] ops-transformer, "aclnnMoeTokenUnpermuteWithRoutingMap", sections "Function"
    (formulas and, in Chinese, the note on unused slots), "Parameters" (table) and "Constraints".

    Where the document is ambiguous or silent:
     1. permuteProbs[i // capacity, sortedIndices[i]] = probs[i] has two indices on the left, where
        the table has one axis. Chosen: permuteProbs[i] is the prob of token sortedIndices[i] for
        expert i // capacity.
     2. probs.T.maskedSelect(routingMap.T) lists probs expert by expert, which are then those of the
        rows in the order of the forward operator. sortedIndices lists the slots of a token side by
        side, in the order of its experts. Chosen: slot i * topK + j has the prob of the j-th expert
        of token i, whatever row it names, and permuteProbs lists these slot by slot.
     3. tokens_num without probs: chosen from restoreShape, which is not looked at beside probs.
        Neither is the map without probs, nor in padded mode.
     4. topK is size(0) of the rows over the tokens. Chosen: must divide exactly, as capacity must;
        there is an index for each row.
     5. A token may have fewer experts than topK; its last slots are then -1 and passed over. Their
        prob is unsaid. Chosen: 0. Experts beyond topK: chosen to be a ValueError.
     6. Order of equal numbers in sort: unsaid. Chosen: ascending, the earlier place first.
     7. Order and precision of the sum are unsaid. Chosen: from int 0, ascending i, no rounding to
        an output type. A row is multiplied before it is added, as an element's product.
     8. Indices outside of the table's ranges but for -1: chosen to be a ValueError.
     9. Whether a map of INT8 may hold other values than 0 and 1 is unsaid. Chosen: any but 0 is
        true.
    10. outIndex and permuteTokenId without padded mode, and permuteProbs without probs, have no
        formula. Chosen: not among the results.
    """

    def plain(values: Any) -> Any:
        return values.tolist() if hasattr(values, "tolist") else values

    rows, idx, weights = plain(permuted_tokens), plain(sorted_indices), plain(probs)
    if not rows or len(idx) != len(rows) or any(len(row) != len(rows[0]) for row in rows):
        raise ValueError("there are no rows, another number of indices, or ragged rows")
    if weights is None and restore_shape is None:
        raise ValueError("neither probs nor restore_shape tell the number of tokens")
    tokens = len(weights) if weights is not None else restore_shape[0]
    out: list[list[Any]] = [[0] * len(rows[0]) for _ in range(tokens)]
    found: dict[str, list[Any]] = {"unpermuted_tokens": out}
    if padded_mode:
        terms = _padded(idx, weights, found)
    else:
        terms = _dropless(idx, weights, plain(routing_map), tokens, found)
    for token, row, weight in terms:
        if not 0 <= token < tokens or not 0 <= row < len(rows):
            raise ValueError("an index is out of range")
        for h in range(len(rows[0])):
            term = rows[row][h] if weights is None else rows[row][h] * weight
            out[token][h] = out[token][h] + term
    return found


def _padded(idx: Any, weights: Any, found: dict[str, list[Any]]) -> list[tuple[int, int, Any]]:
    """What is added to which token, each the token, the row and its prob."""
    places = sorted(range(len(idx)), key=lambda place: idx[place])
    found["out_index"] = places
    found["permute_token_id"] = [idx[place] for place in places]
    if weights is None:
        return [(idx[place], place, None) for place in places]
    experts = len(weights[0])
    if len(idx) % experts != 0 or any(not 0 <= token < len(weights) for token in idx):
        raise ValueError("the experts have not the same number of rows, or a row has no token")
    capacity = len(idx) // experts
    chosen = [weights[token][place // capacity] for place, token in enumerate(idx)]
    found["permute_probs"] = chosen
    return [(idx[place], place, chosen[place]) for place in places]


def _dropless(
    idx: Any, weights: Any, routed: Any, tokens: int, found: dict[str, list[Any]]
) -> list[tuple[int, int, Any]]:
    """The same, token by token."""
    top_k, rest = divmod(len(idx), tokens)
    if rest or top_k > 512:
        raise ValueError("tokens have not the same number of slots, or more than 512")
    chosen: list[Any] = [None] * len(idx)
    if weights is not None:
        chosen = []
        for marks, line in zip(routed, weights, strict=True):
            own = [prob for mark, prob in zip(marks, line, strict=True) if mark]
            if len(own) > top_k:
                raise ValueError("a token has more experts than slots")
            chosen += own + [0] * (top_k - len(own))
        found["permute_probs"] = chosen
    slots = enumerate(zip(idx, chosen, strict=True))
    return [(slot // top_k, row, prob) for slot, (row, prob) in slots if row != -1]
