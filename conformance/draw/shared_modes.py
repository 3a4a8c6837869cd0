"""What each mode of an operator is asked for if modes take turns: the mode is an axis more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from conformance.record.covering import Rows, covering_arrays
from conformance.record.tuples import Mode, Tuples, held


@dataclass(frozen=True)
class Turn:
    """What a mode is asked for: ``rows``, and the combinations that they hold."""

    rows: Rows
    tuples: Tuples


def by_turns(modes: Sequence[Mode], strength: int) -> list[Turn]:
    """Of all ``strength`` levels that go together in some of the modes, known by their names, each
    is asked of one of them, and by the way of others; all that are one level fewer of each mode.
    """
    return [
        Turn(rows, _held(rows, feasible.shape, strength))
        for rows, (_, feasible) in zip(covering_arrays(modes, strength), modes, strict=True)
    ]


def _held(rows: Rows, sizes: Sequence[int], strength: int) -> Tuples:
    """The combinations of ``strength`` levels that rows hold."""
    several = combinations(range(len(sizes)), min(strength, len(sizes)))
    return {axes: held(rows, axes, [sizes[axis] for axis in axes]) for axes in several}
