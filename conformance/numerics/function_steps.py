"""How far a device's exp, ln, sqrt, division and reciprocal are from the correctly rounded ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.record.functions import FunctionTraits

Float32s = NDArray[np.float32]
Places = NDArray[np.int64]

LEAST_NORMAL = 2.0**-126
ERROR = 2.0**-51
"""What float64's exp and ln may be wrong by, relatively. Its sqrt and quotients of float32 numbers
round to float32 as the exact ones do, since 2 * 24 + 2 <= 53."""


def traits_of(
    name: str, left: Float32s, right: Float32s, result: Float32s, placed_otherwise: Float32s
) -> FunctionTraits:
    """What the results of a function of that name show.

    ``result`` are those of the operands ``left`` and ``right`` (of one operand the first), and
    ``placed_otherwise`` those of the same operands in other lanes and on other cores; arrays of
    one shape [elements]. Results that are NaN or a number in the wrong places leave the steps
    unknown. So few operands prove no bound: what they do not show may still be.
    """
    exact = _exact(name, left, right)
    uniform = bool((result.view(np.uint32) == placed_otherwise.view(np.uint32)).all())
    number = ~np.isnan(exact)
    if not np.array_equal(np.isnan(result), ~number):
        return FunctionTraits(uniform=uniform)
    exact, seen = exact[number], result[number]
    low, high = _ends(name, exact)
    places = _places(seen)
    off = np.maximum(np.maximum(low - places, places - high), 0)
    vanished = (seen == 0) & (exact != 0) & (np.abs(exact) < LEAST_NORMAL)
    steps = int(off[~vanished].max(initial=0))
    return FunctionTraits(
        steps=steps,
        flush=bool((off[vanished] > steps).any()),
        uniform=uniform,
        monotone=_monotone(name, left[number], right[number], places),
    )


def _exact(name: str, left: Float32s, right: Float32s) -> NDArray[np.float64]:
    wide, other = left.astype(np.float64), right.astype(np.float64)
    with np.errstate(all="ignore"):
        if name == "div":
            found: Any = wide / other
        elif name == "reciprocal":
            found = 1 / wide
        else:
            found = {"exp": np.exp, "ln": np.log, "sqrt": np.sqrt}[name](wide)
    return np.asarray(found, np.float64)


def _ends(name: str, exact: NDArray[np.float64]) -> tuple[Places, Places]:
    """The lowest and the highest place that the correctly rounded result may have."""
    error = ERROR if name in ("exp", "ln") else 0.0
    with np.errstate(over="ignore", under="ignore"):
        ends = [_places((exact * (1 + by)).astype(np.float32)) for by in (-error, error)]
    return np.minimum(*ends), np.maximum(*ends)


def _places(values: Float32s) -> Places:
    """Values as places of the float32 grid, in the order of the values; both zeros are one."""
    bits = values.view(np.int32).astype(np.int64)
    return np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)


def _monotone(name: str, left: Float32s, right: Float32s, places: Places) -> bool:
    """Whether results rise or fall with each operand, the other one left as it is."""
    same = np.zeros_like(left)
    if name == "reciprocal":
        return _falls(left, same, np.ones_like(left), places)
    if name != "div":
        return _falls(left, same, -np.ones_like(left), places)
    return _falls(left, right, -_sign(right), places) and _falls(right, left, _sign(left), places)


def _falls(operand: Float32s, group: Float32s, sign: NDArray[Any], places: Places) -> bool:
    """Whether results fall as an operand rises, within those of one ``group`` and of one sign of
    the operand; they rise where ``sign`` is -1."""
    sides = _sign(operand)
    order = np.lexsort((operand, sides, group))

    def as_before(values: NDArray[Any]) -> NDArray[np.bool_]:
        found = values[order]
        return np.asarray(found[1:] == found[:-1])

    falls = np.diff(places[order]) * sign[order][1:] <= 0
    apart = ~(as_before(group) & as_before(sides))
    return bool((falls | apart).all())


def _sign(values: Float32s) -> NDArray[np.float64]:
    return np.where(np.signbit(values), -1.0, 1.0)
