"""Tuples: combinations of the levels of some axes, and which of them go together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Feasible = NDArray[np.bool_]
Axes = tuple[tuple[str, tuple[str, ...]], ...]
Mode = tuple[Axes, Feasible]
"""Axes with their levels, by name, and which of the levels go together."""

Tuples = Mapping[tuple[int, ...], Feasible]
"""Combinations of levels by the numbers of their axes: which of them there are."""


def feasible_tuples(feasible: Feasible, strength: int) -> dict[tuple[int, ...], Feasible]:
    """For each choice of ``strength`` axes, which combinations of levels some feasible row holds.

    ``feasible`` has one axis for each axis of the array, and tells of every row whether it may be
    run. Where there are fewer axes than ``strength``, whole rows are the tuples.
    """
    kept = min(strength, feasible.ndim)
    projected = _projections(compact(feasible), tuple(range(feasible.ndim)), 0, kept)
    sizes = feasible.shape
    return {
        axes: np.broadcast_to(left, [sizes[axis] for axis in axes]).copy()
        for axes, left in projected
    }


def compact(feasible: Feasible) -> Feasible:
    """The array with one level of each axis along which it is repeated (`numpy.broadcast_to`): an
    axis that no constraint names, whose levels would only multiply the work.
    """
    return feasible[tuple(slice(None if step else 1) for step in feasible.strides)]


def possible(feasible: Feasible, axis: int) -> Feasible:
    """Whether some combination with it is feasible, for every level of an axis."""
    small = compact(feasible)
    others = tuple(other for other in range(small.ndim) if other != axis)
    return np.broadcast_to(small.any(axis=others), feasible.shape[axis])


def _projections(
    feasible: Feasible, axes: tuple[int, ...], at: int, kept: int
) -> Iterator[tuple[tuple[int, ...], Feasible]]:
    """`feasible_tuples` of an array over ``axes``, of which those before ``at`` stay.

    What is left without an axis serves all choices that agree on the axes before it, so that the
    whole array is read ``kept`` + 1 times and not once for every choice.
    """
    if at == kept:
        yield axes[:kept], _without(feasible, *range(kept, feasible.ndim))
        return
    yield from _projections(feasible, axes, at + 1, kept)
    if feasible.ndim > kept:
        yield from _projections(_without(feasible, at), axes[:at] + axes[at + 1 :], at, kept)


def _without(feasible: Feasible, *axes: int) -> Feasible:
    """Which levels of the other axes some feasible row holds; an array of its own."""
    return np.asarray(feasible.any(axis=axes), np.bool_)


def held(rows: NDArray[np.intp], axes: Sequence[int], sizes: Sequence[int]) -> Feasible:
    """Which combinations of levels of some ``axes`` the rows of level numbers hold.

    ``sizes`` has how many levels each of these axes has.
    """
    shown = np.zeros(sizes, np.bool_)
    shown[tuple(rows[:, axis] for axis in axes)] = True
    return shown


def bits_of(tuples: Tuples) -> bytes:
    """Which tuples there are, eight to a byte, in the order of their axes."""
    bits = [tuples[axes].ravel() for axes in sorted(tuples)]
    return np.packbits(np.concatenate(bits or [np.zeros(0, np.bool_)])).tobytes()
