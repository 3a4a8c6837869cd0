"""Calls of MoeTokenUnpermute as its host tiling sees them."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

from tests.kernels.host_tilings import (
    BF16,
    BYTES,
    FP16,
    FP32,
    TILING_REJECTED,
    UB_910B,
    HostTiling,
    RowSumTiling,
    ShapeView,
    integers,
)

NONE = -1
DTYPES = (FP32, FP16, BF16)
PROBS = (*DTYPES, NONE)
PROBS_BYTES = {**BYTES, NONE: 0}
PREFIXES = {FP32: "fp32-probs-", FP16: "16-bit-probs-", BF16: "16-bit-probs-", NONE: "no-probs-"}
BOUNDED = ("four-buffers", "three-buffers", "hidden", "batch", "tokens")
"""Axes of limits that are 0 where the buffer is too small."""


class TilingData(ctypes.Structure):
    _fields_ = [*integers("dtype", "probs_dtype", "used_cores", "top_k"), ("rows", RowSumTiling)]
    dtype: int
    probs_dtype: int
    used_cores: int
    top_k: int
    rows: RowSumTiling


class CallView(ctypes.Structure):
    _fields_ = [
        ("permuted_tokens", ShapeView),
        ("sorted_indices", ShapeView),
        ("probs", ShapeView),
        ("out", ShapeView),
        *integers("dtype", "probs_dtype", "cores", "ub_bytes"),
    ]


@dataclass(frozen=True)
class Call:
    rows: tuple[int, ...]
    indices: tuple[int, ...]
    probs: tuple[int, ...] | None
    out: tuple[int, ...]
    dtype: int = FP32
    probs_dtype: int = FP32
    cores: int = 48
    ub: int = UB_910B

    @property
    def view(self) -> CallView:
        shapes = map(ShapeView.of, (self.rows, self.indices, self.probs, self.out))
        probs_dtype = NONE if self.probs is None else self.probs_dtype
        return CallView(*shapes, self.dtype, probs_dtype, self.cores, self.ub)


def even(tokens: int, top_k: int, hidden: int, probs_dtype: int = FP32, **machine: int) -> Call:
    rows = tokens * top_k
    probs = None if probs_dtype == NONE else (tokens, top_k)
    shapes = ((rows, hidden), (rows,), probs, (tokens, hidden))
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
