"""The accepted set of each element of a sum in any order, and its judgement (numerics N.2, N.3).

A tree of n nonzero terms errs by at most E before its last addition, which is itself a rounding to
the accumulator. So the result lies between the ends s* - E and s* + E, each rounded to the
accumulator and then to storage. Of few terms every order is tried besides. Figures are float64; the
error of float64 itself is added only where E > 0, and where it would change a verdict the element
is decided in rationals.

`figures` has E and its derivation in short; docs/explanation/numerics.md has it at length.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.numerics.accepted import AcceptedSet, Floats, Mask, assemble, of_ends
from conformance.numerics.addends import Addends
from conformance.numerics.arithmetic import IEEE, SATURATE, Arithmetic
from conformance.numerics.certificate import exact_in_float64
from conformance.numerics.every_order import applicable, reachable
from conformance.numerics.exactly import accepted_exactly
from conformance.numerics.figures import Sums, summarize
from reference.floats import Format, from_bits, from_ordered, ordered, round_once, to_bits


@dataclass(frozen=True)
class Judged:
    """Per element: whether the observed value is legal, whether it was the only legal one.

    ``few``: decided by trying every order, the interval being too wide. ``headroom`` is the least
    share of the accepted error left unused by a legal value that the interval had to decide, None
    if there was none. ``distance`` is how many places of the storage grid an illegal value lies
    outside the interval (a NaN counts as the far end), 0 within it, -1 for a legal value.
    """

    sums: Sums
    accepted: AcceptedSet
    ok: Mask
    exact: Mask
    few: Mask
    headroom: float | None
    distance: NDArray[np.int64]


def accepted(
    sums: Sums,
    accumulate: Format,
    storage: Format,
    growth: float = 0.0,
    factor: float = 1.0,
    arithmetic: Arithmetic = IEEE,
) -> AcceptedSet:
    """The accepted set, E scaled by ``factor`` and grown by ``growth`` times float64's error."""
    (reach,) = _reaches(sums, accumulate, (growth,), factor, arithmetic)
    return _set(reach, sums, accumulate, storage, arithmetic)


@dataclass(frozen=True)
class _Reach:
    """How far a result may lie: ends on the accumulator's grid, and which signs may overflow."""

    low: Floats
    high: Floats
    plus: Mask
    minus: Mask

    def differs(self, other: _Reach) -> Mask:
        """The elements that do not have the same in both."""
        found = (self.low != other.low) | (self.high != other.high)
        return np.asarray(found | (self.plus != other.plus) | (self.minus != other.minus))


def _reaches(
    sums: Sums,
    accumulate: Format,
    growths: tuple[float, ...],
    factor: float,
    arithmetic: Arithmetic,
) -> list[_Reach]:
    """The reach of every element for each of ``growths``, E scaled and grown as `accepted` says."""
    given = sums.error(accumulate) * factor
    rounding = (sums.count + 2) * 2.0**-52 * (sums.magnitude + given) if given.any() else None
    found: list[_Reach] = []
    for growth, overflows in zip(growths, sums.overflows(accumulate, growths, factor), strict=True):
        error, low, high = given, sums.low, sums.high
        if rounding is not None:
            error = np.where(given > 0, np.maximum(given + growth * rounding, 0.0), 0.0)
            low, high = low - error, high + error
        plus, minus = overflows
        if SATURATE in arithmetic.overflows:
            low, high = _saturated(sums, accumulate, low, high, error, plus, minus)
        largest = accumulate.largest_finite
        high = np.where(plus, high, np.minimum(high, largest))
        low = np.where(minus, low, np.maximum(low, -largest))
        ends = of_ends(lambda end: round_once(end, accumulate), low, high)
        found.append(_Reach(*ends, plus, minus))
    return found


def _set(
    reach: _Reach, sums: Sums, accumulate: Format, storage: Format, arithmetic: Arithmetic
) -> AcceptedSet:
    """The accepted set of elements of that reach."""
    return assemble(
        reach.low,
        reach.high,
        overflows=(reach.plus, reach.minus),
        found=sums.found,
        accumulate=accumulate,
        storage=storage,
        arithmetic=arithmetic,
    )


def _saturated(
    sums: Sums,
    accumulate: Format,
    low: Floats,
    high: Floats,
    error: Floats,
    plus: Mask,
    minus: Mask,
) -> tuple[Floats, Floats]:
    """The ends where partial sums may saturate.

    A partial sum cut to Omega is less than it would have been, but with all negative terms yet to
    come the result is still no less than Omega - M - E (M: their magnitudes); by induction over the
    tree this holds however often sums are cut. The other side is its mirror image.
    """
    positive, negative = sums.one_sided(+1.0), sums.one_sided(-1.0)
    largest = accumulate.largest_finite
    low = np.where(plus, np.minimum(low, largest - negative - error), low)
    high = np.where(minus, np.maximum(high, positive - largest + error), high)
    return np.minimum(low, largest), np.maximum(high, -largest)


