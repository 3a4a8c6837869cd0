"""cann-bench: the ecosystem standard first, then three domains."""

import numpy as np
import pytest

from tests.conformance.standards.says import ULP_OF_ONE, accepts, with_errors

NAME = "cann-bench"
TEN_T = {"float16": 10, "bfloat16": 10, "float32": 10240}


def judged(dtype, device, benchmark=None):
    theirs = None if benchmark is None else with_errors(dtype, benchmark)
    return accepts(NAME, dtype, with_errors(dtype, device), np.ones(100), theirs)


@pytest.mark.parametrize("dtype", TEN_T)
def test_one_element_beyond_ten_t_is_rejected(dtype):
    assert judged(dtype, [(1, TEN_T[dtype])])
    assert not judged(dtype, [(1, TEN_T[dtype] + 1)])


@pytest.mark.parametrize("dtype", TEN_T)
def test_a_mean_beyond_t_rejects_nothing(dtype):
    assert judged(dtype, [(100, TEN_T[dtype])])
    assert not accepts(
        "ecosystem-v1", dtype, with_errors(dtype, [(100, TEN_T[dtype])]), np.ones(100)
    )


@pytest.mark.parametrize("dtype", TEN_T)
def test_as_many_errors_as_twice_the_benchmarks_are_accepted(dtype):
    far = TEN_T[dtype] + 1
    assert judged(dtype, [(4, far)], [(2, far)])
    assert not judged(dtype, [(5, far)], [(2, far)])
    assert not judged(dtype, [(1, far)], [])


@pytest.mark.parametrize(
    ("dtype", "small", "error"),
    [
        ("float16", 2.0**-11, 2.0**-16),
        ("bfloat16", 2.0**-8, 2.0**-16),
        ("float32", 2.0**-14, 2.0**-30),
    ],
)
def test_small_goldens_allow_two_errors(dtype, small, error):
    golden = np.full(10, small / 16)
    two, three = golden.copy(), golden.copy()
    two[:2] += small / 16
    three[:3] += small / 16
    assert accepts(NAME, dtype, two, golden)
    assert not accepts(NAME, dtype, three, golden)
    assert not accepts(NAME, dtype, three, golden, golden)
    assert accepts(NAME, dtype, three, golden, two)


@pytest.mark.parametrize(
    ("dtype", "edge", "small"),
    [
        ("float16", 2.0**-5, 2.0**-11),
        ("bfloat16", 2.0**-3, 2.0**-8),
        ("float32", 2.0**-8, 2.0**-14),
    ],
)
def test_cancelled_goldens_allow_two_errors(dtype, edge, small):
    """Zero where the golden is between small and the edge; at the edge it is a normal error."""
    golden = np.full(10, edge / 2)
    two, three = golden.copy(), golden.copy()
    two[:2] = three[:3] = 0.0
    assert accepts(NAME, dtype, two, golden)
    assert not accepts(NAME, dtype, three, golden)
    at_edge = np.full(10, edge)
    one = at_edge.copy()
    one[0] = 0.0
    assert not accepts(NAME, dtype, one, at_edge)
    output_at_edge = golden.copy()
    output_at_edge[0] = edge
    assert not accepts(NAME, dtype, output_at_edge, golden)
    at_small = np.full(10, small)
    zeros = np.where(np.arange(10) < 2, 0.0, small)
    assert accepts(NAME, dtype, zeros, at_small)


def test_an_infinity_of_one_side_counts_as_the_largest_value():
    assert accepts(NAME, "float16", [65504.0], [1e6])
    assert accepts(NAME, "float16", [np.inf], [65503.0])
    assert not accepts(NAME, "float16", [np.inf], [60000.0])
    assert not accepts(NAME, "float16", [-np.inf], [np.inf])
    assert accepts(NAME, "float16", [np.nan], [np.nan])
    assert not accepts(NAME, "float16", [np.nan], [1.0])


def test_the_golden_is_rounded_first():
    """An error of 10.4 T against the exact golden, 10 T against the rounded one."""
    golden = np.ones(100)
    golden[0] -= 0.2 * ULP_OF_ONE["float16"]
    device = with_errors("float16", [(1, 10)])
    assert accepts(NAME, "float16", device, golden)
    assert not accepts("ecosystem-v1", "float16", device, golden)


def test_integers_are_equal():
    assert accepts(NAME, "int32", [10001], [10001])
    assert not accepts(NAME, "int32", [10002], [10001])
