"""Where the kernel of MoeFinalizeRoutingV2 changes its path.

This follows from what the header of the host tiling says of the unified buffer; a test holds it
equal to what the tiling exports as MoeFinalizeRoutingV2TilingLimit, and every run asks the library.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from cases.operators._moe_finalize_routing_v2_call import DTYPES, SCALES_DTYPES
from cases.operators._slot_sum_limits import BUFFERS, GRANULE_BYTES, INDEX_BYTES, SMALL, RowUb
from conformance.call.case import numpy_dtype
from conformance.record.call_rules import Limit
from conformance.record.chips import USABLE_UB_BYTES

NAMES_SHARE = 4
"""All names of a token are held together where they fit such a part of the buffer."""

TOP_KS = (1, 8, 2000)


@dataclass(frozen=True)
class Kind:
    """What of a call decides how the buffer is shared, beside the dtype of its rows.

    ``scale_bytes`` 0: there are no scales, and top_k is 1. ``by_column``: the indices of a slot lie
    together, those of a token apart.
    """

    element_bytes: int
    scale_bytes: int
    biased: bool
    by_column: bool

    def row(self, ub_bytes: int, slots: int) -> RowUb:
        """The buffer where a token is named by so many slots."""
        experts = INDEX_BYTES * slots if self.biased else 0
        return RowUb(
            ub_bytes,
            self.element_bytes,
            INDEX_BYTES if self.by_column else INDEX_BYTES * slots,
            self.scale_bytes * slots,
            experts,
            name_buffers=slots if self.by_column else 1,
            wide_rows=3 if self.biased else 2,
        )

    @property
    def least(self) -> int:
        """The least buffer that the host tiling accepts: the names of one slot and a granule."""
        return self.row(0, 1).least

    def slots(self, ub_bytes: int) -> int:
        """The most slots of a token in one part; 0 below the least buffer."""
        if ub_bytes < self.least:
            return 0
        room = ub_bytes // NAMES_SHARE
        index = GRANULE_BYTES if self.by_column else INDEX_BYTES
        most = room // (index + self.scale_bytes + (INDEX_BYTES if self.biased else 0))
        fits = (n for n in range(most, 1, -1) if self.row(ub_bytes, n).of_names(1) <= room)
        return next(fits, 1)

    def part(self, ub_bytes: int, top_k: int) -> RowUb:
        """The buffer where a token of top_k slots is named by those of a part."""
        return self.row(ub_bytes, max(1, min(top_k, self.slots(ub_bytes))))

    def batch(self, ub_bytes: int, top_k: int, hidden: int) -> int:
        """The most tokens that a core has at a time: one, where it has several parts."""
        slots = self.slots(ub_bytes)
        return self.row(ub_bytes, top_k).names(hidden) if top_k <= slots else min(1, slots)


def kinds(dtype: str, by_column: bool) -> Iterator[tuple[str, Kind]]:
    """The kinds of calls in one layout of indices, each with what leads the names of its limits."""
    size = numpy_dtype(dtype).itemsize
    scales = {"": size, "no-scales-": 0}
    if "float32" in SCALES_DTYPES[dtype] and dtype != "float32":
        scales["fp32-scales-"] = 4
    for biased, (prefix, scale_bytes) in product((False, True), scales.items()):
        yield f"{'bias-' * biased}{prefix}", Kind(size, scale_bytes, biased, by_column)


def limits() -> Iterator[Limit]:
    """Every limit of every kind of call, on a small machine and on the chips."""
    for dtype, by_column in product(DTYPES, (True, False)):
        for prefix, kind in kinds(dtype, by_column):
            led = f"{'token-major-' * (not by_column)}{prefix}"
            for top_k in TOP_KS if kind.scale_bytes else (1,):
                yield from _of(kind, led, top_k, dtype)


def _of(kind: Kind, prefix: str, top_k: int, dtype: str) -> Iterator[Limit]:
    yield Limit(f"{prefix}ub-bytes", kind.least, top_k, dtype)
    yield Limit(f"{prefix}cores", SMALL.cores, top_k, dtype, SMALL.cores)
    for ub in (kind.least - 1, kind.least, SMALL.ub_bytes, *USABLE_UB_BYTES.values()):
        yield Limit(f"{prefix}slots", kind.slots(ub), top_k, dtype, ub_bytes=ub)
        row = kind.part(ub, top_k)
        for axis, buffers in BUFFERS.items():
            yield Limit(f"{prefix}{axis}", row.columns(buffers), top_k, dtype, ub_bytes=ub)
        for hidden in sorted({1, max(1, row.columns(4)), row.columns(2) + 1}):
            batch = kind.batch(ub, top_k, hidden)
            yield Limit(f"{prefix}batch", batch, top_k, dtype, 0, ub, hidden)
            yield Limit(f"{prefix}tokens", 3 * batch, top_k, dtype, 3, ub, hidden)
