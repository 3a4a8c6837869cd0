"""Boxes of quantised values: a device within its steps is inside, and each end is such a device."""

import math
from fractions import Fraction
from itertools import product

import ml_dtypes
import numpy as np
import pytest

from conformance.numerics.boxes import stepped, unbounded
from conformance.numerics.quantisation import (
    ASSUMED_STEPS,
    affine,
    integer_ends,
    live_rows,
    quotients,
    scale_of,
    scaled_rows,
)
from conformance.record.computed import Box
from conformance.record.functions import ALL_CORRECT, ALL_UNKNOWN, Functions, FunctionTraits
from reference.floats import FP16, FP32, round_once

INF, NAN = np.inf, np.nan
INT8 = np.dtype(np.int8)


def of_steps(steps, flush=False):
    return Functions(div=FunctionTraits(steps, flush=flush))


def same(found, low, high=None):
    np.testing.assert_array_equal(found.low, low)
    np.testing.assert_array_equal(found.high, low if high is None else high)


def fp32(*values):
    return np.array(values, np.float32)


def integers(values, ties, dtype=INT8):
    values = np.array(values, float)
    low, high = integer_ends(Box(values, values), dtype, ties)
    return low.tolist() if (low == high).all() else [low.tolist(), high.tolist()]


@pytest.mark.parametrize("dtype", ["f2", "f4", ml_dtypes.bfloat16])
def test_rows_are_themselves_or_rounded_products(dtype):
    x = np.array([[1.5, -3], [0.25, 100]], dtype)
    np.testing.assert_array_equal(scaled_rows(x), x.astype(float))
    third = fp32(1 / 3, 3)
    product = x.astype(np.float32) * third
    np.testing.assert_array_equal(scaled_rows(x, third), product.astype(float))


def test_a_scale_is_the_rounded_quotient_moved_by_the_steps():
    y = np.array([[1.0, -300], [0, 0], [5e-39, 0]])
    right = (fp32(300, 0, 5e-39) / np.float32(127)).astype(float)
    same(scale_of(y, ALL_CORRECT), right)
    same(scale_of(y, of_steps(2)), *([stepped(right, -2), stepped(right, 2) * [1, 0, 1]]))
    assert scale_of(y, of_steps(1, flush=True)).low[2] == 0
    same(scale_of(np.zeros((2, 0)), ALL_CORRECT), [0, 0])
    assert scale_of(np.array([[1, INF], [NAN, 0]]), ALL_CORRECT).unbounded.all()


def test_ulps_of_both_ways_to_divide_by_127_are_told_apart():
    y = round_once(1 + np.arange(2**23, step=997) * 2.0**-23, FP32)[:, None]
    by_reciprocal = (y[:, 0].astype(np.float32) * np.float32(1 / 127)).astype(float)
    one, none = scale_of(y, of_steps(1)), scale_of(y, ALL_CORRECT)
    assert ((one.low <= by_reciprocal) & (by_reciprocal <= one.high)).all()
    assert (none.low > by_reciprocal).any()
    assert not (none.high < by_reciprocal).any()


def test_quotients_are_moved_by_their_steps_to_both_sides_of_zero():
    y, scales = np.array([[3.0, -3.0, 0.0]]), fp32(0.7)
    right = (y.astype(np.float32) / scales).astype(float)
    same(quotients(y, scales, ALL_CORRECT), right)
    found = quotients(y, scales, of_steps(1))
    ulps = np.array([2.0**-21, 2.0**-21, 0])
    same(found, right - ulps, right + ulps)
    same(quotients(y, scales, ALL_UNKNOWN), found.low, found.high)
    assert ASSUMED_STEPS == 1


def test_a_scale_that_is_no_positive_number_and_a_row_that_is_not_finite_bound_nothing():
    y = np.ones((7, 2))
    y[5:, 1] = INF, NAN
    found = quotients(y, fp32(0, -1, INF, NAN, 1, 1, 1), ALL_CORRECT)
    assert found.unbounded.all(axis=1).tolist() == [True] * 4 + [False, True, True]
    assert not found.unbounded[4].any()


