"""Judging sums whose order is unknown: the error that any order may have made (numerics N.2, N.3).

A tree of n nonzero terms errs by at most E = max(n - 2, 0) u A before its last addition, which is
itself a rounding to the accumulator. So the result lies between the ends s* - E and s* + E, each
rounded to the accumulator and then to storage. Figures are float64; the error of float64 itself is
added only where E > 0, and where it would change a verdict the element is decided in rationals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.numerics.accepted import AcceptedSet, Floats, Mask, Specials, assemble, specials
from conformance.numerics.certificate import certified_below
from conformance.numerics.exactly import accepted_exactly
from reference.floats import Format, from_bits, from_ordered, ordered, round_once


@dataclass(frozen=True)
class Sums:
    """Figures of every element: s*, A and n (nonzero terms) over its finite terms, its special
    terms, and whether its sum is the same in every order (certified, or not more than two terms).

    ``values`` are the terms, float64 [slots, elements], infinities and NaNs replaced by zeros.
    """

    values: Floats
    exact: Floats
    magnitude: Floats
    count: NDArray[np.int64]
    found: Specials
    order_free: Mask

    def error(self, accumulate: Format) -> Floats:
        """E = max(n - 2, 0) u A, zero where the order does not matter."""
        inner = np.where(self.order_free, 0, np.maximum(self.count - 2, 0))
        return np.asarray(inner * accumulate.unit_roundoff * self.magnitude)

    def of(self, elements: NDArray[np.int64]) -> Sums:
        """The figures of some elements only."""
        found = Specials(
            self.found.nan[elements], self.found.plus[elements], self.found.minus[elements]
        )
        return Sums(
            self.values[:, elements],
            self.exact[elements],
            self.magnitude[elements],
            self.count[elements],
            found,
            self.order_free[elements],
        )


@dataclass(frozen=True)
class Judged:
    """Per element: whether the observed value is legal, whether it was the only legal one.

    ``headroom`` is the smallest share of the accepted error left unused by a legal value that had
    alternatives, None if there was none. ``distance`` is how many places of the storage grid an
    illegal value lies outside the interval (a NaN counts as the far end), -1 for a legal one.
    """

    sums: Sums
    accepted: AcceptedSet
    ok: Mask
    exact: Mask
    headroom: float | None
    distance: NDArray[np.int64]


def summarize(values: Floats, accumulate: Format) -> Sums:
    """The figures of ``values``, float64 [slots, elements], all on the accumulator's grid."""
    with np.errstate(invalid="ignore"):
        magnitude = np.abs(values).sum(axis=0)
    nothing = np.zeros(magnitude.shape, np.bool_)
    found = Specials(nothing, nothing, nothing)
    if not np.isfinite(magnitude).all():
        found = specials(values)
        values = np.where(np.isfinite(values), values, 0.0)
        magnitude = np.abs(values).sum(axis=0)
    count = np.asarray((values != 0.0).sum(axis=0))
    return Sums(
        values=values,
        exact=values.sum(axis=0),
        magnitude=magnitude,
        count=count,
        found=found,
        order_free=(count <= 2) | certified_below(values, magnitude, accumulate),
    )


def accepted(
    sums: Sums, accumulate: Format, storage: Format, growth: float = 0.0, factor: float = 1.0
) -> AcceptedSet:
    """The accepted set, E scaled by ``factor`` and grown by ``growth`` times float64's error."""
    error = sums.error(accumulate) * factor
    rounding = (sums.count + 1) * 2.0**-52 * sums.magnitude
    error = np.where(error > 0, np.maximum(error + growth * rounding, 0.0), 0.0)
    return assemble(
        round_once(sums.exact - error, accumulate),
        round_once(sums.exact + error, accumulate),
        overflows=_overflows(sums, accumulate, growth, factor, +1.0),
        underflows=_overflows(sums, accumulate, growth, factor, -1.0),
        found=sums.found,
        storage=storage,
    )


