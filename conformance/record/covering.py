"""Covering arrays: few rows that together hold every feasible combination of ``strength`` levels.

Why not a package: allpairspy 2.5.1 misses a fifth of the feasible pairs under constraints, and
covertable 3.2.0, which is right, takes ten times as long for no fewer rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Feasible = NDArray[np.bool_]
Tuples = Mapping[tuple[int, ...], Feasible]
"""Combinations of levels by the numbers of their axes: which of them there are."""
CANDIDATES = 48
"""Rows that are weighed against each other for every row that is taken."""


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


def covering_array(
    feasible: Feasible,
    strength: int,
    seed: int = 0,
    *,
    asked: Tuples | None = None,
) -> NDArray[np.intp]:
    """Feasible rows [rows, axes] of level numbers that hold every tuple of `feasible_tuples`, or
    those of them that are ``asked`` for.

    Every row is taken for a tuple that no earlier row holds, as the one of `CANDIDATES` feasible
    rows with that tuple which holds most others that are missing; so the array is complete by
    construction. The same arguments give the same rows, which nobody may write to.
    """
    small = compact(feasible)
    packed = np.packbits(small).tobytes()
    wanted = b"" if asked is None else bits_of(asked)
    return _covering_array(feasible.shape, small.shape, packed, strength, seed, wanted)


def bits_of(tuples: Tuples) -> bytes:
    """Which tuples there are, eight to a byte, in the order of their axes."""
    bits = [tuples[axes].ravel() for axes in sorted(tuples)]
    return np.packbits(np.concatenate(bits or [np.zeros(0, np.bool_)])).tobytes()


@lru_cache(maxsize=256)
def _covering_array(
    shape: tuple[int, ...],
    small: tuple[int, ...],
    packed: bytes,
    strength: int,
    seed: int,
    wanted: bytes,
) -> NDArray[np.intp]:
    """`covering_array`: the items of a mode ask for the same one, each for the rows of its own."""
    bits = np.unpackbits(np.frombuffer(packed, np.uint8), count=math.prod(small))
    feasible = np.broadcast_to(bits.astype(np.bool_).reshape(small), shape)
    generator = np.random.Generator(np.random.Philox(key=seed))
    tuples = feasible_tuples(feasible, strength)
    if wanted:
        _keep(tuples, wanted)
    missing = _Missing(tuples, feasible.ndim)
    rows: list[NDArray[np.intp]] = []
    for kept, mine in missing.tuples.items():
        for levels in generator.permutation(np.argwhere(mine)):
            if not mine[tuple(levels)]:
                continue
            rows.append(missing.take(_candidates(feasible, kept, levels, generator)))
    found = np.array(rows, np.intp).reshape(len(rows), feasible.ndim)
    found.flags.writeable = False
    return found


def _keep(tuples: dict[tuple[int, ...], Feasible], wanted: bytes) -> None:
    """Take out of the tuples those that are not among the ``wanted``, as `bits_of` wrote them."""
    bits, begin = np.unpackbits(np.frombuffer(wanted, np.uint8)).astype(np.bool_), 0
    for axes in sorted(tuples):
        left = tuples[axes]
        left &= bits[begin : begin + left.size].reshape(left.shape)
        begin += left.size


def _candidates(
    feasible: Feasible,
    kept: tuple[int, ...],
    levels: NDArray[np.intp],
    generator: np.random.Generator,
) -> NDArray[np.intp]:
    """Some feasible rows that hold ``levels`` on the axes ``kept``."""
    place: list[int | slice] = [slice(None)] * feasible.ndim
    for axis, level in zip(kept, levels, strict=True):
        place[axis] = int(level)
    left = feasible[tuple(place)]
    free = np.flatnonzero(left)
    if len(free) > CANDIDATES:
        free = free[generator.integers(0, len(free), CANDIDATES)]
    rows = np.empty((len(free), feasible.ndim), np.intp)
    rows[:, list(kept)] = levels
    others = [axis for axis in range(feasible.ndim) if axis not in kept]
    if others:
        rows[:, others] = np.transpose(np.unravel_index(free, left.shape))
    return rows


class _Missing:
    """The tuples that no row holds yet, of all choices of axes in one array of bits.

    ``tuples`` are views of it, as `feasible_tuples` gives them. A row's tuples lie at its levels
    times ``steps`` [axes, choices of axes], from the place of each choice on.
    """

    def __init__(self, tuples: dict[tuple[int, ...], Feasible], axes: int) -> None:
        ends = np.cumsum([0, *(left.size for left in tuples.values())])
        self._left = np.concatenate([left.ravel() for left in tuples.values()])
        self._places = ends[:-1]
        self._steps = np.zeros((axes, len(tuples)), np.intp)
        self.tuples = {}
        for number, (kept, left) in enumerate(tuples.items()):
            mine = self._left[ends[number] : ends[number + 1]].reshape(left.shape)
            self._steps[list(kept), number] = mine.strides  # of one byte each
            self.tuples[kept] = mine

    def take(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """The first of the rows that hold most missing tuples, which it holds from now on."""
        places = rows @ self._steps + self._places
        best = int(np.count_nonzero(self._left[places], axis=1).argmax())
        self._left[places[best]] = False
        taken: NDArray[np.intp] = rows[best]
        return taken
