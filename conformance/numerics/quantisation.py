"""Boxes of values that a device quantises: scales of rows, quotients by them, an affine map.

x of fp16, bf16 or fp32 is exact in fp32, and so are the arrays of fp32 values here, which are
float64. A row of y is divided by a scale, which is its largest magnitude divided by 127. Quotients
are judged by the scale that was observed. (docs/explanation/numerics.md, "Quantised values")
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.numerics.boxes import computed, settled
from conformance.numerics.rounding import fused
from conformance.record.computed import Box
from conformance.record.contract import Ties
from conformance.record.functions import Functions, FunctionTraits
from reference.floats import FP16, FP32, Format, round_once, widen

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

MOST = 127
"""What the largest magnitude of a row becomes."""

ASSUMED_STEPS = 1
"""How far a quotient is taken to lie from the rounded one on a device whose division nobody probed.
It is an assumption: no page bounds it."""

FAR = 2.0**15
"""From this magnitude on nobody says what a device converts to."""


def scaled_rows(x: NDArray[Any], factors: NDArray[Any] | None = None) -> Floats:
    """What is quantised of x [rows, H]: x itself, or RN(x factor) for ``factors`` that broadcast.

    Both are of fp16, bf16 or fp32, in any shape that numpy multiplies.
    """
    wide = widen(x, np.float64)
    if factors is None:
        return wide
    with np.errstate(invalid="ignore", over="ignore"):
        return round_once(wide * widen(factors, np.float64), FP32)


def live_rows(y: Floats) -> NDArray[np.bool_]:
    """Which rows of y [rows, H] are not all zeros, [rows, 1]. The others are divided by a scale of
    0, and no document says what 0 / 0 becomes as an integer."""
    return np.asarray((y != 0).any(axis=-1, keepdims=True))


def scale_of(y: Floats, functions: Functions) -> Box:
    """The scale of each row of y [rows, H]: RN(largest magnitude / 127), moved by the steps.

    That of zeros, and of no elements, is 0. Not bounded is that of a row with an infinity or NaN.
    """
    with np.errstate(invalid="ignore"):
        exact = np.abs(y).max(axis=-1, initial=0.0) / MOST
    box = computed(exact, exact, division_of(functions))
    return _unless(~np.isfinite(exact), box)


def quotients(y: Floats, scales: NDArray[Any], functions: Functions) -> Box:
    """RN(y / scale) of y [rows, H] and the observed fp32 scales [rows], moved by the steps.

    Not bounded where the scale is no positive number, or is flushed to 0, and in rows with an
    infinity or NaN.
    """
    division = division_of(functions)
    wide = widen(scales, np.float64)[:, None]
    least = FP32.smallest_normal if division.flush else 0.0
    with np.errstate(all="ignore"):
        size = np.abs(y) / wide
        usable = np.isfinite(wide) & (wide > 0) & (wide >= least)
    whole = np.isfinite(y).all(axis=-1, keepdims=True)
    box = computed(size, size, division)
    lowest = np.where(np.abs(y) < least, 0.0, box.low)  # of an operand that is flushed
    low, high = (np.where(y < 0, -a, b) for a, b in ((box.high, lowest), (lowest, box.high)))
    return _unless(np.broadcast_to(~(usable & whole), y.shape), Box(low, high))


def affine(
    x: NDArray[Any], scale: NDArray[Any], offset: NDArray[Any], *, halves: bool = False
) -> Box:
    """RN(RN(x scale) + offset) or RN(x scale + offset): the box around both, of x [rows, H].

    ``scale`` and ``offset``, of fp16, bf16 or fp32, broadcast. If ``halves``, each operand may be
    rounded to fp16 first, and each result to fp16 in place of fp32. Not bounded from 2^15 on, where
    an operand is an infinity or NaN, and where an operand or a product may overflow.
    """
    values, factors, addends = (widen(one, np.float64) for one in (x, scale, offset))
    narrow = (FP16,) if halves else ()
    with np.errstate(all="ignore"):
        low, high = (
            _affine_end(values, factors, addends, narrow, end)
            for end in (np.minimum.reduce, np.maximum.reduce)
        )
        near = (np.abs(low) < FAR) & (np.abs(high) < FAR)
    return _unless(~near, Box(low, high))


def _affine_end(
    x: Floats, scale: Floats, offset: Floats, narrow: tuple[Format, ...], end: Callable[..., Floats]
) -> Floats:
    """The least or the greatest result, as ``end`` has it. Products of two roundings are compared;
    from then on a rounding and a sum are monotone, so that an end becomes an end."""

    def any_of(values: Floats, *formats: Format) -> list[Floats]:
        return [values, *(round_once(values, fmt) for fmt in formats)]

    exact = end([a * b for a in any_of(x, *narrow) for b in any_of(scale, *narrow)])
    products = end(any_of(exact, FP32, *narrow))
    addends = np.broadcast_to(end(any_of(offset, *narrow)), products.shape)
    return end([fused(products, addends, fmt) for fmt in (FP32, *narrow)])


def division_of(functions: Functions) -> FunctionTraits:
    """What is known of the division of a device, or assumed of it."""
    known = functions.div
    return replace(known, steps=ASSUMED_STEPS) if known.steps is None else known


def integer_ends(box: Box, dtype: np.dtype[Any], ties: Ties) -> tuple[Places, Places]:
    """The least and the greatest integer of ``dtype`` that an element of the box becomes.

    Every rule of ``ties`` is monotone, so ends become ends. Beyond the range is its end.
    """
    limits = np.iinfo(dtype)
    by_rule = []
    for rule in ("even", "away") if ties == "either" else (ties,):
        rounded = (ROUND[rule](end) for end in (box.low, box.high))
        by_rule.append([np.clip(end, limits.min, limits.max).astype(np.int64) for end in rounded])
    lows, highs = zip(*by_rule, strict=True)
    return np.minimum.reduce(lows), np.maximum.reduce(highs)


def _away(values: Floats) -> Floats:
    """To the nearest integer, of two the one away from zero. The sum with 1/2 is exact, as values
    have 24 bits, unless they are so small that it is below 1 all the same, or are integers."""
    return np.copysign(np.floor(np.abs(values) + 0.5), values)


ROUND: dict[str, Callable[[Floats], Floats]] = {"even": np.rint, "away": _away}


def _unless(wild: NDArray[np.bool_], box: Box) -> Box:
    """The box, not bounded where it is ``wild``."""
    return settled(box.low, box.high, np.zeros(wild.shape, np.bool_), wild)
