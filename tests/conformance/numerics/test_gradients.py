"""What right devices answer as a gradient lies in its box; special values; what is refused."""

import itertools

import ml_dtypes
import numpy as np
import pytest

from conformance.numerics.arithmetic import IEEE
from conformance.numerics.boxes import cast_ends, exact, sum_of, unbounded
from conformance.numerics.gradients import of_ends, quotient, rounded, sigmoid_weights
from conformance.numerics.rounding import fused
from conformance.record.computed import Box
from conformance.record.functions import ALL_CORRECT, ALL_UNKNOWN, Functions, FunctionTraits
from reference.floats import FP32, format_of, from_bits, from_ordered, ordered
from reference.moe_gating_top_k_backward import formula
from tests.conformance.numerics.machines import SUMS

INF, NAN, TINY = np.inf, np.nan, 2.0**-149
F = np.float32
STEP = Functions(*[FunctionTraits(1, flush=False)] * 5)
DTYPES = (np.dtype("f4"), np.dtype("f2"), np.dtype(ml_dtypes.bfloat16))
ROWS, EXPERTS = 200, 12
GROUPINGS = ((0, 1, 2), (0, 2, 1), (1, 2, 0))
FAMILIES = ("scores", "equal gradients", "cold", "saturated", "signed")


def draw(family, k, dtype):
    """x, gradients, ids, factor, eps."""
    rng = np.random.default_rng([FAMILIES.index(family), k])
    z = rng.standard_normal((ROWS, EXPERTS)) * (40 if family == "saturated" else 1)
    x = 1 / (1 + np.exp(-z - (-46.0 if family == "cold" else 0)))
    x = z if family == "signed" else x
    ids = rng.permuted(np.tile(np.arange(EXPERTS), (ROWS, 1)), axis=1)[:, :k]
    grad = rng.standard_normal((ROWS, 1 if family == "equal gradients" else k)) * np.ones((1, k))
    return x.astype(F), grad.astype(F).astype(dtype), ids, 2.5, float(F(1e-20))


def moved(values, steps):
    """fp32 values of either sign that so many neighbours more in magnitude."""
    places = np.maximum(np.abs(ordered(values.view(np.uint32), FP32)) + steps, 0)
    found = np.copysign(from_bits(from_ordered(places, FP32), FP32), values).astype(F)
    return np.where(np.isfinite(values) & (values != 0), found, values)


def fused_sum(left, right):
    total = np.zeros(len(left), F)
    for one, other in zip(left.T.astype(float), right.T.astype(float), strict=True):
        total = fused(one * other, total.astype(float), FP32).astype(F)
    return total


def device(x, grad, ids, factor, eps, *, total, steps, reciprocal, grouping, fuse=False):
    """A device that adds in an order, and whose quotients are off by so many steps."""

    def divided(above, by):
        if reciprocal:
            return above * moved(F(1) / by, steps[0])
        return moved(above / by, steps[1])

    rows = np.arange(len(x))[:, None]
    with np.errstate(all="ignore"):
        chosen, scaled = x[rows, ids], F(factor) * grad.astype(F)
        by = (total(chosen) + F(eps))[:, None]
        weight = divided(chosen, by)
        beta = fused_sum(weight, scaled) if fuse else total(weight * scaled)
        inner = np.zeros_like(x)
        inner[rows, ids] = divided(scaled - beta[:, None], by)
        factors = x, F(1) - x, inner
        return factors[grouping[0]] * factors[grouping[1]] * factors[grouping[2]]


def outside(values, box):
    """Which values are not what the box allows; a NaN where it must be one is right."""
    low, high = box.low, box.high
    return ~np.where(np.isnan(low), np.isnan(values), (low <= values) & (values <= high))