def judge_elements(
    values: Floats | Addends,
    observed: NDArray[Any],
    accumulate: Format,
    storage: Format,
    factor: float = 1.0,
    arithmetic: Arithmetic = IEEE,
    *,
    wider: bool = False,
) -> Judged:
    """Judge storage patterns ``observed`` [elements] as sums of ``values`` [slots, elements].

    ``factor`` scales the error bound; only the tests of the bound itself use another one than 1.
    ``wider``: additions may also be those of float64.
    """
    sums = summarize(values, accumulate, arithmetic)
    places = ordered(observed, storage)
    growths = (+1.0,) if sums.order_free.all() else (+1.0, -1.0)
    reach, *inner = _reaches(sums, accumulate, growths, factor, arithmetic)
    legal = _set(reach, sums, accumulate, storage, arithmetic)
    ok = legal.holds(places, storage)
    # Few elements have another reach with the error of float64 taken away: only these may be
    # uncertain, and only of these the set is worked out again.
    uncertain = np.flatnonzero(reach.differs(inner[0])) if inner else places[:0]
    if uncertain.size:
        inside = accepted(sums.of(uncertain), accumulate, storage, -1.0, factor, arithmetic)
        uncertain = uncertain[inside.holds(places[uncertain], storage) != ok[uncertain]]
    for element in uncertain:
        column = sums.given.of(np.array([element]))
        found = accepted_exactly(column, accumulate, storage, factor, arithmetic)
        ok[element] = found.holds(places[element : element + 1], storage).item()
    several = legal.size(storage) > 1
    few = several
    if several.any():
        few = several & applicable(sums, accumulate, storage, arithmetic)
        asked = np.flatnonzero(few & ok)
        ok[asked] = reachable(
            sums.given.low[:, asked], observed[asked], accumulate, storage, arithmetic
        )
    if wider and not ok.all():
        asked = np.flatnonzero(~ok)
        ok[asked] = _of_float64(sums.of(asked), places[asked], accumulate, storage)
    return Judged(
        sums=sums,
        accepted=legal,
        ok=ok,
        exact=~several,
        few=few,
        headroom=_headroom(sums, legal, ok & ~few, observed, storage),
        distance=_distance(legal, ok, places, storage),
    )


def _of_float64(sums: Sums, places: NDArray[np.int64], accumulate: Format, storage: Format) -> Mask:
    """Where a sum in float64 gives the observed places of the storage grid."""
    special = sums.found.nan | sums.found.plus | sums.found.minus
    found = np.zeros(places.shape, np.bool_)
    for low, high in ends_in_float64(sums, accumulate, storage):
        found |= (low <= places) & (places <= high)
    return np.asarray(found & ~special)


def ends_in_float64(
    sums: Sums, accumulate: Format, storage: Format
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Between which places of the storage grid a sum of finite terms in float64 lies.

    It errs by at most n 2^-53 A unless it is exact, and so do these figures. It is rounded to
    storage at once, or to the accumulator first, as casts of PyTorch do.
    """
    error = (sums.count + 2) * 2.0**-52 * sums.magnitude
    error[exact_in_float64(sums.finite.low, sums.magnitude)] = 0.0
    for by_way_of in (storage, accumulate):
        low, high = (
            ordered(to_bits(round_once(round_once(end, by_way_of), storage), storage), storage)
            for end in (sums.low - error, sums.high + error)
        )
        yield low, high


def _headroom(
    sums: Sums, legal: AcceptedSet, ok: Mask, observed: NDArray[Any], storage: Format
) -> float | None:
    """The smallest unused share of the accepted error on the side of the observed value."""
    loose = np.flatnonzero(ok & (legal.high > legal.low))
    return float(unused(sums, legal, loose, observed, storage).min()) if loose.size else None


def unused(
    sums: Sums,
    legal: AcceptedSet,
    elements: NDArray[Any],
    observed: NDArray[Any],
    storage: Format,
) -> Floats:
    """The unused share of the accepted error of some elements, legal and with an interval."""
    largest = storage.infinity_bits - 1
    exact, seen = sums.exact[elements], from_bits(observed[elements], storage)
    ends = np.maximum(np.minimum([legal.low[elements], legal.high[elements]], largest), -largest)
    low, high = from_bits(from_ordered(ends, storage), storage)
    with np.errstate(all="ignore"):
        allowed = np.where(seen >= exact, high - exact, exact - low)
        used = np.where(seen == exact, 0.0, np.abs(seen - exact) / allowed)
    return np.clip(1.0 - np.where(np.isnan(used), 1.0, used), 0.0, 1.0)


def _distance(
    legal: AcceptedSet, ok: Mask, places: NDArray[np.int64], storage: Format
) -> NDArray[np.int64]:
    """Places of the storage grid between an observed value and the interval, -1 of a legal one."""
    if ok.all():
        return np.full(ok.shape, -1, np.int64)
    far = np.where(np.abs(places) > storage.infinity_bits, storage.sign_bit, 0)
    outside = np.maximum(np.maximum(legal.low - places, places - legal.high), 0)
    distance = np.where(legal.low > legal.high, storage.sign_bit, np.maximum(outside, far))
    return np.where(ok, -1, distance)
