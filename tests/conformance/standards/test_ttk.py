"""TTK's comparisons, inside and outside, and what its code lets through."""

import ml_dtypes
import numpy as np
import pytest

from conformance.standards import STANDARDS, Kind
from conformance.standards.ttk import clamped
from tests.conformance.standards.says import (
    accepts,
    is_moved,
    is_quantised,
    with_errors,
)

ONE = np.ones(1)


@pytest.mark.parametrize(("level", "many"), [("l0", 2.0), ("l1", 1.5), ("l2", 1.25)])
@pytest.mark.parametrize(
    ("dtype", "small"), [("float16", 0.5), ("bfloat16", 0.5), ("float32", 512.0)]
)
def test_cross_check_divides_by_the_small_value_at_least(level, many, dtype, small):
    """The benchmark is perfect; ``small`` is the small value in ulps of one."""
    most = int(many * small) if level != "l2" else int(1.2 * small)
    device = with_errors(dtype, [(1, most)], 1)
    assert accepts(f"ttk-cross-check-{level}", dtype, device, ONE, ONE)
    outside = with_errors(dtype, [(1, most + 1)], 1)
    assert not accepts(f"ttk-cross-check-{level}", dtype, outside, ONE, ONE)


@pytest.mark.parametrize(("level", "most"), [("l0", 10), ("l1", 5), ("l2", 2)])
def test_cross_check_limits_the_largest_error_to_that_of_a_worse_third_party(level, most):
    """The third party errs by 2^-14, the clamp, everywhere."""
    ones, party = np.ones(100), with_errors("float32", [(100, 512)])
    inside, outside = (with_errors("float32", [(1, n)]) for n in (512 * most, 512 * most + 1))
    assert accepts(f"ttk-cross-check-{level}", "float32", inside, ones, party)
    assert not accepts(f"ttk-cross-check-{level}", "float32", outside, ones, party)


@pytest.mark.parametrize(
    ("dtype", "error"), [("float16", 2.0**-16), ("bfloat16", 2.0**-16), ("float32", 2.0**-30)]
)
def test_cross_check_counts_errors_of_small_goldens(dtype, error):
    golden = np.zeros(5)
    two, three = np.zeros(5), np.zeros(5)
    two[:2] = three[:3] = 1.25 * error
    assert accepts("ttk-cross-check-l2", dtype, np.full(5, error), golden, golden)
    assert accepts("ttk-cross-check-l2", dtype, two, golden, golden)
    assert not accepts("ttk-cross-check-l2", dtype, three, golden, golden)


def test_cross_check_takes_a_special_value_of_third_party_or_golden():
    name = "ttk-cross-check-l1"
    assert accepts(name, "float32", [np.inf], [1.0], [np.inf])
    assert accepts(name, "float32", [np.nan], [np.nan], [1.0])
    assert not accepts(name, "float32", [1.0], [np.nan], [np.nan])
    assert not accepts(name, "float32", [np.nan], [1.0], [1.0])
    assert not accepts(name, "float32", [2.0], [1.0], [np.inf])


def test_clamped_ratios_of_nothing_and_of_infinities():
    assert clamped(0.0, 0.0, 0.5) == 1.0
    assert clamped(np.inf, np.inf, 0.5) == 1.0
    assert clamped(1.0, 0.0, 0.5) == 2.0
    assert clamped(1.0, np.nan, 0.5) == np.inf
    assert clamped(np.inf, 1.0, 0.5) == np.inf


@pytest.mark.parametrize(
    ("dtype", "ulps", "elements"),
    [("float16", 1, 1000), ("bfloat16", 0, 1000), ("float32", 838, 10000)],
)
def test_close_allows_rtol_and_a_share_of_mismatches(dtype, ulps, elements):
    """1e-3 is 1.02 ulps of fp16 and 0.13 of bf16, 1e-4 is 838.9 of fp32."""
    golden = np.ones(elements)
    all_inside = with_errors(dtype, [(elements, ulps)], elements)
    one, two = (with_errors(dtype, [(n, ulps + 1)], elements) for n in (1, 2))
    assert accepts("ttk-close", dtype, all_inside, golden)
    assert accepts("ttk-close", dtype, one, golden)
    assert not accepts("ttk-close", dtype, two, golden)


def test_close_allows_1e_8_at_zero_and_equal_nans():
    assert accepts("ttk-close", "float32", [2.0**-27], [0.0])
    assert not accepts("ttk-close", "float32", [2.0**-26], [0.0])
    assert accepts("ttk-close", "float32", [np.nan], [np.nan])
    assert not accepts("ttk-close", "float32", [np.nan], [1.0])


def test_cosine_allows_a_hundredth():
    """The cosine of (1, x) and (1, 0) is 1 / sqrt(1 + x^2), 0.99 at x = 0.14249."""
    assert accepts("ttk-cosine", "float32", [1.0, 0.140625], [1.0, 0.0])
    assert not accepts("ttk-cosine", "float32", [1.0, 0.1435546875], [1.0, 0.0])


def test_cosine_is_blind_to_scale_and_rejects_correct_zeros():
    assert accepts("ttk-cosine", "float32", [2.0, 4.0], [1.0, 2.0])
    assert not accepts("ttk-cosine", "float32", [0.0, 0.0], [0.0, 0.0])


def test_binary_wants_equal_bytes_but_takes_any_nan():
    assert is_moved("ttk-binary", "float16", [1.0, np.nan], [1.0, np.nan])
    assert not is_moved("ttk-binary", "float16", [0.0], [-0.0])
    assert accepts("ttk-binary", "int64", [2**53 + 1], [2**53 + 1])
    assert not accepts("ttk-binary", "int64", [2**53 + 1], [2**53])


@pytest.mark.parametrize("dtype", ["float8_e5m2", "float8_e4m3fn"])
def test_requant_allows_one_step_and_a_thousandth_beyond(dtype):
    container = getattr(ml_dtypes, dtype)
    golden = np.full(1000, 0x38, np.uint8)
    one_step, one_far, two_far = golden + np.uint8(1), golden.copy(), golden.copy()
    one_far[0] += 2
    two_far[:2] += 2

    def says(bits):
        expected = golden.view(container).astype(np.float64)
        standard = STANDARDS["ttk-requant"]
        return standard.judge(bits.view(container), expected, kind=Kind.QUANTISED).ok

    assert says(one_step)
    assert says(one_far)
    assert not says(two_far)


@pytest.mark.parametrize("dtype", ["float8_e5m2", "float8_e4m3fn"])
def test_requant_accepts_the_wrong_sign_of_every_element(dtype):
    golden = np.array([2.0, -1.5, 0.25])
    assert is_quantised("ttk-requant", dtype, -golden, golden)


def test_quant_allows_one_and_no_exception():
    assert is_quantised("ttk-quant", "int8", [-127, 5], [-128, 6])
    assert not is_quantised("ttk-quant", "int8", [-126, 5], [-128, 5])
    assert not is_quantised("ttk-quant", "int8", [127], [-128])
