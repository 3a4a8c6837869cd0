"""Planted values: every row or column has a special one, and none that two kinds would hide."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from conformance.values.fill import Fill, expand
from conformance.values.special_rows import KINDS, PLANTED
from reference.floats import format_of

DTYPES = [np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16), np.dtype(np.float32)]
SHAPES = [(1, 1), (1, 5), (5, 1), (4, 20), (4, 41), (31, 160), (20, 4), (23, 7), (7, 7)]


def kinds_of(array: np.ndarray) -> np.ndarray:
    """The number of the kind of every element; -1: a plain one, or a zero beside a kind."""
    wide = array.astype(np.float64)
    least = float(np.ldexp(1.0, format_of(array.dtype).emin - format_of(array.dtype).precision + 1))
    found = np.full(array.shape, -1)
    minus_zero = (wide == 0) & np.signbit(wide)
    masks = (np.isnan(wide), wide == np.inf, wide == -np.inf, wide == least, minus_zero)
    for number, mask in enumerate(masks):
        found[mask] = number
    return found


def planted(shape: tuple[int, int], dtype: np.dtype, seed: int = 0) -> np.ndarray:
    return expand(Fill((PLANTED,), seed), shape, dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_column_of_a_wide_tensor_has_one_special_value_and_every_row_of_a_tall_one(
    shape: tuple[int, int], dtype: np.dtype
) -> None:
    special = kinds_of(planted(shape, dtype)) >= 0
    assert (special.sum(axis=0 if shape[1] >= shape[0] else 1) == 1).all()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("rows", "columns"), [(4, 20), (31, 160), (1, 5)])
def test_every_row_has_every_kind_where_there_are_five_times_as_many_columns(
    rows: int, columns: int, seed: int
) -> None:
    kinds = kinds_of(planted((rows, columns), DTYPES[0], seed))
    assert all(set(range(len(KINDS))) <= set(row.tolist()) for row in kinds)


@pytest.mark.parametrize("slots", [1, 4, 5, 6, 10, 65])
@pytest.mark.parametrize("seed", range(6))
def test_every_slot_has_every_kind_where_there_are_five_times_as_many_tokens(
    seed: int, slots: int
) -> None:
    kinds = kinds_of(planted((5 * slots, slots), DTYPES[0], seed))
    assert all(set(range(len(KINDS))) <= set(slot.tolist()) for slot in kinds.T)


@pytest.mark.parametrize("shape", [(4, 20), (31, 160), (20, 4)], ids=str)
def test_beside_a_kind_that_others_would_hide_stand_zeros_and_elsewhere_small_integers(
    shape: tuple[int, int],
) -> None:
    array = planted(shape, DTYPES[0])
    kinds, wide = kinds_of(array), array.astype(np.float64)
    if shape[0] > shape[1]:
        kinds, wide = kinds.T, wide.T
    for column, values in zip(kinds.T, wide.T, strict=True):
        plain = np.abs(values[column < 0])
        hidden = column.max() >= KINDS.index("least subnormal")
        assert (plain == 0).all() if hidden else ((plain >= 1) & (plain <= 5)).all()


def test_rows_that_are_made_in_parts_are_those_of_the_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = planted((23, 40), DTYPES[2])
    monkeypatch.setattr("conformance.values.fill.AT_ONCE", 80)
    assert planted((23, 40), DTYPES[2]).tobytes() == whole.tobytes()


def test_another_seed_makes_other_values() -> None:
    assert planted((4, 20), DTYPES[0], 1).tobytes() != planted((4, 20), DTYPES[0], 2).tobytes()
