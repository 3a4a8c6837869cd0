"""Where the kernels of MoeTokenPermuteWithRoutingMapGrad change their path.

The limits of sums over slots are MoeTokenPermuteGrad's. The others are what the host tiling exports
as MoeTokenPermuteWithRoutingMapGradTilingLimit; a test holds them equal, and every run asks for
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from cases.operators import _slot_sum_limits as slot_sum
from cases.operators._slot_sum_limits import BUFFERS, GRANULE_BYTES, SMALL, RowUb, up
from conformance.call.case import numpy_dtype
from conformance.record.call_rules import Limit
from conformance.record.chips import USABLE_UB_BYTES

SORTED_AT_ONCE = 32
MOST_SORTED = 255 * SORTED_AT_ONCE
RUN_BYTES = 24
ENTRY_BYTES = 8
MERGE_BYTES, MERGE_GRANULE, MOST_MERGED = 64, 4, 4092
MOST_COPY_BLOCKS = 4095
COUNT_BYTES = 12
"""Three int32 counts of an expert."""

EXPERTS = (1, 31, 33, 64, 500)


def entries_ub(ub_bytes: int, element_bytes: int) -> RowUb:
    """The buffer where a row is named by a sorted entry."""
    return RowUb(ub_bytes, element_bytes, ENTRY_BYTES)


def least_pad_ub(element_bytes: int) -> int:
    """The least buffer of a padded call: a sort's of 32 entries, or a sum's."""
    return max(entries_ub(0, element_bytes).least, SORTED_AT_ONCE * RUN_BYTES)


def run_rows(ub_bytes: int) -> int:
    """The most rows that one core sorts in one run."""
    return min(ub_bytes // RUN_BYTES // SORTED_AT_ONCE * SORTED_AT_ONCE, MOST_SORTED)


def merge_entries(ub_bytes: int) -> int:
    """The most entries of one list in one step of a merge."""
    return min(ub_bytes // MERGE_BYTES // MERGE_GRANULE * MERGE_GRANULE, MOST_MERGED)


def scatter_rows(ub_bytes: int) -> int:
    """The most rows of which the probs' gradient is stored in one batch."""
    fit = (ub_bytes - GRANULE_BYTES + slot_sum.INDEX_BYTES) // (
        GRANULE_BYTES + slot_sum.INDEX_BYTES
    )
    return min(max(fit, 0), MOST_COPY_BLOCKS)


def least_mask_ub(element_bytes: int) -> int:
    """The least buffer for the probs' gradient where nothing is padded."""
    return GRANULE_BYTES + SORTED_AT_ONCE * (1 + element_bytes + COUNT_BYTES)


def tile_experts(ub_bytes: int, element_bytes: int) -> int:
    """The most experts in one tile of the map."""
    fit = (ub_bytes - GRANULE_BYTES) // (1 + element_bytes + COUNT_BYTES)
    return fit // SORTED_AT_ONCE * SORTED_AT_ONCE


def tile_tokens(ub_bytes: int, element_bytes: int, experts: int) -> int:
    """The most tokens in one tile of the map; 1 where not all experts of one fit."""
    rounded = up(experts, SORTED_AT_ONCE)
    if rounded > tile_experts(ub_bytes, element_bytes):
        return 1
    left = ub_bytes - COUNT_BYTES * rounded - (GRANULE_BYTES - 1)
    fit = left // (rounded * (1 + element_bytes) + element_bytes)
    return min(max(fit, 1), MOST_COPY_BLOCKS)


def limits(dtypes: Iterable[str]) -> Iterator[Limit]:
    """Every limit on a small machine and on the chips; in place of ``hidden``, the experts."""
    dtypes = tuple(dtypes)
    yield from slot_sum.limits(dtypes, (1, 8, 512))
    buffers = (1024, SMALL.ub_bytes, *USABLE_UB_BYTES.values())
    for dtype, ub in product(dtypes, buffers):
        size = numpy_dtype(dtype).itemsize
        row = entries_ub(ub, size)
        found = {f"pad-{axis}": row.columns(count) for axis, count in BUFFERS.items()}
        found |= {"pad-ub-bytes": least_pad_ub(size), "mask-ub-bytes": least_mask_ub(size)}
        found |= {"run": run_rows(ub), "merge": merge_entries(ub), "scatter": scatter_rows(ub)}
        found["experts"] = tile_experts(ub, size)
        for axis, value in found.items():
            yield Limit(axis, value, 1, dtype, ub_bytes=ub)
        yield Limit("sorted", 3 * run_rows(ub), 1, dtype, 3, ub)
        for hidden in (1, row.columns(4), row.columns(2) + 1):
            yield Limit("entries", row.names(hidden), 1, dtype, 0, ub, hidden)
        for experts in EXPERTS:
            yield Limit("tile-tokens", tile_tokens(ub, size, experts), 1, dtype, 0, ub, experts)
