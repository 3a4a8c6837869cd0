"""Calls of MoeTokenPermuteWithEpGrad as its host tiling sees them."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

from tests.kernels.host_tilings import (
    BF16,
    FP16,
    FP32,
    TILING_REJECTED,
    UB_910B,
    HostTiling,
    RowSumTiling,
    ShapeView,
    SlotGatherTiling,
    integers,
)

DTYPES = (FP32, FP16, BF16)
BOUNDED = ("four-buffers", "three-buffers", "hidden", "batch", "tokens", "probs-batch", "probs")
"""Axes of limits that are 0 where the buffer is too small."""


class TilingData(ctypes.Structure):
    _fields_ = [
        *integers("dtype", "used_cores", "top_k", "first_rank"),
        ("probs", SlotGatherTiling),
        ("rows", RowSumTiling),
    ]
    dtype: int
    used_cores: int
    top_k: int
    first_rank: int
    probs: SlotGatherTiling
    rows: RowSumTiling


class CallView(ctypes.Structure):
    _fields_ = [
        *(
            (name, ShapeView)
            for name in ("rows", "indices", "probs", "span", "tokens_grad", "probs_grad")
        ),
        *integers("has_probs", "has_range", "top_k", "padded", "dtype", "cores", "ub_bytes"),
    ]


@dataclass(frozen=True)
class Call:
    rows: tuple[int, ...]
    indices: tuple[int, ...]
    probs: tuple[int, ...] | None
    top_k: int
    span: tuple[int, ...] | None
    tokens_grad: tuple[int, ...]
    probs_grad: tuple[int, ...] | None
    padded: bool = False
    dtype: int = FP32
    cores: int = 48
    ub: int = UB_910B

    @property
    def view(self) -> CallView:
        lists = (
            *(self.rows, self.indices, self.probs, self.span),
            *(self.tokens_grad, self.probs_grad),
        )
        present = (self.probs is not None, self.span is not None)
        machine = (self.dtype, self.cores, self.ub)
        return CallView(*map(ShapeView.of, lists), *present, self.top_k, self.padded, *machine)


def even(tokens: int, top_k: int, hidden: int, *, probs: bool = True, **machine: int) -> Call:
    """All ranks of so many tokens are in the range."""
    slots = tokens * top_k
    return Call(
        rows=(slots, hidden),
        indices=(slots,),
        probs=(slots,) if probs else None,
        top_k=top_k,
        span=(0, slots),
        tokens_grad=(tokens, hidden),
        probs_grad=(tokens, top_k) if probs else None,
        **machine,
    )


class Tiling(HostTiling):
    def accepted(self, call: Call) -> TilingData:
        data = TilingData()
        assert self.cut(call.view, data) == (0, "")
        return data

    def rejected(self, call: Call) -> str:
        status, reason = self.cut(call.view, TilingData())
        assert status == TILING_REJECTED
        return reason
