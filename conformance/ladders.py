"""Ladders: along one size of an operator's calls, the values around each power of two.

A number that is kept in too few bits, and a table or counter of fixed length, go wrong from one
size on: an offset in 16 bits from slot 65,536. A ladder goes up one size while the others stay
small, so that its last calls cost little. The first size that is refused is followed down to the
smallest one that still is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from conformance.case import Machine
from conformance.devices.device import USABLE_UB_BYTES

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from conformance.case import Case
    from conformance.operator import Operator

MOST = 2**17
"""The largest size of a ladder whose operator's documents allow more."""

ONE_CELL = "operator"
"""How smoke judges a ladder: in one cell of its operator."""

POWERS = tuple(2**power for power in range(MOST.bit_length()))
MACHINES = (
    Machine(1, max(USABLE_UB_BYTES.values())),
    Machine(48, max(USABLE_UB_BYTES.values())),
    Machine(3, 16384),
)
"""By turns: one core that has all blocks of a copy, a chip, and a small one with many tiles."""

Cases = Callable[[str, str, int, Machine], "SearchStrategy[Case]"]


@dataclass(frozen=True)
class Ladder:
    """One size of an operator's calls, from 1 to ``most``.

    ``cases(mode, dtype, size, machine)`` draws calls of that size. ``most`` is the documented
    maximum, or `MOST` if there is none or a larger one. Only multiples of ``step`` are possible.
    Each size up to ``every`` is asked. ``modes`` are those in which the size can grow; none: all.
    Larger calls than ``cheap`` take seconds: smoke does not make them.
    """

    name: str
    cases: Cases
    most: int = MOST
    least: int = 1
    step: int = 1
    every: int = 0
    modes: tuple[str, ...] = ()
    cheap: int = MOST

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The sizes that are judged: just below, at and just above each power of two."""
        near = {power + change for power in POWERS for change in (-self.step, 0, self.step)}
        near |= {*range(1, self.every + 1), self.most - self.step, self.most}
        allowed = (n for n in near if self.least <= n <= self.most and n % self.step == 0)
        return tuple(sorted(allowed))

    def within(self, each: str) -> Ladder:
        """The ladder as far as it is judged in one cell of each of ``each`` (`cells_asked`)."""
        return replace(self, most=min(self.most, self.cheap)) if each == ONE_CELL else self

    def machine(self, place: int, turn: int) -> Machine:
        """The machine of the size at a place: around each power of two all are met, by turns.

        The largest size but one is that of a single core, on which a counter of a core counts all.
        """
        if place == len(self.sizes) - 2:
            return MACHINES[0]
        nearest = (self.sizes[place] * 4 // 3).bit_length()
        return MACHINES[(place + nearest + turn) % len(MACHINES)]


def cells_asked(
    operator: Operator, ladder: Ladder, each: str, turn: int
) -> Iterator[tuple[str, str]]:
    """Mode and dtype of the cells in which a ladder is judged.

    ``each`` "dtype": all; "mode": one dtype of each mode, by turns; "operator": one cell, by turns.
    """
    modes = [one.name for one in operator.modes if not ladder.modes or one.name in ladder.modes]
    dtypes = operator.dtypes
    turn += operator.ladders.index(ladder)
    if each == ONE_CELL and modes:
        yield modes[turn % len(modes)], dtypes[turn // len(modes) % len(dtypes)]
        return
    for place, mode in enumerate(modes):
        if each == "mode":
            yield mode, dtypes[(turn + place) % len(dtypes)]
        else:
            yield from ((mode, dtype) for dtype in dtypes)
