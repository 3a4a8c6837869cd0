"""MoeTokenPermute and MoeTokenUnpermute in numpy, with the keywords of torch_npu's functions.

    python -m conformance run moe_token_permute --tensors numpy \
        --implementation examples/implementations/with_numpy.py:permute
"""

from __future__ import annotations

from typing import Any

import numpy as np
from documented import check_permute, check_unpermute

Array = Any


def permute(
    tokens: Array, indices: Array, num_out_tokens: int | None = None, padded_mode: bool = False
) -> tuple[Array, Array]:
    """The rows of ``tokens`` [N, H] in the order of their experts, and where each slot went.

    ``indices`` is [N, K] or [N]; the results are [rows, H] and int32 [N * K].
    """
    check_permute(tokens, indices)
    experts = indices.reshape(-1)
    order = np.argsort(experts, kind="stable")
    rank = np.empty(experts.size, np.int32)
    rank[order] = np.arange(experts.size, dtype=np.int32)
    slots = indices.shape[1] if indices.ndim == 2 else 1
    return tokens[order[: rows_kept(experts.size, num_out_tokens)] // slots], rank


def rows_kept(slots: int, num_out_tokens: int | None) -> int:
    """How many rows stay: 0 keeps all, a negative number leaves out so many at the end."""
    asked = num_out_tokens or slots
    return min(asked, slots) if asked > 0 else max(slots + asked, 0)


def unpermute(
    permuted_tokens: Array,
    sorted_indices: Array,
    probs: Array | None = None,
    padded_mode: bool = False,
    restore_shape: tuple[int, ...] | None = None,
) -> Array:
    """Each token as the sum of its rows times their probabilities, added in float32.

    ``permuted_tokens`` is [rows, H], ``sorted_indices`` [N * K], ``probs`` [N, K] or None (K is 1
    then); the result is [N, H]. A slot that no row was kept for adds nothing.
    """
    check_unpermute(permuted_tokens, sorted_indices, probs)
    slots = 1 if probs is None else probs.shape[1]
    ranks = sorted_indices.reshape(-1, slots)
    total = np.zeros((ranks.shape[0], permuted_tokens.shape[1]), np.float32)
    for slot in range(slots):
        weight = np.ones(ranks.shape[0], np.float32)
        if probs is not None:
            weight = probs[:, slot].astype(np.float32)
        adds = (ranks[:, slot] < permuted_tokens.shape[0]) & (weight != 0)
        rows = permuted_tokens[ranks[adds, slot]].astype(np.float32)
        total[adds] += rows * weight[adds, np.newaxis]
    return total.astype(permuted_tokens.dtype)


# Wrong twins: a run finds the mistake in each.


def permute_unstable(
    tokens: Array, indices: Array, num_out_tokens: int | None = None, padded_mode: bool = False
) -> tuple[Array, Array]:
    """Slots of equal experts come in another order than theirs."""
    experts = indices.reshape(-1)
    order = experts.size - 1 - np.argsort(experts[::-1], kind="stable")
    rank = np.empty(experts.size, np.int32)
    rank[order] = np.arange(experts.size, dtype=np.int32)
    slots = indices.shape[1] if indices.ndim == 2 else 1
    return tokens[order[: rows_kept(experts.size, num_out_tokens)] // slots], rank


def permute_in_place(
    tokens: Array, indices: Array, num_out_tokens: int | None = None, padded_mode: bool = False
) -> tuple[Array, Array]:
    """The caller's indices are sorted, too."""
    made = permute(tokens, indices, num_out_tokens)
    indices.reshape(-1).sort()
    return made


def unpermute_in_half(
    permuted_tokens: Array,
    sorted_indices: Array,
    probs: Array | None = None,
    padded_mode: bool = False,
    restore_shape: tuple[int, ...] | None = None,
) -> Array:
    """Each addition is rounded to the dtype of the tokens."""
    slots = 1 if probs is None else probs.shape[1]
    ranks = sorted_indices.reshape(-1, slots)
    total = np.zeros((ranks.shape[0], permuted_tokens.shape[1]), permuted_tokens.dtype)
    for slot in range(slots):
        one = None if probs is None else probs[:, slot : slot + 1]
        total += unpermute(permuted_tokens, ranks[:, slot], one)
    return total


def unpermute_without_drops(
    permuted_tokens: Array,
    sorted_indices: Array,
    probs: Array | None = None,
    padded_mode: bool = False,
    restore_shape: tuple[int, ...] | None = None,
) -> Array:
    """A slot that no row was kept for adds the last row."""
    last = max(permuted_tokens.shape[0] - 1, 0)
    return unpermute(permuted_tokens, np.minimum(sorted_indices, last), probs)
