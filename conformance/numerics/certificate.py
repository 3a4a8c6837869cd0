"""The certificate of numerics N.1: data on which every order of addition is exact."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reference.floats import Format


def certified(values: NDArray[np.float64], accumulate: Format) -> NDArray[np.bool_]:
    """Where the sum over the first axis of ``values`` [slots, elements] is exact in any order.

    With g the lowest set bit over an element's nonzero terms, every partial sum is a multiple of g
    and no larger than A, the sum of magnitudes. If A <= 2^p g and A is finite in the accumulator,
    all of them are on its grid, so that no addition rounds, whatever its rounding mode. Infinite
    and NaN terms are not certified.
    """
    with np.errstate(invalid="ignore"):
        return certified_below(values, np.abs(values).sum(axis=0), accumulate)


def certified_below(
    values: NDArray[np.float64], magnitude: NDArray[np.float64], accumulate: Format
) -> NDArray[np.bool_]:
    """The same, given A, float64 [elements]; the values may be products off the accumulator's grid.

    A <= 2^p g says that every term is a multiple of q, the least power of two that is at least
    2^-p A; where that is below the accumulator's smallest value, the latter is q. In float64,
    adding and taking away 1.5 * 2^52 q rounds a term to a multiple of q.
    """
    fraction, exponent = np.frexp(magnitude)
    exponent -= fraction == 0.5
    np.maximum(exponent, accumulate.emin + 1, out=exponent)
    rounder = np.ldexp(1.5, exponent - accumulate.precision + 52)
    with np.errstate(invalid="ignore"):
        rounded = values + rounder
        rounded -= rounder
        multiples = (rounded == values).all(axis=0)
    return np.asarray(multiples & (magnitude <= accumulate.largest_finite))


def exact_in_float64(
    values: NDArray[np.float64], magnitude: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Where float64 sums finite ``values`` [slots, elements] of A ``magnitude`` exactly in any
    order: A <= 2^53 g, with g the lowest set bit over an element's terms. A may err: half of that
    is asked."""
    fraction, exponent = np.frexp(values)
    digits = np.ldexp(fraction, 53).astype(np.int64)
    _, places = np.frexp((digits & -digits).astype(np.float64))
    lowest = np.where(digits == 0, 1024, exponent + places - 54).min(axis=0, initial=1024)
    return np.asarray(np.ldexp(magnitude, -np.minimum(lowest, 900)) <= 2.0**52)
