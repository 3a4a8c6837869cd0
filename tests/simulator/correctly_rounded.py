"""exp, ln and rsqrt rounded correctly, by decimal numbers; sqrt and quotients are so in numpy."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Context, Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

_WIDE = Context(prec=40, traps=[])
LARGE = 1000.0
"""Beyond it exp of either sign is infinite or zero in every dtype."""


def exp(values: NDArray[Any]) -> NDArray[Any]:
    """The exponential of each value, in its dtype."""
    return _each(values, lambda value: _odd(_WIDE.exp(Decimal(min(max(value, -LARGE), LARGE)))))


def ln(values: NDArray[Any]) -> NDArray[Any]:
    """The natural logarithm of each value, in its dtype."""

    def of(value: float) -> float:
        if value <= 0:
            return -np.inf if value == 0 else np.nan
        return np.inf if np.isinf(value) else _odd(_WIDE.ln(Decimal(value)))

    return _each(values, of)


def rsqrt(values: NDArray[Any]) -> NDArray[Any]:
    """One by the square root of each value, in its dtype."""

    def of(value: float) -> float:
        if value <= 0:
            return math.copysign(math.inf, value) if value == 0 else math.nan
        root = _WIDE.sqrt(Decimal(value))
        return 0.0 if np.isinf(value) else _odd(_WIDE.divide(Decimal(1), root))

    return _each(values, of)


def _odd(exact: Decimal) -> float:
    """The double beside a number whose last bit is 1 if it is not that number: a later rounding to
    fewer bits then goes as if it were exact."""
    near = float(exact)
    if np.isinf(near) or Decimal(near) == exact or np.float64(near).view(np.uint64) & 1:
        return near
    return float(np.nextafter(near, np.inf if exact > Decimal(near) else -np.inf))


def _each(values: NDArray[Any], function: Callable[[float], float]) -> NDArray[Any]:
    # A NaN, which is unequal to itself, stays.
    found = [
        function(value) if value == value else value
        for value in values.astype(np.float64).ravel().tolist()
    ]
    with np.errstate(over="ignore", under="ignore"):
        return np.array(found, np.float64).astype(values.dtype).reshape(values.shape)