@pytest.mark.parametrize("k", [1, 2, 3, 8])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_gradient_of_any_right_device_is_in_the_box(family, k):
    ways = itertools.cycle(itertools.product((-1, 0, 1), (1, -1, 0), (False, True), GROUPINGS))
    for dtype in DTYPES:
        x, grad, ids, factor, eps = given = draw(family, k, dtype)
        box = sigmoid_weights(x, grad, ids, STEP, factor=factor, eps=eps)
        stored = Box(*cast_ends(box, format_of(dtype), IEEE))
        share = 0.2 if family == "signed" else 0.0
        assert box.unbounded.mean() <= share
        for total, fuse, _ in itertools.product(SUMS.values(), (False, True), range(4)):
            *steps, reciprocal, grouping = next(ways)
            how = {"steps": steps, "reciprocal": reciprocal, "grouping": grouping, "fuse": fuse}
            found = device(*given, total=total, **how)
            assert not outside(found, box).any()
            with np.errstate(over="ignore"):
                assert not outside(found.astype(dtype).astype(float), stored).any()


def test_nine_tenths_of_the_box_refuse_a_right_device():
    x, grad, ids, factor, eps = given = draw("scores", 1, DTYPES[0])
    box = sigmoid_weights(x, grad, ids, STEP, factor=factor, eps=eps, by="division")
    refused = np.zeros(x.shape, bool)
    middle, half = (box.low + box.high) / 2, (box.high - box.low) / 2
    less = Box(middle - 0.9 * half, middle + 0.9 * half)
    for steps, grouping in itertools.product((-1, 1), GROUPINGS):
        how = {"total": SUMS["pairwise"], "reciprocal": False, "grouping": grouping}
        found = device(*given, steps=(0, steps), **how)
        assert not outside(found, box).any()
        refused |= outside(found, less)
    assert refused[np.arange(ROWS), ids[:, 0]].mean() > 0.9


def test_nine_tenths_of_the_bound_of_products_refuse_a_right_sum():
    """Two products are rounded down by nearly half a step each, and so is their sum, a tie."""
    left, right = np.array([1 + 2.0**-23, 1 + 2.0**-22], F), np.full(2, 1 - 2.0**-24, F)
    products = left.astype(float) * right
    found = (left * right).sum()
    box = sum_of(exact(products), products=True)
    assert found == box.low == 2
    assert F(products.sum() * (1 - 0.9 * 2.0**-24)) > found


def test_sums_of_either_sign():
    def of(*terms, **how):
        found = sum_of(exact(np.array([terms])), **how)
        return found.low.tolist() + found.high.tolist()

    assert of(3.0, -1.0) == [2, 2]
    low, high = of(1.0, -1.0, 2.0**-30)
    assert low < 0 < high < 2.0**-21
    assert of(3e38, 3e38, -3e38) == [-INF, INF]
    assert of(INF, -1.0) == [INF, INF]
    assert np.isnan(of(INF, -INF, 1.0)).all()
    low, high = of(2.0**-126, -(2.0**-126) * 1.5, 1.0)
    assert low < 1 == high or low < 1 < high


def box_of(low, high=None):
    return Box(np.array([[low]], float), np.array([[low if high is None else high]], float))


@pytest.mark.parametrize(
    ("found", "low", "high"),
    [
        (of_ends(np.multiply, box_of(-2, 3), box_of(-5, 1)), -15, 10),
        (of_ends(np.multiply, box_of(0), unbounded((1, 1))), -INF, INF),
        (of_ends(np.multiply, box_of(0), box_of(INF)), NAN, NAN),
        (of_ends(np.multiply, box_of(0), box_of(1, INF)), -INF, INF),
        (rounded(np.subtract, box_of(INF), box_of(INF)), NAN, NAN),
        (rounded(np.subtract, box_of(1), box_of(NAN)), NAN, NAN),
        (rounded(np.multiply, box_of(2.0**100), box_of(2.0**28)), -INF, INF),
        (rounded(np.multiply, box_of(2.0**-100), box_of(-(2.0**-28))), -(2.0**-128), 0),
        (rounded(np.multiply, box_of(2.0**-140), box_of(2.0**100)), 0, 2.0**-40),
        (quotient(box_of(0), box_of(0), ALL_CORRECT), NAN, NAN),
        (quotient(box_of(1), box_of(0), ALL_CORRECT), -INF, INF),
        (quotient(box_of(1), box_of(-1, 1), ALL_CORRECT), -INF, INF),
        (quotient(box_of(-3), box_of(INF), ALL_CORRECT), 0, 0),
        (quotient(box_of(INF), box_of(INF), ALL_CORRECT), NAN, NAN),
        (quotient(box_of(-3, 1), box_of(-2), ALL_CORRECT), -0.5, 1.5),
        (quotient(box_of(NAN), box_of(2), ALL_UNKNOWN), NAN, NAN),
        (quotient(box_of(1), box_of(2), ALL_UNKNOWN), -INF, INF),
        (quotient(box_of(-1), box_of(2), STEP, "division"), -0.5 - 2.0**-24, -0.5 + 2.0**-25),
    ],
)
def test_operations_of_two_boxes(found, low, high):
    np.testing.assert_array_equal([found.low[0, 0], found.high[0, 0]], [low, high])


