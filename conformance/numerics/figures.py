"""The figures of a sum's elements: s*, A, n, and the error E that any order may make (N.2).

E bounds what a tree of n nonzero terms has lost before its last addition, all operations rounding
to nearest with unit roundoff u, smallest subnormal eta and smallest normal lambda:

* terms on the accumulator's grid: (n - 2) u A;
* k > 0 of the terms are bare products, rounded once, alone or fused: (n - 1) u A;
* of these, j that are no multiple of eta may underflow: j eta / 2 more, in E and in A;
* subnormal partial sums may be flushed and some term is no multiple of lambda: each of the n - 2
  inner additions may lose lambda more, which is as if a term of that size had been added.

E is 0 for n <= 1, for two terms on the grid, and where a certificate shows every order exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.numerics.accepted import Floats, Mask, Specials, specials
from conformance.numerics.addends import Addends, exactly
from conformance.numerics.arithmetic import IEEE, Arithmetic
from conformance.numerics.certificate import certified_below
from reference.floats import Format

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Sums:
    """Figures of every element over its finite terms.

    ``given`` are the addends, ``finite`` the same with infinities and NaNs replaced by zeros;
    ``low`` and ``high`` are the least and the largest s*, ``magnitude`` is A, ``count`` is n;
    ``bare`` says whether there is a bare product, ``underflows`` is j, ``flushes`` how many inner
    results may be flushed. ``order_free``: every order and every choice gives the same sum.
    """

    given: Addends
    finite: Addends
    low: Floats
    high: Floats
    magnitude: Floats
    count: Counts
    found: Specials
    bare: Mask
    underflows: Counts
    flushes: Counts
    order_free: Mask

    @property
    def exact(self) -> Floats:
        """s*; the middle of its range where an addend is not known."""
        return self.low if self.low is self.high else np.asarray((self.low + self.high) / 2)

    def error(self, accumulate: Format) -> Floats:
        """E of every element, zero where the order does not matter."""
        if self.order_free.all():
            return np.zeros(self.magnitude.shape)
        roundings = np.maximum(self.count - 2 + self.bare + self.flushes, 0)
        lost = self.flushes * accumulate.smallest_normal
        lost += self.underflows * (accumulate.smallest_subnormal / 2)
        error = roundings * accumulate.unit_roundoff * (self.magnitude + lost) + lost
        return np.asarray(np.where(self.order_free | (self.count <= 1), 0.0, error))

    def _possible(self, accumulate: Format) -> Mask:
        """Where the sum of all magnitudes is no less than half of what overflows."""
        reach = 1.0 + (self.count + self.flushes) * accumulate.unit_roundoff
        return np.asarray(self.magnitude * reach >= accumulate.overflow_threshold / 2)

    def one_sided(self, sign: float) -> Floats:
        """P or M: the sum of the magnitudes that addends of one sign may have."""
        ends = self.finite.high if sign > 0 else self.finite.low
        return np.asarray(np.maximum(ends * sign, 0.0).sum(axis=0))

    def overflows(
        self, accumulate: Format, growths: tuple[float, ...] = (0.0,), factor: float = 1.0
    ) -> list[tuple[Mask, Mask]]:
        """Where partial sums of some order may overflow with a plus and with a minus sign; for
        each of ``growths``, by which times float64's error the bound is grown.

        Rounding is monotone, so a partial sum is largest with the terms of the other sign left out:
        of n+ terms with sum P it stays below P + E+, the E of those terms alone. Numerics N.3 has n
        and A for n+ and P in the error, which is never less.
        """
        reach = 1.0 + (self.count + self.flushes) * accumulate.unit_roundoff
        possible = np.flatnonzero(self.magnitude * reach >= accumulate.overflow_threshold / 2)
        nowhere = np.zeros(self.magnitude.shape, np.bool_)
        if not possible.size:
            return [(nowhere, nowhere) for _ in growths]
        some = self.of(possible)
        found: list[tuple[Mask, Mask]] = []
        bounds = [some._partial(accumulate, sign, factor) for sign in (+1.0, -1.0)]
        for growth in growths:
            plus, minus = nowhere.copy(), nowhere.copy()
            for mask, (total, error, rounding) in zip((plus, minus), bounds, strict=True):
                mask[possible] = (
                    total + (error + growth * rounding) >= accumulate.overflow_threshold
                )
            found.append((plus, minus))
        return found

    def _partial(
        self, accumulate: Format, sign: float, factor: float
    ) -> tuple[Floats, Floats, Floats]:
        """P, E+ scaled by ``factor``, and the error of float64 in both where E+ is not zero."""
        ends = self.finite.high if sign > 0 else self.finite.low
        same = np.maximum(ends * sign, 0.0)
        total, count = same.sum(axis=0), np.count_nonzero(same, axis=0)
        lost = self.underflows * (accumulate.smallest_subnormal / 2)
        error = np.maximum(count - 2 + self.bare, 0) * accumulate.unit_roundoff * (total + lost)
        error = np.where(self.order_free | (count <= 1), 0.0, (error + lost) * factor)
        rounding = np.where(error > 0, (count + 2) * 2.0**-52 * (total + error), 0.0)
        return total, error, rounding

    def of(self, elements: NDArray[Any]) -> Sums:
        """The figures of some elements only."""
        found = Specials(
            self.found.nan[elements], self.found.plus[elements], self.found.minus[elements]
        )
        given = self.given.of(elements)
        low = self.low[elements]
        return Sums(
            given=given,
            finite=given if self.finite is self.given else self.finite.of(elements),
            low=low,
            high=low if self.low is self.high else self.high[elements],
            magnitude=self.magnitude[elements],
            count=self.count[elements],
            found=found,
            bare=self.bare[elements],
            underflows=self.underflows[elements],
            flushes=self.flushes[elements],
            order_free=self.order_free[elements],
        )


def summarize(values: Floats | Addends, accumulate: Format, arithmetic: Arithmetic = IEEE) -> Sums:
    """The figures of ``values``, float64 [slots, elements], on the grid of ``accumulate``; or of
    addends, which need not be.
    """
    given = values if isinstance(values, Addends) else exactly(values)
    finite, magnitudes = given, _magnitudes(given)
    magnitude = magnitudes.sum(axis=0)
    nowhere = np.zeros(magnitude.shape, np.bool_)
    found = Specials(nowhere, nowhere, nowhere)
    if not np.isfinite(magnitude).all():
        finite, found = _without_specials(given)
        magnitudes = _magnitudes(finite)
        magnitude = magnitudes.sum(axis=0)
    count = np.asarray(np.count_nonzero(magnitudes, axis=0))
    nothing = np.zeros(magnitude.shape, np.int64)
    bare, underflows, flushes = nothing.astype(np.bool_), nothing, nothing
    if finite.bare is not None:
        bare = np.asarray(finite.bare.any(axis=0))
        eta = accumulate.smallest_subnormal
        lowest = magnitudes if finite.known else np.abs(finite.low)
        # what is larger has no bit below eta
        fine = finite.bare & (lowest < 2.0**53 * eta)
        if fine.any():
            underflows = np.count_nonzero(fine & ~multiples(finite.low, eta), axis=0)
    if arithmetic.may_flush:
        ends = np.stack([finite.low, finite.high])
        small = (~multiples(ends, accumulate.smallest_normal)).any(axis=0)
        flushes = np.where(small.any(axis=0), np.maximum(count - 2, 0), 0)
    order_free = count + bare <= 2
    if not order_free.all():
        order_free |= (flushes == 0) & certified_below(finite.low, magnitude, accumulate)
    if not finite.known:
        order_free &= (finite.low == finite.high).all(axis=0)
    low = finite.low.sum(axis=0)
    return Sums(
        given=given,
        finite=finite,
        low=low,
        high=low if finite.known else finite.high.sum(axis=0),
        magnitude=magnitude,
        count=count,
        found=found,
        bare=bare,
        underflows=underflows,
        flushes=flushes,
        order_free=np.asarray(order_free),
    )


def multiples(values: Floats, unit: float) -> Mask:
    """Where finite values are multiples of a power of two that is above 2^-1022.

    Scaled by that power they are whole; what overflows then is. np.fmod says the same in ten times
    the time.
    """
    with np.errstate(over="ignore"):
        scaled = values * (1.0 / unit)
    return np.asarray(np.rint(scaled) == scaled)


def _magnitudes(given: Addends) -> Floats:
    """The largest magnitude that each addend may have."""
    magnitudes = np.abs(given.low)
    if not given.known:
        np.maximum(magnitudes, np.abs(given.high), out=magnitudes)
    return magnitudes


def _without_specials(given: Addends) -> tuple[Addends, Specials]:
    """The addends with zeros for infinities and NaNs, and where those were."""
    found = specials(given.low)
    low = np.where(np.isfinite(given.low), given.low, 0.0)
    if given.known:
        return Addends(low, low, given.bare), found
    other = specials(given.high)
    found = Specials(found.nan | other.nan, found.plus | other.plus, found.minus | other.minus)
    high = np.where(np.isfinite(given.high), given.high, 0.0)
    return Addends(low, high, given.bare), found
