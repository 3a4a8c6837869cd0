"""msprobe's comparisons, inside and outside, and what its code cannot see."""

import numpy as np
import pytest

from conformance.standards import Ruling
from tests.conformance.standards.says import (
    accepts,
    is_moved,
    verdict,
    with_errors,
)

FLOATS = pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])


def test_the_first_pass_wants_a_cosine_above_99_percent():
    """The cosine of (1, x) and (1, 0) is 0.99 at x = 0.14249; both errors are above 0.001."""
    inside = verdict("msprobe-first-pass", "float32", [1.0, 0.140625], [1.0, 0.0])
    assert "cosine" not in inside.sentence
    outside = verdict("msprobe-first-pass", "float32", [1.0, 0.1435546875], [1.0, 0.0])
    assert "cosine" in outside.sentence
    assert not outside.ok


def test_the_first_pass_takes_errors_below_a_thousandth_for_nothing():
    golden = np.zeros(9)
    golden[0] = 1.0
    device = golden.copy()
    device[1:] = 2.0**-10
    assert accepts("msprobe-first-pass", "float32", device, golden)
    device[1] = 2.0**-10 + 2.0**-15
    assert not accepts("msprobe-first-pass", "float32", device, golden)


@pytest.mark.parametrize(
    ("dtype", "beyond_strict", "beyond_loose", "elements", "strict", "loose"),
    [
        ("float16", 2, 11, 10000, 9, 99),
        ("bfloat16", 1, 2, 10000, 9, 99),
        ("float32", 1024, 8460, 100000, 9, 99),
    ],
)
def test_the_first_pass_warns_and_rejects_by_shares_of_relative_errors(
    dtype, beyond_strict, beyond_loose, elements, strict, loose
):
    """Halves: 0.1 % of elements beyond 0.1 % warn, 1 % beyond 1 % reject; fp32 a tenth of both."""
    golden = np.ones(elements)

    def ruling(*errors):
        device = with_errors(dtype, [*errors, (1, 64 if dtype != "float32" else 10000)], elements)
        return verdict("msprobe-first-pass", dtype, device, golden).ruling

    assert ruling((strict - 1, beyond_strict)) is Ruling.ACCEPTS
    assert ruling((strict, beyond_strict)) is Ruling.INVESTIGATE
    assert ruling((loose - 1, beyond_loose)) is Ruling.INVESTIGATE
    assert ruling((loose, beyond_loose)) is Ruling.REJECTS


def test_the_first_pass_skips_the_cosine_of_one_element_and_of_zeros():
    assert accepts("msprobe-first-pass", "float32", [0.0, 0.0], [0.0, 0.0])
    assert not accepts("msprobe-first-pass", "float32", [0.0, 0.0], [1.0, 1.0])
    assert accepts("msprobe-first-pass", "float32", [-(2.0**-12)], [2.0**-12])
    assert not accepts("msprobe-first-pass", "float32", [np.nan, 1.0], [1.0, 1.0])


def judged(level, dtype, device, benchmark):
    ours, theirs = with_errors(dtype, device), with_errors(dtype, benchmark)
    return accepts(f"msprobe-benchmark-{level}", dtype, ours, np.ones(100), theirs)


@FLOATS
@pytest.mark.parametrize(("level", "most"), [("l0", 10), ("l1", 5), ("l2", 2)])
def test_the_benchmark_limits_the_largest_relative_error(level, most, dtype):
    assert judged(level, dtype, [(1, 2 * most - 1)], [(100, 2)])
    assert not judged(level, dtype, [(1, 2 * most + 1)], [(100, 2)])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize(("level", "many"), [("l0", 19), ("l1", 14), ("l2", 11)])
def test_the_benchmark_limits_the_mean_relative_error(level, many, dtype):
    """The benchmark's mean is a tenth of an ulp, the device's many hundredths."""
    assert judged(level, dtype, [(many, 1)], [(1, 10)])
    assert not judged(level, dtype, [(many + 2, 1)], [(1, 10)])


@FLOATS
@pytest.mark.parametrize(("level", "many", "ulps"), [("l0", 4, 9), ("l1", 14, 4), ("l2", 35, 2)])
def test_the_benchmark_limits_the_root_mean_square(level, many, ulps, dtype):
    assert judged(level, dtype, [(many, ulps)], [(100, 1)])
    assert not judged(level, dtype, [(many + 2, ulps)], [(100, 1)])


def test_the_benchmark_counts_errors_of_small_values_at_once():
    """Up to 2^-20 in fp32; an error of 2^-30 is not counted."""
    golden, perfect = np.full(100, 2.0**-21), np.full(100, 2.0**-21)
    at_limit = golden + 2.0**-30
    assert accepts("msprobe-benchmark-l0", "float32", at_limit, golden, perfect)
    one = golden.copy()
    one[0] += 1.25 * 2.0**-30
    assert not accepts("msprobe-benchmark-l0", "float32", one, golden, perfect)
    two, three = one.copy(), one.copy()
    two[1] = three[1] = three[2] = one[0]
    assert accepts("msprobe-benchmark-l0", "float32", two, golden, one)
    assert not accepts("msprobe-benchmark-l0", "float32", three, golden, one)


