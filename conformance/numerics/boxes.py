"""Boxes of what a device computes in fp32: every device with the given traits answers inside.

Ends are float64. After each rounded operation they are values of the fp32 grid, because rounding is
monotone: what holds before it holds of the rounded ends. Where float64 itself errs, ends are moved
outward first. Additions and products are taken to be rounded to nearest. A function of which no
steps are known leaves its results unbounded. (docs/explanation/numerics.md, "Functions and
selections"; `scores` has the formulas of operators.)
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from conformance.numerics.arithmetic import Arithmetic
from conformance.numerics.rounding import after, cast_result
from conformance.record.computed import Box
from conformance.record.functions import FunctionTraits
from reference.floats import FP32, Format, round_once, widen

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
By = Literal["division", "reciprocal", "either"]

U = FP32.unit_roundoff
WIDER = 2.0**-51
"""Relative: twice what a float64 function of numpy errs."""

SURE = 2.0**-78
"""Products of fp32 numbers that are no smaller are multiples of 2^-125, and so are sums of them:
a device that flushes subnormal numbers loses nothing of them."""


def exact(array: NDArray[Any]) -> Box:
    """The values themselves, of fp16, bf16, fp32 or float64: [low, high] of one array."""
    values = widen(array, np.float64) if array.dtype != np.float64 else array
    return Box(values, values)


def hull(*boxes: Box) -> Box:
    """The smallest box around all, element by element. NaN in one of them makes it unbounded,
    unless it is in all."""
    low, high = boxes[0].low, boxes[0].high
    for box in boxes[1:]:
        low, high = np.minimum(low, box.low), np.maximum(high, box.high)
    nan = np.logical_and.reduce([np.isnan(box.low) for box in boxes])
    return settled(low, high, nan)


def rounded_difference(first: NDArray[Any], second: NDArray[Any]) -> Floats:
    """RN(first - second) of fp16, bf16 or fp32 arrays, element by element: a number, and no box."""
    with np.errstate(invalid="ignore", over="ignore"):
        return np.asarray((widen(first) - widen(second)).astype(np.float64))


def stepped(values: Floats, steps: int) -> Floats:
    """RN(values), all >= 0, moved by so many neighbours, within 0 and infinity; NaN stays."""
    narrow = values.astype(np.float32)
    # Whether there is a NaN is told by the largest sooner than by a mask.
    lost = np.isnan(narrow) if np.isnan(narrow.max(initial=0)) else None
    places = narrow.view(np.int32)
    places += steps
    np.maximum(places, 0, out=places)
    if steps > 0:
        np.minimum(places, FP32.infinity_bits, out=places)
    if lost is not None:
        narrow[lost] = np.nan
    return narrow.astype(np.float64)


def computed(low: Floats, high: Floats, traits: FunctionTraits) -> Box:
    """Results of a function whose exact ones lie in [low, high], >= 0, up to a relative 2^-51.

    An exact 0, an infinity and NaN are delivered as they are: ln 1, exp(-inf), sqrt(inf). So A5 of
    the operators' research has it. Other results are rounded, moved by ``traits.steps``, not below
    0, and may be 0 if they are subnormal and ``traits.flush``.
    """
    if traits.steps is None:
        return unbounded(low.shape)
    with np.errstate(over="ignore", invalid="ignore"):
        least = stepped(low * (1 - WIDER), -traits.steps)
        most = stepped(high * (1 + WIDER), traits.steps)
    if traits.flush:
        np.copyto(least, 0.0, where=least < FP32.smallest_normal)
    np.copyto(least, low, where=np.isinf(low))
    np.copyto(most, high, where=high == 0)
    return Box(least, most)


def unbounded(shape: tuple[int, ...]) -> Box:
    """What nothing is known of."""
    return Box(np.full(shape, -np.inf), np.full(shape, np.inf))


def exp_of(values: Floats, traits: FunctionTraits) -> Box:
    """exp of fp32 values. Of finite ones it is no exact 0 or infinity, even beyond float64."""
    with np.errstate(over="ignore", under="ignore"):
        found = np.exp(values)
    limits = np.finfo(np.float64)
    if not (found.min(initial=1) >= limits.tiny and found.max(initial=1) <= limits.max):
        np.clip(found, limits.tiny, limits.max, out=found, where=np.isfinite(values))
    return computed(found, found, traits)


def sum_of(box: Box, height: int | None = None, *, products: bool = False) -> Box:
    """Sums of the terms along the last axis, in any order (numerics, "Sums").

    No term passes more than ``height`` additions; None: in any tree. n nonzero terms err by at most
    (n - 2) u of their magnitudes before the last addition, which is carried out; ``products`` that
    are not rounded yet, by (n - 1) u. Unbounded where finite terms may overflow.
    """
    margins = _spread(box, height, last=products)
    # float64 rounds sums of two terms first, too, which changes no fp32 result: 53 >= 2 * 24 + 2.
    count, terms = box.low.shape[-1], _nonzero(box)
    margins = margins + (terms > (1 if products else 2)) * (count * 2.0**-52)
    vanished = _vanished(box)
    sizes = [np.abs(end) for end in (box.low, box.high)]
    with np.errstate(invalid="ignore"):
        low, high = (end.sum(axis=-1) for end in (box.low, box.high))
        least, most = (margins * size.sum(axis=-1) + vanished for size in sizes)
        low, high = (
            low - np.where(np.isinf(low), 0, least),
            high + np.where(np.isinf(high), 0, most),
        )
    largest = np.maximum(*sizes)
    reach = np.where(np.isinf(largest), 0, largest).sum(axis=-1) * (1 + margins)
    return settled(
        round_once(low, FP32),
        round_once(high, FP32),
        np.isnan(low) & np.isnan(high),
        reach > FP32.largest_finite,
    )


def _vanished(box: Box) -> Floats:
    """How much of sums along the last axis a device may lose that flushes subnormal numbers."""
    if box.low.size and box.low.min() >= SURE:
        return np.zeros(box.low.shape[:-1])
    small = (box.low < SURE) & (box.high > -SURE) & ((box.low != 0) | (box.high != 0))
    return np.asarray(small.any(axis=-1) * (3 * FP32.smallest_normal) * _nonzero(box))


def _nonzero(box: Box) -> NDArray[np.int64]:
    """How many terms along the last axis are not known to be 0."""
    if box.low.size and box.low.min() > 0:
        return np.full(box.low.shape[:-1], box.low.shape[-1])
    return np.asarray(np.count_nonzero((box.low != 0) | (box.high != 0), axis=-1))


def _spread(box: Box, height: int | None, *, last: bool) -> Floats:
    """Relative error of sums with their last addition or before it: of their magnitudes."""
    found = np.maximum(_nonzero(box) - (1 if last else 2), 0) * U
    if height is None:
        return np.asarray(found)
    deep = max(height - (0 if last else 1), 0) * U
    return np.asarray(np.minimum(found, deep * (1 + deep)))


def factor_of(steps: int) -> float:
    """By which factor at most a normal result and the exact one differ: one rounding, and steps.

    RN(z) lies within z / (1 + u) and z (1 + u); a step is at most 2 u of the smaller neighbour.
    """
    return float((1 + U) * (1 + 2 * U) ** steps * (1 + WIDER))


def shares(
    box: Box,
    division: FunctionTraits,
    reciprocal: FunctionTraits,
    eps: float = 0.0,
    *,
    by: By = "either",
    over: Box | None = None,
    height: int | None = None,
) -> Box:
    """Terms divided by RN(their sum along the last axis + eps), in fp32 (lemma 2).

    Terms are >= 0. ``over`` has the terms of the sum, if ``box`` has only some of them. A term is
    taken once in both the numerator and the denominator. ``by``: divided, or multiplied by a
    reciprocal. Unbounded are rows that may be infinite or negative, and those whose denominator may
    leave [2^-100, 2^100], as additions may flush there. If all terms and eps are 0, the row is NaN.
    """
    whole = box if over is None else over
    total_low, total_high = (end.sum(axis=-1, keepdims=True) for end in (whole.low, whole.high))
    theta = _spread(whole, height, last=True)[..., None]
    # A difference of float64 sums errs by so much of the sums; it moves denominators outward.
    slack = (whole.low.shape[-1] + 4) * 2.0**-52
    delta = U if eps else 0.0
    with np.errstate(invalid="ignore", divide="ignore"):
        # In place, as new arrays take longer than what is computed.
        most, least = total_high - box.high, total_low - box.low
        most += box.low
        most += slack * (total_high + box.low)
        least -= _vanished(whole)[..., None]
        np.maximum(least, 0.0, out=least)
        least += box.high
        least -= slack * (total_low + box.high)
        for end, error, sign in ((most, theta, 1), (least, theta, -1)):
            end *= 1 + sign * error
            if eps:
                end += eps
                end *= 1 + sign * delta
            end *= 1 + sign * 2.0**-50
        low, high = np.divide(box.low, most, out=most), np.divide(box.high, least, out=least)
        if division.flush or reciprocal.flush:  # of operands, too
            np.copyto(low, 0.0, where=box.low < FP32.smallest_normal)
        zero = (total_high == 0) & (eps == 0)
        # The proof has it that a share rises with its term: no eps below 0 (numerics, lemma 2).
        wild = ~(whole.low >= 0).all(axis=-1, keepdims=True) | (not eps >= 0)
        wild = wild | ~(total_high <= 2.0**100) | ~(total_low + eps >= 2.0**-100)
    nan = np.isnan(total_low) & np.isnan(total_high) | zero
    found = []
    if by != "reciprocal":
        found.append(computed(low, high, division))
    if by != "division":
        found.append(_by_reciprocal(low, high, reciprocal))
    result = hull(*found)
    shape = result.low.shape
    nan, wild = (np.broadcast_to(mask, shape) for mask in (nan, wild))
    return settled(result.low, result.high, nan, wild & ~nan)


def _by_reciprocal(low: Floats, high: Floats, reciprocal: FunctionTraits) -> Box:
    """RN(term * r), if r is a reciprocal of the sum and term / sum is in [low, high]."""
    if reciprocal.steps is None:
        return unbounded(low.shape)
    factor = factor_of(reciprocal.steps)
    least, most = round_once(low / factor, FP32), round_once(high * factor, FP32)
    if reciprocal.flush:
        least = np.where(least < FP32.smallest_normal, 0.0, least)
    return Box(least, most)


def scaled(box: Box, factor: float) -> Box:
    """RN(y * factor) of fp32 values y and an fp32 factor; a negative one swaps the ends."""
    with np.errstate(invalid="ignore", over="ignore"):
        low, high = (round_once(end * factor, FP32) for end in (box.low, box.high))
    if factor < 0:
        low, high = high, low
    return settled(low, high, np.isnan(box.low) | np.isnan(factor))


def added(box: Box, addend: NDArray[Any]) -> Box:
    """RN(s + addend) of fp32 values s and exact fp16, bf16 or fp32 addends that broadcast.

    float64 rounds their sum first, which changes no fp32 result: 53 >= 2 * 24 + 2.
    """
    other = exact(addend).low
    with np.errstate(invalid="ignore", over="ignore"):
        low, high = (round_once(end + other, FP32) for end in (box.low, box.high))
    return settled(low, high, np.isnan(box.low) | np.isnan(other))


def group_max(box: Box, groups: int) -> Box:
    """The largest of each of the groups of [rows, experts]: [rows, groups]. It is monotone."""
    low, high = (end.reshape(len(end), groups, -1).max(axis=2) for end in (box.low, box.high))
    return Box(low, high)


def group_top2(box: Box, groups: int) -> Box:
    """RN(largest + second largest) of each group of [rows, experts], of two experts or more.

    Order statistics, sums and rounding are monotone, so each end gives an end: [rows, groups].
    """

    def of(end: Floats) -> Floats:
        best = np.partition(end.reshape(len(end), groups, -1), [-2, -1], axis=2)[:, :, -2:]
        with np.errstate(invalid="ignore", over="ignore"):
            return round_once(best[:, :, 0] + best[:, :, 1], FP32)

    low, high = of(box.low), of(box.high)
    return settled(low, high, np.isnan(group_max(box, groups).low))


def cast_ends(
    box: Box, storage: Format, arithmetic: Arithmetic, ties_away: bool = False
) -> tuple[Floats, Floats]:
    """The outermost values of ``storage`` to which a device casts the box, in float64.

    Every cast, overflow and flush that ``arithmetic`` allows is tried; each is monotone.
    ``ties_away``: a tie may also go to the value of larger magnitude. NaN stays.
    """
    lows, highs = [], []
    for behaviour in arithmetic.behaviours():
        casts = [cast_result(end, storage, behaviour) for end in (box.low, box.high)]
        if ties_away and not behaviour.truncate:
            # The next float64 of larger magnitude is on the far side of a tie, and rounds there.
            away = [np.nextafter(end, np.copysign(np.inf, end)) for end in (box.low, box.high)]
            casts += [
                after(round_once(end, storage), storage, behaviour, np.isinf(end)) for end in away
            ]
        lows += casts[::2]
        highs += casts[1::2]
    return np.minimum.reduce(lows), np.maximum.reduce(highs)


def settled(low: Floats, high: Floats, nan: Mask, wild: Mask | None = None) -> Box:
    """A box that is NaN if ``nan``, and unbounded if ``wild`` or if an operation of ends was."""
    lost = np.isnan(low) | np.isnan(high)
    if wild is not None:
        lost |= wild
    if not lost.any() and not nan.any():
        return Box(low, high)
    least, most = np.where(lost, -np.inf, low), np.where(lost, np.inf, high)
    return Box(np.where(nan, np.nan, least), np.where(nan, np.nan, most))
