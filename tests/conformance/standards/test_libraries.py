"""torch.testing, numpy.testing, assertRtolEqual: by hand, and against the libraries themselves."""

import numpy as np
import pytest

from conformance.standards import STANDARDS
from reference.floats import format_of, from_bits, from_ordered, ordered, to_bits
from tests.conformance.standards.says import CONTAINERS, accepts, with_errors

ONE = np.ones(1)


@pytest.mark.parametrize(
    ("name", "dtype", "ulps"),
    [
        ("torch-testing", "float16", 1),  # 1e-3 + 1e-5 is 1.03 ulps
        ("torch-testing", "bfloat16", 2),  # 1.6e-2 + 1e-5 is 2.05
        ("torch-testing", "float32", 94),  # 1.3e-6 + 1e-5 is 94.8
        ("inductor", "float16", 1),
        ("inductor", "bfloat16", 2),
        ("inductor", "float32", 94),
        ("flaggems", "float16", 1),  # 1e-3 + 1e-4 is 1.13
        ("flaggems", "bfloat16", 2),  # 1.6e-2 + 1e-4 is 2.06
        ("flaggems", "float32", 849),  # 1.3e-6 + 1e-4 is 849.8
        ("triton-ascend", "float16", 2),  # 2e-3 is 2.05
        ("triton-ascend", "bfloat16", 0),  # 2e-3 is 0.26
        ("triton-ascend", "float32", 1677),  # 2e-4 is 1677.7
        ("numpy-testing", "float16", 0),
        ("numpy-testing", "bfloat16", 0),
        ("numpy-testing", "float32", 0),
    ],
)
def test_every_element_lies_within_atol_plus_rtol(name, dtype, ulps):
    assert accepts(name, dtype, with_errors(dtype, [(1, ulps)], 1), ONE)
    assert not accepts(name, dtype, with_errors(dtype, [(1, ulps + 1)], 1), ONE)


def test_numpy_allows_one_ulp_of_fp32_just_below_a_power_of_two():
    """2^-24 is 6e-8 there, and 2^-23 at 1 is 1.2e-7: rtol is 1e-7."""
    below = 2.0 - 2.0**-23
    assert accepts("numpy-testing", "float32", [2.0 - 2.0**-22], [below])
    assert not accepts("numpy-testing", "float32", [1.0 + 2.0**-23], [1.0])


def test_nans_are_equal_to_numpy_and_unequal_to_torch():
    assert accepts("numpy-testing", "float32", [np.nan], [np.nan])
    assert not accepts("torch-testing", "float32", [np.nan], [np.nan])
    assert accepts("triton-ascend", "float32", [np.nan], [np.nan])
    for name in ("numpy-testing", "torch-testing"):
        assert accepts(name, "float32", [np.inf], [np.inf])
        assert not accepts(name, "float32", [np.inf], [1.0])


def test_integers_are_equal_to_torch():
    assert accepts("torch-testing", "int64", [2**60 + 1], [2**60 + 1])
    assert not accepts("torch-testing", "int64", [2**60 + 1], [2**60])


NAME = "torch-npu-rtol-equal"


@pytest.mark.parametrize(("dtype", "inside"), [("float16", 1), ("float32", 838)])
def test_rtol_equal_rejects_elements_bad_both_ways(dtype, inside):
    assert accepts(NAME, dtype, with_errors(dtype, [(10, inside)], 10), np.ones(10))
    assert not accepts(NAME, dtype, with_errors(dtype, [(10, inside + 1)], 10), np.ones(10))


@pytest.mark.parametrize(("dtype", "elements"), [("float16", 1000), ("float32", 10000)])
def test_rtol_equal_allows_a_share_of_bad_elements(dtype, elements):
    golden = np.ones(elements)
    for many, ok in ((1, True), (2, False)):
        device = golden.copy()
        device[:many] = 3.0
        assert accepts(NAME, dtype, device, golden) is ok


def test_rtol_equal_accepts_what_is_bad_one_way_only():
    tiny, large = np.full(9, 2.0**-20), np.full(9, 2.0**20)
    assert accepts(NAME, "float32", 2 * tiny, tiny)
    assert accepts(NAME, "float32", large + 1.0, large)
    both = np.r_[2 * tiny, large + 1.0], np.r_[tiny, large]
    assert not accepts(NAME, "float32", *both)  # bad elements of both kinds, in different places


def test_rtol_equal_accepts_large_indices_off_by_one():
    golden = np.arange(10001, 20000)
    assert accepts(NAME, "int32", golden + 1, golden)
    assert not accepts(NAME, "int32", golden - 9001, golden - 9000)


def test_rtol_equal_wants_nans_at_the_same_place_and_has_no_place_for_infinities():
    assert accepts(NAME, "float32", [np.nan, 1.0], [np.nan, 1.0])
    assert not accepts(NAME, "float32", [np.nan, 1.0], [1.0, 1.0])
    assert not accepts(NAME, "float32", [np.inf], [np.inf])


def test_rtol_equal_takes_bf16_within_a_thousandth_both_ways():
    assert accepts(NAME, "bfloat16", [2.0**-11], [0.0])
    assert not accepts(NAME, "bfloat16", [2.0**-9], [0.0])
    assert accepts(NAME, "bfloat16", [1.0], [1.0])
    assert not accepts(NAME, "bfloat16", [1.0 + 2.0**-7], [1.0])


def near_pairs(dtype, seed, count):
    """Values and neighbours of theirs, near and beyond the tolerances of the libraries."""
    fmt = format_of(dtype)
    generator = np.random.default_rng(seed)
    golden = generator.standard_normal(count) * np.exp2(generator.integers(-18, 15, count))
    bits = to_bits(golden, fmt)
    reach = {"float16": 4, "bfloat16": 4, "float32": 400}[dtype]
    places = ordered(bits, fmt) + generator.integers(-reach, reach + 1, count)
    return from_bits(bits, fmt), from_ordered(places, fmt).view(CONTAINERS.get(dtype, dtype))


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_numpy_itself_says_the_same_of_every_element(dtype):
    golden, device = near_pairs(dtype, 1, 1500)
    for seen, exact in zip(device, golden, strict=True):
        ours = STANDARDS["numpy-testing"].judge(seen.reshape(1), exact.reshape(1)).ok
        try:
            np.testing.assert_allclose(seen, exact.astype(dtype))
        except AssertionError:
            assert not ours, (seen, exact)
        else:
            assert ours, (seen, exact)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_torch_itself_says_the_same_of_every_element(dtype):
    torch = pytest.importorskip("torch", reason="torch is no dependency of the suite")
    golden, device = near_pairs(dtype, 2, 1000)
    kind = getattr(torch, dtype)

    def tensor(value):
        return torch.tensor(float(value), dtype=kind)

    outcomes = set()
    for seen, exact in zip(device, golden, strict=True):
        ours = STANDARDS["torch-testing"].judge(seen.reshape(1), exact.reshape(1)).ok
        outcomes.add(ours)
        try:
            torch.testing.assert_close(tensor(seen), tensor(exact))
        except AssertionError:
            assert not ours, (seen, exact)
        else:
            assert ours, (seen, exact)
    assert outcomes == {True, False}
