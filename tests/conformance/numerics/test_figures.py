"""The figures of a sum where its addends are only known to lie between two ends."""

import numpy as np
import pytest

from conformance.numerics.addends import Addends
from conformance.numerics.figures import multiples, summarize
from reference.floats import BF16, FP16, FP32, Format

BETWEEN = Addends(np.array([[1.0, -6.0], [2.0, 0.0]]), np.array([[5.0, 1.0], [2.0, 0.5]]))


def test_the_sum_lies_between_those_of_the_ends_and_its_middle_stands_for_it():
    sums = summarize(BETWEEN, FP32)
    assert (sums.low.tolist(), sums.high.tolist()) == ([3.0, -6.0], [7.0, 1.5])
    assert sums.exact.tolist() == [5.0, -2.25]


def test_magnitudes_and_nonzero_terms_are_those_of_the_farther_end():
    sums = summarize(BETWEEN, FP32)
    assert sums.magnitude.tolist() == [7.0, 6.5]
    assert sums.count.tolist() == [2, 2]


def test_an_order_decides_nothing_only_where_every_addend_is_known():
    halves = Addends(np.array([[1.0, 1.0], [2.0, 2.0]]), np.array([[1.0, 1.5], [2.0, 2.0]]))
    assert summarize(halves, FP32).order_free.tolist() == [True, False]


def test_a_sum_far_from_the_threshold_overflows_in_no_order_whatever_float64_may_err():
    toy = Format("p3", 3, -2, 1)
    sums = summarize(np.array([[1.25], [2.0**-4], [2.0**-4]]), toy)
    assert sums.error(toy).item() == 2.0**-3 * 1.375
    assert not np.any(sums.overflows(toy, (0.0, 1.0, -1.0)))
    for total, may in ((1.375, True), (1.5, False)):
        ((plus, _),) = sums.overflows(toy, factor=(toy.overflow_threshold - total) * 8 / 1.375)
        assert plus.item() is may


@pytest.mark.parametrize("unit_of", ["smallest_subnormal", "smallest_normal"])
@pytest.mark.parametrize("fmt", [FP16, BF16, FP32], ids=str)
def test_a_value_is_a_multiple_of_a_unit_where_division_leaves_no_rest(fmt, unit_of):
    unit = getattr(fmt, unit_of)
    near = unit * np.array([0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0 + 2**-40, 2.0**52 + 0.5])
    largest = fmt.largest_finite**2
    values = np.array([*near, *-near, 5e-324, 2.0**-1022, largest, 2.0**1000, np.nextafter(1, 2)])
    assert multiples(values, unit).tolist() == (np.fmod(values, unit) == 0.0).tolist()
