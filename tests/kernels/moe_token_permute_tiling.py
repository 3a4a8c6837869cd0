"""The host tiling of MoeTokenPermute, compiled by itself and called as phase 1 calls it."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field

from tests.kernels.host_tilings import (
    BYTES,
    FP32,
    TILING_REJECTED,
    UB_910B,
    HostTiling,
    ShapeView,
    SlotCopyTiling,
    integers,
)

INT8, INT32, INT64 = 2, 3, 9
WIDTHS = {**BYTES, INT8: 1}
LEAST_UB = 768


class TilingData(ctypes.Structure):
    _fields_ = [*integers("key"), ("slots", SlotCopyTiling)]
    key: int
    slots: SlotCopyTiling


class CallView(ctypes.Structure):
    _fields_ = [
        ("tokens", ShapeView),
        ("indices", ShapeView),
        ("permuted", ShapeView),
        ("ranks", ShapeView),
        *integers("num_out_tokens", "padded_mode", "dtype", "index_dtype", "cores", "ub_bytes"),
    ]


@dataclass(frozen=True)
class Call:
    tokens: tuple[int, ...]
    indices: tuple[int, ...]
    permuted: tuple[int, ...]
    ranks: tuple[int, ...]
    number: int = 0
    padded: int = 0
    dtype: int = FP32
    index_dtype: int = INT32
    cores: int = 48
    ub: int = UB_910B
    reason: str = field(default="", compare=False)

    @property
    def view(self) -> CallView:
        shapes = map(ShapeView.of, (self.tokens, self.indices, self.permuted, self.ranks))
        rest = (self.number, self.padded, self.dtype, self.index_dtype, self.cores, self.ub)
        return CallView(*shapes, *rest)


def whole(tokens: int, top_k: int, hidden: int, **rest: int) -> Call:
    """A call that keeps every row."""
    slots = tokens * top_k
    return Call((tokens, hidden), (tokens, top_k), (slots, hidden), (slots,), **rest)


class Tiling(HostTiling):
    def accepted(self, call: Call) -> SlotCopyTiling:
        data = TilingData()
        assert self.cut(call.view, data) == (0, "")
        return data.slots

    def rejected(self, call: Call) -> str:
        status, reason = self.cut(call.view, TilingData())
        assert status == TILING_REJECTED
        return reason
