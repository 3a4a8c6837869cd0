"""Boxes of the scores that experts are selected by: softmax, sigmoid, the root of softplus."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from conformance.numerics.boxes import (
    By,
    added,
    computed,
    exact,
    exp_of,
    factor_of,
    hull,
    rounded_difference,
    shares,
    sum_of,
    unbounded,
)
from conformance.record.computed import Box
from conformance.record.functions import Functions
from reference.floats import FP32, widen


def softmax(
    x: NDArray[Any],
    functions: Functions,
    ids: NDArray[Any] | None = None,
    *,
    by: By = "either",
    height: int | None = None,
) -> Box:
    """exp(x - max) by its sum, along the last axis of an fp16, bf16 or fp32 array, in fp32.

    With ``ids`` [rows, k], in range, only at those positions of x [rows, experts]. A row with NaN
    or +inf, or of -inf alone, is NaN. ``by`` and ``height`` are those of `shares`.
    """
    terms = _terms(x, functions)
    some = terms if ids is None else gathered(terms, ids)
    if functions.exp.steps is None:
        return some
    traits = functions.div, functions.reciprocal
    return shares(some, *traits, by=by, over=terms, height=height)


def softmax_keys(
    x: NDArray[Any], functions: Functions, *, by: By = "either", height: int | None = None
) -> Box:
    """Softmax times its unknown denominator S, which is one for a row: keys of its order alone.

    They are anywhere in their boxes (`Keys.on_grid` False), and far narrower than `softmax`. A key
    is exp(x - max), by factors of a rounding and of steps of a division. Where the score is
    subnormal, its error is absolute instead, and times S. A common reciprocal moves no order.
    """
    terms = _terms(x, functions)
    used = {"division": [functions.div], "reciprocal": [functions.reciprocal]}
    traits = used.get(by) or [functions.div, functions.reciprocal]
    if functions.exp.steps is None or any(one.steps is None for one in traits):
        return unbounded(x.shape)
    factor = factor_of((functions.div.steps or 0) if by != "reciprocal" else 0)
    total = sum_of(terms, height).high[..., None]
    most = max((one.steps or 0) for one in traits)
    # The neighbours of a subnormal score, times S or 1 / r. It errs by half of one, and by steps.
    unit = total * factor_of(most) * FP32.smallest_subnormal
    absolute = unit * (0.5 + ((functions.div.steps or 0) if by != "reciprocal" else 0))
    low, high = terms.low / factor, terms.high * factor
    low -= absolute
    np.maximum(low, 0.0, out=low)
    if any(one.flush for one in traits):
        normal = FP32.smallest_normal * total * factor_of(most) * factor
        np.copyto(low, 0.0, where=terms.low <= normal)
    high += absolute
    np.copyto(high, 0.0, where=terms.high == 0)
    return Box(low, high)


def _terms(x: NDArray[Any], functions: Functions) -> Box:
    """Boxes of exp(x - max) row by row; NaN if the row is."""
    most = x.max(axis=-1, keepdims=True)
    difference = rounded_difference(x, most)
    # A NaN of a row is its largest; an infinity less itself is NaN.
    difference[~np.isfinite(widen(most))[..., 0]] = np.nan
    return exp_of(difference, functions.exp)


def sigmoid(x: NDArray[Any], functions: Functions, *, by: By = "either") -> Box:
    """1 / RN(1 + exp(-x)) of an fp16, bf16 or fp32 array, in fp32; ``by`` division or reciprocal.

    Every step is monotone, so ends give ends. Another formula of the sigmoid is not covered.
    """
    below = _plus_one(exp_of(-exact(x).low, functions.exp))
    if functions.exp.steps is None:
        return unbounded(x.shape)
    with np.errstate(divide="ignore"):
        low, high = 1 / below.high, 1 / below.low
    found = []
    if by != "reciprocal":
        found.append(computed(low, high, functions.div))
    if by != "division":
        found.append(computed(low, high, functions.reciprocal))
    return hull(*found)


def root_of_softplus(
    x: NDArray[Any],
    functions: Functions,
    *,
    form: Literal["naive", "stable", "either"] = "either",
) -> Box:
    """sqrt(ln(1 + exp(x))) of an fp16, bf16 or fp32 array, in fp32.

    ``form`` "naive" is that chain: 0 from -16.64 down, infinite from 88.72 up. "stable" adds
    max(x, 0) to log1p(exp(-|x|)), whose traits are those of ln. "either" has both, and the
    logarithm as one function, too.
    """
    if functions.exp.steps is None or functions.ln.steps is None:
        return unbounded(x.shape)
    values = exact(x).low
    found = []
    if form != "stable":
        one_more = _plus_one(exp_of(values, functions.exp))
        found.append(computed(np.log(one_more.low), np.log(one_more.high), functions.ln))
    if form != "naive":
        small = exp_of(-np.abs(values), functions.exp)
        tail = computed(np.log1p(small.low), np.log1p(small.high), functions.ln)
        found.append(added(tail, np.maximum(values, 0.0)))
    if form == "either":
        with np.errstate(invalid="ignore"):
            whole = np.logaddexp(0.0, values)
        found.append(computed(whole, whole, functions.ln))
    inner = hull(*found)
    return computed(np.sqrt(inner.low), np.sqrt(inner.high), functions.sqrt)


def _plus_one(box: Box) -> Box:
    """RN(1 + y)."""
    return added(box, np.ones((), np.float32))


def gathered(box: Box, ids: NDArray[Any]) -> Box:
    """The boxes of the ids [rows, k], which must be in range, of [rows, experts]."""
    low, high = (np.take_along_axis(end, ids, axis=1) for end in (box.low, box.high))
    return Box(low, high)
