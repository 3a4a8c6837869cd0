"""Where the kernels of MoeInitRoutingV2Grad change their path: this project's and the vendor's.

`least_ub_bytes`, `tile_columns` and `tokens_per_batch` say what the host tiling exports as
MoeInitRoutingV2GradTilingLimit; a test holds them equal. They are written here again because a
strategy needs them where no kernel is built: on an NPU host, and when a stored case is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from conformance.call.case import numpy_dtype
from conformance.record.call_rules import Limit
from conformance.record.chips import USABLE_UB_BYTES

GRANULE_BYTES = 32
MOST_COPY_BLOCKS = 4095
TOP_KS = (1, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 300)
"""Both ends of every class of top_k, by which all limits change."""

UBS = (16384, 196352)
CORES = 3
VENDOR_TILE_BYTES = 65536
"""The vendor's tiling takes no more of a row's fp32 sums at once."""


def bins(top_k: int) -> int:
    """Number of partial sums that the kernels keep side by side for one token."""
    return 64 if top_k >= 128 else 1 << max(0, top_k.bit_length() - 2)


def least_ub_bytes(top_k: int, element_bytes: int) -> int:
    """The least unified buffer that the host tiling accepts."""
    row, token = _column_bytes(top_k, element_bytes)
    return GRANULE_BYTES // element_bytes * (row + token)


def tile_columns(top_k: int, element_bytes: int, ub_bytes: int) -> int:
    """The largest hidden size in one tile; one more gives two tiles, and one token per batch."""
    row, token = _column_bytes(top_k, element_bytes)
    return _down(ub_bytes // (row + token), GRANULE_BYTES // element_bytes)


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
        yield Limit("cores", CORES, top_k, dtype, CORES)
        yield Limit("ub-bytes", least, top_k, dtype)
        for ub in (least - 1, least, *UBS):
            columns = tile_columns(top_k, size, ub)
            yield Limit("hidden", columns, top_k, dtype, ub_bytes=ub)
            for hidden in {1, max(1, columns), columns + 1}:
                batch = tokens_per_batch(top_k, size, ub, hidden)
                yield Limit("batch", batch, top_k, dtype, 0, ub, hidden)
                yield Limit("tokens", CORES * batch, top_k, dtype, CORES, ub, hidden)


def _column_bytes(top_k: int, element_bytes: int) -> tuple[int, int]:
    """Bytes of the buffer per column: those that a batch shares, and those of each token."""
    widened = 4 if element_bytes < 4 else 0
    return 2 * element_bytes + widened, 4 * bins(top_k) + 2 * element_bytes


def _down(value: int, multiple: int) -> int:
    return value // multiple * multiple


def _up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple
