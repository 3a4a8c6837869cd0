"""Boxes of a gradient: products, sums and quotients of either sign, in fp32, and what they make.

A subnormal operand or result may be flushed to zero. A finite result that overflows is not bounded:
a device may saturate. What is NaN for all values in the boxes is NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.numerics.boxes import By, computed, exact, hull, settled, sum_of
from conformance.numerics.scores import gathered
from conformance.record.computed import Box
from conformance.record.functions import Functions, FunctionTraits
from reference.floats import FP32, round_once

Operation = Callable[[Any, Any], Any]


def sigmoid_weights(
    x: NDArray[Any],
    grad: NDArray[Any],
    ids: NDArray[Any],
    functions: Functions,
    *,
    factor: float,
    eps: float,
    by: By = "either",
) -> Box:
    """The gradient of z, if x [rows, experts] = sigmoid(z) in fp32, and the weights are those that
    ``ids`` name of x, divided by RN(their sum + eps), times the factor.

    ``grad`` [rows, k] is that of the weights, in fp16, bf16 or fp32; factor and eps are numbers of
    fp32. Sums are added in any order, products of them rounded or fused; ``by``: divided, or
    multiplied by a reciprocal. The last three factors are multiplied in any order. An id that a row
    has twice is not bounded.
    """
    score = exact(x)
    chosen, scaled = gathered(score, ids), rounded(np.multiply, exact(grad), _number(factor))
    divisor = rounded(np.add, _column(sum_of(chosen)), _number(eps))
    weight = quotient(chosen, divisor, functions, by)
    beta = _column(sum_of(of_ends(np.multiply, weight, scaled), products=True))
    inner = quotient(rounded(np.subtract, scaled, beta), divisor, functions, by)
    factors = score, rounded(np.subtract, _number(1.0), score), _spread(inner, ids, x.shape)
    return hull(
        *(
            rounded(np.multiply, rounded(np.multiply, factors[one], factors[other]), factors[last])
            for one, other, last in ((0, 1, 2), (0, 2, 1), (1, 2, 0))
        )
    )


def of_ends(operation: Operation, first: Box, second: Box) -> Box:
    """Exact results of an operation that is monotone in each operand: those of the four corners."""
    first, second = (_may_vanish(box) for box in (first, second))
    with np.errstate(all="ignore"):
        corners = [operation(a, b) for a in _ends(first) for b in _ends(second)]
    # Corners of infinities alone are no NaN: what lies between them may be a number.
    single = np.logical_and(*((box.low == box.high) for box in (first, second)))
    nan = np.isnan(first.low) | np.isnan(second.low)
    nan = nan | (single & np.logical_and.reduce([np.isnan(one) for one in corners]))
    return settled(np.minimum.reduce(corners), np.maximum.reduce(corners), nan)


def rounded(operation: Operation, first: Box, second: Box) -> Box:
    """RN of a sum, a difference or a product of two fp32 values."""
    due = of_ends(operation, first, second)
    low, high = (round_once(end, FP32) for end in _ends(due))
    overflown = np.isinf(low) & np.isfinite(due.low) | np.isinf(high) & np.isfinite(due.high)
    return _may_vanish(settled(low, high, np.isnan(due.low), overflown))


def quotient(above: Box, below: Box, functions: Functions, by: By = "either") -> Box:
    """fp32 values divided by others, or multiplied by their reciprocals.

    Not bounded if a divisor may be 0, or be flushed to it; 0 / 0 is NaN all the same.
    """
    found = []
    if by != "reciprocal":
        found.append(_delivered(of_ends(np.divide, above, below), functions.div))
    if by != "division":
        part = _delivered(of_ends(np.divide, _number(1.0), below), functions.reciprocal)
        found.append(rounded(np.multiply, above, part))
    result = hull(*found)
    wild = (below.low < FP32.smallest_normal) & (below.high > -FP32.smallest_normal)
    none = (above.low == 0) & (above.high == 0) & (below.low == 0) & (below.high == 0)
    nan = np.isnan(above.low) | np.isnan(below.low) | none
    return settled(result.low, result.high, nan | np.isnan(result.low) & ~wild, wild & ~nan)


def _delivered(box: Box, traits: FunctionTraits) -> Box:
    """What a function of either sign delivers of exact results in the box."""
    below, above = (computed(np.abs(end), np.abs(end), traits) for end in _ends(box))
    low = np.where(box.low > 0, below.low, -below.high)
    high = np.where(box.high < 0, -above.low, above.high)
    return settled(low, high, np.isnan(box.low))


def _may_vanish(box: Box) -> Box:
    """With 0 beside what may be subnormal."""
    limit = FP32.smallest_normal
    low = np.where((box.low > 0) & (box.low < limit), 0.0, box.low)
    return Box(low, np.where((box.high < 0) & (box.high > -limit), 0.0, box.high))


def _spread(values: Box, ids: NDArray[Any], shape: tuple[int, ...]) -> Box:
    """Boxes of slots [rows, k] at the experts that ids name, 0 at others: [rows, experts]."""
    rows, ids = np.arange(len(ids))[:, None], ids.astype(np.int64)
    low, high, count = np.zeros(shape), np.zeros(shape), np.zeros(shape, np.int64)
    low[rows, ids], high[rows, ids] = values.low, values.high
    np.add.at(count, (rows, ids), 1)
    return settled(low, high, np.isnan(low) & np.isnan(high) & (count == 1), count > 1)


def _ends(box: Box) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return box.low, box.high


def _number(value: float) -> Box:
    return exact(np.full((1, 1), value, np.float64))


def _column(box: Box) -> Box:
    return Box(box.low[:, None], box.high[:, None])
