"""What each mode of an operator is asked for if modes take turns: the mode is an axis more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from conformance.record.covering import Rows, covering_arrays
from conformance.record.tuples import Feasible, Mode, Tuples, feasible_tuples


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
        Turn(rows, _held(rows, feasible_tuples(feasible, strength)))
        for rows, (_, feasible) in zip(covering_arrays(modes, strength), modes, strict=True)
    ]


def _held(rows: Rows, tuples: Tuples) -> dict[tuple[int, ...], Feasible]:
    """Those of the combinations that rows hold."""
    held = {chosen: np.zeros_like(left) for chosen, left in tuples.items()}
    for chosen, left in held.items():
        left[tuple(rows[:, axis] for axis in chosen)] = True
    return held
