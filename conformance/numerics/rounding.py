"""Single roundings of a device: of a result, of a cast, of a product together with an addend."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.numerics.arithmetic import Behaviour
from reference.floats import Format, round_once, truncate

Floats = NDArray[np.float64]

IEEE_BEHAVIOUR = Behaviour()


def arithmetic_result(values: Floats, fmt: Format, behaviour: Behaviour) -> Floats:
    """Exact float64 results of an operation as the device delivers them in ``fmt``."""
    return after(round_once(values, fmt), fmt, behaviour, _infinite(values, behaviour))


def cast_result(values: Floats, fmt: Format, behaviour: Behaviour) -> Floats:
    """Float64 values as the device casts them to ``fmt``."""
    rounded = truncate(values, fmt) if behaviour.truncate else round_once(values, fmt)
    return after(rounded, fmt, behaviour, _infinite(values, behaviour))


def _infinite(values: Floats, behaviour: Behaviour) -> NDArray[np.bool_] | None:
    """Where values are infinite, which only saturation asks for."""
    return np.isinf(values) if behaviour.saturate else None


def after(
    rounded: Floats, fmt: Format, behaviour: Behaviour, infinite: NDArray[np.bool_] | None = None
) -> Floats:
    """What overflow and flush-to-zero make of rounded values; ``infinite``: they were before."""
    if behaviour.saturate:
        overflown = np.isinf(rounded)
        if infinite is not None:
            overflown &= ~infinite
        rounded = np.where(overflown, np.copysign(fmt.largest_finite, rounded), rounded)
    if behaviour.flush:
        small = np.abs(rounded) < fmt.smallest_normal
        rounded = np.where(small, np.copysign(0.0, rounded), rounded)
    return rounded


def flushed(operands: NDArray[Any], *formats: Format) -> NDArray[np.bool_]:
    """Where an operand is a subnormal of any of the formats that it passes through."""
    magnitude = np.abs(operands)
    limit = max(fmt.smallest_normal for fmt in formats)
    return np.asarray((magnitude > 0) & (magnitude < limit))


def fused(products: Floats, addends: Floats, fmt: Format) -> Floats:
    """``products`` + ``addends`` rounded to ``fmt`` once, as a fused multiply-add does.

    Products are exact in float64 (up to 48 bits), addends lie on the grid of ``fmt``. Their float64
    sum is rounded already; where it is, it is moved to the neighbour with an odd last bit, which is
    never on a rounding boundary of ``fmt`` (two bits to spare: 53 >= p + 2), so that the second
    rounding goes where a single one would have gone.
    """
    with np.errstate(invalid="ignore"):
        total = np.asarray(products + addends)
        back = total - products
        error = (products - (total - back)) + (addends - back)
    inexact = np.isfinite(total) & (error != 0.0)
    outward = (error > 0) == (total > 0)
    bits = total.view(np.int64)  # the neighbours of a number, which is not 0 here, are one apart
    bits += (inexact & ((bits & 1) == 0)) * (2 * outward.view(np.int8) - 1)
    return round_once(total, fmt)
