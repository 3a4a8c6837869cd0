"""A recipe of values always makes the same tensor, striped as it says."""

import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import ml_dtypes
import numpy as np
import pytest
from hypothesis import find, given, settings

from conformance.draw.values import fills_with
from conformance.values.address_code import address_code
from conformance.values.fill import (
    ADDRESS,
    AT_ONCE,
    BITS,
    NAMES,
    Fill,
    _seeded,
    address_code_of,
    expand,
    families_of,
)
from conformance.values.floats import NOT_DRAWN
from reference.floats import FP32, format_of, to_bits, truncate

DTYPES = [np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16), np.dtype(np.float32)]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("family", [*NAMES, BITS])
def test_the_same_recipe_makes_the_same_bytes(family: str, dtype: np.dtype) -> None:
    fill = Fill((family,), seed=5, terms=3)
    first, second = (expand(fill, (4, 9), dtype) for _ in range(2))
    assert first.dtype == dtype
    assert first.tobytes() == second.tobytes()
    assert first.tobytes() != expand(Fill((family,), seed=6, terms=3), (4, 9), dtype).tobytes()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("terms", [1, 2, 8, 200])
def test_lattice_sums_are_exact_in_float32_whatever_the_order(terms: int, dtype: np.dtype) -> None:
    array = expand(Fill(("lattice",), seed=1, terms=terms), (terms, 500), dtype).astype(np.float64)
    assert np.abs(array).sum(axis=0).max() <= 2**24
    assert np.array_equal(array, np.rint(array))
    assert np.abs(array).min() == 1 < np.abs(array).max()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_stripe_gets_columns_and_special_values_appear(dtype: np.dtype) -> None:
    array = expand(Fill(("lattice", "special"), seed=0, terms=2), (50, 40), dtype)
    wide = array.astype(np.float32)
    special = ~np.isfinite(wide).all(axis=0)
    assert 0 < special.sum() < 40
    assert np.isnan(wide).any()
    assert np.isinf(wide).any()
    assert (np.signbit(wide) & (wide == 0)).any()


def test_a_tensor_without_elements_is_made_without_complaint() -> None:
    assert expand(Fill(("gaussian",), seed=0), (0, 8), DTYPES[0]).shape == (0, 8)
    assert expand(Fill(("gaussian",), seed=0), (3, 0), DTYPES[0]).shape == (3, 0)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_address_columns_hold_the_code_of_their_row_and_column(dtype: np.dtype) -> None:
    fill = Fill(("gaussian", ADDRESS), seed=4, terms=8)
    array = expand(fill, (2, 30, 40), dtype).astype(np.float64).reshape(60, 40)
    code, coded = address_code_of(fill, 40, dtype)
    assert coded.sum() == 20
    assert code == address_code(4, format_of(dtype), 8)
    expected = code.values(np.arange(60)[:, None], np.flatnonzero(coded))
    assert np.array_equal(array[:, coded], expected)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_knife_sums_round_by_their_tails(dtype: np.dtype) -> None:
    fmt = format_of(dtype)
    array = expand(Fill(("knife",), seed=2, terms=5), (5, 4000), dtype).astype(np.float64)
    total = array.sum(axis=0)
    cut = array[0]
    for term in array[1:]:
        cut = truncate(cut + term, FP32)
    differs = np.mean(to_bits(total, fmt) != to_bits(cut, fmt))
    assert differs > 0.02, "additions that truncate show in one sum of fifty"


@pytest.mark.parametrize("columns", [0, 1, 2, 3, 40])
def test_the_families_of_a_tensor_are_those_that_have_a_column(columns: int) -> None:
    fill = Fill(("lattice", "special", "knife"), seed=1)
    present = families_of(fill, columns)
    assert len(present) == min(3, columns)
    assert set(present) <= set(fill.stripes)
    assert families_of(Fill(("special",), seed=1), 1) == ("special",)


