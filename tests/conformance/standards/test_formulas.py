"""Standards of one formula, inside and outside."""

import numpy as np
import pytest

from tests.conformance.standards.says import accepts, with_errors


@pytest.mark.parametrize(
    ("dtype", "ulps", "elements"),
    [
        ("float16", 1, 1000),  # 1e-3 is 1.02 ulps
        ("bfloat16", 0, 250),  # 4e-3 is 0.51
        ("float32", 838, 10000),  # 1e-4 is 838.9
        ("hifloat32", 8388, 1000),  # 1e-3 is 8388.6
    ],
)
def test_op_test_allows_a_rate_of_bad_elements(dtype, ulps, elements):
    golden = np.ones(elements)
    good = with_errors(dtype, [(elements, ulps)], elements)
    one, two = (with_errors(dtype, [(n, ulps + 1)], elements) for n in (1, 2))
    assert accepts("ascend-op-test", dtype, good, golden)
    assert accepts("ascend-op-test", dtype, one, golden)
    assert not accepts("ascend-op-test", dtype, two, golden)


def test_op_test_is_absolute_below_one_and_relative_from_one():
    assert accepts("ascend-op-test", "float32", [0.5 + 2.0**-14], [0.5])
    assert not accepts("ascend-op-test", "float32", [0.5 + 2.0**-13], [0.5])
    assert accepts("ascend-op-test", "float32", [2.0 + 2.0**-13], [2.0])
    assert not accepts("ascend-op-test", "float32", [2.0 + 2.0**-12], [2.0])


def test_op_test_accepts_every_index_from_10000_on_that_is_off_by_one():
    golden = np.arange(10001, 12000)
    assert accepts("ascend-op-test", "int64", golden + 1, golden)
    assert not accepts("ascend-op-test", "int64", golden - 9001, golden - 9000)


def test_op_test_takes_the_largest_value_for_an_infinity():
    assert accepts("ascend-op-test", "float16", [np.inf], [65504.0])
    assert not accepts("ascend-op-test", "float16", [np.inf], [60000.0])
    assert accepts("ascend-op-test", "float16", [np.nan], [np.nan])
    assert not accepts("ascend-op-test", "float16", [np.nan], [1.0])


def test_msopst_wants_95_percent_within_a_hundredth():
    golden = np.ones(20)
    one, two = golden.copy(), golden.copy()
    one[0] = two[:2] = 1.03125
    assert accepts("msopst", "float32", one, golden)
    assert not accepts("msopst", "float32", two, golden)
    hundredth = np.full(20, 64.0)
    assert accepts("msopst", "float32", hundredth + 0.625, hundredth)
    assert not accepts("msopst", "float32", hundredth + 0.75, hundredth)


def test_msopst_wants_every_relative_error_below_a_tenth():
    golden = np.ones(100)
    inside, outside = golden.copy(), golden.copy()
    inside[0], outside[0] = 1.109375, 1.125  # 0.0986 and 0.111 of themselves
    assert accepts("msopst", "float32", inside, golden)
    assert not accepts("msopst", "float32", outside, golden)


def test_kernel_bench_allows_a_thousandth_either_way():
    name = "npu-kernel-bench"
    assert accepts(name, "float32", [2.0**-10], [0.0])
    assert not accepts(name, "float32", [2.0**-9], [0.0])
    assert accepts(name, "float16", with_errors("float16", [(1, 1)], 1), [1.0])
    assert not accepts(name, "float16", with_errors("float16", [(1, 2)], 1), [1.0])
    assert accepts(name, "float32", [1024.0 + 1.0], [1024.0])
    assert not accepts(name, "float32", [1024.0 + 1.25], [1024.0])


@pytest.mark.parametrize(
    ("dtype", "ulps", "elements"),
    [("float16", 1, 1001), ("bfloat16", 0, 1001), ("float32", 838, 10001)],
)
def test_compare_data_allows_a_share_of_mismatches_below_rtol(dtype, ulps, elements):
    golden = np.ones(elements)
    good = with_errors(dtype, [(elements, ulps)], elements)
    one, two = (with_errors(dtype, [(n, ulps + 1)], elements) for n in (1, 2))
    assert accepts("compare-data", dtype, good, golden)
    assert accepts("compare-data", dtype, one, golden)
    assert not accepts("compare-data", dtype, two, golden)
    exactly = with_errors(dtype, [(1, ulps + 1)], elements - 1)
    assert not accepts("compare-data", dtype, exactly, golden[1:])
