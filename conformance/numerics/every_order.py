"""Sums of few terms: every order is tried, so that the accepted set is what some order gives.

The interval of `elements` is as wide as the worst order could make it, and some values inside are
the result of no order. Up to MOST_TERMS nonzero terms there are few enough trees to try them all.
"""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.numerics.accepted import Floats, Mask
from conformance.numerics.arithmetic import INFINITY, TRUNCATE, Arithmetic, Behaviour
from conformance.numerics.figures import Sums
from conformance.numerics.order import Merges, emulate
from conformance.numerics.rounding import cast_result
from reference.floats import FP32, Format, ordered, to_bits

MOST_TERMS = 5
"""With five terms there are 105 trees, with six there would be 945."""


@cache
def every_tree(terms: int) -> tuple[Merges, ...]:
    """Every tree of additions over that many slots, from left to right first.

    Additions commute, so there are (2 terms - 3)!! of them.
    """
    if terms <= 1:
        return ((),)
    # The last addition joins slot 0's side with a side over `others`: all of them, in every way.
    found = [
        (*_renamed(left, kept), *_renamed(right, others), (0, others[0]))
        for size in range(1, terms)
        for others in itertools.combinations(range(terms - 1, 0, -1), size)
        for others in [others[::-1]]
        for kept in [tuple(slot for slot in range(terms) if slot not in others)]
        for left, right in itertools.product(every_tree(len(kept)), every_tree(len(others)))
    ]
    return tuple(found)


def _renamed(merges: Merges, slots: tuple[int, ...]) -> Merges:
    """Merges over slots 0, 1, ... as merges over ``slots``."""
    return tuple((slots[into], slots[origin]) for into, origin in merges)


def applicable(sums: Sums, accumulate: Format, storage: Format, arithmetic: Arithmetic) -> Mask:
    """The elements whose legal values `reachable` knows: few terms, all known.

    Fused products stay with the interval. So does what a device of unknown arithmetic may make of
    overflows, infinities, NaNs and subnormals: it need not do the same in every addition.
    """
    given, found = sums.given, ~sums.bare
    if not found.any():
        return found
    counted = given.known and given is sums.finite
    found &= (sums.count if counted else np.count_nonzero(given.low, axis=0)) <= MOST_TERMS
    if not given.known:
        found &= ((given.low == given.high) | np.isnan(given.low)).all(axis=0)
    if arithmetic.overflows != {INFINITY}:
        special = sums.found.nan | sums.found.plus | sums.found.minus
        largest = min(accumulate.largest_finite, storage.largest_finite)
        found &= ~special & (2 * sums.magnitude < largest)
    if arithmetic.may_flush:
        least = max(accumulate.smallest_normal, storage.smallest_normal)
        found &= np.asarray(np.fmod(sums.finite.low, least) == 0).all(axis=0)
    return np.asarray(found)


def reachable(
    values: Floats,
    observed: NDArray[Any],
    accumulate: Format,
    storage: Format,
    arithmetic: Arithmetic,
) -> Mask:
    """Where some order of adding ``values`` [slots, elements] gives the ``observed`` pattern.

    Values lie on the grid of ``accumulate``; at most MOST_TERMS of an element's are not zero. Both
    zeros are one value, so are all NaNs.
    """
    found = np.zeros(observed.shape, np.bool_)
    if not observed.size:
        return found
    live, seen, left = _live(values), _places(observed, storage), np.arange(observed.size)
    for merges in every_tree(len(live)):
        total = _sum(merges, live[:, left], accumulate)
        hit = np.zeros(left.shape, np.bool_)
        for places in _stored(total, accumulate, storage, arithmetic):
            hit |= places == seen[left]
        found[left[hit]] = True
        left = left[~hit]
        if not left.size:
            break
    return found


def outcomes(
    values: Floats, accumulate: Format, storage: Format, arithmetic: Arithmetic
) -> NDArray[np.int64]:
    """The ordered patterns that the orders of one element, ``values`` [slots, 1], give, rising."""
    return outcomes_of_each(values, accumulate, storage, arithmetic)[1]


def outcomes_of_each(
    values: Floats, accumulate: Format, storage: Format, arithmetic: Arithmetic
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What the orders of every element of ``values`` [slots, elements] give: the elements' numbers
    and the ordered patterns, each once, both rising."""
    live = _live(values)
    found = [
        places
        for merges in every_tree(len(live))
        for places in _stored(
            _sum(merges, live.copy(), accumulate), accumulate, storage, arithmetic
        )
    ]
    places = np.sort(np.array(found), axis=0)
    first = np.ones(places.shape, np.bool_)
    first[1:] = places[1:] != places[:-1]
    elements, ways = np.nonzero(first.T)
    return elements, places[ways, elements]


def _live(values: Floats) -> Floats:
    """The terms that are not zero, in the order of their slots, and zeros below them."""
    zero = values == 0.0
    rows = len(values) - int(zero.sum(axis=0).min(initial=len(values)))
    first = np.argsort(zero, axis=0, kind="stable")[: max(rows, 1)]
    return np.take_along_axis(values, first, axis=0)


def _sum(merges: Merges, values: Floats, accumulate: Format) -> Floats:
    """The sums in that order; ``values`` are used up."""
    terms = values.astype(np.float32) if accumulate == FP32 else values
    return emulate(merges, terms, accumulate).astype(np.float64)


def _stored(
    total: Floats, accumulate: Format, storage: Format, arithmetic: Arithmetic
) -> list[NDArray[np.int64]]:
    """Ordered patterns of sums in storage, for each way in which the device may cast."""
    if storage == accumulate:
        return [_places(to_bits(total, storage), storage)]
    casts = [Behaviour(truncate=cast == TRUNCATE) for cast in sorted(arithmetic.casts)]
    return [_places(to_bits(cast_result(total, storage, way), storage), storage) for way in casts]


def _places(bits: NDArray[Any], storage: Format) -> NDArray[np.int64]:
    """Ordered patterns, all NaNs as one."""
    places = ordered(bits, storage)
    nan = np.abs(places) > storage.infinity_bits
    return np.asarray(np.where(nan, storage.infinity_bits + 1, places))
