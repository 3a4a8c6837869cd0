"""Poison is no value that a kernel makes, and every element that holds it is counted."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from conformance import poison
from conformance.poison import pattern

GUARDS = [
    word | sign
    for word in range(poison.LEAST_GUARD, poison.MOST_GUARD + 1, 2)
    for sign in (0, 0x8000)
]
WORDS = [*poison.WHERE, *GUARDS]


def held(word: int, dtype: type) -> NDArray[Any]:
    memory = np.empty(8, np.uint8)
    poison.fill(memory, word)
    return memory.view(dtype)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32])
@pytest.mark.parametrize("word", WORDS, ids=hex)
def test_every_pattern_is_a_quiet_nan_that_no_arithmetic_makes(word: int, dtype: type) -> None:
    read = held(word, dtype)
    assert np.isnan(read.astype(np.float64)).all(), "which warns of a signalling one"
    with np.errstate(invalid="ignore"):
        made = [np.array([np.inf], dtype) - np.array([np.inf], dtype), np.array([np.nan], dtype)]
    for nan in (*made, -made[0], -made[1]):
        assert nan.tobytes() != read[:1].tobytes()


@pytest.mark.parametrize("word", [poison.OUTPUTS, poison.OUTPUTS_AGAIN])
def test_what_outputs_hold_is_a_nan_in_float64_too(word: int) -> None:
    assert np.isnan(held(word, np.float64)).all()


def test_the_two_patterns_of_outputs_differ_in_every_byte() -> None:
    first, again = pattern(poison.OUTPUTS), pattern(poison.OUTPUTS_AGAIN)
    assert all(one != other for one, other in zip(first, again, strict=True))


def test_patterns_are_told_apart_by_their_low_byte_and_none_is_twice_another() -> None:
    assert len({word & 0xFF for word in poison.WHERE}) == len(poison.WHERE)
    assert not {word & 0xFF for word in poison.WHERE} & {word & 0xFF for word in GUARDS}
    assert all(word % 2 for word in WORDS), "and twice a word is even"


def test_a_pattern_is_no_index() -> None:
    for word in poison.WHERE:
        for dtype in (np.int32, np.int64):
            index = int(held(word, dtype)[0])
            assert index > 2**30 or index < -(2**16)


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