def test_where_subnormal_numbers_are_flushed_a_quotient_may_be_zero_and_a_scale_nothing():
    y = np.array([[2.0**-127, 2.0**-120]] * 2)
    scales = fp32(2.0**-126, 2.0**-127)
    assert quotients(y, scales, of_steps(0)).low[:, 0].tolist() == [0.5, 1]
    found = quotients(y, scales, of_steps(0, flush=True))
    same(Box(found.low[0], found.high[0]), [0, 64], [0.5, 64])
    assert found.unbounded[1].all()


def test_an_affine_map_is_rounded_once_or_twice():
    x, scale, offset = fp32(1 + 2.0**-12, -3)[None], fp32(1 + 2.0**-12), fp32(-1)
    found = affine(x, scale, offset)
    twice = (x * scale - np.float32(1)).astype(float)
    once = [[2.0**-11 + 2.0**-24, -3 - 3 * 2.0**-12 - 1]]
    once = round_once(np.array(once), FP32)
    same(found, np.minimum(once, twice), np.maximum(once, twice))
    assert found.low[0, 0] < found.high[0, 0]


def test_an_affine_map_is_not_bounded_where_it_is_large_or_an_operand_is_not_finite():
    x = fp32(2.0**15 - 1, 2.0**15, -(2.0**15), INF, NAN)[None]
    found = affine(x, fp32(1), fp32(0))
    assert found.unbounded.tolist() == [[False, True, True, True, True]]
    assert integer_ends(found, INT8, "even")[0][0, 0] == 127


@pytest.mark.parametrize("sign", [1, -1])
def test_an_affine_map_is_not_bounded_if_one_of_both_ways_is_large(sign):
    x, scale = np.float32(2**14 * (1 + 2.0**-12 + 2.0**-23)), fp32(1 + 2.0**-12)
    offset = fp32(
        2.0**15 - 2.0**-10 - float((x * scale)[0])
    )  # twice rounded it is 2^15, once below
    found = affine(sign * x[None, None], scale, sign * offset)
    assert found.unbounded.all()
    assert not affine(sign * x[None, None], scale, sign * (offset - 1)).unbounded.any()


GRIDS = {"kept": None, "fp16": FP16, "fp32": FP32}


def sequences():
    """Each legal order of roundings: of x, scale and offset, of the product, and of the sum."""
    operands = product(("kept", "fp16"), repeat=3)
    return [
        (*three, of_product, of_sum)
        for three in operands
        for of_product, of_sum in product(GRIDS, ("fp16", "fp32"))
    ]


def on_grid(value, grid):
    """An exact fraction, rounded to the grid once: to nearest, ties to even, as `round` does."""
    if (fmt := GRIDS[grid]) is None:
        return value
    exponent = max(math.frexp(value)[1] - 1, fmt.emin)
    step = Fraction(2) ** (exponent + 1 - fmt.precision)
    return round(value / step) * step


def computed_by(sequence, x, scale, offset):
    """The result of one order of roundings, in exact fractions."""
    grids = dict(zip(("x", "scale", "offset", "product", "sum"), sequence, strict=True))
    a, b, c = (
        on_grid(Fraction(float(one)), grids[name])
        for name, one in (("x", x), ("scale", scale), ("offset", offset))
    )
    return float(on_grid(on_grid(a * b, grids["product"]) + c, grids["sum"]))


OPERANDS = [
    (1 + 2.0**-12, 1 + 2.0**-12, -1),
    (-3.14159, 0.3452, 1.8369),
    (33.3, 3.3, -7.25),
    (-41.7, -0.3, 100),
    (2.0**-14 * 1.1, 2.0**-9 * 1.3, 2.0**-24 * 0.7),
    (1e-6, 100.1, 0.5),
    (126.97, 1.0001, 0.5),
]


