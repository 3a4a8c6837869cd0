"""MoeTokenPermute and MoeTokenUnpermute in Triton, with the keywords of torch_npu's functions.

    TRITON_INTERPRET=1 python -m conformance run moe_token_permute \
        --implementation examples/implementations/with_triton.py:permute

With a GPU it is ``--device cuda:0``, without ``TRITON_INTERPRET``.
"""

from __future__ import annotations

import os
from typing import Any

import torch
import triton
import triton.language as tl
from documented import check_permute, check_unpermute

Tensor = Any
Kernel = Any

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
# A tile's elements, and its columns at most. The interpreter takes 2 ms for each program.
TILE, COLUMNS = (1 << 18, 1 << 16) if INTERPRETED else (1 << 12, 1 << 10)


@triton.jit
def copy_rows(
    tokens, order, made, kept, slots, width, block_rows: tl.constexpr, block_columns: tl.constexpr
):
    """Row r of ``made`` [kept, width] is the token of slot ``order[r]``."""
    rank = tl.program_id(0).to(tl.int64) * block_rows + tl.arange(0, block_rows)
    column = tl.program_id(1) * block_columns + tl.arange(0, block_columns)
    token = tl.load(order + rank, mask=rank < kept, other=0) // slots
    inside = (rank < kept)[:, None] & (column < width)[None, :]
    row = tl.load(tokens + token[:, None] * width + column[None, :], mask=inside, other=0)
    tl.store(made + rank[:, None] * width + column[None, :], row, mask=inside)


def permute(
    tokens: Tensor, indices: Tensor, num_out_tokens: int | None = None, padded_mode: bool = False
) -> tuple[Tensor, Tensor]:
    """The rows of ``tokens`` [N, H] in the order of their experts, and where each slot went.

    ``indices`` is [N, K] or [N]; the results are [rows, H] and int32 [N * K].
    """
    check_permute(tokens, indices)
    return permute_by(copy_rows, tokens, indices, num_out_tokens)


def permute_by(
    kernel: Kernel, tokens: Tensor, indices: Tensor, num_out_tokens: int | None, programs: int = 0
) -> tuple[Tensor, Tensor]:
    """The sort is torch's, the copy is the kernel's."""
    order = torch.argsort(indices.reshape(-1), stable=True)
    ranks = torch.empty(order.numel(), dtype=torch.int32, device=order.device)
    ranks[order] = torch.arange(order.numel(), dtype=torch.int32, device=order.device)
    kept, width = rows_kept(order.numel(), num_out_tokens), tokens.shape[1]
    slots = indices.shape[1] if indices.ndim == 2 else 1
    made = tokens.new_empty(kept, width)
    if made.numel():
        rows, columns = tile(kept, width)
        grid = (programs or triton.cdiv(kept, rows), triton.cdiv(width, columns))
        kernel[grid](
            *(tokens.contiguous(), order, made, kept, slots, width),
            **{"block_rows": rows, "block_columns": columns},
        )
    return made, ranks


