"""Host tilings, compiled by themselves and called as phase 1 calls them."""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

KERNELS = Path(__file__).parents[2] / "device_kernels" / "kernels"
FP32, FP16, BF16 = 0, 1, 27
BYTES = {FP32: 4, FP16: 2, BF16: 2}
UB_910B, UB_910_93 = 196352, 196608
PARAMETER_INVALID = 161002
TILING_REJECTED = 561002


class ShapeView(ctypes.Structure):
    """A tensor's shape; without dims: the call has no such tensor."""

    _fields_ = [("dims", ctypes.POINTER(ctypes.c_int64)), ("rank", ctypes.c_uint64)]

    @classmethod
    def of(cls, shape: tuple[int, ...] | None) -> ShapeView:
        if shape is None:
            return cls()
        return cls((ctypes.c_int64 * len(shape))(*shape), len(shape))


def integers(*names: str) -> list[tuple[str, type[ctypes.c_int64]]]:
    """Fields of 64 bits, as tilings have them."""
    return [(name, ctypes.c_int64) for name in names]


class RowSumTiling(ctypes.Structure):
    """device_kernels/kernels/shared/rows/row_sum_tiling.h."""

    _fields_ = integers("tokens", "hidden", "source_rows", "input_buffers", "tile_columns", "batch")
    tokens: int
    hidden: int
    source_rows: int
    input_buffers: int
    tile_columns: int
    batch: int

    def ub_bytes(
        self,
        dtype: int,
        name_bytes: int,
        weight_bytes: int = 0,
        second_name_bytes: int = 0,
        *,
        name_buffers: int = 1,
        wide_rows: int = 2,
    ) -> int:
        """The unified buffer of a core: rows, result, fp32 rows of 16-bit types, names, and what
        weights and second names they have."""
        size = BYTES[dtype]
        rounded = round_up(self.tile_columns, 32 // size)
        wide = 0 if dtype == FP32 else wide_rows * 4 * rounded
        rows = rounded * size * (self.input_buffers + 1)
        names = name_buffers * round_up(self.batch * name_bytes, 32)
        beside = (weight_bytes, second_name_bytes)
        return rows + wide + names + sum(round_up(self.batch * each, 32) for each in beside)


class SlotGatherTiling(ctypes.Structure):
    """device_kernels/kernels/shared/slots/slot_gather_tiling.h."""

    _fields_ = integers("slots", "batch")
    slots: int
    batch: int

    def ub_bytes(self, dtype: int) -> int:
        """The unified buffer of a core: indices, a block for each element, elements end to end."""
        gathered = round_up(self.batch * BYTES[dtype], 32)
        return round_up(4 * self.batch, 32) + 32 * self.batch + gathered


class StableSortTiling(ctypes.Structure):
    """device_kernels/kernels/shared/sorting/stable_sort_tiling.h."""

    _fields_ = integers("keys", "run_keys", "runs", "tile_keys")
    keys: int
    run_keys: int
    runs: int
    tile_keys: int

    def ub_bytes(self) -> int:
        """The unified buffer of a core that sorts: three buffers of four tiles of pairs."""
        return 3 * 8 * 4 * self.tile_keys


class SlotCopyTiling(ctypes.Structure):
    """device_kernels/kernels/shared/slots/slot_copy_tiling.h."""

    _fields_ = [
        *integers("used_cores", "tokens", "top_k", "hidden", "has_probs", "first_rank", "end_rank"),
        *integers("tokens_per_core", "tokens_per_batch", "slots_per_batch", "tile_columns"),
        *integers("pairs_offset", "pairs_bytes", "workspace_bytes"),
        ("sort", StableSortTiling),
    ]
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
    sort: StableSortTiling

    def ub_bytes(self, element_bytes: int) -> int:
        """The unified buffer of a core that copies rows: these, ranks, probs."""
        rows = 2 * self.tokens_per_batch * round_up(self.tile_columns * element_bytes, 32)
        ranks = round_up(4 * self.slots_per_batch, 32)
        return rows + ranks + 64 * self.slots_per_batch * self.has_probs


class SlotGradTiling(ctypes.Structure):
    """device_kernels/kernels/shared/slots/slot_grad_tiling.h."""

    _fields_ = [
        *integers("slots", "top_k", "hidden", "rows"),
        *integers("slots_per_core", "slots_per_batch", "slots_per_part", "tile_columns"),
    ]
    slots: int
    top_k: int
    hidden: int
    rows: int
    slots_per_core: int
    slots_per_batch: int
    slots_per_part: int
    tile_columns: int

    def ub_bytes(self, dtype: int, weight_bytes: int, has_bias: bool = False) -> int:
        """The unified buffer of a core: the table of the header."""
        size = BYTES[dtype]
        wide = 0 if dtype == FP32 else (2 + has_bias) * 4
        columns = round_up(self.tile_columns, 32 // size) * ((3 + has_bias) * 2 * size + wide)
        words = round_up(4 * self.slots_per_batch, 32)
        own = round_up(weight_bytes * self.slots_per_batch, 32)
        sums = 0 if weight_bytes == BYTES[FP32] else words
        lanes = 4 * 64 * self.slots_per_part
        return columns + lanes + words + 2 * own + sums + words * has_bias


class HostTiling:
    """The tiling library of one operator; ``title`` begins the names of its functions."""

    def __init__(self, operator: str, title: str, folder: Path) -> None:
        self.title = title
        library = folder / f"lib{operator}.so"
        source = KERNELS / operator / f"{operator}_tiling.cpp"
        compiler = os.environ.get("CXX", "g++")
        warnings = ["-Wall", "-Wextra", "-Werror"]
        command = [compiler, "-std=c++20", "-O1", *warnings, "-fPIC", "-shared", "-o"]
        subprocess.run([*command, str(library), str(source)], check=True)
        self.library = ctypes.CDLL(str(library))
        self._limit = getattr(self.library, f"{title}TilingLimit")
        self._limit.restype = ctypes.c_int64

    def cut(
        self, call: ctypes.Structure, data: ctypes.Structure, room: int = 512
    ) -> tuple[int, str]:
        """Status and reason; ``data`` is filled where the call is accepted."""
        reason = ctypes.create_string_buffer(room)
        status: int = getattr(self.library, f"{self.title}Tiling")(
            ctypes.byref(call), ctypes.byref(data), reason, ctypes.c_uint64(room)
        )
        return status, reason.value.decode()

    def limit(
        self,
        axis: str,
        top_k: int = 0,
        dtype: int = FP32,
        *,
        cores: int = 0,
        ub: int = 0,
        hidden: int = 0,
    ) -> int:
        found: int = self._limit(
            axis.encode(),
            ctypes.c_int64(top_k),
            ctypes.c_int32(dtype),
            ctypes.c_uint32(cores),
            ctypes.c_uint64(ub),
            ctypes.c_int64(hidden),
        )
        return found


def round_up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple


def pieces(start: int, end: int, step: int) -> list[tuple[int, int]]:
    """[start, end) in pieces of ``step``, the last one shorter."""
    return [(at, min(at + step, end)) for at in range(start, end, step)]


def first_pieces(start: int, end: int, step: int, most: int) -> list[tuple[int, int]]:
    """The first of these pieces, with no list of them all: a core may have 5e9 slots."""
    return pieces(start, min(end, start + most * step), step)


def merge_levels(runs: int) -> int:
    """How often four lists at a time become one, until one is left."""
    count = 0
    while runs > 1:
        runs, count = -(-runs // 4), count + 1
    return count


def shares(count: int, blocks: int) -> Iterator[tuple[int, int]]:
    """What falls to each block where the first ones take one more than the others."""
    start = 0
    for block in range(blocks):
        end = start + count // blocks + (block < count % blocks)
        yield start, end
        start = end


def assert_complete(parts: list[tuple[int, int]], size: int) -> None:
    """The parts follow one another without gap or overlap, none is empty, and they end at size."""
    assert [start for start, _ in parts] == [0, *(end for _, end in parts[:-1])]
    assert parts[-1][1] == size
    assert all(start < end for start, end in parts)