@pytest.mark.parametrize("dtype", ["f2", "f4", ml_dtypes.bfloat16])
@pytest.mark.parametrize("operands", OPERANDS)
def test_no_order_of_roundings_of_halves_is_refused_and_each_end_is_one(operands, dtype):
    x, scale, offset = np.array([[operands[0]]], dtype), *map(fp32, operands[1:])
    found = affine(x, scale, offset, halves=True)
    right = [computed_by(one, x[0, 0], scale[0], offset[0]) for one in sequences()]
    assert [found.low.item(), found.high.item()] == [min(right), max(right)]


def test_without_halves_no_result_of_fp16_is_accepted():
    x, scale, offset = fp32(-3.14159)[None], fp32(0.3452), fp32(1.8369)
    narrow, wide = affine(x, scale, offset), affine(x, scale, offset, halves=True)
    by_halves = computed_by(["fp16"] * 5, x[0, 0], scale[0], offset[0])
    assert wide.low <= by_halves <= wide.high
    assert not narrow.low <= by_halves <= narrow.high
    assert wide.low < narrow.low <= narrow.high < wide.high


@pytest.mark.parametrize(
    "operands", [(7e4, 1, -6e4), (1, 7e4, -6e4), (300, 300, -6e4), (1, -6e4, 7e4), (7e4, 0, 0)]
)
def test_halves_bound_nothing_where_an_operand_or_a_product_is_beyond_them(operands):
    x, scale, offset = map(fp32, operands)
    assert affine(x[None], scale, offset, halves=True).unbounded.all()
    assert not affine(x[None], scale, offset).unbounded.any()


def test_rows_of_zeros_are_not_live():
    assert live_rows(np.array([[0.0, -0.0], [0, NAN], [1, 0]])).tolist() == [
        [False],
        [True],
        [True],
    ]
    assert live_rows(np.zeros((2, 0))).tolist() == [[False], [False]]


def test_halves_become_even_or_go_away_from_zero():
    halves = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5]
    assert integers(halves, "even") == [-2, -2, 0, 0, 2, 2]
    assert integers(halves, "away") == [-3, -2, -1, 1, 2, 3]
    assert integers(halves, "either") == [[-3, -2, -1, 0, 2, 2], [-2, -2, 0, 1, 2, 3]]
    just_below = 0.5 - 2.0**-25
    assert integers([just_below, -just_below, 2.0**-149], "either") == [0, 0, 0]


def test_ends_of_a_box_become_ends_and_its_range_has_no_third_integer():
    around = Box(np.array([1.5 - 2.0**-23, -127.5]), np.array([1.5 + 2.0**-23, -126.5]))
    low, high = integer_ends(around, INT8, "either")
    assert (low.tolist(), high.tolist()) == ([1, -128], [2, -126])


@pytest.mark.parametrize(("dtype", "ends"), [("i1", [-128, 127]), ("u1", [0, 255])])
def test_beyond_the_range_of_a_dtype_is_its_end(dtype, ends):
    assert integers([-1e9, 1e9], "even", np.dtype(dtype)) == ends
    low, high = integer_ends(unbounded((1,)), np.dtype(dtype), "either")
    assert [low[0], high[0]] == ends


@pytest.mark.parametrize("steps", [-1, 0, 1])
def test_the_largest_magnitude_becomes_127_by_each_right_scale(steps):
    y = round_once(1 + np.arange(2**23, step=499) * 2.0**-23, FP32)[:, None]
    scales = stepped(scale_of(y, ALL_CORRECT).low, steps).astype(np.float32)
    for sign in (1, -1):
        low, high = integer_ends(quotients(sign * y, scales, of_steps(1)), INT8, "either")
        assert (low == sign * 127).all()
        assert (high == sign * 127).all()
