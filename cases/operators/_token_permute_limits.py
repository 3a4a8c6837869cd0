"""Where this project's kernels that sort slots and copy rows change their path.

What is said here is what host tilings export as their limits; a test holds both equal, and every
run asks the library. The vendor's limits stand beside the sizes of the cells.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from conformance.call.case import numpy_dtype
from conformance.record.call_rules import Limit
from conformance.record.chips import USABLE_UB_BYTES

GRANULE_BYTES = 32
RANK_BYTES = 4
PROB_BYTES = 2 * GRANULE_BYTES
"""Of one slot's probability, double buffered."""

SLOT_GRANULE = GRANULE_BYTES // RANK_BYTES
MOST_COPY_BLOCKS = 4095
KEY_BYTES, SORTED_AT_ONCE, MOST_RUN = 24, 32, 255 * 32
MERGED_AT_ONCE = 4
LEAST_UB_BYTES = KEY_BYTES * SORTED_AT_ONCE
TOP_KS = (1, 2, 8, 9, 512)


def run_slots(ub_bytes: int) -> int:
    """The most slots that one core sorts by itself."""
    return min(ub_bytes // KEY_BYTES // SORTED_AT_ONCE * SORTED_AT_ONCE, MOST_RUN)


@dataclass(frozen=True)
class CopyUb:
    """The unified buffer while rows are copied."""

    ub_bytes: int
    top_k: int
    element_bytes: int
    probs: bool

    @property
    def _slot_bytes(self) -> int:
        return RANK_BYTES + (PROB_BYTES if self.probs else 0)

    def batch(self, hidden: int) -> int:
        """The most tokens in one batch of a core; 1 where not all slots or columns of one fit."""
        row = -(-hidden * self.element_bytes // GRANULE_BYTES) * GRANULE_BYTES
        fit = (self.ub_bytes - GRANULE_BYTES) // (2 * row + self.top_k * self._slot_bytes)
        return max(1, min(fit, MOST_COPY_BLOCKS, MOST_COPY_BLOCKS // self.top_k))

    @property
    def columns(self) -> int:
        """The largest hidden size in one tile, with all slots of a token or a part of them."""
        row = (self.ub_bytes - GRANULE_BYTES - self.top_k * self._slot_bytes) // 2
        whole = max(0, row) // GRANULE_BYTES * GRANULE_BYTES
        fit = self.ub_bytes // 2 // self._slot_bytes // SLOT_GRANULE * SLOT_GRANULE
        slots = min(self.top_k, max(fit, SLOT_GRANULE))
        held = -(-slots // SLOT_GRANULE) * SLOT_GRANULE * self._slot_bytes
        part = (self.ub_bytes - held) // 2 // GRANULE_BYTES * GRANULE_BYTES
        return max(whole, part) // self.element_bytes


def limits(
    dtypes: Iterable[str],
    probs: tuple[bool, ...] = (False, True),
    top_ks: tuple[int, ...] = TOP_KS,
) -> Iterator[Limit]:
    """Every limit on small machines and on the chips, with and without probabilities."""
    buffers = (LEAST_UB_BYTES, 1024, 4096, 20000, *USABLE_UB_BYTES.values())
    for dtype, ub in product(dtypes, buffers):
        size, run = numpy_dtype(dtype).itemsize, run_slots(ub)
        yield Limit("ub-bytes", LEAST_UB_BYTES, 1, dtype, ub_bytes=ub)
        yield Limit("cores", 3, 1, dtype, 3, ub)
        yield Limit("runs", 3 * run, 1, dtype, 3, ub)
        for level, axis in enumerate(("sort", "merge-1", "merge-2")):
            yield Limit(axis, run * MERGED_AT_ONCE**level, 1, dtype, ub_bytes=ub)
        for top_k, given in product(top_ks, probs):
            yield from of_copies(CopyUb(ub, top_k, size, given), dtype, "-probs" if given else "")


def of_copies(copy: CopyUb, dtype: str, suffix: str) -> Iterator[Limit]:
    """The limits of copies by themselves, by names that end so."""
    ub, top_k = copy.ub_bytes, copy.top_k
    yield Limit(f"hidden{suffix}", copy.columns, top_k, dtype, ub_bytes=ub)
    for hidden in sorted({1, 100, copy.columns, copy.columns + 1}):
        batch = copy.batch(hidden)
        yield Limit(f"batch{suffix}", batch, top_k, dtype, 0, ub, hidden)
        yield Limit(f"tokens{suffix}", 3 * batch, top_k, dtype, 3, ub, hidden)
