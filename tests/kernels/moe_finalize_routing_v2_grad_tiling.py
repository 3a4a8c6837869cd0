"""Calls of MoeFinalizeRoutingV2Grad as its host tiling sees them."""

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
    ShapeView,
    SlotCopyTiling,
    SlotGradTiling,
    integers,
)

DTYPES = (FP32, FP16, BF16)
BARE, SCALES, BIAS = "no-scales-", "", "bias-"
KINDS = (BARE, SCALES, BIAS)
"""Kinds of calls, by what leads the names of their limits."""

BOUNDED = ("hidden", "batch", "tokens", "zeros")
"""Axes of limits that are 0 where the buffer is too small."""

MOST_COLUMNS = 255 * 64
"""Of a tile: repeats of one instruction, of 64 fp32 values each."""


class TilingData(ctypes.Structure):
    _fields_ = [
        *integers("dtype", "has_scales", "has_bias", "used_cores"),
        *integers("zeroed_elements", "zeros_at_once"),
        ("slots", SlotGradTiling),
        ("copies", SlotCopyTiling),
    ]
    dtype: int
    has_scales: int
    has_bias: int
    used_cores: int
    zeroed_elements: int
    zeros_at_once: int
    slots: SlotGradTiling
    copies: SlotCopyTiling

    def ub_bytes(self) -> int:
        """The unified buffer of a core: tables of the tilings' headers."""
        size = BYTES[self.dtype]
        if not self.has_scales:
            return self.copies.ub_bytes(size)
        return self.slots.ub_bytes(self.dtype, size, bool(self.has_bias))

    def batches(self) -> int:
        """Of a core that has its full share."""
        if not self.has_scales:
            return -(-self.copies.tokens_per_core // self.copies.tokens_per_batch)
        return -(-self.slots.slots_per_core // self.slots.slots_per_batch)


class CallView(ctypes.Structure):
    _fields_ = [
        ("grads", ShapeView),
        ("indices", ShapeView),
        ("rows", ShapeView),
        ("scales", ShapeView),
        ("experts", ShapeView),
        ("biases", ShapeView),
        ("row_grads", ShapeView),
        ("scale_grads", ShapeView),
        *integers("has_rows", "has_scales", "has_experts", "has_biases"),
        *integers("pad", "active", "expert_num", "capacity", "dtype", "cores", "ub_bytes"),
    ]


Shape = tuple[int, ...]


@dataclass(frozen=True)
class Call:
    grads: Shape
    indices: Shape
    rows: Shape | None
    scales: Shape | None
    experts: Shape | None
    biases: Shape | None
    row_grads: Shape
    scale_grads: Shape | None
    pad: int = 0
    active: int = 0
    expert_num: int = 0
    capacity: int = 0
    dtype: int = FP32
    cores: int = 48
    ub: int = UB_910B

    @property
    def view(self) -> CallView:
        optional = (self.rows, self.scales, self.experts, self.biases)
        tensors = (self.grads, self.indices, *optional, self.row_grads, self.scale_grads)
        there = (int(one is not None) for one in optional)
        attributes = (self.pad, self.active, self.expert_num, self.capacity)
        machine = (self.dtype, self.cores, self.ub)
        return CallView(*map(ShapeView.of, tensors), *there, *attributes, *machine)


def even(kind: str, tokens: int, top_k: int, hidden: int, **changed: int) -> Call:
    """A call of a kind, as many rows as slots; in drop/pad mode as many as experts have places."""
    slots = tokens * top_k
    if changed.get("pad"):
        rows: Shape = (changed["expert_num"], changed["capacity"], hidden)
    else:
        active = changed.get("active", 0)
        rows = (active if 0 < active < slots else slots, hidden)
    scales = None if kind == BARE else (tokens, top_k)
    source = None if kind == BARE else rows
    of_experts = changed["expert_num"] if changed.get("pad") else 7
    experts, biases = (scales, (of_experts, hidden)) if kind == BIAS else (None, None)
    shapes = ((tokens, hidden), (slots,), source, scales, experts, biases, rows, scales)
    return Call(*shapes, **changed)


class Tiling(HostTiling):
    def accepted(self, call: Call) -> TilingData:
        data = TilingData()
        assert self.cut(call.view, data) == (0, "")
        return data

    def rejected(self, call: Call) -> str:
        status, reason = self.cut(call.view, TilingData())
        assert status == TILING_REJECTED
        return reason
