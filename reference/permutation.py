"""What the documents of the permuting operators say in the same words: ranks, slices, moved rows.

Each of these operators has slots, as many for each token, and sorts them by the expert of each.
Its document is told apart in messages by its name, the `document` or `source` of a function here.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.rules import reject, require_dtype, require_real

MOST_TOPK = 512
"""The most experts of a token (topK, topK_num; constraints of every document that names one)."""
_AT_ONCE = 4096
"""Slots whose rows are moved at a time: numpy makes a copy of them before it stores them."""


def ranks(indices: NDArray[Any]) -> NDArray[np.int32]:
    """The place of every index in the stable ascending order of all, int32 [indices.size].

    `indices` is int32 or int64 of any shape, read in C order.
    """
    order = np.argsort(indices.reshape(-1), kind="stable")
    return np.argsort(order, kind="stable").astype(np.int32)


def rows_kept(slots: int, num_out_tokens: int) -> int:
    """The number of rows that the slice [:num_out_tokens] leaves of `slots`, where 0 drops nothing.

    One that is larger than slots keeps all of them, a negative one slots + num_out_tokens, 0 at
    least.
    """
    rows = num_out_tokens if num_out_tokens > 0 else slots + num_out_tokens
    return max(0, min(rows, slots))


def moved(
    source: NDArray[Any], rank: NDArray[np.int32], top_k: int, start: int, rows: int
) -> NDArray[Any]:
    """Row i // top_k of `source` at place rank[i] - start, for each slot i whose place is one.

    `source` is [slots // top_k, ...] of any dtype. Returns [rows, ...]; +0 where no rank lies.
    """
    kept = np.flatnonzero((rank >= start) & (rank < start + rows))
    out = np.zeros((rows, *source.shape[1:]), source.dtype)
    for some in np.array_split(kept, 1 + kept.size // _AT_ONCE):
        out[rank[some] - start] = source[some // max(1, top_k)]
    return out


def histogram(expert: NDArray[Any], expert_num: int, source: str) -> NDArray[np.int64]:
    """How many slots each expert has, int64 [expert_num]; ValueError for a slot of none of them.

    `expert` has the expert of each slot, integers [slots].
    """
    outside = np.flatnonzero((expert < 0) | (expert >= expert_num))
    if outside.size:
        at = int(outside[0])
        rule = f"must lie in [0, {expert_num}), the experts"
        reject(f"expert_idx[slot {at}]", expert[at], rule, source)
    return np.bincount(expert, minlength=expert_num)


def places(
    rank: NDArray[np.int32], expert: NDArray[Any], counts: NDArray[np.int64], capacity: int
) -> NDArray[np.int32]:
    """The row of each slot in [experts * capacity] rows, -1 if those of its expert are taken.

    Returns int32 [slots]. `rank` is that of each slot among all, `counts` how many slots each
    expert has.
    """
    place = rank - (np.cumsum(counts) - counts)[expert]  # among the slots of the same expert
    row = expert * np.int64(capacity) + place
    return np.where(place < capacity, row, -1).astype(np.int32)


def padded(tokens: NDArray[Any], indices: NDArray[Any], document: str) -> dict[str, NDArray[Any]]:
    """permuteTokensOut[i] = tokens[indices[i]] and sortedIndicesOut = indices, with paddedMode.

    Returns permute_tokens and sorted_indices int32. Raises ValueError for indices that are not 1-D,
    name no token, or do not fit int32.
    """
    if indices.ndim != 1:
        rule = "must be 1-D with padded_mode=True"
        reject("indices.shape", indices.shape, rule, f"{document}, parameters: paddedMode")
    outside = np.flatnonzero((indices < 0) | (indices >= tokens.shape[0]))
    if outside.size:
        at = int(outside[0])
        rule = f"must name one of {tokens.shape[0]} tokens with padded_mode=True"
        reject(f"indices[{at}]", indices[at], rule, f"{document}, function: equations")
    wide = np.flatnonzero(indices > np.iinfo(np.int32).max)
    if wide.size:
        at, rule = int(wide[0]), "must fit the int32 of sorted_indices with padded_mode=True"
        reject(f"indices[{at}]", indices[at], rule, f"{document}, parameters: sortedIndicesOut")
    return {"permute_tokens": tokens[indices], "sorted_indices": indices.astype(np.int32)}


def check_permuted(tokens: NDArray[Any], indices: NDArray[Any], document: str) -> None:
    """Raise TypeError for a dtype of what is permuted by `indices`, ValueError for no tokens."""
    require_dtype("indices", indices, f"{document}, parameters: indices", "int32", "int64")
    source = f"{document}, parameters: tokens"
    require_real("tokens", tokens, source)
    if tokens.ndim < 1:
        reject("tokens.shape", tokens.shape, "must have an axis of tokens", source)


def check_routed(
    x: NDArray[Any], expert_idx: NDArray[Any], document: str, shapes: str = ""
) -> None:
    """Raise TypeError for a dtype, ValueError unless both are 2-D and have as many rows.

    `shapes` names the part of the document with these rules, none: the list of parameters.
    """
    require_real("x", x, f"{document}, parameters: x")
    require_dtype("expert_idx", expert_idx, f"{document}, parameters: expertIdx", "int32")
    source = f"{document}, {shapes or 'parameters'}"
    for name, array in (("x", x), ("expert_idx", expert_idx)):
        if array.ndim != 2:
            reject(f"{name}.shape", array.shape, "must be 2-D", source)
    if len(expert_idx) != len(x):
        rule = f"must have the {len(x)} rows of x"
        reject("expert_idx.shape", expert_idx.shape, rule, source)


def slots_of_a_token(tokens: NDArray[Any], indices: NDArray[Any], document: str) -> int:
    """topK, the number of indices of each token; ValueError where they are not [N] or [N, topK]."""
    if indices.ndim not in (1, 2) or indices.shape[0] != tokens.shape[0]:
        rule = f"must be ({tokens.shape[0]},) or ({tokens.shape[0]}, K)"
        source = f"{document}, function: equations (tokens[i // topK])"
        reject("indices.shape", indices.shape, rule, source)
    return math.prod(indices.shape[1:])


def check_ranks(
    sorted_indices: NDArray[Any], source_rows: int, source: str, *, range_source: str = ""
) -> None:
    """Check `sorted_indices`, of which one that is not below `source_rows` names no row there.

    Raises TypeError unless they are int32, ValueError unless they are 1-D and each is the rank of
    a slot, or else a row. `range_source`, or `source`, is the one of that last rule.
    """
    require_dtype("sorted_indices", sorted_indices, source, "int32")
    if sorted_indices.ndim != 1:
        reject("sorted_indices.shape", sorted_indices.shape, "must be 1-D", source)
    slots = sorted_indices.size
    # A rank lies below the number of slots; rows beyond them may be named, but no router does.
    end = max(source_rows, slots)
    outside = np.flatnonzero((sorted_indices < 0) | (sorted_indices >= end))
    if outside.size:
        at = int(outside[0])
        rule = f"must lie in [0, {end}), the ranks of {slots} slots and the {source_rows} rows"
        reject(f"sorted_indices[{at}]", sorted_indices[at], rule, range_source or source)


def check_map(
    routing_map: NDArray[Any], probs: NDArray[Any], most: int | None, document: str
) -> None:
    """Check the map of the tokens and experts that `probs` are of.

    Raises TypeError for another dtype than int8 or bool; ValueError for another shape than that of
    `probs`, a number other than 0 and 1, a token of more than `most` experts (None: any number).
    """
    source = f"{document}, parameters: routingMapOptional"
    require_dtype("routing_map", routing_map, source, "int8", "bool")
    if routing_map.shape != probs.shape:
        reject("routing_map.shape", routing_map.shape, f"must be {probs.shape}, of probs", source)
    other = np.argwhere((routing_map != 0) & (routing_map != 1))
    if other.size:
        place = tuple(other[0].tolist())
        reject(f"routing_map{list(place)}", routing_map[place], "must be 0 or 1", source)
    experts = np.count_nonzero(routing_map, axis=1)
    wrong = np.flatnonzero(experts > (routing_map.shape[1] if most is None else most))
    if wrong.size:
        at = int(wrong[0])
        rule = f"must be at most the {most} slots of a token"
        reject(f"routing_map[{at}]", f"{experts[at]} experts", rule, f"{document}, constraints")


def experts_of_slots(routing_map: NDArray[Any], top_k: int) -> NDArray[np.int64]:
    """The expert of each slot, int64 [tokens, top_k]: slot j has the j-th of its token's row.

    `routing_map` is [tokens, experts], of at most `top_k` experts a token; -1 for a slot beyond.
    """
    experts = np.full((len(routing_map), top_k), -1, np.int64)
    token, expert = np.nonzero(routing_map)
    experts[token, np.cumsum(routing_map != 0, axis=1)[token, expert] - 1] = expert
    return experts


def rows_of_tokens(ids: NDArray[Any], tokens: int) -> NDArray[np.int32]:
    """The entries of `ids` that name each token, by rising entry: int32 [tokens, slots].

    `ids` are token ids, integers [entries]; there are as many slots as the token has that most
    entries name, -1 for one that names nothing.
    """
    counts = np.bincount(ids, minlength=tokens)
    rows = np.full((tokens, counts.max(initial=0)), -1, np.int32)
    order = np.argsort(ids, kind="stable")
    first = np.cumsum(counts) - counts
    token = ids[order]
    rows[token, np.arange(ids.size) - first[token]] = order
    return rows


def added_to_tokens(
    source: NDArray[Any], ids: NDArray[Any], out: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Add each row of `source` [entries, hidden] to the row of `out` [tokens, hidden] of its id.

    The rows of a token are added in their order. Returns what the documents name permuteTokenId and
    outIndex: the ids in stable ascending order, and the entry of each.
    """
    out_index = np.argsort(ids, kind="stable")
    permute_token_id = ids[out_index]
    # The equation row by row, but rows of different tokens in one go: no token is in one part of
    # the list twice, and a token's rows keep their order.
    begins = np.searchsorted(permute_token_id, permute_token_id)
    turn = np.arange(len(source)) - begins
    for t in range(turn.max(initial=-1) + 1):
        i = np.flatnonzero(turn == t)
        out[permute_token_id[i]] += source[out_index[i]]
    return permute_token_id, out_index
