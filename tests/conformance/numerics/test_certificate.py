"""The certificate: where the data itself proves that every order of addition is exact."""

import itertools

import numpy as np
import pytest

from conformance.numerics.certificate import certified
from conformance.numerics.order import emulate, sequential
from reference.floats import FP16, FP32, Format


def column(*terms):
    return np.array(terms, np.float64).reshape(-1, 1)


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_a_zero_has_no_lowest_bit_and_limits_nothing(zero):
    assert certified(column(2.0**23, zero, 1.0), FP32).item()


@pytest.mark.parametrize("scale", [2.0**-149, 2.0**-126, 1.0, 2.0**100])
def test_magnitudes_of_up_to_24_bits_are_certified_and_no_more(scale):
    inside = column(2.0**23, -(2.0**23 - 1), 1.0) * scale
    outside = column(2.0**23, -(2.0**23), 1.0) * scale
    assert certified(inside, FP32).item()
    assert not certified(outside, FP32).item()


def test_the_accumulator_decides_how_many_bits_there_are():
    assert certified(column(2.0**10, 2.0**10 - 1, 1.0), FP16).item()
    assert not certified(column(2.0**10, 2.0**10, 1.0), FP16).item()


def test_magnitudes_beyond_the_largest_finite_value_are_not_certified():
    assert certified(column(FP32.largest_finite, 0.0), FP32).item()
    assert not certified(column(FP32.largest_finite, 2.0**104), FP32).item()


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_infinities_and_nans_are_not_certified(value):
    assert not certified(column(1.0, value), FP32).item()


def test_no_terms_and_only_zeros_are_certified():
    assert certified(np.zeros((0, 2)), FP32).all()
    assert certified(np.zeros((3, 2)), FP32).all()


def test_every_order_of_a_certified_toy_sum_is_exact():
    toy = Format("toy", 3, -1, 2)
    grid = np.arange(-16, 17) * toy.smallest_subnormal
    grid = np.unique(
        grid[
            np.isin(
                np.abs(grid) / toy.smallest_subnormal, [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16]
            )
        ]
    )
    values = np.array(list(itertools.combinations_with_replacement(grid, 3))).T
    sure = certified(values, toy)
    assert 0.05 < sure.mean() < 0.95
    for merges in (sequential(3), ((1, 2), (0, 1)), ((0, 2), (0, 1))):
        total = emulate(merges, values.copy(), toy)
        assert (total == values.sum(axis=0))[sure].all()
