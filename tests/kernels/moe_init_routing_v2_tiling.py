"""The host tiling of MoeInitRoutingV2, compiled by itself and called as phase 1 calls it."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field

from tests.kernels.host_tilings import (
    FP32,
    TILING_REJECTED,
    UB_910B,
    HostTiling,
    ShapeView,
    SlotCopyTiling,
    integers,
    round_up,
)

LEAST_UB = 768


class TilingData(ctypes.Structure):
    _fields_ = [
        *integers("key"),
        ("slots", SlotCopyTiling),
        *integers("experts", "capacity", "counts", "tile_entries", "part_slots", "zero_bytes"),
        *integers("starts_offset"),
    ]
    key: int
    slots: SlotCopyTiling
    experts: int
    capacity: int
    counts: int
    tile_entries: int
    part_slots: int
    zero_bytes: int
    starts_offset: int

    def takes_full_load(self) -> bool:
        """Every core sorts all slots by itself."""
        return self.key // 100 % 10 == 1

    def count_bytes(self) -> int:
        """The unified buffer of a core that counts, or that turns ranks into places."""
        parts = 1 if self.capacity == 0 else 2
        return round_up(4 * self.tile_entries, 32) + parts * round_up(4 * self.part_slots, 32)

    def fill_bytes(self) -> int:
        """The unified buffer of a core that fills rows with zeros."""
        return round_up(4 * self.tile_entries, 32) + self.zero_bytes


class CallView(ctypes.Structure):
    _fields_ = [
        *((name, ShapeView) for name in ("x", "experts", "rows", "places", "counts", "before")),
        *integers("has_counts", "has_before", "active", "capacity", "expert_num", "pad"),
        *integers("count_flag", "before_flag", "dtype", "cores", "ub_bytes"),
    ]


@dataclass(frozen=True)
class Call:
    x: tuple[int, ...]
    experts: tuple[int, ...]
    rows: tuple[int, ...]
    places: tuple[int, ...]
    counts: tuple[int, ...] | None = None
    before: tuple[int, ...] | None = None
    active: int = 0
    capacity: int = 0
    expert_num: int = 0
    pad: int = 0
    count_flag: int = 0
    before_flag: int = 0
    dtype: int = FP32
    cores: int = 48
    ub: int = UB_910B
    reason: str = field(default="", compare=False)

    @property
    def view(self) -> CallView:
        tensors = (self.x, self.experts, self.rows, self.places, self.counts, self.before)
        return CallView(
            *map(ShapeView.of, tensors),
            self.counts is not None,
            self.before is not None,
            *(self.active, self.capacity, self.expert_num, self.pad),
            *(self.count_flag, self.before_flag, self.dtype, self.cores, self.ub),
        )


def dropless(tokens: int, top_k: int, hidden: int, counted: int = 0, **rest: int) -> Call:
    """A call that keeps every row, and counts the slots of so many experts."""
    slots = tokens * top_k
    made = Call((tokens, hidden), (tokens, top_k), (slots, hidden), (slots,), **rest)
    if counted == 0:
        return made
    return Call(
        *(made.x, made.experts, made.rows, made.places, (counted,)),
        **{**rest, "expert_num": counted, "count_flag": 1},
    )


def padded(tokens: int, top_k: int, hidden: int, experts: int, capacity: int, **rest: int) -> Call:
    """A call with drop/pad that counts the slots of its experts."""
    return Call(
        (tokens, hidden),
        (tokens, top_k),
        (experts, capacity, hidden),
        (tokens * top_k,),
        None,
        (experts,),
        expert_num=experts,
        capacity=capacity,
        pad=1,
        before_flag=1,
        **rest,
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
