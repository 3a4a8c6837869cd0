"""The accepted set: the storage values that a correct sum may have, and membership in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reference.floats import Format, ordered, to_bits

Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class AcceptedSet:
    """Per element: an interval of ordered patterns (reference.floats) and what else is legal.

    ``low`` > ``high``: no interval. Infinities may also be legal beside the interval, because
    partial sums of some order overflow. Both zeros are one value, all NaNs are one value.
    """

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    plus_infinity: Mask
    minus_infinity: Mask
    nan: Mask

    def holds(self, ordinals: NDArray[np.int64], storage: Format) -> Mask:
        """Whether each observed value, as an ordered pattern, is legal."""
        infinity = storage.infinity_bits
        inside = (self.low <= ordinals) & (ordinals <= self.high)
        inside |= self.plus_infinity & (ordinals == infinity)
        inside |= self.minus_infinity & (ordinals == -infinity)
        return inside | (self.nan & (np.abs(ordinals) > infinity))

    def size(self, storage: Format) -> NDArray[np.int64]:
        """How many values are legal."""
        infinity = storage.infinity_bits
        count = np.maximum(self.high - self.low + 1, 0)
        count += self.plus_infinity & ~((self.low <= infinity) & (infinity <= self.high))
        count += self.minus_infinity & ~((self.low <= -infinity) & (-infinity <= self.high))
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
    overflows: Mask,
    underflows: Mask,
    found: Specials,
    storage: Format,
) -> AcceptedSet:
    """The set from the ends of the interval, already rounded to the accumulator's grid.

    ``overflows`` and ``underflows``: partial sums of the finite terms may reach the accumulator's
    overflow threshold with a plus and with a minus sign. Beyond numerics N.3: an infinite term
    beside finite terms that may overflow with the other sign also allows NaN, as in
    inf + (-max + -max).
    """
    plus, minus = found.plus | overflows, found.minus | underflows
    finite = ~(found.nan | found.plus | found.minus)
    return AcceptedSet(
        low=np.where(finite, _ordered(low, storage), 1),
        high=np.where(finite, _ordered(high, storage), 0),
        plus_infinity=plus & ~found.minus & ~found.nan,
        minus_infinity=minus & ~found.plus & ~found.nan,
        nan=found.nan | (plus & minus),
    )


def _ordered(values: Floats, storage: Format) -> NDArray[np.int64]:
    """Rounded once to storage, as ordered patterns."""
    return ordered(to_bits(values, storage), storage)
