"""Sizes of MoeTokenPermuteGrad at which a kernel changes its path, for a drawn machine.

The vendor's kernel holds rows in four, three or two buffers, and cuts a row into pieces where not
even two hold it. MoeTokenPermuteWithRoutingMapGrad has the same kernel where it does not pad.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

from cases.operators._slot_sum_limits import VENDOR_COLUMNS
from conformance.call.case import Machine
from conformance.draw.machines import UB_BYTES
from conformance.draw.patterns import least_tokens
from conformance.record.derive.axes import CORES, SMALL_UB, class_of

SLOTS = {
    "1": (1,),
    "2-3": (2, 3),
    "4-7": (4, 5, 7),
    "8-31": (8, 9, 31),
    "32-127": (32, 33, 127),
    "128-511": (128, 129, 511),
    "512": (512,),
}
STEPS = {"": 0, " - 1": -1, " + 1": 1}
BOUNDARIES = (
    *(f"tokens = cores{step}" for step in STEPS),
    *(f"hidden = 32 bytes{step}" for step in STEPS),
    *(f"hidden = {count} vendor buffers{step}" for count in (4, 3, 2) for step in ("", " + 1")),
    "hidden = two vendor pieces",
    "hidden = two vendor pieces + 1",
)

SLOT_BYTES = 8
"""Bytes of the buffer that a case leaves for each slot of a token: its index, twice."""

EVERY_TUPLE = 0
"""In place of a number of kept slots: as many tokens as there are tuples of a small scope."""

MOST_VALUES = 3
MOST_INDICES = 6_000
MOST_ELEMENTS = 130_000
"""Elements that one case may add up: bounds its time, not what a kernel can do."""


@dataclass(frozen=True)
class Sizes:
    """A machine and the sizes that a boundary fixes; ``tokens`` or ``hidden`` None is free."""

    machine: Machine
    top_k: int
    tokens: int | None = None
    hidden: int | None = None
    most_indices: int = MOST_INDICES

    @property
    def most_tokens(self) -> int:
        """The most tokens within the bounds of a case."""
        return min(self.most_indices, MOST_ELEMENTS // (self.hidden or 1)) // self.top_k

    def fewest_tokens(self, dropped: str, kept: int) -> int:
        """The fewest tokens that show a pattern, 0 where none do.

        Where all slots are dropped there are two at least: an index that adds nothing lies above
        the one row and below the number of slots.
        """
        least = least_tokens(dropped, self.top_k, kept)
        return max(least, -(-2 // self.top_k)) if dropped == "all" else least

    def holds(self, dropped: str, kept: int, most_values: int = MOST_VALUES) -> bool:
        """Whether the sizes are large enough for a pattern, and not too large for a case."""
        if kept == EVERY_TUPLE:
            return self.values(most_values) > 1
        least = self.fewest_tokens(dropped, kept)
        return 0 < least <= (self.tokens or self.most_tokens) <= self.most_tokens

    def values(self, most: int = MOST_VALUES) -> int:
        """How many values every tuple of top_k slots may be made of within the bounds, or 0."""
        if self.tokens is not None or self.top_k > 4:
            return 0
        fits = (n for n in range(2, most + 1) if n**self.top_k <= self.most_tokens)
        return max(fits, default=0)


@dataclass(frozen=True, eq=False)
class Lines:
    """Where the kernels of an operator change their path, at sizes by the names of `boundaries`.

    ``classes`` are numbers of slots; ``slot_bytes`` of the buffer are left for each of a token.
    """

    boundaries: tuple[str, ...] = BOUNDARIES
    classes: Mapping[str, tuple[int, ...]] = field(default_factory=lambda: SLOTS)
    slot_bytes: int = SLOT_BYTES

    def least_ub_bytes(self, top_k: int, element_bytes: int = 4) -> int:
        """The least unified buffer of a case: what names a token's slots, and a small tile."""
        return 512 + self.slot_bytes * top_k

    def machines(self, boundary: str, cores: str, ub: str, least: int) -> Iterator[Machine]:
        """Machines of both classes with that much unified buffer."""
        return machines_of(cores, ub, least)

    def on(
        self, boundary: str, top_k: int, machine: Machine, element_bytes: int
    ) -> Iterator[Sizes]:
        """The sizes of one machine and top_k on a boundary."""
        hidden = hidden_on(boundary, element_bytes)
        if hidden is not None:
            yield Sizes(machine, top_k, hidden=hidden)
            return
        change = STEPS[boundary.removeprefix("tokens = cores")]
        yield Sizes(machine, top_k, tokens=machine.cores + change)

    def shown(
        self, machine: Machine | None, top_k: int, tokens: int, hidden: int, element_bytes: int
    ) -> set[str]:
        """The boundaries on which sizes lie; without a machine, those of none."""
        shown = {one for one in self.boundaries if hidden_on(one, element_bytes) == hidden}
        if machine is not None:
            steps = STEPS.items()
            shown |= {f"tokens = cores{s}" for s, by in steps if tokens == machine.cores + by}
        return shown

    def class_of(self, top_k: int) -> list[str]:
        """The class of a number of slots."""
        return class_of(top_k, {name: some[0] for name, some in self.classes.items()})


