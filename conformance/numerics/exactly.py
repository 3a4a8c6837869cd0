"""The accepted set of one element in rational arithmetic, where float64 cannot decide."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from conformance.numerics.accepted import AcceptedSet, assemble
from conformance.numerics.addends import Addends, exactly
from conformance.numerics.arithmetic import IEEE, SATURATE, Arithmetic
from conformance.numerics.figures import Sums, summarize
from reference.floats import Format


def round_fraction(value: Fraction, fmt: Format) -> float:
    """A rational rounded once to ``fmt``, ties to even; infinity from the threshold on."""
    magnitude = abs(value)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    exponent -= magnitude < Fraction(2) ** exponent
    quantum = Fraction(2) ** (max(exponent, fmt.emin) + 1 - fmt.precision)
    rounded = round(magnitude / quantum) * quantum  # Python rounds halves of a Fraction to even
    result = math.inf if rounded > Fraction(fmt.largest_finite) else float(rounded)
    return math.copysign(result, value)


def accepted_exactly(
    terms: Iterable[float] | Addends,
    accumulate: Format,
    storage: Format,
    factor: float = 1.0,
    arithmetic: Arithmetic = IEEE,
) -> AcceptedSet:
    """The set of numerics N.3 for one element, its figures exact; arrays of shape [1].

    ``terms`` are the element's terms, zeros included, or its addends [slots, 1]. ``factor`` scales
    the error bound; only the tests of the bound itself use another one than 1.
    """
    if not isinstance(terms, Addends):
        terms = exactly(np.array([float(term) for term in terms], np.float64).reshape(-1, 1))
    sums = summarize(terms, accumulate, arithmetic)
    low, high = (_fractions(ends) for ends in (sums.finite.low, sums.finite.high))
    error = _error([max(map(abs, ends)) for ends in zip(low, high, strict=True)], sums, accumulate)
    error *= Fraction(factor)

    def overflows(some: list[Fraction]) -> bool:
        bound = _error(some, sums, accumulate, flushes=0) * Fraction(factor)
        return sum(some, Fraction(0)) + bound >= Fraction(accumulate.overflow_threshold)

    positive, negative = ([max(term, Fraction(0)) for term in ends] for ends in (high, _minus(low)))
    plus, minus = overflows(positive), overflows(negative)
    least, most = sum(low, Fraction(0)) - error, sum(high, Fraction(0)) + error
    largest = Fraction(accumulate.largest_finite)
    if SATURATE in arithmetic.overflows:
        if plus:
            least = min(least, largest - sum(negative) - error)
        if minus:
            most = max(most, sum(positive) - largest + error)
        least, most = min(least, largest), max(most, -largest)
    least, most = least if minus else max(least, -largest), most if plus else min(most, largest)
    return assemble(
        np.array([round_fraction(least, accumulate)]),
        np.array([round_fraction(most, accumulate)]),
        overflows=(np.array([plus]), np.array([minus])),
        found=sums.found,
        accumulate=accumulate,
        storage=storage,
        arithmetic=arithmetic,
    )


def _fractions(column: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> list[Fraction]:
    """A column of finite terms, exact."""
    return [Fraction(term) for term in column[:, 0].tolist()]


def _minus(terms: list[Fraction]) -> list[Fraction]:
    return [-term for term in terms]


def _error(
    magnitudes: list[Fraction], sums: Sums, accumulate: Format, flushes: int | None = None
) -> Fraction:
    """E of `figures` for terms of these magnitudes, which are some or all of the element's."""
    count = sum(magnitude != 0 for magnitude in magnitudes)
    if sums.order_free.item() or count <= 1:
        return Fraction(0)
    flushed = int(sums.flushes.item()) if flushes is None else flushes
    lost = flushed * Fraction(accumulate.smallest_normal)
    lost += int(sums.underflows.item()) * Fraction(accumulate.smallest_subnormal) / 2
    roundings = count - 2 + int(sums.bare.item()) + flushed
    total = sum(magnitudes, Fraction(0))
    return roundings * Fraction(accumulate.unit_roundoff) * (total + lost) + lost