def _overflows(sums: Sums, accumulate: Format, growth: float, factor: float, sign: float) -> Mask:
    """Where partial sums of some order may overflow with this sign.

    Rounding is monotone, so a partial sum is largest with the terms of the other sign left out: of
    n+ terms with sum P it stays below P + max(n+ - 2, 0) u P. Numerics N.3 has n and A for n+ and
    P in the error, which is never less.
    """
    most = sums.magnitude * (1.0 + sums.count * accumulate.unit_roundoff)
    possible = np.flatnonzero(most >= accumulate.overflow_threshold / 2)
    found = np.zeros(sums.magnitude.shape, np.bool_)
    same = sums.values[:, possible] * sign
    np.maximum(same, 0.0, out=same)
    total, count = same.sum(axis=0), np.count_nonzero(same, axis=0)
    error = np.maximum(count - 2, 0) * accumulate.unit_roundoff * total * factor
    error += np.where(error > 0, growth * (count + 1) * 2.0**-52 * total, 0.0)
    reached = total + error >= accumulate.overflow_threshold
    found[possible] = reached & ~sums.order_free[possible] | (
        total >= accumulate.overflow_threshold
    )
    return found


def judge_elements(
    values: Floats,
    observed: NDArray[Any],
    accumulate: Format,
    storage: Format,
    factor: float = 1.0,
) -> Judged:
    """Judge storage patterns ``observed`` [elements] as sums of ``values`` [slots, elements].

    ``factor`` scales the error bound; only the tests of the bound itself use another one than 1.
    """
    sums = summarize(values, accumulate)
    places = ordered(observed, storage)
    legal = accepted(sums, accumulate, storage, 0.0, factor)
    ok = legal.holds(places, storage)
    loose = np.flatnonzero(~sums.order_free)
    some, seen = sums.of(loose), places[loose]
    inside = accepted(some, accumulate, storage, -1.0, factor).holds(seen, storage)
    around = accepted(some, accumulate, storage, +1.0, factor).holds(seen, storage)
    for element in loose[inside != around]:
        found = accepted_exactly(values[:, element], accumulate, storage, factor)
        ok[element] = found.holds(places[element : element + 1], storage).item()
    return Judged(
        sums=sums,
        accepted=legal,
        ok=ok,
        exact=legal.size(storage) == 1,
        headroom=_headroom(sums, legal, ok, observed, storage),
        distance=np.where(ok, -1, _distance(legal, places, storage)),
    )


def _headroom(
    sums: Sums, legal: AcceptedSet, ok: Mask, observed: NDArray[Any], storage: Format
) -> float | None:
    """The smallest unused share of the accepted error on the side of the observed value."""
    loose = np.flatnonzero(ok & (legal.high > legal.low))
    if not loose.size:
        return None
    largest = storage.infinity_bits - 1
    exact, seen = sums.exact[loose], from_bits(observed[loose], storage)
    low = from_bits(from_ordered(np.clip(legal.low[loose], -largest, largest), storage), storage)
    high = from_bits(from_ordered(np.clip(legal.high[loose], -largest, largest), storage), storage)
    with np.errstate(all="ignore"):
        allowed = np.where(seen >= exact, high - exact, exact - low)
        used = np.where(seen == exact, 0.0, np.abs(seen - exact) / allowed)
    return float(np.clip(1.0 - np.where(np.isnan(used), 1.0, used), 0.0, 1.0).min())


def _distance(legal: AcceptedSet, places: NDArray[np.int64], storage: Format) -> NDArray[np.int64]:
    """Places of the storage grid between an observed value and the interval."""
    far = np.where(np.abs(places) > storage.infinity_bits, storage.sign_bit, 0)
    outside = np.maximum(legal.low - places, places - legal.high)
    return np.where(legal.low > legal.high, storage.sign_bit, np.maximum(outside, far))
