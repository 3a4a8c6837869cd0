"""ATK's comparisons, just inside and just outside, computed by hand."""

import numpy as np
import pytest

from conformance.standards import STANDARDS, Kind, Ruling
from tests.conformance.standards.says import (
    accepts,
    is_moved,
    is_quantised,
    verdict,
    with_errors,
)

MIXED, DOUBLE = "atk-mixed-tolerance", "atk-double-benchmark"


@pytest.mark.parametrize(
    ("dtype", "ulps"),
    [
        ("float16", 4),  # atol + rtol at 1 is 2^-8, an ulp 2^-10
        ("bfloat16", 4),  # 2^-5 of 2^-7
        ("float32", 8320),  # 2^-10 + 2^-16 of 2^-23
    ],
)
def test_one_element_in_a_hundred_may_be_beyond_the_mixed_tolerance(dtype, ulps):
    golden = np.ones(100)
    assert accepts(MIXED, dtype, with_errors(dtype, [(100, ulps)]), golden)
    assert accepts(MIXED, dtype, with_errors(dtype, [(1, ulps + 1)]), golden)
    assert not accepts(MIXED, dtype, with_errors(dtype, [(2, ulps + 1)]), golden)


def test_no_element_may_be_beyond_the_largest_error():
    golden = np.ones(100)
    assert accepts(MIXED, "float16", with_errors("float16", [(1, 102)]), golden)  # 0.0996
    assert not accepts(MIXED, "float16", with_errors("float16", [(1, 103)]), golden)  # 0.1006


@pytest.mark.parametrize("dtype", ["int16", "int32", "int64", "uint8", "bool"])
def test_integers_and_bools_are_equal(dtype):
    golden = np.array([0, 1, 1], dtype)
    equal = STANDARDS[MIXED].judge(golden, golden)
    assert equal.ruling is Ruling.ACCEPTS
    other = STANDARDS[MIXED].judge(np.array([0, 1, 0], dtype), golden)
    assert other.ruling is Ruling.REJECTS


def test_int8_may_be_one_apart_computed_or_quantised():
    assert accepts(MIXED, "int8", [5, -128], [6, -127])
    assert not accepts(MIXED, "int8", [5, 127], [7, -128])
    assert is_quantised(MIXED, "int8", [5], [6])
    assert not is_quantised(MIXED, "int8", [5], [7])


def test_moved_values_meet_the_same_tolerance():
    """ATK goes by the dtype alone: a copy that is off by an ulp passes."""
    assert is_moved(MIXED, "float16", [1.0 + 2.0**-10], [1.0])
    assert not is_moved(MIXED, "float16", [1.125], [1.0])


def test_errors_may_be_at_most_twice_the_benchmarks_and_1_2_times_on_average():
    golden, ulp = np.ones(10), 2.0**-10
    benchmark = np.array([1 + 5 * ulp] * 10)
    inside, outside = benchmark.copy(), benchmark.copy()
    inside[0], outside[0] = 1 + 10 * ulp, 1 + 11 * ulp
    assert accepts(DOUBLE, "float16", inside, golden, benchmark)  # MARE 2, MERE 1.1, RMSE 1.14
    assert not accepts(DOUBLE, "float16", outside, golden, benchmark)  # MARE 2.2
    on_average = np.array([1 + 6 * ulp] * 9 + [1 + 5 * ulp])
    assert accepts(DOUBLE, "float16", on_average, golden, benchmark)  # MERE 1.18
    on_average[0] = 1 + 8 * ulp
    assert not accepts(DOUBLE, "float16", on_average, golden, benchmark)  # MERE 1.22


def test_double_benchmark_says_nothing_without_one_and_of_other_kinds():
    assert verdict(DOUBLE, "float16", [1.0], [1.0]).ruling is Ruling.SILENT
    moved = verdict(DOUBLE, "float16", [1.0], [1.0], [1.0], Kind.MOVED)
    assert moved.ruling is Ruling.SILENT
