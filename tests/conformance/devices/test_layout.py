"""Guards and poison show every byte that a call wrote where it should not, or left unwritten."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from conformance.devices.layout import (
    GUARD_AFTER,
    GUARD_BEFORE,
    POISON,
    Bytes,
    count_poisoned,
    fill_guards,
    fill_poison,
    guard_damage,
    guard_pattern,
    same_bytes,
)
from conformance.devices.messages import Damage


@pytest.fixture
def image() -> Bytes:
    image = np.zeros(GUARD_BEFORE + 10 + GUARD_AFTER, np.uint8)
    fill_guards(image, 0)
    return image


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
def test_the_poison_is_a_nan_in_every_floating_format(dtype: type) -> None:
    assert np.isnan(np.frombuffer(POISON * 4, dtype).astype(np.float64)).all()


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32])
def test_the_poison_is_no_nan_that_arithmetic_makes(dtype: type) -> None:
    poison = np.frombuffer(POISON * 4, dtype)
    with np.errstate(invalid="ignore"):
        made = [np.array([np.inf], dtype) - np.array([np.inf], dtype), np.array([np.nan], dtype)]
    for nan in made:
        assert nan.tobytes() != poison[:1].tobytes()


def test_intact_guards_are_no_damage(image: Bytes) -> None:
    image[GUARD_BEFORE : GUARD_BEFORE + 10] = 255
    assert guard_damage(image, "y", 0) == []


@pytest.mark.parametrize("offset", [-GUARD_BEFORE, -1, 10, 10 + GUARD_AFTER - 1])
def test_one_changed_guard_byte_is_found(image: Bytes, offset: int) -> None:
    image[GUARD_BEFORE + offset] ^= 1
    assert guard_damage(image, "y", 0) == [Damage("y", offset, 1)]


def test_damage_on_both_sides_is_two_findings(image: Bytes) -> None:
    image[GUARD_BEFORE - 4 : GUARD_BEFORE] ^= 0xFF
    image[GUARD_BEFORE + 10 : GUARD_BEFORE + 12] ^= 0xFF
    assert guard_damage(image, "y", 0) == [Damage("y", -4, 4), Damage("y", 10, 2)]


def test_no_two_guards_are_alike() -> None:
    patterns = {guard_pattern(place, 512).tobytes() for place in range(8)}
    assert len(patterns) == 8


@pytest.mark.parametrize("itemsize", [1, 2, 4, 8])
@pytest.mark.parametrize("written", [0, 1, 3, 5])
def test_every_element_that_was_not_written_is_counted(itemsize: int, written: int) -> None:
    elements = np.empty(5 * itemsize, np.uint8)
    fill_poison(elements)
    elements[: written * itemsize] = 0
    assert count_poisoned(elements, itemsize) == 5 - written


def test_an_element_written_in_part_counts_as_written() -> None:
    elements = np.empty(16, np.uint8)
    fill_poison(elements)
    elements[5] = 0
    assert count_poisoned(elements, 4) == 3


def test_bytes_are_compared_to_the_last() -> None:
    left, right = np.zeros(9, np.uint8), np.zeros(9, np.uint8)
    assert same_bytes(left, right)
    right[8] = 1
    assert not same_bytes(left, right)
    assert same_bytes(left[:0], right[:0])


def test_poison_is_counted_in_every_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.devices.layout.COUNTED_AT_ONCE", 8)
    elements = np.zeros(40, np.uint8)
    fill_poison(elements)
    elements[12] = 0
    assert [count_poisoned(elements, size) for size in (1, 2, 4, 8)] == [39, 19, 9, 4]
