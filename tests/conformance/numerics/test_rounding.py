"""Single roundings, checked in rationals."""

from fractions import Fraction

import numpy as np
import pytest

from conformance.numerics.arithmetic import Behaviour
from conformance.numerics.exactly import round_fraction
from conformance.numerics.rounding import arithmetic_result, cast_result, flushed, fused
from reference.floats import BF16, FP16, FP32, Format, round_once

SATURATING, FLUSHING, TRUNCATING = (
    Behaviour(saturate=True),
    Behaviour(flush=True),
    Behaviour(truncate=True),
)
FORMATS = pytest.mark.parametrize(
    "fmt", [FP32, FP16, BF16, Format("toy", 3, -2, 2)], ids=lambda fmt: fmt.name
)


def one(result):
    return np.asarray(result).item()


@FORMATS
def test_a_fused_multiply_add_rounds_once(fmt):
    generator = np.random.default_rng(5)
    wide = generator.standard_normal((3, 3000)) * np.exp2(generator.integers(-20, 21, (3, 3000)))
    left, right, addend = (round_once(row, fmt) for row in wide)
    left, right = (np.where(np.isinf(row), 1.0, row) for row in (left, right))
    addend[::3] = round_once(-left[::3] * right[::3], fmt)  # what is left is below both
    addend[1::3] = round_once(left[1::3] * right[1::3], fmt) * fmt.unit_roundoff
    finite = np.isfinite(left) & np.isfinite(right) & np.isfinite(addend)
    left, right, addend = left[finite], right[finite], round_once(addend[finite], fmt)
    found = fused(left * right, addend, fmt)
    for place in range(found.size):
        exact = Fraction(left[place]) * Fraction(right[place]) + Fraction(addend[place])
        assert found[place] == round_fraction(exact, fmt)


def test_a_fused_multiply_add_sees_beyond_the_last_bit_of_float64():
    tie = np.array([1 + 2.0**-24])
    for below, rounded in ((2.0**-70, 1 + 2.0**-23), (-(2.0**-70), 1.0), (0.0, 1.0)):
        product = np.array([below])
        assert one(fused(tie, product, FP32)) == rounded


def test_infinities_pass_through_a_fused_multiply_add():
    assert one(fused(np.array([np.inf]), np.array([1.0]), FP32)) == np.inf
    with np.errstate(invalid="ignore"):
        assert np.isnan(one(fused(np.array([np.inf]), np.array([-np.inf]), FP32)))


@FORMATS
def test_a_saturating_device_ends_at_the_largest_value_but_keeps_an_infinity(fmt):
    beyond = np.array([fmt.overflow_threshold, -fmt.overflow_threshold, np.inf])
    found = arithmetic_result(beyond, fmt, SATURATING)
    assert found.tolist() == [fmt.largest_finite, -fmt.largest_finite, np.inf]
    assert one(arithmetic_result(beyond[:1], fmt, Behaviour())) == np.inf


@FORMATS
def test_a_flushing_device_keeps_the_smallest_normal_and_nothing_below(fmt):
    ends = np.array([fmt.smallest_normal, fmt.smallest_normal - fmt.smallest_subnormal])
    assert arithmetic_result(ends, fmt, FLUSHING).tolist() == [fmt.smallest_normal, 0.0]
    assert arithmetic_result(ends, fmt, Behaviour()).tolist() == ends.tolist()
    assert flushed(ends, fmt).tolist() == [False, True]
    assert not flushed(np.zeros(1), fmt).any()


def test_a_truncating_cast_goes_toward_zero():
    value = np.array([1 + 2.0**-8 + 2.0**-9, -(1 + 2.0**-8 + 2.0**-9)])
    assert cast_result(value, BF16, TRUNCATING).tolist() == [1.0, -1.0]
    assert cast_result(value, BF16, Behaviour()).tolist() == [1 + 2.0**-7, -1 - 2.0**-7]
