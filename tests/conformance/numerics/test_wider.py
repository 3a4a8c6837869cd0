"""Sums that a function adds in float64 are right, though no order of narrower ones gives them."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from conformance.numerics.certificate import exact_in_float64
from conformance.numerics.elements import Judged, judge_elements
from reference.floats import BF16, FP16, FP32, Format, from_bits, round_once, to_bits

RANDOM = np.random.default_rng(7)


def judged(values: np.ndarray, seen: np.ndarray, accumulate: Format, storage: Format) -> Judged:
    return judge_elements(values, to_bits(seen, storage), accumulate, storage, wider=True)


def terms(slots: int, accumulate: Format) -> np.ndarray:
    """Terms of like magnitudes and both signs on the accumulator's grid."""
    return round_once(RANDOM.normal(size=(slots, 4000)), accumulate)


@pytest.mark.parametrize("slots", [2, 3, 4, 5, 9])
@pytest.mark.parametrize(
    ("accumulate", "storage"), [(FP32, FP32), (FP32, FP16), (FP32, BF16), (FP16, FP16)]
)
def test_a_sum_in_float64_in_any_order_is_right(
    slots: int, accumulate: Format, storage: Format
) -> None:
    values = terms(slots, accumulate)
    for order in (values, values[::-1]):
        total = np.zeros(values.shape[1])
        for row in order:
            total = total + row
        at_once = round_once(total, storage)
        by_way_of_fp32 = round_once(round_once(total, FP32), storage)
        for seen in (at_once, by_way_of_fp32):
            assert judged(values, seen, accumulate, storage).ok.all()


def test_without_the_word_some_of_them_are_wrong() -> None:
    values = terms(3, FP32)
    seen = round_once(np.array([math.fsum(column) for column in values.T]), FP32)
    narrow = judge_elements(values, to_bits(seen, FP32), FP32, FP32)
    assert 0 < np.count_nonzero(~narrow.ok) < values.shape[1] / 2


def test_the_next_value_is_wrong_unless_an_order_gives_it() -> None:
    values = terms(3, FP32)
    right = to_bits(round_once(np.array([math.fsum(column) for column in values.T]), FP32), FP32)
    for step in (-1, 1):
        seen = right + np.uint32(step) if step > 0 else right - np.uint32(1)
        wide = judge_elements(values, seen, FP32, FP32, wider=True).ok
        narrow = judge_elements(values, seen, FP32, FP32).ok
        assert (wide == narrow).all()
        assert not wide.all()


def test_a_tie_may_fall_to_either_side_of_what_float64_cannot_tell() -> None:
    """1 + half a step + 2^-80: float64 loses the last term, and rounds to even."""
    values = np.array([[1.0], [2.0**-24], [2.0**-80]])
    assert Fraction(1) + Fraction(1, 2**24) < sum(map(Fraction, values[:, 0]))
    for seen, right in ((1.0, True), (1 + 2.0**-23, True), (1 + 2.0**-22, False)):
        assert judged(values, np.array([seen]), FP32, FP32).ok.item() is right


def test_infinities_and_nans_are_what_they_are_without_it() -> None:
    values = np.array([[np.inf, np.nan], [1.0, 1.0], [-1.0, 2.0]])
    assert judged(values, np.array([np.inf, np.nan]), FP32, FP32).ok.all()
    assert not judged(values, np.array([0.0, 3.0]), FP32, FP32).ok.any()
    assert from_bits(to_bits(np.array([np.inf]), FP32), FP32).item() == np.inf


def test_float64_is_exact_where_53_bits_hold_all_partial_sums() -> None:
    wide = np.ldexp(1.0, np.array([0, 0, 0, 40]))
    low = np.ldexp(1.0, np.array([-51, -53, -149, -11]))
    values = np.array([wide, low])
    assert exact_in_float64(values, values.sum(axis=0)).tolist() == [True, False, False, True]
    zeros = np.zeros((3, 2))
    assert exact_in_float64(zeros, zeros[0]).all()
