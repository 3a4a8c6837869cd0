"""MoeTokenPermute as plain loops over lists."""

from __future__ import annotations

from typing import Any


def moe_token_permute(
    tokens: Any,
    indices: Any,
    *,
    num_out_tokens: int = 0,
    padded_mode: bool = False,
) -> dict[str, list[Any]]:
    """Return permute_tokens and sorted_indices, as lists.

    Sources: [R] README "MoeTokenPermute", sections "功能说明" (formulas), "参数说明" (table) and
    "约束说明"; [A] hiascend, CANN 8.3.RC1.alpha001, "aclnnMoeTokenPermute", section "功能说明"
    (formulas, shape of indices).

    Where the documents are ambiguous or silent:
     1. [R] stores token i // topK in row sortedIndicesFirst[i], which is the slot that comes i-th,
        not the place of slot i: rows would not be sorted by expert. [A] stores it in
        sortedIndices[i]. Chosen: row sortedIndicesOut[i], the rank of slot i.
     2. Order of equal indices and direction: unsaid. Chosen: ascending, the earlier slot first.
     3. topK is no parameter. Chosen: the number of indices divided by the number of tokens,
        exactly, at most 512; a list of lists and its concatenation are the same.
     4. numOutTokens is a slice of the sorted rows. Chosen: [:n] with Python's meaning, so that a
        number above the number of rows keeps all of them, and -m drops the last m, or all.
     5. Whether sortedIndicesOut is cut too is unsaid. Chosen: it is not; a rank may then name a
        row that was cut.
     6. paddedMode true has formulas and is also "不支持". Chosen: the formulas; numOutTokens is not
        in them and has no effect; an index that names no token is a ValueError.
     7. Indices have a range below 16777215, save for the extremes of the type. Chosen: they are
        compared as integers, and the range is not looked at.
     8. Empty inputs are unsaid. Chosen: no index gives empty lists; indices without a token are a
        ValueError.
    """
    token_rows = tokens.tolist() if hasattr(tokens, "tolist") else tokens
    experts: list[int] = []
    for entry in indices.tolist() if hasattr(indices, "tolist") else indices:
        experts += entry if isinstance(entry, (list, tuple)) else [entry]
    if padded_mode:
        padded: list[Any] = []
        for token in experts:
            if not 0 <= token < len(token_rows):
                raise ValueError(f"index {token} names no token")
            padded.append(token_rows[token])
        return {"permute_tokens": padded, "sorted_indices": experts}
    if len(experts) % max(len(token_rows), 1) != 0 or (experts and not token_rows):
        raise ValueError("the indices are not as many for each token")
    top_k = len(experts) // max(len(token_rows), 1)
    if top_k > 512:
        raise ValueError("more than 512 indices of a token")
    ranks = [0] * len(experts)
    for rank, i in enumerate(sorted(range(len(experts)), key=lambda i: (experts[i], i))):
        ranks[i] = rank
    permute_tokens: list[Any] = [None] * len(experts)
    for i in range(len(experts)):
        permute_tokens[ranks[i]] = token_rows[i // top_k]
    if num_out_tokens != 0:
        permute_tokens = permute_tokens[:num_out_tokens]
    return {"permute_tokens": permute_tokens, "sorted_indices": ranks}