def test_the_benchmark_takes_figures_up_to_1e_9_for_nothing():
    """Both means are below it, so they are equal; the largest errors are not, 10000 to 1."""
    golden, perfect = np.ones(10**4), np.ones(10**4)
    device = with_errors("float32", [(1, 1)], 10**4)
    found = verdict("msprobe-benchmark-l0", "float32", device, golden, perfect)
    assert found.figures["mean relative error ratio"] == 1.0
    assert found.figures["largest relative error ratio"] == 10000.0


def test_the_benchmark_does_not_see_a_nan():
    device = np.ones(100)
    device[3] = np.nan
    assert accepts("msprobe-benchmark-l2", "float16", device, np.ones(100), np.ones(100))


@pytest.mark.parametrize(("dtype", "ulps"), [("float16", 1), ("float32", 8)])
def test_the_threshold_allows_rtol_of_normal_values(dtype, ulps):
    for many, ok in ((ulps, True), (ulps + 1, False)):
        device = with_errors(dtype, [(1, many)])
        assert accepts("msprobe-threshold", dtype, device, np.ones(100)) is ok


def test_the_threshold_of_bf16_is_half_an_ulp_of_its_values():
    assert accepts("msprobe-threshold", "bfloat16", [1.0], [1.0 + 2.0**-8])
    assert not accepts("msprobe-threshold", "bfloat16", [1.0], [1.0 + 2.0**-7])


@pytest.mark.parametrize(
    ("dtype", "golden", "atol"),
    [("float16", 0.0, 2.0**-16), ("float32", 0.0, 2.0**-30), ("bfloat16", 0.0, 2.0**-54)],
)
def test_the_threshold_allows_atol_of_small_values(dtype, golden, atol):
    assert accepts("msprobe-threshold", dtype, [atol], [golden])
    assert not accepts("msprobe-threshold", dtype, [atol * 2], [golden])


def test_the_threshold_accepts_anything_where_the_golden_is_infinite():
    """The clipped error is divided by the golden's infinite magnitude."""
    assert accepts("msprobe-threshold", "float16", [1.0], [np.inf])


def test_the_threshold_takes_the_largest_value_for_an_infinity():
    assert accepts("msprobe-threshold", "float16", [np.inf], [65504.0])
    assert accepts("msprobe-threshold", "float16", [np.nan], [np.nan])
    assert not accepts("msprobe-threshold", "float16", [np.nan], [1.0])
    assert not accepts("msprobe-threshold", "float16", [np.inf], [60000.0])


@pytest.mark.parametrize(
    ("dtype", "bound"),
    [("float16", 2.0**-8), ("bfloat16", 2.0**-7), ("float32", 2.0**-11)],
)
def test_the_accumulative_bound_is_absolute_up_to_one_and_relative_above(dtype, bound):
    name = "msprobe-accumulative"
    assert accepts(name, dtype, [bound], [0.0])
    assert not accepts(name, dtype, [bound * (1 + 2.0**-7)], [0.0])
    assert accepts(name, dtype, [4.0 + 4 * bound], [4.0])
    assert not accepts(name, dtype, [4.0 + 8 * bound], [4.0])


@pytest.mark.parametrize(
    ("dtype", "elements", "inside", "outside", "far"),
    [("float16", 1000, 0, 1, 2), ("bfloat16", 1000, 0, 1, 2)],
)
def test_ulp_allows_halves_less_than_a_thousandth_beyond_one_ulp(
    dtype, elements, inside, outside, far
):
    golden, one_ulp = np.ones(elements), (elements, 1)
    assert accepts("msprobe-ulp", dtype, with_errors(dtype, [one_ulp], elements), golden)
    for many, ok in ((inside, True), (outside, False)):
        device = with_errors(dtype, [(many, far)], elements)
        assert accepts("msprobe-ulp", dtype, device, golden) is ok


def test_ulp_allows_fp32_a_small_mean_or_a_small_share_or_fewer_than_the_benchmark():
    golden = np.ones(100)

    def says(*errors, benchmark=None):
        theirs = None if benchmark is None else with_errors("float32", benchmark)
        device = with_errors("float32", errors)
        return accepts("msprobe-ulp", "float32", device, golden, theirs)

    assert says((100, 63))
    assert not says((100, 64))
    assert says((4, 10000))
    assert not says((5, 10000))
    assert not says((5, 10000), benchmark=[(5, 40)])
    assert says((5, 10000), benchmark=[(6, 40)])


def test_ulp_measures_a_golden_of_zero_in_ulps_of_one():
    assert accepts("msprobe-ulp", "float16", [2.0**-10], [0.0])
    assert not accepts("msprobe-ulp", "float16", [2.0**-9], [0.0])


def test_ulp_rejects_a_nan_unless_the_benchmark_has_one_too():
    device = np.ones(2000)
    device[0] = np.nan
    assert not accepts("msprobe-ulp", "float16", device, np.ones(2000))
    assert not accepts("msprobe-ulp", "float16", device, np.ones(2000), np.ones(2000))
    assert accepts("msprobe-ulp", "float16", device, np.ones(2000), device)


def test_binary_is_equality_of_values():
    assert is_moved("msprobe-binary", "float16", [0.0], [-0.0])
    assert not is_moved("msprobe-binary", "float16", [np.nan], [np.nan])
    assert accepts("msprobe-binary", "int32", [5], [5])
    assert not accepts("msprobe-binary", "int32", [5], [6])
