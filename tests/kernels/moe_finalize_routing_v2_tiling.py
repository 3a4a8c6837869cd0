"""Calls of MoeFinalizeRoutingV2 as its host tiling sees them."""

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
    round_up,
)

NONE = -1
KINDS = ((FP32, FP32), (FP16, FP16), (BF16, BF16), (BF16, FP32), (FP32, NONE), (BF16, NONE))
"""Data types of rows and of scales."""

SCALE_BYTES = {**BYTES, NONE: 0}
MODES = (0, 1, 2, 3)
BOUNDED = ("slots", "four-buffers", "three-buffers", "hidden", "batch", "tokens")
"""Axes of limits that are 0 where the buffer is too small."""


class TilingData(ctypes.Structure):
    _fields_ = [
        *integers("dtype", "scales_dtype", "used_cores", "top_k", "slots_per_part"),
        *integers("is_slot_major", "has_x1", "has_x2", "bias_rows"),
        ("rows", RowSumTiling),
    ]
    dtype: int
    scales_dtype: int
    used_cores: int
    top_k: int
    slots_per_part: int
    is_slot_major: int
    has_x1: int
    has_x2: int
    bias_rows: int
    rows: RowSumTiling

    def ub_bytes(self) -> int:
        """The unified buffer of a core."""
        slots, has_bias = self.slots_per_part, self.bias_rows > 0
        return self.rows.ub_bytes(
            self.dtype,
            4 if self.is_slot_major else 4 * slots,
            SCALE_BYTES[self.scales_dtype] * slots,
            4 * slots if has_bias else 0,
            name_buffers=slots if self.is_slot_major else 1,
            wide_rows=3 if has_bias else 2,
        )


SHAPES = ("rows", "indices", "x1", "x2", "bias", "scales", "experts", "out")


class CallView(ctypes.Structure):
    _fields_ = [
        *((name, ShapeView) for name in SHAPES),
        *integers("has_x1", "has_x2", "has_bias", "has_experts", "mode", "dtype", "scales_dtype"),
        *integers("cores", "ub_bytes"),
    ]


@dataclass(frozen=True)
class Call:
    rows: tuple[int, ...]
    indices: tuple[int, ...]
    out: tuple[int, ...]
    scales: tuple[int, ...] | None = None
    x1: tuple[int, ...] | None = None
    x2: tuple[int, ...] | None = None
    bias: tuple[int, ...] | None = None
    experts: tuple[int, ...] | None = None
    mode: int = 0
    dtype: int = FP32
    scales_dtype: int = FP32
    cores: int = 48
    ub: int = UB_910B

    @property
    def view(self) -> CallView:
        shapes = [ShapeView.of(getattr(self, name)) for name in SHAPES]
        optional = (self.x1, self.x2, self.bias, self.experts)
        scales_dtype = NONE if self.scales is None else self.scales_dtype
        return CallView(
            *shapes,
            *(int(shape is not None) for shape in optional),
            *(self.mode, self.dtype, scales_dtype, self.cores, self.ub),
        )


@dataclass(frozen=True)
class Kind:
    """What decides how much of the unified buffer a token takes."""

    dtype: int = FP32
    scales_dtype: int = FP32
    has_bias: bool = False
    mode: int = 0

    @property
    def prefix(self) -> str:
        scales = {NONE: "no-scales-", self.dtype: ""}.get(self.scales_dtype, "fp32-scales-")
        bias = "bias-" if self.has_bias else ""
        return f"{'token-major-' if self.mode > 1 else ''}{bias}{scales}"

    def top_k(self, slots: int) -> int:
        return 1 if self.scales_dtype == NONE else slots

    def call(self, tokens: int, slots: int, hidden: int, **machine: int) -> Call:
        """Of so many tokens, with a row for each slot; the padded modes' rows have one expert."""
        count, top_k = tokens * self.top_k(slots), self.top_k(slots)
        pairs, row = (tokens, top_k), (tokens, hidden)
        return Call(
            (1, count, hidden) if self.mode % 2 else (count, hidden),
            (count,),
            row,
            None if self.scales_dtype == NONE else pairs,
            bias=(top_k, hidden) if self.has_bias else None,
            experts=pairs if self.has_bias else None,
            mode=self.mode,
            dtype=self.dtype,
            scales_dtype=self.scales_dtype,
            **machine,
        )

    def name_bytes(self, slots: int) -> int:
        """The unified buffer that the names of so many slots of one token take."""
        index = round_up(4 * slots, 32) if self.mode > 1 else 32 * slots
        experts = round_up(4 * slots, 32) if self.has_bias else 0
        return index + round_up(SCALE_BYTES[self.scales_dtype] * slots, 32) + experts

    def least(self) -> int:
        tile = 96 if self.dtype == FP32 else 288 if self.has_bias else 224
        return tile + self.name_bytes(1)


ALL_KINDS = tuple(
    Kind(dtype, scales, has_bias, mode)
    for dtype, scales in KINDS
    for has_bias in (False, True)
    for mode in MODES
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
