"""Ladders: along one size of an operator's calls, the values around each power of two.

A number that is kept in too few bits, and a table or counter of fixed length, go wrong from one
size on: an offset in 16 bits from slot 65,536. A ladder goes up one size while the others stay
small, so that its last calls cost little. The first size that is refused is followed down to the
smallest one that still is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from conformance.call.case import Machine
from conformance.record.chips import USABLE_UB_BYTES

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from conformance.call.case import Case

MOST = 2**17
"""The largest size of a ladder whose operator's documents allow more."""

ONE_CELL, EVERY_CELL = "operator", "dtype"
"""How smoke judges a ladder: in one cell of its operator; and nightly: in all."""

FIRST = 31
"""Smoke draws many smaller calls anyway."""

DEAR = 2**9
"""Of larger calls smoke makes one near each power of two, not three."""

SLOW = 10_000
"""Larger calls are slow on a small machine."""

SIXTEEN_BITS = 2**16

BLOCKS = 4095
"""The most blocks of one copy, as the language model has it."""

REPEATS = 255
"""The most repeats of one instruction, as the language model has it."""

LANES = (32, 64, 128)
"""Elements of a repeat: keys of a sort, numbers of 32 bits, numbers of 16 bits."""

ONE_INSTRUCTION = (BLOCKS, *(REPEATS * lanes for lanes in LANES))
"""The most that one instruction takes. Up to `SLOW`, more of it lies in a single core."""

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
    Larger calls than ``cheap`` take seconds: smoke does not make them, nor gate those that are more
    than four times as large.
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
    def at_limits(self) -> frozenset[int]:
        """The sizes that one instruction just takes."""
        return frozenset(n // self.step * self.step for n in ONE_INSTRUCTION)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Every size: just below, at and just above each power of two, and what one instruction
        takes and one more."""
        near = {power + change for power in POWERS for change in (-self.step, 0, self.step)}
        near |= {n + more for n in self.at_limits for more in (0, self.step)}
        near |= {*range(1, self.every + 1), self.most - self.step, self.most}
        allowed = (n for n in near if self.least <= n <= self.most and n % self.step == 0)
        return tuple(sorted(allowed))

    def asked(self, each: str, turn: int, place: int = 0, modes: int = 1) -> tuple[int, ...]:
        """The sizes that are judged where one cell of each of ``each`` is (`cells_asked`).

        Of a mode: up to `DEAR` all of them and the largest but one; of the others the ``modes``, of
        which it has this ``place``, have those around each power in turn.

        Of an operator: from `FIRST` on, as smaller ones are drawn often; up to `DEAR` all of them;
        beyond it one near each power, by ``turn``, of those that are too many for one instruction,
        from `SLOW` on near every other power; and the largest but one. Of the sizes that 16 bits do
        not hold it is the one with several tiles beyond them, of which each begins at an offset.
        (81,919 does not show half of the mistakes with an offset in 16 bits.)
        """
        if each == EVERY_CELL:
            return self.sizes
        most = self.cheap if each == ONE_CELL else 4 * self.cheap
        cheap = tuple(n for n in self.sizes if n <= most)
        if each != ONE_CELL:
            mine = (n for n in cheap if n <= DEAR + self.step or self._turn(n, turn + place, modes))
            return tuple(sorted({*mine, *cheap[-2:-1]}))
        few = [n for n in cheap if n <= self.every or FIRST <= n <= DEAR + self.step]
        for number, power in enumerate(power for power in POWERS if DEAR < power < SIXTEEN_BITS):
            beside = (n for n in cheap if abs(n - power) <= self.step)
            near = [n for n in beside if n not in self.at_limits]
            if power < SLOW or (turn + number) % 2:
                few += near[(turn + number) % 3 :][:1] or near[-1:]
        return tuple(sorted({*few, *cheap[-2:-1]}))

    def _turn(self, size: int, turn: int, modes: int) -> bool:
        """Whether it is a mode's turn to judge the sizes around a power."""
        return ((size + self.step).bit_length() + turn) % modes == 0

    def machine(self, size: int, turn: int) -> Machine:
        """The machine of a size, by turns: around each power of two up to `DEAR` all are met, and
        around the next two the chip and the small one.

        Sizes from `BLOCKS` to `SLOW` are those of a single core, whose instructions take no more.
        The largest sizes are those of a chip, but for the largest but one: a single core, on which
        a counter of a core counts all.
        """
        if size >= self.sizes[-2]:
            return MACHINES[size > self.sizes[-2]]
        if size <= DEAR + self.step:
            return MACHINES[(size // self.step + turn) % len(MACHINES)]
        if BLOCKS - self.step <= size <= SLOW:
            return MACHINES[0]
        if size > SLOW:
            return MACHINES[1]
        return MACHINES[1 + ((size * 4 // 3).bit_length() + turn) % 2]