@pytest.mark.parametrize(
    ("row", "ids", "eps", "expected"),
    [
        ([0.5, NAN, 0.25], [0, 2], 0.0, "bNb"),
        ([0.5, INF, 0.25], [0, 2], 0.0, "bNb"),
        ([0.5, NAN, 0.25], [0, 1], 0.0, "NN0"),
        ([0.5, INF, 0.25], [0, 1], 0.0, "NN0"),
        ([0.0, 0.5, 0.0], [0, 2], 0.0, "N0N"),
        ([0.0, 0.5, 0.0], [0, 2], 1e-20, "000"),
        ([1.0, 0.5, 0.0], [0, 1], 0.0, "0b0"),
        ([0.5, -0.5, 0.25], [0, 1], 0.0, "??0"),
        ([0.5, 0.5, 0.25], [0, 0], 0.0, "?00"),
        ([1e30, 0.5, 0.25], [1, 2], 0.0, "?bb"),
    ],
)
def test_special_rows(row, ids, eps, expected):
    """N: it must be NaN, ?: nothing bounds it, 0: it is 0, b: a number between two."""
    grad, ids = np.array([[1.0, 2.0]], F), np.array([ids])
    box = sigmoid_weights(np.array([row], F), grad, ids, STEP, factor=1.0, eps=eps)
    kinds = np.select(
        [np.isnan(box.low), box.unbounded, (box.low == 0) & (box.high == 0)], ["N", "?", "0"], "b"
    )
    assert "".join(kinds[0]) == expected


def test_of_unknown_functions_only_what_no_slot_names_is_bounded():
    x, grad, ids, factor, eps = draw("scores", 3, DTYPES[0])
    box = sigmoid_weights(x, grad, ids, ALL_UNKNOWN, factor=factor, eps=eps)
    assert np.take_along_axis(box.unbounded, ids, axis=1).all()
    assert box.unbounded.sum() == ids.size


def test_mistakes_are_refused_whatever_a_device_adds_in():
    x, grad, ids, factor, eps = draw("scores", 6, DTYPES[0])
    box = sigmoid_weights(x, grad, ids, STEP, factor=factor, eps=eps)
    rows = np.arange(ROWS)[:, None]
    scaled, chosen = factor * grad, x[rows, ids]
    by = chosen.sum(axis=1, keepdims=True)
    beta = (chosen / by * scaled).sum(axis=1, keepdims=True)

    def refused(inner, slope=lambda x: x * (1 - x)):
        spread = np.zeros_like(x)
        spread[rows, ids] = inner
        return outside(slope(x) * spread, box).any(axis=1).mean()

    right = (scaled - beta) / by
    assert refused(right) == 0
    assert refused(formula(x, grad, ids, factor, eps)[rows, ids], lambda x: 1) == 0
    for wrong in (
        scaled / by,
        (scaled - beta / F(factor)) / by,
        scaled - beta,
        right / F(factor),
        np.roll(right, 1, axis=0),
        right.astype(ml_dtypes.bfloat16).astype(F),
    ):
        assert refused(wrong) == 1
    assert refused(right, lambda x: x) == 1
