"""Declared orders: merges are checked for being a tree, then emulated addition by addition."""

import numpy as np
import pytest

from conformance.numerics.arithmetic import Behaviour
from conformance.numerics.order import emulate, sequential, validate
from reference.floats import BF16, FP16, FP32


def test_the_sequential_order_adds_from_left_to_right():
    assert sequential(4) == ((0, 1), (0, 2), (0, 3))


@pytest.mark.parametrize("slots", [0, 1])
def test_one_slot_or_none_needs_no_merge(slots):
    assert sequential(slots) == ()
    validate((), slots)


def test_a_tree_over_all_slots_is_valid():
    validate([(2, 3), (0, 1), (0, 2)], 4)


@pytest.mark.parametrize(
    ("merges", "complaint"),
    [
        ([(0, 1)], r"slot 2 is never added"),
        ([(0, 1), (0, 1)], r"merges\[1\]=\(0, 1\): slot 1 is already merged"),
        ([(1, 0), (1, 2)], r"leave the sum in slot 0, not in slot 1"),
        ([(0, 1), (0, 3)], r"merges\[1\]=\(0, 3\): slots must lie in \[0, 3\)"),
        ([(-1, 0), (0, 1)], r"merges\[0\]=\(-1, 0\): slots must lie in \[0, 3\)"),
        ([(0, -1), (0, 1)], r"merges\[0\]=\(0, -1\): slots must lie in \[0, 3\)"),
        ([(3, 0), (0, 1)], r"merges\[0\]=\(3, 0\): slots must lie in \[0, 3\)"),
        ([(0, 0), (0, 1)], r"merges\[0\]=\(0, 0\): a slot cannot be added to itself"),
    ],
)
def test_anything_but_a_tree_is_refused(merges, complaint):
    with pytest.raises(ValueError, match=complaint):
        validate(merges, 3)


def test_each_addition_rounds_to_fp32():
    tiny = np.float32(2.0**-24)
    values = np.array([[1.0], [tiny], [tiny]], np.float32)
    assert emulate(sequential(3), values.copy()).item() == 1.0
    assert emulate([(1, 2), (0, 1)], values.copy()).item() == 1.0 + 2.0**-23


@pytest.mark.parametrize("accumulate", [FP16, BF16])
def test_a_narrow_accumulator_rounds_to_its_own_grid(accumulate):
    half = accumulate.unit_roundoff
    values = np.array([[1.0], [half], [half]], np.float32)
    assert emulate(sequential(3), values.copy(), accumulate).item() == 1.0
    assert emulate([(1, 2), (0, 1)], values.copy(), accumulate).item() == 1.0 + 2 * half


def test_overflow_and_opposite_infinities_follow_ieee_without_a_warning():
    huge = np.finfo(np.float32).max
    values = np.array([[huge, np.inf], [huge, -np.inf]], np.float32)
    total = emulate(sequential(2), values)
    assert total[0] == np.inf
    assert np.isnan(total[1])


def test_no_slots_sum_to_zero():
    assert emulate((), np.zeros((0, 2, 3), np.float32)).tolist() == [[0.0] * 3] * 2


@pytest.mark.parametrize(
    ("dtype", "bare"), [(np.float32, False), (np.float64, False), (np.float64, True)]
)
def test_a_saturating_device_keeps_infinities_and_makes_none(dtype, bare):
    huge, inf = FP32.largest_finite, np.inf
    values = np.array([[huge, inf, 1, inf, -huge], [huge, 1, inf, inf, -huge]], dtype)
    total = emulate(sequential(2), values, FP32, Behaviour(saturate=True), bare)
    assert total.tolist() == [huge, inf, inf, inf, -huge]


@pytest.mark.parametrize("bare", [False, True])
def test_a_flushing_device_loses_subnormal_sums_on_the_way(bare):
    normal, small = FP32.smallest_normal, FP32.smallest_subnormal
    values = np.array([[normal], [small - normal], [normal]], np.float64)
    assert emulate(sequential(3), values.copy(), FP32, Behaviour(flush=True), bare) == normal
    assert emulate(sequential(3), values.copy()) == normal + small


def test_of_two_bare_products_the_added_one_is_fused_and_the_other_rounded_first():
    half = FP32.unit_roundoff
    values = np.array([[1 + half + 2.0**-40], [half]])
    assert emulate([(0, 1)], values, FP32, bare=True).item() == 1 + 4 * half


def test_a_bare_product_alone_is_rounded():
    values = np.array([[1 + 2.0**-30]])
    assert emulate((), values, FP32, bare=True).item() == 1.0


def test_a_bare_product_is_fused_with_a_sum_that_is_already_rounded():
    half = FP32.unit_roundoff
    values = np.array([[1.0], [half], [half * (1 + 2.0**-20)]])
    assert emulate(sequential(3), values, FP32, bare=True).item() == 1 + 2 * half


def test_a_bare_product_that_takes_in_a_sum_is_fused_with_it():
    half = FP32.unit_roundoff
    values = np.array([[half * (1 + 2.0**-30)], [1.0], [0.0]])
    assert emulate([(1, 2), (0, 1)], values, FP32, bare=True).item() == 1 + 2 * half
