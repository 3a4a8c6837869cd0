"""The commercial standard: ratios to a benchmark, small values, special values, the re-check."""

import numpy as np
import pytest

from conformance.standards import STANDARDS, Kind, Ruling
from tests.conformance.standards.says import (
    accepts,
    array,
    is_moved,
    is_quantised,
    verdict,
    with_errors,
)

LEVELS = ["l0", "l1", "l2"]
GOLDEN = np.full(100, 1.0)
LARGEST = {"l0": 10, "l1": 5, "l2": 2}
FLOATS = pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])


def judged(level, dtype, device, benchmark):
    return accepts(
        f"commercial-{level}",
        dtype,
        with_errors(dtype, device),
        GOLDEN,
        with_errors(dtype, benchmark),
    )


@FLOATS
@pytest.mark.parametrize("level", LEVELS)
def test_the_largest_relative_error_is_limited_to_that_of_the_benchmark(level, dtype):
    most = 2 * LARGEST[level]
    assert judged(level, dtype, [(1, most - 1)], [(100, 2)])
    assert not judged(level, dtype, [(1, most + 1)], [(100, 2)])


@FLOATS
@pytest.mark.parametrize(("level", "many"), [("l0", 20), ("l1", 15), ("l2", 12)])
def test_the_mean_relative_error_is_limited_to_that_of_the_benchmark(level, many, dtype):
    """The benchmark's mean is a tenth of an ulp, the device's many hundredths."""
    assert judged(level, dtype, [(many, 1)], [(1, 10)])
    assert not judged(level, dtype, [(many + 1, 1)], [(1, 10)])


@FLOATS
@pytest.mark.parametrize(("level", "many", "ulps"), [("l0", 4, 9), ("l1", 14, 4), ("l2", 36, 2)])
def test_the_root_mean_square_is_limited_to_that_of_the_benchmark(level, many, ulps, dtype):
    """sqrt(4 9^2 / 100) = 1.8, sqrt(14 4^2 / 100) = 1.497, sqrt(36 2^2 / 100) = 1.2."""
    assert judged(level, dtype, [(many, ulps)], [(100, 1)])
    assert not judged(level, dtype, [(many + 1, ulps)], [(100, 1)])


def test_two_perfect_outputs_are_accepted_and_one_imperfect_beside_a_perfect_is_not():
    assert judged("l2", "float32", [], [])
    assert not judged("l0", "float32", [(1, 1)], [])


SMALL = [
    ("float16", 2.0**-11, 2.0**-16),
    ("bfloat16", 2.0**-8, 2.0**-16),
    ("float32", 2.0**-14, 2.0**-30),
    ("hifloat32", 2.0**-12, 2.0**-28),
    ("float8_e4m3fn", 2.0**-4, 2.0**-6),
    ("float8_e5m2", 2.0**-3, 2.0**-5),
]


@pytest.mark.parametrize(("dtype", "small", "error"), SMALL)
def test_small_goldens_count_errors_beyond_the_limit(dtype, small, error):
    golden, perfect = np.zeros(10), np.zeros(10)
    at_limit, two, three = perfect.copy(), perfect.copy(), perfect.copy()
    at_limit[:] = error
    two[:2] = three[:3] = 1.25 * error
    name = "commercial-l0"
    assert accepts(name, dtype, at_limit, golden, perfect)
    assert accepts(name, dtype, two, golden, perfect)
    assert not accepts(name, dtype, three, golden, perfect)
    six, seven = perfect.copy(), perfect.copy()
    six[:6] = seven[:7] = 1.25 * error
    assert accepts(name, dtype, six, golden, three)
    assert not accepts(name, dtype, seven, golden, three)


@pytest.mark.parametrize(("dtype", "small", "error"), SMALL)
def test_a_golden_at_the_threshold_is_no_longer_small(dtype, small, error):
    device, benchmark = [2 * small], [small]
    assert not accepts("commercial-l0", dtype, device, [small], benchmark)
    assert accepts("commercial-l0", dtype, device, [small * (1 - 2.0**-40)], benchmark)


@pytest.mark.parametrize(
    ("device", "golden", "benchmark", "ruling"),
    [
        (np.inf, 1.0, np.inf, Ruling.ACCEPTS),
        (np.nan, np.nan, np.nan, Ruling.ACCEPTS),
        (np.inf, np.inf, 1.0, Ruling.ACCEPTS),
        (1.0, 1.0, np.inf, Ruling.ACCEPTS),
        (1.0, np.inf, np.inf, Ruling.REJECTS),
        (-np.inf, np.inf, np.inf, Ruling.REJECTS),
        (np.nan, 1.0, 1.0, Ruling.REJECTS),
        (1.0, np.inf, 2.0, Ruling.INVESTIGATE),
        (np.nan, np.inf, 2.0, Ruling.INVESTIGATE),
        (np.nan, 1.0, np.inf, Ruling.INVESTIGATE),
    ],
)
def test_special_values_are_right_wrong_or_to_be_investigated(device, golden, benchmark, ruling):
    found = verdict("commercial-l1", "float16", [device], [golden], [benchmark])
    assert found.ruling is ruling, found
    assert found.ok == (ruling is Ruling.ACCEPTS)


def test_a_wrong_figure_weighs_more_than_an_unclear_special_value():
    found = verdict("commercial-l1", "float16", [np.nan, 2.0], [np.inf, 1.0], [2.0, 1.0])
    assert found.ruling is Ruling.REJECTS


def test_without_a_benchmark_it_says_nothing():
    found = verdict("commercial-l0", "float16", [1.0], [1.0])
    assert found.ruling is Ruling.SILENT
    assert "benchmark" in found.sentence


def test_movement_keeps_every_bit():
    assert is_moved("commercial-move", "float16", [1.0, np.nan], [1.0, np.nan])
    assert not is_moved("commercial-move", "float16", [-0.0], [0.0])
    payload = np.array([0x7E01], np.uint16).view(np.float16)
    standard = STANDARDS["commercial-move"]
    assert not standard.judge(payload, array([np.nan], "float16"), kind=Kind.MOVED).ok
    assert standard.judge(payload, payload.copy(), kind=Kind.MOVED).ok


def test_integers_are_equal_and_quantised_ones_at_most_one_apart():
    assert accepts("commercial-integer", "int32", [7], [7])
    assert not accepts("commercial-integer", "int32", [8], [7])
    assert is_quantised("commercial-quant", "int8", [8, 6], [7, 7])
    assert not is_quantised("commercial-quant", "int8", [9, 6], [7, 7])