@pytest.mark.parametrize("columns", [1, 2, 5])
def test_a_family_that_is_asked_for_has_a_column(columns: int) -> None:
    @settings(max_examples=50, database=None, derandomize=True)
    @given(fill=fills_with("knife", 4, columns))
    def check(fill: Fill) -> None:
        assert "knife" in families_of(fill, columns)

    check()
    assert find(fills_with("knife", 4, columns), lambda fill: True).stripes == ("knife",)


@pytest.mark.parametrize("family", NAMES)
def test_a_large_tensor_is_made_in_little_more_than_its_own_memory(family: str) -> None:
    fill = Fill((family,), seed=3, terms=8)
    tracemalloc.start()
    try:
        array = expand(fill, (4000, 1001), np.dtype(np.float16))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak - array.nbytes < 16 << 20


def test_the_parts_of_a_large_tensor_differ_and_hold_whole_sums() -> None:
    rows = AT_ONCE // 60 * 3
    knives = expand(Fill(("knife",), seed=3, terms=7), (rows, 60), np.dtype(np.float32))
    heads = np.abs(knives.reshape(-1, 7, 60)[: rows // 7]) >= 2**23
    assert (heads.sum(axis=1) == 1).all()
    normal = expand(Fill(("gaussian",), seed=3, terms=7), (rows, 60), np.dtype(np.float32))
    assert np.unique(normal[:, 0]).size > rows // 2


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_patterns_are_of_every_kind_but_for_one_that_is_not_drawn(dtype: np.dtype) -> None:
    fmt = format_of(dtype)
    stored = expand(Fill((BITS,), seed=3), (700, 900), dtype).view(f"u{dtype.itemsize}")
    magnitude = stored & (2 ** (8 * dtype.itemsize - 1) - 1)
    quiet = 1 << (fmt.precision - 2)
    nans = magnitude > fmt.infinity_bits
    assert 0.2 < nans.mean() < 0.3
    assert 0.05 < (nans & (magnitude & quiet == 0)).mean() < 0.2, "signalling NaNs"
    assert np.unique(magnitude[nans]).size >= min(900, 2 ** (fmt.precision - 1) - 2)
    for zero in (0, 1 << (8 * dtype.itemsize - 1)):
        assert (stored == zero).any()
    subnormal = (magnitude > 0) & (magnitude < 1 << (fmt.precision - 1))
    assert subnormal.mean() > 0.15
    left_out = np.frombuffer(NOT_DRAWN * 2, stored.dtype)[0]
    assert not (stored == left_out).any()
    assert dtype.itemsize == 4 or (stored == left_out ^ 1).any()


def test_patterns_keep_to_their_columns() -> None:
    mixed = expand(Fill(("lattice", BITS), seed=1), (500, 6), DTYPES[2])
    whole = np.abs(np.nan_to_num(mixed, nan=0.5)) % 1 == 0
    assert sorted(whole.all(axis=0).tolist()) == [False] * 3 + [True] * 3


@pytest.mark.parametrize("seed", [0, 7, 2**64 - 1, 2**64 + 3])
def test_the_generator_of_a_seed_is_that_of_numpy_whatever_was_drawn_before(seed: int) -> None:
    _seeded(5).integers(0, 9, 3, dtype=np.int32)  # leaves half of a 64-bit number
    drawn, fresh = _seeded(seed), np.random.Generator(np.random.Philox(key=seed))
    for one in (drawn, fresh):
        one.integers(0, 9, 3, dtype=np.int32)
    assert drawn.permutation(9).tolist() == fresh.permutation(9).tolist()
    assert drawn.standard_normal(5).tolist() == fresh.standard_normal(5).tolist()


def test_a_recipe_makes_the_same_tensor_in_several_threads_at_once() -> None:
    fills = [Fill(("gaussian",), seed=seed) for seed in range(24)]
    shape, dtype = (64, 512), np.dtype(np.float32)
    alone = [expand(fill, shape, dtype).tobytes() for fill in fills]
    with ThreadPoolExecutor(8) as pool:
        together = pool.map(lambda fill: expand(fill, shape, dtype).tobytes(), fills)
        assert list(together) == alone
