"""The host tiling of MoeTokenPermuteWithEp, compiled by itself and called as phase 1 calls it."""

from __future__ import annotations

import ctypes
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from tests.kernels.host_tilings import SlotCopyTiling, StableSortTiling, integers

FOLDER = Path(__file__).parents[2] / "device_kernels" / "kernels" / "moe_token_permute_with_ep"
FP32, FP16, BF16, INT32, INT64 = 0, 1, 27, 3, 9
BYTES = {FP32: 4, FP16: 2, BF16: 2}
UB_910B, UB_910_93, LEAST_UB = 196352, 196608, 768
TILING_REJECTED = 561002


class TilingData(ctypes.Structure):
    """Its fields, and those of the copies of slots as if they were its own."""

    _anonymous_ = ("slots",)
    _fields_ = [*integers("key"), ("slots", SlotCopyTiling), *integers("experts")]
    key: int
    slots: SlotCopyTiling
    used_cores: int
    tokens: int
    top_k: int
    hidden: int
    has_probs: int
    first_rank: int
    end_rank: int
    tokens_per_core: int
    tokens_per_batch: int
    slots_per_batch: int
    tile_columns: int
    pairs_offset: int
    pairs_bytes: int
    workspace_bytes: int
    experts: int
    sort: StableSortTiling


class ListView(ctypes.Structure):
    _fields_ = [("values", ctypes.POINTER(ctypes.c_int64)), ("count", ctypes.c_uint64)]

    @classmethod
    def of(cls, values: tuple[int, ...] | None) -> ListView:
        given = values or ()
        return cls((ctypes.c_int64 * len(given))(*given), len(given))


class CallView(ctypes.Structure):
    _fields_ = [
        *(
            (name, ListView)
            for name in (
                "tokens",
                "indices",
                "probs",
                "span",
                "permute_tokens",
                "sorted_indices",
                "permute_probs",
            )
        ),
        *(
            (name, ctypes.c_int64)
            for name in (
                "has_probs",
                "has_range",
                "num_out_tokens",
                "padded_mode",
                "as_document",
                "dtype",
                "index_dtype",
                "cores",
                "ub_bytes",
            )
        ),
    ]


@dataclass(frozen=True)
class Call:
    """The shapes of a call; ``probs`` None: there are none; ``span`` None: no range."""

    tokens: tuple[int, ...]
    indices: tuple[int, ...]
    permute_tokens: tuple[int, ...]
    sorted_indices: tuple[int, ...]
    probs: tuple[int, ...] | None = None
    permute_probs: tuple[int, ...] | None = None
    span: tuple[int, ...] | None = None
    num_out_tokens: int = 0
    padded_mode: int = 0
    as_document: int = 0
    dtype: int = FP32
    index_dtype: int = INT32
    cores: int = 48
    ub_bytes: int = UB_910B
    reason: str = field(default="", compare=False)

    def view(self) -> CallView:
        return CallView(
            ListView.of(self.tokens),
            ListView.of(self.indices),
            ListView.of(self.probs),
            ListView.of(self.span),
            ListView.of(self.permute_tokens),
            ListView.of(self.sorted_indices),
            ListView.of(self.permute_probs),
            self.probs is not None,
            self.span is not None,
            self.num_out_tokens,
            self.padded_mode,
            self.as_document,
            self.dtype,
            self.index_dtype,
            self.cores,
            self.ub_bytes,
        )


def whole(
    tokens: int,
    top_k: int,
    hidden: int,
    *,
    probs: bool = True,
    dtype: int = FP32,
    cores: int = 48,
    ub_bytes: int = UB_910B,
) -> Call:
    """A call that keeps every row."""
    slots = tokens * top_k
    return Call(
        (tokens, hidden),
        (tokens, top_k),
        (slots, hidden),
        (slots,),
        (tokens, top_k) if probs else None,
        (slots,) if probs else None,
        dtype=dtype,
        cores=cores,
        ub_bytes=ub_bytes,
    )


def padded(
    rows: int,
    hidden: int,
    *,
    tokens: int = 9,
    experts: int = 0,
    dtype: int = FP32,
    cores: int = 48,
    ub_bytes: int = UB_910B,
) -> Call:
    """A call with paddedMode as the document has it; without experts there are no probs."""
    return Call(
        (tokens, hidden),
        (rows,),
        (rows, hidden),
        (rows,),
        (tokens, experts) if experts else None,
        (rows,) if experts else None,
        padded_mode=1,
        as_document=1,
        dtype=dtype,
        cores=cores,
        ub_bytes=ub_bytes,
    )


class Tiling:
    """The tiling library, called as the operator's phase 1 calls it."""

    def __init__(self, library: Path) -> None:
        self.library = ctypes.CDLL(str(library))
        self.library.MoeTokenPermuteWithEpTilingLimit.restype = ctypes.c_int64

    def cut(self, call: Call) -> tuple[int, TilingData, str]:
        data = TilingData()
        reason = ctypes.create_string_buffer(512)
        status = self.library.MoeTokenPermuteWithEpTiling(
            ctypes.byref(call.view()), ctypes.byref(data), reason, ctypes.c_uint64(len(reason))
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
        top_k: int = 1,
        dtype: int = FP32,
        *,
        cores: int = 48,
        ub: int = UB_910B,
        hidden: int = 0,
    ) -> int:
        found: int = self.library.MoeTokenPermuteWithEpTilingLimit(
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
    source = FOLDER / "moe_token_permute_with_ep_tiling.cpp"
    compiler = os.environ.get("CXX", "g++")
    warnings = ["-Wall", "-Wextra", "-Werror"]
    command = [compiler, "-std=c++20", "-O1", *warnings, "-fPIC", "-shared", "-o"]
    subprocess.run([*command, str(library), str(source)], check=True)
    return Tiling(library)
