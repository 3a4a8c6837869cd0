"""MoeTokenPermute and MoeTokenUnpermute in torch, with the keywords of torch_npu's functions.

    python -m conformance run moe_token_permute \
        --implementation examples/implementations/with_torch.py:permute
"""

from __future__ import annotations

from typing import Any

import torch
from documented import check_permute, check_unpermute

Tensor = Any


def permute(
    tokens: Tensor, indices: Tensor, num_out_tokens: int | None = None, padded_mode: bool = False
) -> tuple[Tensor, Tensor]:
    """The rows of ``tokens`` [N, H] in the order of their experts, and where each slot went.

    ``indices`` is [N, K] or [N]; the results are [rows, H] and int32 [N * K].
    """
    check_permute(tokens, indices)
    order = torch.argsort(indices.reshape(-1), stable=True)
    return copied(tokens, order, slots_of(indices), num_out_tokens), ranks_of(order)


def slots_of(indices: Tensor) -> int:
    """How many experts each token has."""
    return indices.shape[1] if indices.ndim == 2 else 1


def ranks_of(order: Tensor) -> Tensor:
    """Where each slot went: the inverse of ``order``, int32."""
    ranks = torch.empty(order.numel(), dtype=torch.int32, device=order.device)
    ranks[order] = torch.arange(order.numel(), dtype=torch.int32, device=order.device)
    return ranks


def rows_kept(slots: int, num_out_tokens: int | None) -> int:
    """How many rows stay: 0 keeps all, a negative number leaves out so many at the end."""
    asked = num_out_tokens or slots
    return min(asked, slots) if asked > 0 else max(slots + asked, 0)


