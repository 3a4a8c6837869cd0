"""Which combinations each mode of an operator is asked for, if the modes take turns: the mode is an
axis more."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from conformance.record.covering import Feasible, Tuples, feasible_tuples

Axes = tuple[tuple[str, tuple[str, ...]], ...]
Mode = tuple[Axes, Feasible]
"""The axes of discrete cells, and which of their levels go together."""


def by_turns(modes: Sequence[Mode], strength: int) -> Sequence[Tuples]:
    """Of every feasible ``strength`` levels that several of the modes have by the same names, those
    of one mode; and of all that are one level fewer some in each mode that has them.
    """
    every = [feasible_tuples(feasible, strength) for _, feasible in modes]
    places: dict[tuple[str, ...], list[tuple[int, tuple[int, ...]]]] = {}
    for number, ((axes, _), tuples) in enumerate(zip(modes, every, strict=True)):
        for chosen in tuples:
            names = tuple(axes[axis][0] for axis in chosen)
            places.setdefault(names, []).append((number, chosen))
    asked: list[dict[tuple[int, ...], Feasible]] = [{} for _ in modes]
    for some in places.values():
        levels = [[modes[number][0][axis][1] for axis in chosen] for number, chosen in some]
        shares = _shares(levels, [every[number][chosen] for number, chosen in some])
        for (number, chosen), share in zip(some, shares, strict=True):
            asked[number][chosen] = share
    for mine, tuples in zip(asked, every, strict=True):
        _complete(mine, tuples, strength - 1)
    return asked


def _shares(
    levels: Sequence[Sequence[tuple[str, ...]]], parts: Sequence[Feasible]
) -> list[Feasible]:
    """Of the combinations of the same axes in several modes, those that each mode is asked for.

    ``levels`` are those of each axis by mode. By the sum of the levels each mode is asked for a
    share of what goes with each level.
    """
    known = [list(dict.fromkeys(sum(of_axis, ()))) for of_axis in zip(*levels, strict=True)]
    places = [
        np.ix_(
            *(
                [all_of.index(name) for name in mine]
                for all_of, mine in zip(known, some, strict=True)
            )
        )
        for some in levels
    ]
    together = np.zeros((len(parts), *map(len, known)), np.bool_)
    for mine, place, part in zip(together, places, parts, strict=True):
        mine[place] = part
    turns = np.indices(together.shape[1:]).sum(axis=0) % np.maximum(together.sum(axis=0), 1)
    chosen = together & (together.cumsum(axis=0) == turns + 1)
    return [mine[place] for mine, place in zip(chosen, places, strict=True)]


def _complete(asked: dict[tuple[int, ...], Feasible], every: Tuples, fewer: int) -> None:
    """Ask for all combinations with some ``fewer`` levels if none with them is asked for."""
    parts = [combinations(chosen, min(fewer, len(chosen))) for chosen in every]
    for axes in sorted({axes for part in parts for axes in part}):
        lacking = _some(every, axes) & ~_some(asked, axes)
        for chosen in every:
            if {*axes} <= {*chosen}:
                across = [lacking.shape[axes.index(a)] if a in axes else 1 for a in chosen]
                asked[chosen] |= every[chosen] & lacking.reshape(across)


def _some(tuples: Tuples, axes: tuple[int, ...]) -> Feasible:
    """Of which levels of the axes there is a combination."""
    found = [
        left.any(axis=tuple(place for place, axis in enumerate(chosen) if axis not in axes))
        for chosen, left in tuples.items()
        if {*axes} <= {*chosen}
    ]
    return np.asarray(np.any(found, axis=0), np.bool_)