def tile(rows: int, width: int) -> tuple[int, int]:
    """How many rows and columns a program handles: both are powers of two."""
    columns = min(triton.next_power_of_2(width), COLUMNS)
    return min(triton.next_power_of_2(rows), TILE // columns), columns


def rows_kept(slots: int, num_out_tokens: int | None) -> int:
    """How many rows stay: 0 keeps all, a negative number leaves out so many at the end."""
    asked = num_out_tokens or slots
    return min(asked, slots) if asked > 0 else max(slots + asked, 0)


@triton.jit
def sum_rows(
    rows,
    ranks,
    probs,
    made,
    kept,
    tokens,
    slots,
    width,
    weighed: tl.constexpr,
    block_rows: tl.constexpr,
    block_columns: tl.constexpr,
):
    """Row i of ``made`` [tokens, width] is the sum of the rows of token i, added in float32."""
    token = tl.program_id(0).to(tl.int64) * block_rows + tl.arange(0, block_rows)
    column = tl.program_id(1) * block_columns + tl.arange(0, block_columns)
    inside = (token < tokens)[:, None] & (column < width)[None, :]
    total = tl.zeros([block_rows, block_columns], tl.float32)
    for slot in range(slots):
        place = token * slots + slot
        rank = tl.load(ranks + place, mask=token < tokens, other=0).to(tl.int64)
        adds = (token < tokens) & (rank < kept)
        weight = tl.full([block_rows], 1, tl.float32)
        if weighed:
            weight = tl.load(probs + place, mask=token < tokens, other=0).to(tl.float32)
            adds = adds & (weight != 0)
        read = adds[:, None] & inside
        row = tl.load(rows + rank[:, None] * width + column[None, :], mask=read, other=0)
        total += tl.where(read, row.to(tl.float32) * weight[:, None], 0)
    tl.store(made + token[:, None] * width + column[None, :], total, mask=inside)


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
    return unpermute_by(sum_rows, permuted_tokens, sorted_indices, probs)


def unpermute_by(
    kernel: Kernel, permuted_tokens: Tensor, sorted_indices: Tensor, probs: Tensor | None
) -> Tensor:
    """The sum by a kernel; the interpreter cuts bfloat16 where it should round: torch does."""
    slots = 1 if probs is None else probs.shape[1]
    kept, width = permuted_tokens.shape
    tokens = sorted_indices.numel() // slots
    inputs = [readable(permuted_tokens), sorted_indices.contiguous(), readable(probs)]
    dtype = torch.float32 if INTERPRETED else permuted_tokens.dtype
    made = torch.empty(tokens, width, dtype=dtype, device=permuted_tokens.device)
    if made.numel():
        rows, columns = tile(tokens, width)
        grid = (triton.cdiv(tokens, rows), triton.cdiv(width, columns))
        kernel[grid](
            *(*inputs, made, kept, tokens, slots, width),
            **{"weighed": probs is not None, "block_rows": rows, "block_columns": columns},
        )
    return made.to(permuted_tokens.dtype)


def readable(tensor: Tensor | None) -> Tensor | None:
    """A dense tensor; the interpreter gets float32, as it misreads small values of bfloat16."""
    if tensor is None:
        return None
    half = INTERPRETED and tensor.dtype == torch.bfloat16
    return (tensor.float() if half else tensor).contiguous()


# Wrong twins: a run finds the mistake in each.


@triton.jit
def copy_short(
    tokens, order, made, kept, slots, width, block_rows: tl.constexpr, block_columns: tl.constexpr
):
    """The mask ends at the last column that is a multiple of 16."""
    rank = tl.program_id(0).to(tl.int64) * block_rows + tl.arange(0, block_rows)
    column = tl.program_id(1) * block_columns + tl.arange(0, block_columns)
    token = tl.load(order + rank, mask=rank < kept, other=0) // slots
    inside = (rank < kept)[:, None] & (column < width // 16 * 16)[None, :]
    row = tl.load(tokens + token[:, None] * width + column[None, :], mask=inside, other=0)
    tl.store(made + rank[:, None] * width + column[None, :], row, mask=inside)


@triton.jit
def copy_int32(
    tokens, order, made, kept, slots, width, block_rows: tl.constexpr, block_columns: tl.constexpr
):
    """Offsets are int32: they are negative beyond 2^31 elements."""
    rank = tl.program_id(0) * block_rows + tl.arange(0, block_rows)
    column = tl.program_id(1) * block_columns + tl.arange(0, block_columns)
    token = (tl.load(order + rank, mask=rank < kept, other=0) // slots).to(tl.int32)
    inside = (rank < kept)[:, None] & (column < width)[None, :]
    row = tl.load(tokens + token[:, None] * width + column[None, :], mask=inside, other=0)
    tl.store(made + rank[:, None] * width + column[None, :], row, mask=inside)


@triton.jit
def copy_ends(
    tokens, order, made, kept, slots, width, block_rows: tl.constexpr, block_columns: tl.constexpr
):
    """The last row of a block is that of the next rank."""
    rank = tl.program_id(0).to(tl.int64) * block_rows + tl.arange(0, block_rows)
    column = tl.program_id(1) * block_columns + tl.arange(0, block_columns)
    taken = rank + (tl.arange(0, block_rows) == block_rows - 1)
    token = tl.load(order + taken, mask=taken < kept, other=0) // slots
    inside = (rank < kept)[:, None] & (column < width)[None, :]
    row = tl.load(tokens + token[:, None] * width + column[None, :], mask=inside, other=0)
    tl.store(made + rank[:, None] * width + column[None, :], row, mask=inside)


def permute_short_tail(
    tokens: Tensor, indices: Tensor, num_out_tokens: int | None = None, padded_mode: bool = False
) -> tuple[Tensor, Tensor]:
    """Columns beyond a multiple of 16 are not copied."""
    return permute_by(copy_short, tokens, indices, num_out_tokens)


def permute_int32_offsets(
    tokens: Tensor, indices: Tensor, num_out_tokens: int | None = None, padded_mode: bool = False
) -> tuple[Tensor, Tensor]:
    """Offsets of elements are int32."""
    return permute_by(copy_int32, tokens, indices, num_out_tokens)


def permute_block_ends(
    tokens: Tensor, indices: Tensor, num_out_tokens: int | None = None, padded_mode: bool = False
) -> tuple[Tensor, Tensor]:
    """The last row of a block is wrong."""
    return permute_by(copy_ends, tokens, indices, num_out_tokens)


def permute_one_block(
    tokens: Tensor, indices: Tensor, num_out_tokens: int | None = None, padded_mode: bool = False
) -> tuple[Tensor, Tensor]:
    """The grid has one block of rows, and the kernel no loop over the others."""
    return permute_by(copy_rows, tokens, indices, num_out_tokens, programs=1)


@triton.jit
def sum_in_half(
    rows,
    ranks,
    probs,
    made,
    kept,
    tokens,
    slots,
    width,
    weighed: tl.constexpr,
    block_rows: tl.constexpr,
    block_columns: tl.constexpr,
):
    """The sum is kept in the dtype of the rows."""
    token = tl.program_id(0).to(tl.int64) * block_rows + tl.arange(0, block_rows)
    column = tl.program_id(1) * block_columns + tl.arange(0, block_columns)
    inside = (token < tokens)[:, None] & (column < width)[None, :]
    total = tl.zeros([block_rows, block_columns], rows.dtype.element_ty)
    for slot in range(slots):
        place = token * slots + slot
        rank = tl.load(ranks + place, mask=token < tokens, other=0).to(tl.int64)
        adds = (token < tokens) & (rank < kept)
        weight = tl.full([block_rows], 1, tl.float32)
        if weighed:
            weight = tl.load(probs + place, mask=token < tokens, other=0).to(tl.float32)
            adds = adds & (weight != 0)
        read = adds[:, None] & inside
        row = tl.load(rows + rank[:, None] * width + column[None, :], mask=read, other=0)
        added = tl.where(read, row.to(tl.float32) * weight[:, None], 0)
        total += added.to(rows.dtype.element_ty)
    tl.store(made + token[:, None] * width + column[None, :], total, mask=inside)


@triton.jit
def sum_all(
    rows,
    ranks,
    probs,
    made,
    kept,
    tokens,
    slots,
    width,
    weighed: tl.constexpr,
    block_rows: tl.constexpr,
    block_columns: tl.constexpr,
):
    """A row that was not kept, or that weighs 0, is multiplied all the same."""
    token = tl.program_id(0).to(tl.int64) * block_rows + tl.arange(0, block_rows)
    column = tl.program_id(1) * block_columns + tl.arange(0, block_columns)
    inside = (token < tokens)[:, None] & (column < width)[None, :]
    total = tl.zeros([block_rows, block_columns], tl.float32)
    for slot in range(slots):
        place = token * slots + slot
        rank = tl.load(ranks + place, mask=token < tokens, other=0).to(tl.int64)
        weight = tl.full([block_rows], 1, tl.float32)
        if weighed:
            weight = tl.load(probs + place, mask=token < tokens, other=0).to(tl.float32)
        read = inside & (rank < kept)[:, None]
        row = tl.load(rows + rank[:, None] * width + column[None, :], mask=read, other=0)
        total += row.to(tl.float32) * weight[:, None]
    tl.store(made + token[:, None] * width + column[None, :], total, mask=inside)


@triton.jit
def sum_by_slots(
    rows,
    ranks,
    probs,
    made,
    kept,
    tokens,
    slots,
    width,
    weighed: tl.constexpr,
    block_rows: tl.constexpr,
    block_columns: tl.constexpr,
):
    """Ranks are read slot by slot, as those of MoeInitRouting lie."""
    token = tl.program_id(0).to(tl.int64) * block_rows + tl.arange(0, block_rows)
    column = tl.program_id(1) * block_columns + tl.arange(0, block_columns)
    inside = (token < tokens)[:, None] & (column < width)[None, :]
    total = tl.zeros([block_rows, block_columns], tl.float32)
    for slot in range(slots):
        place = slot * tokens + token
        rank = tl.load(ranks + place, mask=token < tokens, other=0).to(tl.int64)
        adds = (token < tokens) & (rank < kept)
        weight = tl.full([block_rows], 1, tl.float32)
        if weighed:
            weight = tl.load(probs + token * slots + slot, mask=token < tokens, other=0)
            weight = weight.to(tl.float32)
            adds = adds & (weight != 0)
        read = adds[:, None] & inside
        row = tl.load(rows + rank[:, None] * width + column[None, :], mask=read, other=0)
        total += tl.where(read, row.to(tl.float32) * weight[:, None], 0)
    tl.store(made + token[:, None] * width + column[None, :], total, mask=inside)


def unpermute_in_half(
    permuted_tokens: Tensor,
    sorted_indices: Tensor,
    probs: Tensor | None = None,
    padded_mode: bool = False,
    restore_shape: tuple[int, ...] | None = None,
) -> Tensor:
    """Each addition is rounded to the dtype of the tokens."""
    return unpermute_by(sum_in_half, permuted_tokens, sorted_indices, probs)


def unpermute_zero_times_infinity(
    permuted_tokens: Tensor,
    sorted_indices: Tensor,
    probs: Tensor | None = None,
    padded_mode: bool = False,
    restore_shape: tuple[int, ...] | None = None,
) -> Tensor:
    """A row of probability 0 is added, and makes NaN of an infinity."""
    return unpermute_by(sum_all, permuted_tokens, sorted_indices, probs)


def unpermute_by_slots(
    permuted_tokens: Tensor,
    sorted_indices: Tensor,
    probs: Tensor | None = None,
    padded_mode: bool = False,
    restore_shape: tuple[int, ...] | None = None,
) -> Tensor:
    """Ranks are taken for [K, N]."""
    return unpermute_by(sum_by_slots, permuted_tokens, sorted_indices, probs)
