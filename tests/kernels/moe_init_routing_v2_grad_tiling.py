"""The host tiling of MoeInitRoutingV2Grad, compiled by itself and called as phase 1 calls it."""

from __future__ import annotations

import ctypes
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "device_kernels" / "kernels" / "moe_init_routing_v2_grad"
FP32, FP16, BF16 = 0, 1, 27
BYTES = {FP32: 4, FP16: 2, BF16: 2}
UB_910B, UB_910_93 = 196352, 196608


TILING_REJECTED = 561002


class TilingData(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_int64)
        for name in (
            "key",
            "used_cores",
            "tokens",
            "top_k",
            "hidden",
            "active_num",
            "bins",
            "tokens_per_core",
            "tokens_per_batch",
            "tile_columns",
        )
    ]
    key: int
    used_cores: int
    tokens: int
    top_k: int
    hidden: int
    active_num: int
    bins: int
    tokens_per_core: int
    tokens_per_batch: int
    tile_columns: int


class ShapeView(ctypes.Structure):
    _fields_ = [("dims", ctypes.POINTER(ctypes.c_int64)), ("rank", ctypes.c_uint64)]

    @classmethod
    def of(cls, shape: tuple[int, ...]) -> ShapeView:
        return cls((ctypes.c_int64 * len(shape))(*shape), len(shape))


class CallView(ctypes.Structure):
    _fields_ = [
        ("grad_expanded_x", ShapeView),
        ("expanded_row_idx", ShapeView),
        ("out", ShapeView),
        ("top_k", ctypes.c_int64),
        ("drop_pad_mode", ctypes.c_int64),
        ("active_num", ctypes.c_int64),
        ("dtype", ctypes.c_int64),
        ("cores", ctypes.c_int64),
        ("ub_bytes", ctypes.c_int64),
    ]


@dataclass(frozen=True)
class Call:
    rows: tuple[int, ...]
    indices: tuple[int, ...]
    out: tuple[int, ...]
    top_k: int
    drop_pad_mode: int = 0
    active_num: int = 0
    dtype: int = FP32
    cores: int = 48
    ub_bytes: int = UB_910B
    reason: str = field(default="", compare=False)


def dropless(
    tokens: int,
    top_k: int,
    hidden: int,
    *,
    dtype: int = FP32,
    cores: int = 48,
    ub_bytes: int = UB_910B,
) -> Call:
    rows = tokens * top_k
    return Call(
        (rows, hidden),
        (rows,),
        (tokens, hidden),
        top_k,
        dtype=dtype,
        cores=cores,
        ub_bytes=ub_bytes,
    )


class Tiling:
    """The tiling library, called as the operator's phase 1 calls it."""

    def __init__(self, library: Path) -> None:
        self.library = ctypes.CDLL(str(library))
        self.library.MoeInitRoutingV2GradTilingLimit.restype = ctypes.c_int64

    def cut(self, call: Call) -> tuple[int, TilingData, str]:
        view = CallView(
            ShapeView.of(call.rows),
            ShapeView.of(call.indices),
            ShapeView.of(call.out),
            call.top_k,
            call.drop_pad_mode,
            call.active_num,
            call.dtype,
            call.cores,
            call.ub_bytes,
        )
        data = TilingData()
        reason = ctypes.create_string_buffer(512)
        status = self.library.MoeInitRoutingV2GradTiling(
            ctypes.byref(view), ctypes.byref(data), reason, ctypes.c_uint64(len(reason))
        )
        return status, data, reason.value.decode()

    def accepted(self, call: Call) -> TilingData:
        status, data, reason = self.cut(call)
        assert (status, reason) == (0, ""), reason
        return data

    def rejected(self, call: Call) -> str:
        status, _, reason = self.cut(call)
        assert status == TILING_REJECTED
        return reason

    def limit(
        self,
        axis: str,
        top_k: int,
        dtype: int,
        *,
        cores: int = 48,
        ub: int = UB_910B,
        hidden: int = 0,
    ) -> int:
        found: int = self.library.MoeInitRoutingV2GradTilingLimit(
            axis.encode(),
            ctypes.c_int64(top_k),
            ctypes.c_int32(dtype),
            ctypes.c_uint32(cores),
            ctypes.c_uint64(ub),
            ctypes.c_int64(hidden),
        )
        return found


def compile_tiling(folder: Path) -> Tiling:
    """The tiling, compiled into ``folder`` without any CANN header."""
    library = folder / "libtiling.so"
    source = FOLDER / "moe_init_routing_v2_grad_tiling.cpp"
    compiler = os.environ.get("CXX", "g++")
    warnings = ["-Wall", "-Wextra", "-Werror"]
    command = [compiler, "-std=c++20", "-O1", *warnings, "-fPIC", "-shared", "-o"]
    subprocess.run([*command, str(library), str(source)], check=True)
    return Tiling(library)
