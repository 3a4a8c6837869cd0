"""MoeTokenPermuteWithRoutingMapGrad as plain loops, with the element type's own arithmetic."""

from __future__ import annotations

from typing import Any


def moe_token_permute_with_routing_map_grad(
    permuted_token_output_grad: Any,
    permuted_probs_output_grad: Any | None,
    sorted_indices: Any,
    routing_map: Any | None,
    *,
    num_experts: int,
    tokens_num: int,
    drop_and_pad: int,
) -> tuple[list[list[Any]], list[list[Any]] | None]:
    """Return tokens_grad (tokens x hidden) and probs_grad (tokens x experts) or None.

    Source: 001_14e85486a4f40f37, "aclnnMoeTokenPermuteWithRoutingMapGrad", sections "功能说明"
    (equations), "参数说明" (table) and "约束说明".

    Where the document is ambiguous or silent:
     1. tokensGradout stands under "probs为None", but is an output that is not optional. Chosen: it
        is always computed, from zeros.
     2. Its equation adds to row permuteTokenId[i], a value of sortedIndices. Without dropPadMode
        sortedIndices is (tokens_num * topK_num,) and, as the output of the forward operator, holds
        positions in the permuted list, most of which name no token. Chosen: with dropPad the
        equation; else token i adds row sortedIndices[i * topK + t] for t in [0, topK).
     3. topK_num is no parameter. Chosen: the rows of the gradient divided by tokens_num, exactly.
        It is one number, so without dropPad a map that gives a token another number of experts is
        a ValueError.
     4. "capacity = size(0) / numExperts": chosen: must divide exactly with dropPad.
     5. maskedscatter on a (tokens_num, numExperts) map: row by row of the map, or expert by expert?
        The source is in the order of the permuted tokens, which is expert by expert. Chosen: that;
        the literal reading, row by row, would give token 0 the probs of other tokens.
     6. Whether a map of INT8 may hold other values than 0 and 1 is unsaid. Chosen: any but 0 is
        true.
     7. A token twice among the rows of one expert (dropPad) would be stored twice in one place.
        Chosen: ValueError where probs are given.
     8. Order and precision of the sum are unsaid. Chosen: from int 0, ascending i (or t).
     9. routingMap's use with dropPad is unsaid: no equation has it. Chosen: it is not read.
    10. Empty inputs are unsaid. Chosen: a gradient without rows is a ValueError.
    """

    def plain(values: Any) -> Any:
        return values.tolist() if hasattr(values, "tolist") else values

    rows, idx = plain(permuted_token_output_grad), plain(sorted_indices)
    if num_experts <= 0 or tokens_num <= 0 or drop_and_pad not in (0, 1):
        raise ValueError("num_experts, tokens_num or drop_and_pad is out of range")
    if not rows or len(idx) != len(rows) or any(len(row) != len(rows[0]) for row in rows):
        raise ValueError("the gradient has no rows, another number than indices, or ragged ones")
    if len(rows) % (num_experts if drop_and_pad else tokens_num) != 0:
        raise ValueError("the rows of the gradient are not shared evenly")
    top_k = len(rows) // tokens_num
    if not drop_and_pad and top_k > 512:
        raise ValueError("more than 512 rows of a token")
    if not drop_and_pad and routing_map is not None:
        for token, marks in enumerate(plain(routing_map)):
            if sum(1 for mark in marks if mark) != top_k:
                raise ValueError(f"the map does not give token {token} its {top_k} experts")
    tokens_grad: list[list[Any]] = [[0] * len(rows[0]) for _ in range(tokens_num)]
    for i in range(len(rows)):
        token, source = (idx[i], i) if drop_and_pad else (i // top_k, idx[i])
        if not 0 <= token < tokens_num or not 0 <= source < len(rows):
            raise ValueError(f"index {idx[i]} is out of range")
        for h in range(len(rows[0])):
            tokens_grad[token][h] = tokens_grad[token][h] + rows[source][h]
    if permuted_probs_output_grad is None:
        return tokens_grad, None
    probs, routed = plain(permuted_probs_output_grad), plain(routing_map)
    if len(probs) != len(rows) or routed is None or len(routed) != tokens_num:
        raise ValueError("probs need one value for each row, and a map with a row for each token")
    probs_grad: list[list[Any]] = [[0] * num_experts for _ in range(tokens_num)]
    if drop_and_pad:
        stored = set()
        for i in range(len(probs)):
            place = (idx[i], i // (len(rows) // num_experts))
            if place in stored:
                raise ValueError(f"two rows of expert {place[1]} belong to token {place[0]}")
            stored.add(place)
            probs_grad[place[0]][place[1]] = probs[i]
        return tokens_grad, probs_grad
    taken = 0
    for expert in range(num_experts):
        for token in range(tokens_num):
            if routed[token][expert]:
                probs_grad[token][expert] = probs[taken]
                taken += 1
    return tokens_grad, probs_grad
