"""The ecosystem standard: T and 10 T, rtol and atol, 99 %, the limit or 32 ulp."""

import numpy as np
import pytest

from tests.conformance.standards.says import ULP_OF_ONE, accepts, with_errors

# T in ulps of one; the floor of 1e-7 lets an error of exactly T and of exactly 10 T pass.
THRESHOLDS = [
    ("float16", 1),
    ("bfloat16", 1),
    ("float32", 2**10),
    ("hifloat32", 2**12),
    ("float8_e4m3fn", 1),
    ("float8_e5m2", 1),
]
ONE_UP = {"float8_e4m3fn": 2, "float8_e5m2": 2}
"""Ulps to the next value above 10 T, where the grid is coarser there."""


@pytest.mark.parametrize(
    ("name", "dtype", "ulps"),
    [("ecosystem-v1", *row) for row in THRESHOLDS]
    + [("ttk-stat-rel-err", *row) for row in THRESHOLDS if row[0] != "hifloat32"],
)
def test_v1_limits_the_mean_relative_error(name, dtype, ulps):
    inside, outside = with_errors(dtype, [(100, ulps)]), with_errors(dtype, [(100, ulps + 1)])
    assert accepts(name, dtype, inside, np.ones(100))
    assert not accepts(name, dtype, outside, np.ones(100))


@pytest.mark.parametrize(("dtype", "ulps"), THRESHOLDS)
def test_v1_limits_the_largest_relative_error_to_ten_times_the_mean(dtype, ulps):
    step = ONE_UP.get(dtype, 1)
    inside = with_errors(dtype, [(1, 10 * ulps)])
    outside = with_errors(dtype, [(1, 10 * ulps + step)])
    assert accepts("ecosystem-v1", dtype, inside, np.ones(100))
    assert not accepts("ecosystem-v1", dtype, outside, np.ones(100))


def test_v1_divides_by_a_golden_of_zero_plus_the_floor():
    """10 T of 1e-7 is 1.22e-10: 2^-33 is inside, 2^-32 is not."""
    golden = np.zeros(100)
    assert accepts("ecosystem-v1", "float32", [2.0**-33] + [0] * 99, golden)
    assert not accepts("ecosystem-v1", "float32", [2.0**-32] + [0] * 99, golden)


# atol + rtol at a golden of 1, in ulps of one, and the next value above.
ELEMENTS = [
    ("float16", 4, 1),
    ("bfloat16", 4, 1),
    ("float32", 8192 + 128, 1),
    ("hifloat32", 16384 + 8192, 1),
    ("float8_e4m3fn", 2, 1),
    ("float8_e5m2", 2, 1),
]


@pytest.mark.parametrize(("dtype", "ulps", "step"), ELEMENTS)
@pytest.mark.parametrize("name", ["ecosystem-v2", "ttk-mixed"])
def test_v2_limits_each_error_by_atol_plus_rtol(name, dtype, ulps, step):
    golden = [1.0]
    ulp = ULP_OF_ONE[dtype]
    assert accepts(name, dtype, [1 + ulps * ulp], golden)
    assert not accepts(name, dtype, [1 + (ulps + step) * ulp], golden)


ATOLS = [
    ("float16", 2.0**-9),
    ("bfloat16", 2.0**-6),
    ("float32", 2.0**-16),
    ("hifloat32", 2.0**-10),
    ("float8_e4m3fn", 2.0**-4),
]


@pytest.mark.parametrize("name", ["ecosystem-v2", "ttk-mixed"])
@pytest.mark.parametrize(("dtype", "atol"), ATOLS)
def test_v2_allows_atol_at_zero(name, dtype, atol):
    assert accepts(name, dtype, [atol], [0.0])
    assert not accepts(name, dtype, [atol * 1.25], [0.0])


