"""The accepted set: the storage values that a correct sum may have, and membership in it.

`assemble` makes it of the two ends between which a result may lie. `elements` works these out and
asks the set of every element; `patterns` writes it down for programs without this project.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.numerics.arithmetic import (
    IEEE,
    INFINITY,
    NEAREST,
    SATURATE,
    TRUNCATE,
    Arithmetic,
)
from reference.floats import Format, ordered, to_bits, truncate

Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class AcceptedSet:
    """Per element: an interval of ordered patterns (reference.floats) and what else is legal.

    ``low`` > ``high``: no interval. Infinities may also be legal beside the interval, because
    partial sums of some order overflow, and zero, because a subnormal result may be flushed. Both
    zeros are one value, all NaNs are one value.
    """

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    plus_infinity: Mask
    minus_infinity: Mask
    nan: Mask
    zero: Mask

    @cached_property
    def _beside(self) -> bool:
        """Whether any element has a legal value beside its interval."""
        beside = self.plus_infinity | self.minus_infinity | self.nan | self.zero
        return bool(beside.any())

    def holds(self, ordinals: NDArray[np.int64], storage: Format) -> Mask:
        """Whether each observed value, as an ordered pattern, is legal."""
        infinity = storage.infinity_bits
        inside = np.asarray((self.low <= ordinals) & (ordinals <= self.high))
        if not self._beside:
            return inside
        inside |= self.plus_infinity & (ordinals == infinity)
        inside |= self.minus_infinity & (ordinals == -infinity)
        inside |= self.zero & (ordinals == 0)
        return inside | (self.nan & (np.abs(ordinals) > infinity))

    def size(self, storage: Format) -> NDArray[np.int64]:
        """How many values are legal."""
        infinity = storage.infinity_bits
        count = np.maximum(self.high - self.low + 1, 0)
        if not self._beside:
            return np.asarray(count)
        count += self.plus_infinity & ~((self.low <= infinity) & (infinity <= self.high))
        count += self.minus_infinity & ~((self.low <= -infinity) & (-infinity <= self.high))
        count += self.zero & ~((self.low <= 0) & (self.high >= 0))
        return np.asarray(count + self.nan)


@dataclass(frozen=True)
class Specials:
    """Per element: whether a term is NaN, +inf, -inf."""

    nan: Mask
    plus: Mask
    minus: Mask


def specials(values: Floats) -> Specials:
    """The special terms of ``values`` [slots, elements]."""
    return Specials(
        nan=np.asarray(np.isnan(values).any(axis=0)),
        plus=np.asarray((values == np.inf).any(axis=0)),
        minus=np.asarray((values == -np.inf).any(axis=0)),
    )


def assemble(
    low: Floats,
    high: Floats,
    *,
    overflows: tuple[Mask, Mask],
    found: Specials,
    accumulate: Format,
    storage: Format,
    arithmetic: Arithmetic = IEEE,
) -> AcceptedSet:
    """The set from the ends of the interval, already rounded to the accumulator's grid.

    ``overflows``: partial sums of the finite terms may reach the accumulator's overflow threshold
    with a plus and with a minus sign. Beyond numerics N.3: an infinite term
    beside finite terms that may overflow with the other sign also allows NaN, as in
    inf + (-max + -max). What a saturating device makes of infinite and NaN terms is written
    nowhere: there everything is accepted.
    """
    infinite = INFINITY in arithmetic.overflows
    may_plus, may_minus = overflows
    special = found.nan | found.plus | found.minus
    zero = np.zeros(special.shape, np.bool_)
    if arithmetic.may_flush:
        normal = max(accumulate.smallest_normal, storage.smallest_normal)
        zero = ~special & (low < normal) & (high > -normal)
    least, most = _ends(low, high, accumulate, storage, arithmetic)
    if not (special | may_plus | may_minus).any():
        plus_infinity, minus_infinity, nan = np.zeros((3, *special.shape), np.bool_)
        return AcceptedSet(least, most, plus_infinity, minus_infinity, nan, zero)
    plus, minus = found.plus | (may_plus & infinite), found.minus | (may_minus & infinite)
    nan = found.nan | (plus & minus)
    plus_infinity, minus_infinity = (
        plus & ~found.minus & ~found.nan,
        minus & ~found.plus & ~found.nan,
    )
    least, most = np.where(special, 1, least), np.where(special, 0, most)
    if SATURATE in arithmetic.overflows:
        least = np.where(special, -storage.infinity_bits, least)
        most = np.where(special, storage.infinity_bits, most)
        nan |= special
    return AcceptedSet(least, most, plus_infinity, minus_infinity, nan, zero)


def of_ends(
    rule: Callable[[Floats], NDArray[Any]], low: Floats, high: Floats
) -> tuple[NDArray[Any], NDArray[Any]]:
    """An elementwise rule of both ends, worked out once for elements whose ends are equal.

    Most are: the order of their terms does not matter. Both zeros count as equal.
    """
    least = rule(low)
    apart = low != high
    if not apart.any():
        return least, least
    most = least.copy()
    most[apart] = rule(high[apart])
    return least, most


def _ends(
    low: Floats, high: Floats, accumulate: Format, storage: Format, arithmetic: Arithmetic
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The ends of the interval in storage, as ordered patterns: all casts are monotone."""
    least, most = of_ends(lambda end: _ordered(end, storage), low, high)
    if TRUNCATE in arithmetic.casts and storage != accumulate:
        lower, upper = of_ends(lambda end: _ordered(truncate(end, storage), storage), low, high)
        if NEAREST in arithmetic.casts:
            least, most = np.minimum(least, lower), np.maximum(most, upper)
        else:
            least, most = lower, upper
    if SATURATE in arithmetic.overflows:
        largest = storage.infinity_bits - 1
        least, most = np.minimum(least, largest), np.maximum(most, -largest)
        if INFINITY not in arithmetic.overflows:
            least, most = np.maximum(least, -largest), np.minimum(most, largest)
    return least, most


def _ordered(values: Floats, storage: Format) -> NDArray[np.int64]:
    """Rounded once to storage, as ordered patterns."""
    return ordered(to_bits(values, storage), storage)
