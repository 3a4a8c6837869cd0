"""The host tiling of MoeTokenPermuteWithRoutingMapGrad, called as phase 1 calls it."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from pathlib import Path

from tests.kernels.host_tilings import (
    FP32,
    TILING_REJECTED,
    UB_910B,
    HostTiling,
    RowSumTiling,
    ShapeView,
    integers,
)

Shape = tuple[int, ...]
ENTRY_BYTES = 8


class SortTiling(ctypes.Structure):
    _fields_ = integers("entries", "run_entries", "merge_entries", "levels", "used_cores")
    entries: int
    run_entries: int
    merge_entries: int
    levels: int
    used_cores: int


class MaskTiling(ctypes.Structure):
    _fields_ = integers("tokens", "experts", "tile_tokens", "tile_experts", "used_cores")
    tokens: int
    experts: int
    tile_tokens: int
    tile_experts: int
    used_cores: int


class ScatterTiling(ctypes.Structure):
    _fields_ = integers("elements", "experts", "capacity", "rows", "batch", "used_cores")
    elements: int
    experts: int
    capacity: int
    rows: int
    batch: int
    used_cores: int


class TilingData(ctypes.Structure):
    _fields_ = [
        *integers("job", "dtype", "top_k"),
        ("rows", RowSumTiling),
        *integers("row_cores"),
        ("sort", SortTiling),
        ("mask", MaskTiling),
        ("scatter", ScatterTiling),
    ]
    dtype: int
    top_k: int
    rows: RowSumTiling
    row_cores: int
    sort: SortTiling
    mask: MaskTiling
    scatter: ScatterTiling


class CallView(ctypes.Structure):
    _fields_ = [
        *((name, ShapeView) for name in ("rows", "values", "indices", "map", "tokens", "probs")),
        *integers("num_experts", "tokens_num", "pad", "dtype", "cores", "ub_bytes"),
    ]


@dataclass(frozen=True)
class Call:
    """Shapes in the order of the signature; ``values``, ``map`` and ``probs`` may be absent."""

    rows: Shape
    values: Shape | None
    indices: Shape
    map: Shape | None
    tokens_grad: Shape
    probs_grad: Shape | None
    experts: int
    tokens: int
    pad: bool
    dtype: int = FP32
    cores: int = 48
    ub: int = UB_910B

    @property
    def view(self) -> CallView:
        shapes = (self.rows, self.values, self.indices, self.map, self.tokens_grad, self.probs_grad)
        sizes = (self.experts, self.tokens, int(self.pad), self.dtype, self.cores, self.ub)
        return CallView(*map(ShapeView.of, shapes), *sizes)


def even(
    tokens: int,
    experts: int,
    rows: int,
    hidden: int,
    *,
    pad: bool,
    probs: bool = True,
    dtype: int = FP32,
    cores: int = 48,
    ub: int = UB_910B,
) -> Call:
    """A call whose shapes go together; ``rows`` of the permuted tokens."""
    grid = (tokens, experts) if probs else None
    return Call(
        rows=(rows, hidden),
        values=(rows,) if probs else None,
        indices=(rows,),
        map=grid,
        tokens_grad=(tokens, hidden),
        probs_grad=grid,
        experts=experts,
        tokens=tokens,
        pad=pad,
        dtype=dtype,
        cores=cores,
        ub=ub,
    )


class Tiling(HostTiling):
    def __init__(self, folder: Path) -> None:
        name = "moe_token_permute_with_routing_map_grad"
        super().__init__(name, "MoeTokenPermuteWithRoutingMapGrad", folder)

    def accepted(self, call: Call) -> TilingData:
        data = TilingData()
        assert self.cut(call.view, data) == (0, "")
        return data

    def rejected(self, call: Call, expected: int = TILING_REJECTED) -> str:
        status, reason = self.cut(call.view, TilingData())
        assert status == expected
        return reason
