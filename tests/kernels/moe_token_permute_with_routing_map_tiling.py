"""The host tiling of MoeTokenPermuteWithRoutingMap, called as phase 1 calls it."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from pathlib import Path

from tests.kernels.host_tilings import (
    BYTES,
    FP32,
    TILING_REJECTED,
    UB_910B,
    HostTiling,
    ShapeView,
    SlotCopyTiling,
    integers,
    round_up,
)

Shape = tuple[int, ...]
LEAST_UB = 768


class MapTiling(ctypes.Structure):
    """device_kernels/kernels/shared/routing_map/routing_map_tiling.h."""

    _fields_ = integers("tokens", "experts", "tile_tokens", "tile_experts", "used_cores")
    tokens: int
    experts: int
    tile_tokens: int
    tile_experts: int
    used_cores: int


class TilingData(ctypes.Structure):
    _fields_ = [
        *integers("key", "has_probs", "capacity", "found_offset"),
        ("slots", SlotCopyTiling),
        ("map", MapTiling),
    ]
    key: int
    has_probs: int
    capacity: int
    found_offset: int
    slots: SlotCopyTiling
    map: MapTiling

    def map_bytes(self, dtype: int) -> int:
        """The unified buffer of a core that walks the map: every buffer of the tiling's header."""
        tokens, experts = self.map.tile_tokens, round_up(self.map.tile_experts, 32)
        size = BYTES[dtype] if self.has_probs else 0
        tile = tokens * (experts + round_up(self.map.tile_experts * size, 32))
        runs = round_up(tokens * size, 32)
        counts = 3 * round_up(4 * self.map.tile_experts, 32)
        return tile + runs + counts + self.index_bytes()

    def index_bytes(self) -> int:
        """Ranks and the places found before, or the tokens of a run."""
        tokens = self.map.tile_tokens
        if self.capacity:
            return round_up(4 * tokens, 32)
        return round_up(4 * tokens * min(self.slots.top_k, self.map.tile_experts), 32) + 32


class CallView(ctypes.Structure):
    _fields_ = [
        *((name, ShapeView) for name in ("tokens", "map", "probs")),
        *((name, ShapeView) for name in ("permuted", "permuted_probs", "indices")),
        *integers("number", "pad", "dtype", "cores", "ub_bytes"),
    ]


@dataclass(frozen=True)
class Call:
    """Shapes and attributes in the order of the signature; both of the probs may be absent."""

    tokens: Shape
    map: Shape
    probs: Shape | None
    number: int
    pad: bool
    permuted: Shape
    permuted_probs: Shape | None
    indices: Shape
    dtype: int = FP32
    cores: int = 48
    ub: int = UB_910B

    @property
    def view(self) -> CallView:
        inputs = (self.tokens, self.map, self.probs)
        shapes = (*inputs, self.permuted, self.permuted_probs, self.indices)
        sizes = (self.number, int(self.pad), self.dtype, self.cores, self.ub)
        return CallView(*map(ShapeView.of, shapes), *sizes)


def even(
    tokens: int,
    experts: int,
    each: int,
    hidden: int,
    *,
    pad: bool = False,
    probs: bool = False,
    more: int = 0,
    **machine: int,
) -> Call:
    """A call whose shapes go together: ``each`` is topK or the capacity, and numOutTokens is
    ``more`` than comes out even.
    """
    rows = each * (experts if pad else tokens)
    return Call(
        tokens=(tokens, hidden),
        map=(tokens, experts),
        probs=(tokens, experts) if probs else None,
        number=rows + more,
        pad=pad,
        permuted=(rows, hidden),
        permuted_probs=(rows,) if probs else None,
        indices=(rows,),
        **machine,
    )


class Tiling(HostTiling):
    def __init__(self, folder: Path) -> None:
        name = "moe_token_permute_with_routing_map"
        super().__init__(name, "MoeTokenPermuteWithRoutingMap", folder)

    def accepted(self, call: Call) -> TilingData:
        data = TilingData()
        assert self.cut(call.view, data) == (0, "")
        return data

    def rejected(self, call: Call, expected: int = TILING_REJECTED) -> str:
        status, reason = self.cut(call.view, TilingData())
        assert status == expected
        return reason
