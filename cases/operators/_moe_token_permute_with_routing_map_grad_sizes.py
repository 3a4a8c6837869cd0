"""Where the kernels of MoeTokenPermuteWithRoutingMapGrad change their path, and padded sizes.

The limits of sums over slots are MoeTokenPermuteGrad's. The others are what the host tiling exports
as MoeTokenPermuteWithRoutingMapGradTilingLimit; a test holds them equal, and every run asks for
them. The rows of a padded call are those of experts with one capacity; rows are dealt to cores
where probs are stored, tokens or rows where the rows are added.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from cases.operators import _slot_sum_limits as slot_sum
from cases.operators import _slot_sum_sizes as unpadded
from cases.operators._slot_sum_limits import BUFFERS, GRANULE_BYTES, SMALL, RowUb, up
from cases.operators._slot_sum_sizes import MOST_ELEMENTS, STEPS, hidden_on, machines_of
from conformance.call.case import Machine, numpy_dtype
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


Indices = NDArray[np.int64]

BOUNDARIES = (*(f"rows = cores{step}" for step in STEPS), *unpadded.BOUNDARIES)
SHARING = ("once", "several", "one token")
"""How the rows share tokens: no token has two; some has; one token has all."""

ORDERS = ("rising", "two runs", "any")
"""The token ids of one expert: rising; once begun anew, as the forward operator pads; any."""

LEAST_CAPACITY = {"rising": 1, "two runs": 2, "any": 3}
LEAST_UB_BYTES = 1024
FREE_EXPERTS = ((1, 1), (2, 1), (1, 2), (2, 2), (1, 3), (3, 1), (2, 3), (3, 3), (5, 4), (8, 6))
"""Experts and capacity where no boundary fixes the rows."""
MOST_EXPERTS = 64


@dataclass(frozen=True)
class PaddedSizes:
    """A machine and the sizes that a boundary fixes; ``tokens`` or ``hidden`` None is free."""

    machine: Machine
    experts: int
    capacity: int
    tokens: int | None = None
    hidden: int | None = None

    @property
    def rows(self) -> int:
        """Rows of all experts."""
        return self.experts * self.capacity

    def fewest_tokens(self, sharing: str) -> int:
        """The fewest tokens that can share the rows so; 0 where none can."""
        if sharing == "once":
            return self.rows
        if self.experts < 2 or (sharing == "one token" and self.capacity > 1):
            return 0
        return self.capacity

    def holds(self, sharing: str, order: str) -> bool:
        """Whether the sizes are large enough for both patterns, and not too large for a case."""
        least = self.fewest_tokens(sharing)
        tokens = self.tokens or least
        largest = max(self.rows, tokens) * (self.hidden or 1)
        fits = 0 < least <= tokens and largest <= MOST_ELEMENTS
        return fits and self.capacity >= LEAST_CAPACITY[order]


@cache
def sizes_at(boundary: str, cores: str, ub: str, element_bytes: int) -> tuple[PaddedSizes, ...]:
    """The sizes on a boundary, fewest elements first."""
    found = {
        sizes
        for machine in machines_of(cores, ub, LEAST_UB_BYTES)
        for sizes in _on(boundary, machine, element_bytes)
    }
    return tuple(sorted(found, key=_simplicity))


def boundaries_of(
    machine: Machine | None, rows: int, tokens: int, hidden: int, element_bytes: int
) -> set[str]:
    """The boundaries on which a case's sizes lie."""
    shown = unpadded.LINES.shown(machine, 0, tokens, hidden, element_bytes)
    if machine is not None:
        shown |= {f"rows = cores{s}" for s, by in STEPS.items() if rows == machine.cores + by}
    return shown


def token_ids(
    sizes: PaddedSizes, tokens: int, sharing: str, order: str, generator: np.random.Generator
) -> Indices:
    """The token of every row, [experts * capacity]; no expert has one twice."""
    experts, capacity = sizes.experts, sizes.capacity
    if sharing == "one token":
        return np.full(experts, generator.integers(tokens), np.int64)
    if sharing == "once":
        ids = generator.permutation(tokens)[: sizes.rows].reshape(experts, capacity)
    else:
        ids = np.stack([generator.permutation(tokens)[:capacity] for _ in range(experts)])
        if np.unique(ids).size == ids.size:
            ids[1] = ids[0]
    ids = np.sort(ids, axis=1)
    if order == "two runs":
        return np.roll(ids, int(generator.integers(1, capacity)), axis=1).ravel()
    if order == "any":
        shuffled = generator.permuted(ids, axis=1)
        few = descents(shuffled) < 2
        return np.where(few, np.flip(ids, axis=1), shuffled).ravel()
    return ids.ravel()


def descents(ids: Indices) -> int:
    """How often the ids of an expert [experts, capacity] fall, at most."""
    return int((np.diff(ids, axis=1) < 0).sum(axis=1).max(initial=0))


def sharing_of(ids: Indices) -> set[str]:
    """How rows share tokens."""
    most = int(np.bincount(ids).max(initial=0)) if ids.size else 0
    if most < 2:
        return {"once"}
    return {"several"} | ({"one token"} if most == ids.size else set())


def order_of(ids: Indices, experts: int) -> set[str]:
    """The order of each expert's token ids, the least orderly of them."""
    return {ORDERS[min(descents(ids.reshape(experts, -1)), 2)]}


def _on(boundary: str, machine: Machine, element_bytes: int) -> Iterator[PaddedSizes]:
    what, _, step = boundary.partition(" = ")
    if what == "rows":
        rows = machine.cores + STEPS[step.removeprefix("cores")]
        for experts in range(1, min(rows, MOST_EXPERTS) + 1):
            if rows % experts == 0:
                yield PaddedSizes(machine, experts, rows // experts)
        return
    tokens = machine.cores + STEPS[step.removeprefix("cores")] if what == "tokens" else None
    if tokens == 0:
        return
    hidden = hidden_on(boundary, element_bytes)
    for experts, capacity in FREE_EXPERTS:
        yield PaddedSizes(machine, experts, capacity, tokens, hidden)


def _simplicity(sizes: PaddedSizes) -> tuple[int, ...]:
    machine, elements = sizes.machine, sizes.rows * (sizes.hidden or 1)
    return (elements, machine.cores, machine.ub_bytes, sizes.experts, sizes.tokens or 1)
