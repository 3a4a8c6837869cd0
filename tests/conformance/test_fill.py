"""A recipe of values always makes the same tensor, striped as it says."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import find, given, settings

from conformance.address import address_code
from conformance.fill import ADDRESS, NAMES, Fill, address_code_of, expand, families_of
from conformance.strategies.fills import fills_with
from reference.floats import FP32, format_of, to_bits, truncate

DTYPES = [np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16), np.dtype(np.float32)]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("family", NAMES)
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
