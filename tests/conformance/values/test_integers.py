"""Recipes fill tensors of integers too: small numbers, codes of places, ends and any bits."""

import numpy as np
import pytest
from hypothesis import find

from conformance.call.case import Tensor
from conformance.draw.values import MOVED, MOVED_FIRST
from conformance.values.fill import ADDRESS, BITS, Fill, expand, families_of

DTYPES = [np.dtype(name) for name in ("int8", "uint8", "int16", "int32", "uint32", "int64")]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("family", MOVED_FIRST)
def test_the_same_recipe_makes_the_same_bytes(family: str, dtype: np.dtype) -> None:
    fill = Fill((family,), seed=5)
    first, second = (expand(fill, (4, 9), dtype) for _ in range(2))
    assert first.dtype == dtype
    assert first.tobytes() == second.tobytes()
    assert first.tobytes() != expand(Fill((family,), seed=6), (4, 9), dtype).tobytes()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_small_numbers_are_never_zero_and_of_both_signs_if_there_are_two(dtype: np.dtype) -> None:
    array = expand(Fill(("lattice",), seed=1), (200, 300), dtype)
    assert (array != 0).all()
    assert (array < 0).any() == (dtype.kind == "i")
    assert np.abs(array.astype(np.int64)).max() > 50


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_a_code_tells_a_row_and_a_column_from_those_beside_it(dtype: np.dtype) -> None:
    array = expand(Fill((ADDRESS,), seed=3), (2, 3, 40), dtype).reshape(6, 40)
    assert (array != 0).all()
    assert (array[1:] != array[:-1]).all()
    assert (array[:, 1:] != array[:, :-1]).all()
    assert len({row.tobytes() for row in array}) == 6
    held = expand(Fill((ADDRESS,), seed=3), (2, 40), dtype, np.array([1, 4]))
    assert np.array_equal(held, array[[1, 4]]), "of a tensor that lists its rows"


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("family", ["special", BITS])
def test_the_ends_of_a_data_type_appear(family: str, dtype: np.dtype) -> None:
    array = expand(Fill((family,), seed=1), (80, 90), dtype)
    limits = np.iinfo(dtype)
    assert {limits.min, limits.max, limits.max - 1, 0, 1} <= {*array.ravel().tolist()}
    assert family == "special" or np.unique(array).size > 200


def test_a_mixture_has_the_columns_that_its_families_say() -> None:
    fill = Fill((ADDRESS, BITS), seed=2)
    array = expand(fill, (100, 7), np.dtype(np.int32))
    wide = (np.abs(array.astype(np.int64)) > 1 << 20).any(axis=0)
    assert wide.sum() in (3, 4)
    assert families_of(fill, 7) == (ADDRESS, BITS)


def test_a_recipe_of_moved_integers_shrinks_to_small_numbers_of_seed_0() -> None:
    fill = find(MOVED, lambda _: True)
    assert (fill.stripes, fill.seed) == (("lattice",), 0)
    tensor = Tensor((1, 2), "int8", fill=fill)
    assert np.abs(tensor.materialize().astype(int)).max() < 128
    assert tensor.text.startswith("int8[1x2] = lattice (seed 0): [")


@pytest.mark.parametrize("family", ["gaussian", "knife", "cancellation"])
def test_a_family_of_floats_has_no_integers(family: str) -> None:
    with pytest.raises(KeyError, match=family):
        expand(Fill((family,), seed=1), (2, 2), np.dtype(np.int8))
