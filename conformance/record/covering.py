"""Covering arrays: few rows that together hold every feasible combination of ``strength`` levels.

Modes may share them: then the mode is an axis more.

Why not a package: allpairspy 2.5.1 misses a fifth of the feasible pairs under constraints, and
covertable 3.2.0, which is right, takes ten times as long for no fewer rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count

import numpy as np
from numpy.typing import NDArray

from conformance.record.tuples import Feasible, Mode, compact, feasible_tuples

Rows = NDArray[np.intp]
"""Rows [rows, axes] of the numbers of levels."""

CANDIDATES = 48
"""Rows that are weighed against each other; the best of them is then made better."""


def covering_array(feasible: Feasible, strength: int) -> Rows:
    """Feasible rows that hold every tuple of `feasible_tuples`.

    The same arguments give the same rows, which nobody may write to.
    """
    small = compact(feasible)
    return _covering_array(feasible.shape, small.shape, np.packbits(small).tobytes(), strength)


@lru_cache(maxsize=256)
def _covering_array(
    shape: tuple[int, ...], small: tuple[int, ...], packed: bytes, strength: int
) -> Rows:
    """`covering_array`: the items of a mode ask for the same one, each for the rows of its own."""
    bits = np.unpackbits(np.frombuffer(packed, np.uint8), count=math.prod(small))
    feasible = np.broadcast_to(bits.astype(np.bool_).reshape(small), shape)
    axes = tuple((f"{axis}", tuple(map(str, range(size)))) for axis, size in enumerate(shape))
    (rows,) = covering_arrays([(axes, feasible)], strength)
    return rows


def covering_arrays(modes: Sequence[Mode], strength: int) -> list[Rows]:
    """Feasible rows of each mode, which nobody may write to.

    Every ``strength`` levels that some mode has by these names stand in a row of one such mode,
    every fewer in a row of each. Every row is taken for a tuple that no earlier row holds, in the
    mode that has fewest rows; so the arrays are complete by construction.
    """
    generator = np.random.Generator(np.random.Philox(key=0))
    spaces, missing = _missing(modes, strength)
    rows: list[list[Rows]] = [[] for _ in modes]
    for some in missing:
        for levels in generator.permutation(np.argwhere(some.left)).tolist():
            if some.left[tuple(levels)]:
                number, kept = min(some.places(levels), key=lambda one: len(rows[one[0]]))
                rows[number].append(spaces[number].take(kept, generator))
    found = [
        np.array(mine, np.intp).reshape(len(mine), feasible.ndim)
        for mine, (_, feasible) in zip(rows, modes, strict=True)
    ]
    for mine in found:
        mine.flags.writeable = False
    return found


Kept = Mapping[int, int]
"""The numbers of some axes of a mode, and of a level of each."""


@dataclass(frozen=True)
class _Part:
    """The tuples that a mode has of some of its axes: those that are feasible.

    ``level_of`` has for each axis the number of a level by that of its name.
    """

    mode: int
    axes: tuple[int, ...]
    feasible: Feasible
    level_of: Sequence[Mapping[int, int]]

    def place(self, names: Sequence[int]) -> Kept | None:
        """The tuple of these levels; None: the mode does not have it."""
        levels = [known.get(name, -1) for known, name in zip(self.level_of, names, strict=True)]
        if -1 in levels or not self.feasible[tuple(levels)]:
            return None
        return dict(zip(self.axes, levels, strict=True))


@dataclass(frozen=True)
class _Missing:
    """The tuples of axes of the same names that no row holds yet.

    They are ``left`` by the numbers of the levels' names. ``parts`` are the modes that have some.
    """

    left: Feasible
    parts: Sequence[_Part]

    def places(self, names: Sequence[int]) -> Iterator[tuple[int, Kept]]:
        """The modes that have a tuple, and where it is there."""
        for part in self.parts:
            kept = part.place(names)
            if kept is not None:
                yield part.mode, kept


@dataclass(frozen=True)
class _Choice:
    """Where the tuples of some axes of a mode lie: at ``place`` and from there by ``strides``."""

    axes: tuple[int, ...]
    strides: tuple[int, ...]
    place: int


class _Space:
    """The rows of a mode, and where their tuples lie in ``left``: those that no row holds yet.

    They lie at the numbers of its levels' names times ``steps`` [axes, choices of axes], from the
    place of each choice on.
    """

    def __init__(
        self,
        feasible: Feasible,
        numbers: Sequence[Rows],
        choices: Sequence[_Choice],
        left: Feasible,
    ) -> None:
        self._feasible, self._left = feasible, left
        self._numbers = np.concatenate(numbers)
        self._before = np.cumsum([0, *feasible.shape[:-1]])
        self._axis = np.repeat(np.arange(feasible.ndim), feasible.shape)
        self._level = np.concatenate([np.arange(size) for size in feasible.shape])
        self._places = np.array([choice.place for choice in choices])
        self._steps = np.zeros((feasible.ndim, len(choices)), np.intp)
        for number, choice in enumerate(choices):
            self._steps[list(choice.axes), number] = choice.strides

    def take(self, kept: Kept, generator: np.random.Generator) -> Rows:
        """A feasible row that holds the levels ``kept``; what it holds is missing no longer.

        It is the one of `CANDIDATES` that holds most missing tuples. One level after the other is
        changed in it, as long as it then holds more.
        """
        most, row = self._best(self._candidates(kept, generator))
        others = ~np.isin(self._axis, list(kept))
        axis, level = self._axis[others], self._level[others]
        while len(axis):
            changed = np.repeat(row[None], len(axis), 0)
            changed[np.arange(len(axis)), axis] = level
            more, better = self._best(changed[self._feasible[tuple(changed.T)]])
            if more <= most:
                break
            most, row = more, better
        self._left[self._held(row)] = False
        return row

    def _held(self, rows: Rows) -> Rows:
        """Where the tuples of rows [..., axes] lie."""
        found: Rows = self._numbers[rows + self._before] @ self._steps + self._places
        return found

    def _best(self, rows: Rows) -> tuple[int, Rows]:
        """The first of the rows that hold most missing tuples, and how many these are."""
        counts = np.count_nonzero(self._left[self._held(rows)], axis=1)
        best = int(counts.argmax())
        return int(counts[best]), rows[best]

    def _candidates(self, kept: Kept, generator: np.random.Generator) -> Rows:
        """Some feasible rows that hold the levels ``kept``."""
        axes = range(self._feasible.ndim)
        left = self._feasible[tuple(kept.get(axis, slice(None)) for axis in axes)]
        free = np.flatnonzero(left)
        if len(free) > CANDIDATES:
            free = free[generator.integers(0, len(free), CANDIDATES)]
        rows = np.empty((len(free), len(axes)), np.intp)
        rows[:, list(kept)] = list(kept.values())
        others = [axis for axis in axes if axis not in kept]
        if others:
            rows[:, others] = np.transpose(np.unravel_index(free, left.shape))
        return rows


def _missing(modes: Sequence[Mode], strength: int) -> tuple[list[_Space], list[_Missing]]:
    """The rows of each mode, and the tuples that are asked for."""
    known: dict[str, dict[str, int]] = {}
    for name, levels in (axis for axes, _ in modes for axis in axes):
        for level in levels:
            known.setdefault(name, {}).setdefault(level, len(known[name]))
    numbers = [
        [np.array([known[name][level] for level in levels], np.intp) for name, levels in axes]
        for axes, _ in modes
    ]
    asked = _asked(modes, strength)
    sizes = [tuple(len(known[name]) for name in names) for _, names in asked]
    ends = np.cumsum([0, *map(math.prod, sizes)]).tolist()
    left = np.zeros(ends[-1], np.bool_)
    choices: list[list[_Choice]] = [[] for _ in modes]
    missing = []
    for some, size, begin, end in zip(asked.values(), sizes, ends[:-1], ends[1:], strict=True):
        mine, parts = left[begin:end].reshape(size), []
        for mode, axes, feasible in some:
            names = [numbers[mode][axis] for axis in axes]
            mine[np.ix_(*names)] |= feasible
            choices[mode].append(_Choice(axes, mine.strides, begin))  # of one byte each
            level_of = [dict(zip(of.tolist(), count(), strict=False)) for of in names]
            parts.append(_Part(mode, axes, feasible, level_of))
        missing.append(_Missing(mine, parts))
    spaces = [
        _Space(feasible, mine, chosen, left)
        for (_, feasible), mine, chosen in zip(modes, numbers, choices, strict=True)
    ]
    return spaces, missing


_Asked = dict[tuple[int, tuple[str, ...]], list[tuple[int, tuple[int, ...], Feasible]]]
"""By names of axes, and by the number of a mode where each has its own, the modes that have them:
which axes these are, and which of their tuples are feasible."""

OF_ALL = -1
"""What stands for the number of a mode if it does not matter which one has a row."""


def _asked(modes: Sequence[Mode], strength: int) -> _Asked:
    asked: _Asked = {}
    for number, (axes, feasible) in enumerate(modes):
        asks = {OF_ALL: strength} if len(modes) == 1 else {OF_ALL: strength, number: strength - 1}
        for of, size in asks.items():
            for chosen, tuples in feasible_tuples(feasible, size).items():
                names = tuple(axes[axis][0] for axis in chosen)
                asked.setdefault((of, names), []).append((number, chosen, tuples))
    return dict(sorted(asked.items(), key=lambda item: item[0][0] != OF_ALL))