def copied(tokens: Tensor, order: Tensor, slots: int, num_out_tokens: int | None) -> Tensor:
    """The first rows of the tokens whose slots are in ``order``."""
    kept = order[: rows_kept(order.numel(), num_out_tokens)]
    return tokens.index_select(0, kept // slots)


def unpermute(
    permuted_tokens: Tensor,
    sorted_indices: Tensor,
    probs: Tensor | None = None,
    padded_mode: bool = False,
    restore_shape: tuple[int, ...] | None = None,
) -> Tensor:
    """Each token as the sum of its rows times their probabilities, added in float32.

    ``permuted_tokens`` is [rows, H], ``sorted_indices`` [N * K], ``probs`` [N, K] or None (K is 1
    then); the result is [N, H]. A slot that no row was kept for adds nothing.
    """
    check_unpermute(permuted_tokens, sorted_indices, probs)
    slots = 1 if probs is None else probs.shape[1]
    ranks = sorted_indices.reshape(-1, slots)
    weights = torch.ones(ranks.shape, device=ranks.device) if probs is None else probs.float()
    adds = (ranks < permuted_tokens.shape[0]) & (weights != 0)
    total = torch.zeros(ranks.shape[0], permuted_tokens.shape[1], device=ranks.device)
    for slot in range(slots):
        (some,) = adds[:, slot].nonzero(as_tuple=True)
        rows = permuted_tokens.index_select(0, ranks[some, slot]).float()
        total.index_add_(0, some, rows * weights[some, slot, None])
    return total.to(permuted_tokens.dtype)


# Wrong twins: a run finds the mistake in each.


def permute_unstable(
    tokens: Tensor, indices: Tensor, num_out_tokens: int | None = None, padded_mode: bool = False
) -> tuple[Tensor, Tensor]:
    """Slots of equal experts come in any order: topk does not promise one."""
    experts = indices.reshape(-1)
    order = experts.topk(experts.numel(), largest=False).indices
    return copied(tokens, order, slots_of(indices), num_out_tokens), ranks_of(order)


def permute_rounded_experts(
    tokens: Tensor, indices: Tensor, num_out_tokens: int | None = None, padded_mode: bool = False
) -> tuple[Tensor, Tensor]:
    """Experts are sorted as float16, in which some above 2,048 are equal."""
    order = torch.argsort(indices.reshape(-1).half(), stable=True)
    return copied(tokens, order, slots_of(indices), num_out_tokens), ranks_of(order)


def permute_zero_keeps_none(
    tokens: Tensor, indices: Tensor, num_out_tokens: int | None = None, padded_mode: bool = False
) -> tuple[Tensor, Tensor]:
    """A slice does what the operator does with a negative number, not with 0."""
    order = torch.argsort(indices.reshape(-1), stable=True)
    return tokens.index_select(0, order[:num_out_tokens] // slots_of(indices)), ranks_of(order)


def permute_negative_keeps_all(
    tokens: Tensor, indices: Tensor, num_out_tokens: int | None = None, padded_mode: bool = False
) -> tuple[Tensor, Tensor]:
    """A negative number of rows is taken for no number."""
    return permute(tokens, indices, max(num_out_tokens or 0, 0))


def permute_view(
    tokens: Tensor, indices: Tensor, num_out_tokens: int | None = None, padded_mode: bool = False
) -> tuple[Tensor, Tensor]:
    """Tokens that are in order already are not copied: the result is a view of them."""
    made, ranks = permute(tokens, indices, num_out_tokens)
    in_order = torch.equal(ranks, torch.arange(ranks.numel(), dtype=torch.int32))
    return (tokens[: made.shape[0]] if in_order and slots_of(indices) == 1 else made), ranks


def permute_in_place(
    tokens: Tensor, indices: Tensor, num_out_tokens: int | None = None, padded_mode: bool = False
) -> tuple[Tensor, Tensor]:
    """The caller's indices become the ranks, too."""
    made, ranks = permute(tokens, indices, num_out_tokens)
    indices.copy_(ranks.reshape(indices.shape))
    return made, ranks


ORDERS: dict[tuple[int, ...], Tensor] = {}


def permute_cached(
    tokens: Tensor, indices: Tensor, num_out_tokens: int | None = None, padded_mode: bool = False
) -> tuple[Tensor, Tensor]:
    """The order is kept for indices at the same address, though their values change."""
    key = (indices.data_ptr(), *indices.shape)
    order = ORDERS.setdefault(key, torch.argsort(indices.reshape(-1), stable=True))
    return copied(tokens, order, slots_of(indices), num_out_tokens), ranks_of(order)


def unpermute_in_half(
    permuted_tokens: Tensor,
    sorted_indices: Tensor,
    probs: Tensor | None = None,
    padded_mode: bool = False,
    restore_shape: tuple[int, ...] | None = None,
) -> Tensor:
    """Each addition is rounded to the dtype of the tokens."""
    slots = 1 if probs is None else probs.shape[1]
    ranks = sorted_indices.reshape(-1, slots)
    total = permuted_tokens.new_zeros(ranks.shape[0], permuted_tokens.shape[1])
    for slot in range(slots):
        one = None if probs is None else probs[:, slot : slot + 1]
        total += unpermute(permuted_tokens, ranks[:, slot], one)
    return total


def unpermute_cut_weights(
    permuted_tokens: Tensor,
    sorted_indices: Tensor,
    probs: Tensor | None = None,
    padded_mode: bool = False,
    restore_shape: tuple[int, ...] | None = None,
) -> Tensor:
    """Probabilities are rounded to the dtype of the tokens."""
    cut = None if probs is None else probs.to(permuted_tokens.dtype)
    return unpermute(permuted_tokens, sorted_indices, cut)


def unpermute_without_drops(
    permuted_tokens: Tensor,
    sorted_indices: Tensor,
    probs: Tensor | None = None,
    padded_mode: bool = False,
    restore_shape: tuple[int, ...] | None = None,
) -> Tensor:
    """A slot that no row was kept for adds the last row."""
    last = max(permuted_tokens.shape[0] - 1, 0)
    return unpermute(permuted_tokens, sorted_indices.clamp(max=last), probs)


def unpermute_zero_times_infinity(
    permuted_tokens: Tensor,
    sorted_indices: Tensor,
    probs: Tensor | None = None,
    padded_mode: bool = False,
    restore_shape: tuple[int, ...] | None = None,
) -> Tensor:
    """A row of probability 0 is added, and makes NaN of an infinity."""
    slots = 1 if probs is None else probs.shape[1]
    ranks = sorted_indices.reshape(-1, slots).long()
    weights = torch.ones(ranks.shape, device=ranks.device) if probs is None else probs.float()
    rows = torch.cat([permuted_tokens, torch.zeros_like(permuted_tokens[:1])])
    picked = rows[ranks.clamp(max=permuted_tokens.shape[0])].float()
    return (picked * weights[..., None]).sum(1).to(permuted_tokens.dtype)