LINES = Lines()
"""Those of most operators that add rows of slots."""


@cache
def sizes_at(
    lines: Lines, boundary: str, slots: str, cores: str, ub: str, element_bytes: int
) -> tuple[Sizes, ...]:
    """The sizes on a boundary, fewest elements first; empty where the classes do not meet it."""
    found = {
        sizes
        for top_k in lines.classes[slots]
        for machine in lines.machines(
            boundary, cores, ub, lines.least_ub_bytes(top_k, element_bytes)
        )
        for sizes in lines.on(boundary, top_k, machine, element_bytes)
        if 1 <= (1 if sizes.tokens is None else sizes.tokens) <= sizes.most_tokens
    }
    return tuple(sorted(found, key=_simplicity))


@cache
def largest_at(
    lines: Lines, boundary: str, slots: str, cores: str, ub: str, element_bytes: int
) -> tuple[Sizes, ...]:
    """Of `sizes_at`, by top_k those of the most tokens, fixed and free: if any of all `holds` a
    pattern, one of these does.
    """
    found = sizes_at(lines, boundary, slots, cores, ub, element_bytes)
    rising = sorted(found, key=lambda one: one.tokens or one.most_tokens)
    return tuple({(one.top_k, one.tokens is None): one for one in rising}.values())


def machines_of(cores: str, ub: str, least: int) -> Iterator[Machine]:
    """Machines of both classes with that much unified buffer."""
    for count in CORES[cores]:
        for ub_bytes in UB_BYTES:
            if ub_bytes >= least and (ub_bytes <= SMALL_UB) == (ub == "small"):
                yield Machine(count, ub_bytes)


@cache
def hidden_on(boundary: str, element_bytes: int) -> int | None:
    """The row length that a boundary fixes, one of `BOUNDARIES` or a number of columns; None where
    it fixes none.
    """
    what, _, size = boundary.partition(" = ")
    if what != "hidden":
        return None
    change = next((by for step, by in STEPS.items() if step and size.endswith(step)), 0)
    if size.startswith("32 bytes"):
        return 32 // element_bytes + change
    if "columns" in size:
        return int(size.split()[0]) + change
    columns = VENDOR_COLUMNS[element_bytes]
    return (2 * columns[2] if size.startswith("two") else columns[int(size[0])]) + change


def _simplicity(sizes: Sizes) -> tuple[int, ...]:
    hidden, tokens = sizes.hidden or 1, sizes.tokens or 1
    machine = sizes.machine
    return (sizes.top_k * tokens * hidden, machine.cores, machine.ub_bytes, sizes.top_k, hidden)
