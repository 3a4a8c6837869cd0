"""Calls of MoeTokenUnpermuteGrad as its host tiling sees them."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

from tests.kernels.host_tilings import (
    BYTES,
    FP32,
    TILING_REJECTED,
    UB_910B,
    HostTiling,
    ShapeView,
    SlotCopyTiling,
    SlotGradTiling,
    integers,
)
from tests.kernels.moe_token_unpermute_tiling import NONE, PROBS_BYTES

BOUNDED = ("hidden", "batch", "tokens")
"""Axes of limits that are 0 where the buffer is too small."""

MOST_COLUMNS = 255 * 64
"""Of a tile: repeats of one instruction, of 64 fp32 values each."""


class TilingData(ctypes.Structure):
    _fields_ = [
        *integers("dtype", "probs_dtype", "used_cores"),
        ("slots", SlotGradTiling),
        ("copies", SlotCopyTiling),
    ]
    dtype: int
    probs_dtype: int
    used_cores: int
    slots: SlotGradTiling
    copies: SlotCopyTiling

    def ub_bytes(self) -> int:
        """The unified buffer of a core: the table of the tiling's header."""
        if self.probs_dtype == NONE:
            return self.copies.ub_bytes(BYTES[self.dtype])
        return self.slots.ub_bytes(self.dtype, PROBS_BYTES[self.probs_dtype])


class CallView(ctypes.Structure):
    _fields_ = [
        ("permuted_tokens", ShapeView),
        ("unpermuted_tokens_grad", ShapeView),
        ("sorted_indices", ShapeView),
        ("probs", ShapeView),
        ("permuted_tokens_grad", ShapeView),
        ("probs_grad", ShapeView),
        *integers("dtype", "probs_dtype", "cores", "ub_bytes"),
    ]


@dataclass(frozen=True)
class Call:
    rows: tuple[int, ...]
    grads: tuple[int, ...]
    indices: tuple[int, ...]
    probs: tuple[int, ...] | None
    row_grads: tuple[int, ...]
    prob_grads: tuple[int, ...] | None
    dtype: int = FP32
    probs_dtype: int = FP32
    cores: int = 48
    ub: int = UB_910B

    @property
    def view(self) -> CallView:
        tensors = (self.rows, self.grads, self.indices, self.probs, self.row_grads, self.prob_grads)
        probs_dtype = NONE if self.probs is None else self.probs_dtype
        return CallView(*map(ShapeView.of, tensors), self.dtype, probs_dtype, self.cores, self.ub)


def even(tokens: int, top_k: int, hidden: int, probs_dtype: int = FP32, **machine: int) -> Call:
    rows, probs = (tokens * top_k, hidden), None if probs_dtype == NONE else (tokens, top_k)
    shapes = (rows, (tokens, hidden), rows[:1], probs, rows, probs)
    return Call(*shapes, probs_dtype=probs_dtype, **machine)


class Tiling(HostTiling):
    def accepted(self, call: Call) -> TilingData:
        data = TilingData()
        assert self.cut(call.view, data) == (0, "")
        return data

    def rejected(self, call: Call) -> str:
        status, reason = self.cut(call.view, TilingData())
        assert status == TILING_REJECTED
        return reason
