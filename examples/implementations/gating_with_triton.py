"""MoeGatingTopKSoftmaxV2 in Triton, with the keywords of torch_npu's function.

    TRITON_INTERPRET=1 python -m conformance run moe_gating_top_k_softmax_v2 \
        --implementation examples/implementations/gating_with_triton.py:gating_top_k_softmax_v2

With a GPU it is ``--device cuda:0``, without ``TRITON_INTERPRET``.
"""

from __future__ import annotations

import functools
import os
from typing import Any

import torch
import triton
import triton.language as tl
from documented_gating import check_gating

Tensor = Any

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
# A tile's elements. The interpreter takes 2 ms for each program, and more for each step of a loop.
TILE = 1 << 18 if INTERPRETED else 1 << 12


@triton.jit
def apply(x, y, made, size, function: tl.constexpr, block: tl.constexpr):
    """One function of each element of ``x`` [size], or of those of ``x`` and ``y``."""
    place = tl.program_id(0) * block + tl.arange(0, block)
    one = tl.load(x + place, mask=place < size, other=1)
    if function == "exp":
        found = tl.exp(one)
    else:
        found = one / tl.load(y + place, mask=place < size, other=1)
    tl.store(made + place, found, mask=place < size)


def applied(function: str, x: Tensor, y: Tensor | None = None) -> Tensor:
    """exp of ``x``, or ``x / y``, as the kernels below compute them; float32 [size]."""
    made = torch.empty_like(x)
    apply[(triton.cdiv(len(x), TILE),)](x, x if y is None else y, made, len(x), function, TILE)
    return made


# What the suite may know of the arithmetic here: it calls these alone before it judges.
FUNCTIONS = {
    "exp": functools.partial(applied, "exp"),
    "div": functools.partial(applied, "div"),
    "reciprocal": None,
    "ln": None,
    "sqrt": None,
}


@triton.jit
def softmax_rows(x, made, rows, width, block_rows: tl.constexpr, block: tl.constexpr):
    """Row r of ``made`` [rows, width] is the softmax of row r of ``x``, both float32."""
    row = tl.program_id(0).to(tl.int64) * block_rows + tl.arange(0, block_rows)
    column = tl.arange(0, block)
    inside = (row < rows)[:, None] & (column < width)[None, :]
    place = row[:, None] * width + column[None, :]
    logits = tl.load(x + place, mask=inside, other=float("-inf"))
    # A maximum of the hardware leaves out NaN; the sum does not.
    raised = tl.exp(logits - tl.max(logits, 1)[:, None])
    tl.store(made + place, raised / tl.sum(raised, 1)[:, None], mask=inside)


@triton.jit
def select_rows(
    keys, picked, experts, rows, width, k, block_rows: tl.constexpr, block: tl.constexpr
):
    """The k largest ``keys`` of each row, and their columns: of equal ones the lowest first."""
    row = tl.program_id(0).to(tl.int64) * block_rows + tl.arange(0, block_rows)
    column = tl.arange(0, block)
    inside = (row < rows)[:, None] & (column < width)[None, :]
    all_keys = tl.load(keys + row[:, None] * width + column[None, :], mask=inside, other=0)
    # NaN has no order: it stands with the least, so that a column is found in any row.
    ordered = tl.where(all_keys == all_keys, all_keys, float("-inf"))
    free = inside
    for slot in range(k):
        left = tl.where(free, ordered, float("-inf"))
        largest = free & (left == tl.max(left, 1)[:, None])
        best = tl.min(tl.where(largest, column[None, :], block), 1)
        taken = column[None, :] == best[:, None]
        value = tl.sum(tl.where(taken & inside, all_keys, 0), 1)
        tl.store(picked + row * k + slot, value, mask=row < rows)
        tl.store(experts + row * k + slot, best, mask=row < rows)
        free = free & ~taken


def softmax(x: Tensor) -> Tensor:
    """The softmax of each row of ``x`` [rows, width], float32."""
    made = torch.empty_like(x)
    rows, grid, block = tiles(x)
    softmax_rows[grid](x, made, *x.shape, block_rows=rows, block=block)
    return made


def selected(keys: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """The k largest of each row of ``keys`` [rows, width], float32, and their columns, int32."""
    picked = keys.new_empty(len(keys), k)
    experts = torch.empty(len(keys), k, dtype=torch.int32, device=keys.device)
    rows, grid, block = tiles(keys)
    select_rows[grid](keys, picked, experts, *keys.shape, k, block_rows=rows, block=block)
    return picked, experts


def tiles(x: Tensor) -> tuple[int, tuple[int], int]:
    """How many rows a program handles, the grid, and the columns that it loads."""
    block = triton.next_power_of_2(x.shape[1])
    rows = max(min(triton.next_power_of_2(len(x)), TILE // block), 1)
    return rows, (triton.cdiv(len(x), rows),), block


def gating_top_k_softmax_v2(
    x: Tensor,
    k: int,
    finished: Tensor | None = None,
    renorm: int = 0,
    output_softmax: bool = False,
) -> tuple[Tensor, Tensor, Tensor | None]:
    """The k largest of a softmax of ``x`` [..., experts], or with ``renorm`` the softmax of the k
    largest; which they are; and if it is asked for the softmax of all, float32."""
    check_gating(x, k, finished, renorm)
    logits = x.float().reshape(-1, x.shape[-1]).contiguous()
    scores = softmax(logits) if output_softmax or not renorm else None
    weights, experts = selected(logits if renorm else scores, k)
    if renorm:
        weights = softmax(weights)
    shape = (*x.shape[:-1], k)
    experts = experts.reshape(shape)
    if finished is not None:
        experts = experts.masked_fill(finished[..., None], x.shape[-1])
    made = None if scores is None else scores.reshape(x.shape)
    return weights.reshape(shape).to(x.dtype), experts, made


# A wrong twin: a run finds its mistake.


def gating_topk_first(x: Tensor, k: int, **given: Any) -> tuple[Tensor, Tensor, Tensor | None]:
    """The softmax is always that of the k largest."""
    return gating_top_k_softmax_v2(x, k, **{**given, "renorm": 1, "output_softmax": True})
