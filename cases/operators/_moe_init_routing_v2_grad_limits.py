"""Where the kernels of MoeInitRoutingV2Grad change their path: this project's and the vendor's.

`least_ub_bytes`, `tile_columns` and `tokens_per_batch` say what the host tiling exports as
MoeInitRoutingV2GradTilingLimit; a test holds them equal. They are written here again because a
strategy needs them where no kernel is built: on an NPU host, and when a stored case is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from itertools import product

from cases.operators._slot_sum_sizes import STEPS, Lines, Sizes, machines_of
from conformance.call.case import Machine, numpy_dtype
from conformance.judge.legality import UB_BYTES as LEGAL_UB_BYTES
from conformance.record.call_rules import Limit
from conformance.record.chips import USABLE_UB_BYTES
from conformance.record.derive.axes import CORES

GRANULE_BYTES = 32
MOST_COPY_BLOCKS = 4095
TOP_KS = (1, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 300)
"""Both ends of every class of top_k, by which all limits change."""

UBS = (16384, 196352)
FEW_CORES = 3
VENDOR_TILE_BYTES = 65536
"""The vendor's tiling takes no more of a row's fp32 sums at once."""

KEPT = 1 << 14
"""Limits that are kept: those of the rows that a run plans, not of all cases that it draws."""


def bins(top_k: int) -> int:
    """Number of partial sums that the kernels keep side by side for one token."""
    return 64 if top_k >= 128 else 1 << max(0, top_k.bit_length() - 2)


def least_ub_bytes(top_k: int, element_bytes: int) -> int:
    """The least unified buffer that the host tiling accepts."""
    row, token = _column_bytes(top_k, element_bytes)
    return GRANULE_BYTES // element_bytes * (row + token)


@lru_cache(maxsize=KEPT)
def tile_columns(top_k: int, element_bytes: int, ub_bytes: int) -> int:
    """The largest hidden size in one tile; one more gives two tiles, and one token per batch."""
    row, token = _column_bytes(top_k, element_bytes)
    return _down(ub_bytes // (row + token), GRANULE_BYTES // element_bytes)


@lru_cache(maxsize=KEPT)
def tokens_per_batch(top_k: int, element_bytes: int, ub_bytes: int, hidden: int) -> int:
    """The most tokens that one core adds up at a time, 0 where the buffer is too small."""
    columns = tile_columns(top_k, element_bytes, ub_bytes)
    if hidden > columns:
        return min(columns, 1)
    row, token = _column_bytes(top_k, element_bytes)
    rounded = _up(hidden, GRANULE_BYTES // element_bytes)
    return min((ub_bytes - rounded * row) // (rounded * token), MOST_COPY_BLOCKS)


def vendor_tile_columns(top_k: int, element_bytes: int, product: str) -> int:
    """The largest hidden size that the vendor's tiling handles in one chunk.

    Source: ops-transformer, moe_init_routing_v2_grad_tiling.cpp, read.
    """
    buffers = bins(top_k) + (bins(top_k) if top_k >= 128 else 1)
    granule = GRANULE_BYTES // element_bytes
    share = USABLE_UB_BYTES[product] // buffers // GRANULE_BYTES * GRANULE_BYTES
    return _down(min(VENDOR_TILE_BYTES, share) // 4, granule)


def limits(dtypes: tuple[str, ...]) -> Iterator[Limit]:
    """Every limit at both ends of each class of top_k, on a small and a large machine."""
    for dtype, top_k in product(dtypes, TOP_KS):
        size = numpy_dtype(dtype).itemsize
        least = least_ub_bytes(top_k, size)
        yield Limit("bins", bins(top_k), top_k, dtype)
        yield Limit("cores", FEW_CORES, top_k, dtype, FEW_CORES)
        yield Limit("ub-bytes", least, top_k, dtype)
        for ub in (least - 1, least, *UBS):
            columns = tile_columns(top_k, size, ub)
            yield Limit("hidden", columns, top_k, dtype, ub_bytes=ub)
            for hidden in {1, max(1, columns), columns + 1}:
                batch = tokens_per_batch(top_k, size, ub, hidden)
                yield Limit("batch", batch, top_k, dtype, 0, ub, hidden)
                yield Limit("tokens", FEW_CORES * batch, top_k, dtype, FEW_CORES, ub, hidden)


def _column_bytes(top_k: int, element_bytes: int) -> tuple[int, int]:
    """Bytes of the buffer per column: those that a batch shares, and those of each token."""
    widened = 4 if element_bytes < 4 else 0
    return 2 * element_bytes + widened, 4 * bins(top_k) + 2 * element_bytes


def _down(value: int, multiple: int) -> int:
    return value // multiple * multiple


def _up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple


SLOTS = {
    "1": (1,),
    "2-3": (2, 3),
    "4-7": (4, 5, 7),
    "8-15": (8, 9, 15),
    "16-31": (16, 31),
    "32-63": (32, 33, 63),
    "64-127": (64, 127),
    "128 and more": (128, 129, 200),
}
"""top_k of each class: with the class change the number of bins and every limit of the tiling."""

BOUNDARIES = (
    *(f"tokens = cores{step}" for step in STEPS),
    *(f"tokens = batches{step}" for step in STEPS),
    *(f"hidden = tile{step}" for step in STEPS),
    "hidden = two tiles + 1",
    *(f"hidden = vendor tile{step}" for step in STEPS),
    "least UB",
)
"""``batches``: one full batch of every core; ``tile``: the most columns that fit the buffer."""

MOST_INDICES = 7_000


class TileLines(Lines):
    """Tiles of rows, batches of tokens and the least buffer, of this project's and the vendor's."""

    def least_ub_bytes(self, top_k: int, element_bytes: int = 4) -> int:
        """The least unified buffer that the host tiling accepts."""
        return least_ub_bytes(top_k, element_bytes)

    def machines(self, boundary: str, cores: str, ub: str, least: int) -> Iterator[Machine]:
        """Machines of both classes on which a kernel runs; on one boundary that one buffer."""
        if boundary != "least UB":
            yield from machines_of(cores, ub, least)
        elif ub == "small" and least == _legal(least):
            yield from (Machine(count, least) for count in CORES[cores])

    def shown(
        self, machine: Machine | None, top_k: int, tokens: int, hidden: int, element_bytes: int
    ) -> set[str]:
        """The boundaries on which a case's sizes lie; without a machine, the vendor's."""
        vendor = {vendor_tile_columns(top_k, element_bytes, on) for on in USABLE_UB_BYTES}
        shown = {f"hidden = vendor tile{s}" for s, d in STEPS.items() if hidden - d in vendor}
        if machine is None:
            return shown
        tile = tile_columns(top_k, element_bytes, machine.ub_bytes)
        full = machine.cores * tokens_per_batch(top_k, element_bytes, machine.ub_bytes, hidden)
        for step, change in STEPS.items():
            shown |= {f"tokens = cores{step}"} if tokens == machine.cores + change else set()
            shown |= {f"hidden = tile{step}"} if hidden == tile + change else set()
            if hidden <= tile and tokens == full + change:
                shown.add(f"tokens = batches{step}")
        shown |= {"hidden = two tiles + 1"} if hidden == 2 * tile + 1 else set()
        least = _legal(least_ub_bytes(top_k, element_bytes))
        return shown | ({"least UB"} if machine.ub_bytes == least else set())

    def on(
        self, boundary: str, top_k: int, machine: Machine, element_bytes: int
    ) -> Iterator[Sizes]:
        """The sizes of one machine and top_k on a boundary."""
        what, _, step = boundary.partition(" = ")
        change = next((change for word, change in STEPS.items() if word and step.endswith(word)), 0)
        tile = tile_columns(top_k, element_bytes, machine.ub_bytes)
        sizes = partial(Sizes, machine, top_k, most_indices=MOST_INDICES)
        if boundary == "least UB":
            yield sizes()
        elif step.startswith("cores"):
            yield sizes(tokens=machine.cores + change)
        elif step.startswith("vendor"):
            for product in USABLE_UB_BYTES:
                columns = vendor_tile_columns(top_k, element_bytes, product)
                yield sizes(hidden=columns + change)
        elif what == "hidden":
            yield sizes(hidden=tile * (2 if "two" in step else 1) + change)
        else:
            for hidden in {
                max(1, tile // share - less) for share in (1, 2, 3, 5, 9) for less in (0, 1)
            }:
                batch = tokens_per_batch(top_k, element_bytes, machine.ub_bytes, hidden)
                yield sizes(tokens=machine.cores * batch + change, hidden=hidden)


LINES = TileLines(BOUNDARIES, SLOTS)


def _legal(ub_bytes: int) -> int:
    """The least buffer that a simulated machine may have and that is no smaller."""
    return max(LEGAL_UB_BYTES.start, -(-ub_bytes // LEGAL_UB_BYTES.step) * LEGAL_UB_BYTES.step)
