"""The accepted set of one element in rational arithmetic, where float64 cannot decide."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from conformance.numerics.accepted import AcceptedSet, assemble, specials
from conformance.numerics.certificate import certified
from reference.floats import Format


def round_fraction(value: Fraction, fmt: Format) -> float:
    """A rational rounded once to ``fmt``, ties to even; infinity from the threshold on."""
    magnitude = abs(value)
    if magnitude == 0:
        return 0.0
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    exponent -= magnitude < Fraction(2) ** exponent
    quantum = Fraction(2) ** (max(exponent, fmt.emin) + 1 - fmt.precision)
    rounded = round(magnitude / quantum) * quantum  # Python rounds halves of a Fraction to even
    result = math.inf if rounded > Fraction(fmt.largest_finite) else float(rounded)
    return math.copysign(result, value)


def accepted_exactly(
    terms: Iterable[float], accumulate: Format, storage: Format, factor: float = 1.0
) -> AcceptedSet:
    """The set of numerics N.3 for one element, its figures exact; arrays of shape [1].

    ``terms`` are the element's terms, zeros included. ``factor`` scales the error bound; only the
    tests of the bound itself use another one than 1.
    """
    column = np.array([float(term) for term in terms], np.float64).reshape(-1, 1)
    parts = [Fraction(term) for term in column[:, 0].tolist() if math.isfinite(term) and term]
    total = sum(parts, Fraction(0))
    unit = Fraction(accumulate.unit_roundoff) * Fraction(factor)
    if certified(column[np.isfinite(column)].reshape(-1, 1), accumulate).item():
        unit = Fraction(0)

    def error_of(some: list[Fraction]) -> Fraction:
        return max(len(some) - 2, 0) * unit * sum(map(abs, some), Fraction(0))

    def overflows(some: list[Fraction]) -> bool:
        reach = sum(map(abs, some), Fraction(0)) + error_of(some)
        return reach >= Fraction(accumulate.overflow_threshold)

    error = error_of(parts)
    return assemble(
        np.array([round_fraction(total - error, accumulate)]),
        np.array([round_fraction(total + error, accumulate)]),
        overflows=np.array([overflows([part for part in parts if part > 0])]),
        underflows=np.array([overflows([part for part in parts if part < 0])]),
        found=specials(column),
        storage=storage,
    )
