"""MoeTokenPermuteWithRoutingMap as plain loops over lists."""

from __future__ import annotations

from typing import Any


def moe_token_permute_with_routing_map(
    tokens: Any,
    routing_map: Any,
    probs: Any = None,
    *,
    num_out_tokens: int,
    drop_and_pad: bool = False,
) -> dict[str, list[Any]]:
    """Return permuted_tokens, sorted_indices and, with probs, permute_probs, as lists.

    Sources: [R] README "MoeTokenPermuteWithRoutingMap", sections "功能说明" (formulas), "参数说明"
    (table) and "约束说明"; [A] hiascend, CANN 8.3.RC1.alpha001,
    "aclnnMoeTokenPermuteWithRoutingMap", section "功能说明" (formulas).

    Where the documents are ambiguous or silent:
     1. maskedselect(routingMap.T) lists the tokens expert by expert. Order of equal numbers in
        argSort: unsaid. Chosen: ascending, the earlier place first, so that entry i * topK + t is
        the place of token i under the t-th of its experts.
     2. topK = numOutTokens // tokens_num, and the rows of the map have a fixed number of marks;
        whether the two are the same is unsaid. Chosen: a ValueError if not, or if 512 or above. A
        numOutTokens that is not a multiple is rounded down.
     3. permuteTokens in the formula, permutedTokensOut in the table. Chosen: the same output.
     4. With dropAndPad, argsort(routingMap.T) is ascending as written, which puts the tokens that
        are not routed to the expert first. Chosen: descending, so that each expert takes its own
        tokens, in token order, then fills up with others, in token order.
     5. Shape of sortedIndicesOut with dropAndPad: (expert_num, capacity) where it is assigned; the
        later view(expert_num, capacity) and outToken suggest one axis. Chosen: one axis.
     6. capacity above tokens_num: the slice is too short for the view. Chosen: ValueError.
     7. Probs of a token that only fills up: the formula has no mask. Chosen: its prob as given.
     8. Whether a map of INT8 may hold other values than 0 and 1 is unsaid. Chosen: any but 0 is
        true.
     9. Negative numOutTokens: unsaid. Chosen: ValueError.
    10. tokens_num and expert_num are bounded by 16777215. Chosen: not looked at.
    11. Empty inputs are unsaid. Chosen: a map without rows or columns is a ValueError.
    """

    def plain(values: Any) -> Any:
        return values.tolist() if hasattr(values, "tolist") else values

    rows, routed, weights = plain(tokens), plain(routing_map), plain(probs)
    if not routed or not routed[0] or any(len(line) != len(routed[0]) for line in routed):
        raise ValueError("the map has no rows, no columns, or rows of different lengths")
    tokens_num, expert_num = len(routed), len(routed[0])
    if len(rows) != tokens_num or num_out_tokens < 0:
        raise ValueError("the map has not one row for each token, or num_out_tokens is negative")
    if weights is not None and [len(line) for line in weights] != [expert_num] * tokens_num:
        raise ValueError("probs differ from the map in shape")
    places: list[tuple[int, int]] = []  # the token and expert of each permuted row
    if drop_and_pad:
        capacity = num_out_tokens // expert_num
        if capacity > tokens_num:
            raise ValueError("an expert cannot take more tokens than there are")
        for expert in range(expert_num):
            own = [token for token in range(tokens_num) if routed[token][expert]]
            others = [token for token in range(tokens_num) if not routed[token][expert]]
            places += [(token, expert) for token in (own + others)[:capacity]]
        sorted_indices = [token for token, _ in places]
    else:
        top_k = num_out_tokens // tokens_num
        if top_k >= 512 or any(sum(1 for e in line if e) != top_k for line in routed):
            raise ValueError("the rows of the map have not topK marks each, or 512 or more")
        for expert in range(expert_num):
            for token in range(tokens_num):
                if routed[token][expert]:
                    places.append((token, expert))
        sorted_indices = sorted(range(len(places)), key=lambda i: (places[i][0], i))
    outputs = {
        "permuted_tokens": [rows[token] for token, _ in places],
        "sorted_indices": sorted_indices,
    }
    if weights is not None:
        outputs["permute_probs"] = [weights[token][expert] for token, expert in places]
    return outputs
