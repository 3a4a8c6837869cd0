"""Which combinations each mode of an operator is asked for, if the modes take turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from conformance.record.covering import Feasible, Tuples, feasible_tuples

Axes = tuple[tuple[str, tuple[str, ...]], ...]
Place = tuple[int, tuple[int, ...], tuple[int, ...]]
"""A combination in the cells of a mode: their number, its axes, and its levels."""


def by_turns(modes: Sequence[tuple[Axes, Feasible]], strength: int) -> Sequence[Tuples]:
    """Of every feasible ``strength`` levels that several of the ``modes`` have by the same names,
    those of one mode; and of each level of a mode some, if it has any.

    ``modes`` are the axes of discrete cells, and which of their levels go together.
    """
    every = [feasible_tuples(feasible, strength) for _, feasible in modes]
    places: dict[tuple[tuple[str, str], ...], list[Place]] = {}
    for number, ((axes, _), tuples) in enumerate(zip(modes, every, strict=True)):
        for name, chosen, levels in _named(axes, tuples):
            places.setdefault(name, []).append((number, chosen, levels))
    asked = [{axes: np.zeros_like(left) for axes, left in tuples.items()} for tuples in every]
    for some in places.values():
        # By the sum of the levels each mode is asked for a share of what goes with each level.
        number, chosen, levels = some[sum(some[0][2]) % len(some)]
        asked[number][chosen][levels] = True
    for mine, tuples in zip(asked, every, strict=True):
        _complete(mine, tuples)
    return asked


def _named(
    axes: Axes, tuples: Tuples
) -> Iterator[tuple[tuple[tuple[str, str], ...], tuple[int, ...], tuple[int, ...]]]:
    """Each combination with the names of its axes and levels."""
    for chosen, left in tuples.items():
        for levels in np.argwhere(left).tolist():
            name = tuple(
                (axes[axis][0], axes[axis][1][level])
                for axis, level in zip(chosen, levels, strict=True)
            )
            yield name, chosen, tuple(levels)


def _complete(asked: dict[tuple[int, ...], Feasible], every: Tuples) -> None:
    """Ask for all combinations of a level of which none is asked for."""
    for axis in sorted({axis for chosen in every for axis in chosen}):
        lacking = _some(every, axis) & ~_some(asked, axis)
        for chosen in every:
            if axis in chosen:
                across = [1] * len(chosen)
                across[chosen.index(axis)] = len(lacking)
                asked[chosen] |= every[chosen] & lacking.reshape(across)


def _some(tuples: Tuples, axis: int) -> Feasible:
    """Of which levels of an axis there is a combination."""
    found = [
        left.any(axis=tuple(other for other in range(left.ndim) if chosen[other] != axis))
        for chosen, left in tuples.items()
        if axis in chosen
    ]
    return np.asarray(np.any(found, axis=0), np.bool_)