def test_the_limit_of_e5m2_is_below_its_atol_unless_the_ulp_is_that_of_one():
    assert accepts("ttk-mixed", "float8_e5m2", [0.125], [0.0])
    assert not accepts("ttk-mixed", "float8_e5m2", [0.15625], [0.0])
    assert not accepts("ecosystem-v2", "float8_e5m2", [0.125], [0.0])
    assert accepts("ecosystem-v2", "float8_e5m2", [0.09375], [0.0])


@pytest.mark.parametrize("name", ["ecosystem-v2", "ttk-mixed"])
def test_v2_needs_99_percent_of_the_elements(name):
    assert accepts(name, "float16", with_errors("float16", [(1, 5)]), np.ones(100))
    assert not accepts(name, "float16", with_errors("float16", [(2, 5)]), np.ones(100))
    assert not accepts(name, "float16", with_errors("float16", [(2, 5)], 199), np.ones(199))
    assert accepts(name, "float16", with_errors("float16", [(2, 5)], 200), np.ones(200))


# Values just inside and just outside the limit, where the ulp of the golden, 0, is tiny.
LIMITS = [
    ("float16", 102 * 2.0**-10, 103 * 2.0**-10),
    ("bfloat16", 1.0, 1.0 + 2.0**-7),
    ("float32", 83886 * 2.0**-23, 83887 * 2.0**-23),
    ("hifloat32", 838860 * 2.0**-23, 838861 * 2.0**-23),
    ("float8_e4m3fn", 1.0, 1.125),
    ("float8_e5m2", 0.09375, 0.109375),
]


@pytest.mark.parametrize(("dtype", "inside", "outside"), LIMITS)
def test_v2_limits_the_largest_error(dtype, inside, outside):
    zeros = np.zeros(100)
    good, bad = (np.array([error] + [0.0] * 99) for error in (inside, outside))
    assert accepts("ecosystem-v2", dtype, good, zeros)
    assert not accepts("ecosystem-v2", dtype, bad, zeros)


TTK_LIMITS = [*LIMITS[:4], ("float8_e4m3fn", 4.0, 4.5), ("float8_e5m2", 8.0, 10.0)]


@pytest.mark.parametrize(("dtype", "inside", "outside"), TTK_LIMITS)
def test_ttk_limits_the_largest_error_to_32_ulps_of_one_if_that_is_more(dtype, inside, outside):
    zeros = np.zeros(100)
    good, bad = (np.array([error] + [0.0] * 99) for error in (inside, outside))
    assert accepts("ttk-mixed", dtype, good, zeros)
    assert not accepts("ttk-mixed", dtype, bad, zeros)


def test_v2_allows_32_ulps_of_a_large_golden_and_ttk_does_not():
    golden = np.full(100, 4096.0)
    inside, outside = golden.copy(), golden.copy()
    inside[0] += 32 * 4
    outside[0] += 33 * 4
    assert accepts("ecosystem-v2", "float16", inside, golden)
    assert not accepts("ecosystem-v2", "float16", outside, golden)
    assert not accepts("ttk-mixed", "float16", inside, golden)


def test_ttk_rejects_correct_rounding_of_large_values():
    """bf16 has steps of 4 from 512 on: half a step is beyond TTK's limit of 1."""
    golden, nearest = [514.0], [512.0]
    assert accepts("ecosystem-v2", "bfloat16", nearest, golden)
    assert not accepts("ttk-mixed", "bfloat16", nearest, golden)
    assert accepts("ttk-mixed", "bfloat16", [256.0], [257.0])


@pytest.mark.parametrize("name", ["ecosystem-v1", "ecosystem-v2", "ttk-mixed", "ttk-stat-rel-err"])
def test_a_nan_or_infinity_is_accepted_only_as_the_goldens_own(name):
    golden = np.ones(1000)
    for special in (np.nan, np.inf, -np.inf):
        device, same = np.ones(1000), golden.copy()
        device[7] = same[7] = special
        assert accepts(name, "float16", device, same)
        assert not accepts(name, "float16", device, golden)
        assert not accepts(name, "float16", np.ones(1000), same)
    assert not accepts(name, "float16", [np.inf], [-np.inf])
