"""Poison is no value that a kernel makes, and every element that holds it is counted."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from conformance import poison
from conformance.poison import OUTPUTS, pattern


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
def test_the_poison_is_a_nan_in_every_floating_format(dtype: type) -> None:
    assert np.isnan(np.frombuffer(pattern(OUTPUTS) * 4, dtype).astype(np.float64)).all()


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32])
def test_the_poison_is_no_nan_that_arithmetic_makes(dtype: type) -> None:
    poison = np.frombuffer(pattern(OUTPUTS) * 4, dtype)
    with np.errstate(invalid="ignore"):
        made = [np.array([np.inf], dtype) - np.array([np.inf], dtype), np.array([np.nan], dtype)]
    for nan in made:
        assert nan.tobytes() != poison[:1].tobytes()


@pytest.mark.parametrize("itemsize", [1, 2, 4, 8])
@pytest.mark.parametrize("written", [0, 1, 3, 5])
def test_every_element_that_was_not_written_is_counted(itemsize: int, written: int) -> None:
    elements = np.empty(5 * itemsize, np.uint8)
    poison.fill(elements)
    elements[: written * itemsize] = 0
    assert poison.count(elements, itemsize) == 5 - written


def test_an_element_written_in_part_counts_as_written() -> None:
    elements = np.empty(16, np.uint8)
    poison.fill(elements)
    elements[5] = 0
    assert poison.count(elements, 4) == 3


def test_poison_is_counted_in_every_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.poison.COUNTED_AT_ONCE", 8)
    elements = np.zeros(40, np.uint8)
    poison.fill(elements)
    elements[12] = 0
    assert [poison.count(elements, size) for size in (1, 2, 4, 8)] == [39, 19, 9, 4]
