"""Where gradients of slots are cut otherwise: rows with weights, and rows that are only moved.

MoeTokenUnpermuteGrad's weights are its probabilities, MoeFinalizeRoutingV2Grad's its scales. This
follows from the tables in device_kernels/kernels/shared/slots/slot_grad_tiling.h and
slot_copy_tiling.h; a test holds it equal to what the tilings export, and every run asks them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

from cases.operators._slot_sum_limits import CHIPS, GRANULE_BYTES, INDEX_BYTES, SMALL, up
from conformance.call.case import Machine
from conformance.record.call_rules import Limit
from conformance.record.chips import USABLE_UB_BYTES
from conformance.record.edges import STEPS, Sizes

LANES = 64
LANE_BYTES = 4 * LANES
"""The fp32 lanes in which the products of one slot are added."""

MOST_PART, MOST_COLUMNS, MOST_COPIES = 255, 255 * LANES, 4095
"""The most of one instruction: slots whose lanes are added, columns of a tile, rows of a copy."""

TOP_KS = (1, 2, 8, 129, 512)


@dataclass(frozen=True)
class WeightedUb:
    """The unified buffer of a call whose slots have weights, and perhaps rows a bias.

    Of weights that lie ``apart`` each has a granule for its gradient, and sums for as many elements
    of 16 bits as are in one.
    """

    ub_bytes: int
    top_k: int
    element_bytes: int
    weight_bytes: int
    biased: bool = False
    apart: bool = False

    def of_slots(self, slots: int) -> int:
        """Bytes of the indices of so many slots, their weights, gradients of these, experts."""
        if self.apart:
            granules = 1 + (4 // self.weight_bytes if self.weight_bytes < 4 else 0)
            return 2 * up(4 * slots, GRANULE_BYTES) + granules * GRANULE_BYTES * slots
        words = 1 + (self.weight_bytes < 4) + self.biased
        return words * up(4 * slots, GRANULE_BYTES) + 2 * up(
            self.weight_bytes * slots, GRANULE_BYTES
        )

    @property
    def column_bytes(self) -> int:
        """Bytes of one column: gradient, row, result and bias twice, and three or two widened."""
        widened = 4 * (2 + self.biased) if self.element_bytes < 4 else 0
        return 2 * self.element_bytes * (3 + self.biased) + widened

    @property
    def least(self) -> int:
        """The least buffer that the host tiling accepts: one slot and a granule of columns."""
        return self.of_slots(1) + LANE_BYTES + self._granule * self.column_bytes

    @property
    def part(self) -> int:
        """The most slots of a token whose products are added at a time: an eighth of the buffer."""
        if self.ub_bytes < self.least:
            return 0
        return min(MOST_PART, max(1, self.ub_bytes // 8 // LANE_BYTES))

    @property
    def columns(self) -> int:
        """The longest row in one tile."""
        slots = min(self.top_k, self.part)
        left = self.ub_bytes - self.of_slots(slots) - LANE_BYTES * slots
        if self.ub_bytes < self.least:
            return 0
        return min(MOST_COLUMNS, left // self.column_bytes // self._granule * self._granule)

    def batch(self, hidden: int) -> int:
        """The most slots whose names a core has beside a tile: whole tokens, or whole parts."""
        if self.ub_bytes < self.least:
            return 0
        part = min(self.top_k, self.part)
        tile = up(self._tile(hidden), self._granule) * self.column_bytes
        left = self.ub_bytes - LANE_BYTES * part - tile
        most = 16 * left // self.of_slots(16)  # which nothing rounds up
        slots = next(n for n in range(most, 0, -1) if self.of_slots(n) <= left)
        unit = part if slots < self.top_k else self.top_k
        return slots // unit * unit

    def tokens(self, hidden: int, cores: int) -> int:
        """The most tokens that give every core at most one batch."""
        batch = self.batch(hidden)
        if batch < self.top_k:
            return batch * cores // self.top_k
        return batch // self.top_k * cores

    @property
    def _granule(self) -> int:
        return GRANULE_BYTES // self.element_bytes

    def _tile(self, hidden: int) -> int:
        """Columns of a tile; of a row in several of them 64 times as many, or a power of two."""
        if hidden <= self.columns:
            return hidden
        if self.columns >= LANES:
            return self.columns // LANES * LANES
        return 1 << (self.columns.bit_length() - 1)


@dataclass(frozen=True)
class MovedUb:
    """The unified buffer of a call without weights: two buffers of rows, and their indices."""

    ub_bytes: int
    element_bytes: int
    top_k = 1
    least = 3 * GRANULE_BYTES
    part = 0
    """There are no products."""

    @property
    def columns(self) -> int:
        """The longest row in one tile."""
        if self.ub_bytes < self.least:
            return 0
        half = (self.ub_bytes - GRANULE_BYTES) // 2
        return half // GRANULE_BYTES * GRANULE_BYTES // self.element_bytes

    def batch(self, hidden: int) -> int:
        """The most rows that a core has at a time."""
        if self.ub_bytes < self.least:
            return 0
        row = 2 * up(hidden * self.element_bytes, GRANULE_BYTES)
        fit = (self.ub_bytes - GRANULE_BYTES) // (row + INDEX_BYTES)
        return min(MOST_COPIES, max(1, fit))

    def tokens(self, hidden: int, cores: int) -> int:
        """The most tokens that give every core at most one batch."""
        return self.batch(hidden) * cores


SlotUb = WeightedUb | MovedUb


def limits(
    prefix: str, dtype: str, top_ks: tuple[int, ...], of: Callable[[int, int], SlotUb]
) -> Iterator[Limit]:
    """The limits of one kind of call, which ``prefix`` names; ``of`` a buffer's bytes and top_k."""
    for top_k in top_ks:
        least = of(0, top_k).least
        yield Limit(f"{prefix}ub-bytes", least, top_k, dtype)
        yield Limit(f"{prefix}cores", SMALL.cores, top_k, dtype, SMALL.cores)
        for ub in (least - 1, least, SMALL.ub_bytes, *USABLE_UB_BYTES.values()):
            found = of(ub, top_k)
            yield Limit(f"{prefix}hidden", found.columns, top_k, dtype, ub_bytes=ub)
            if isinstance(found, WeightedUb):
                yield Limit(f"{prefix}part", found.part, top_k, dtype, ub_bytes=ub)
            for hidden in sorted({1, max(1, found.columns), found.columns + 1}):
                yield Limit(f"{prefix}batch", found.batch(hidden), top_k, dtype, 0, ub, hidden)
                tokens = found.tokens(hidden, 3)
                yield Limit(f"{prefix}tokens", tokens, top_k, dtype, 3, ub, hidden)


