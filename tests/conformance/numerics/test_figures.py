"""The figures of a sum where its addends are only known to lie between two ends."""

import itertools

import numpy as np

from conformance.numerics.addends import Addends
from conformance.numerics.figures import summarize
from reference.floats import FP32, Format

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
    for sign, growth in itertools.product((1.0, -1.0), (0.0, 1.0, -1.0)):
        assert not sums.overflow(toy, sign, growth).item()
    assert sums.overflow(toy, 1.0, factor=(toy.overflow_threshold - 1.375) * 8 / 1.375).item()
    assert not sums.overflow(toy, 1.0, factor=(toy.overflow_threshold - 1.5) * 8 / 1.375).item()