def own_edges(
    machine: Machine, of: Callable[[int, int], SlotUb], kind: str, fixed: Sizes
) -> Iterator[tuple[str, Sizes]]:
    """The edges of this project's kernels in one kind of call; ``fixed`` is what makes it one."""
    some = of(machine.ub_bytes, 8)
    weighted = isinstance(some, WeightedUb)
    # The third tile is the first one that takes a buffer for the second time.
    tiles = ((1, 1), (2, 1), (3, 1), *(product((1, 2), (8, 512)) if weighted else ()))
    for step, change in STEPS.items():
        for count, top_k in tiles:
            hidden = max(1, count * of(machine.ub_bytes, top_k).columns + change)
            sizes = {"top_k": top_k, "hidden": hidden, **fixed}
            yield f"{count} x tile of {top_k} slots{kind}{step}", sizes
        if weighted:
            part = {"top_k": max(1, some.part + change), "hidden": 8, **fixed}
            yield f"part of a token{kind}{step}", part
        for count in (1, 2):
            batches = _batches(machine, some, count, change)
            yield f"{count} x batch{kind}{step}", {**batches, **fixed}
        block = GRANULE_BYTES // some.element_bytes + change
        yield f"a block of columns{kind}{step}", {"top_k": 1, "hidden": block, **fixed}


def _batches(machine: Machine, ub: SlotUb, count: int, change: int) -> Sizes:
    """Batches of two tokens for every core, of as long rows as these leave room for."""
    granule = GRANULE_BYTES // ub.element_bytes
    lengths = range(ub.columns, 0, -granule)
    hidden = next((n for n in lengths if ub.batch(n) >= 2 * ub.top_k), 1)
    tokens = count * ub.tokens(hidden, machine.cores) + change
    return {"top_k": ub.top_k, "tokens": tokens, "hidden": hidden}


def core_edges(machine: Machine, fixed: Sizes) -> Iterator[tuple[str, Sizes]]:
    """One or two tokens for every core, and one more or less."""
    for step, change in STEPS.items():
        for count in (1, 2):
            sizes = {"top_k": 1, "tokens": count * machine.cores + change, **fixed}
            yield f"tokens = {count} x cores{step}", sizes


MACHINES = (SMALL, *CHIPS)
