"""A wrong element that holds a pattern of memory that nobody wrote is told with where that lies."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from conformance import poison
from conformance.devices.guard_zones import guard_pattern
from conformance.diagnosis.origins import origins

SIZES = ("int8", "uint16", "float32", "int64")


def told(seen: NDArray[Any], wrong: Any = None, unwritten: Any = None) -> str:
    """What is said of an output in which all elements are wrong, or those of a mask."""
    mask = np.ones(seen.shape, np.bool_) if wrong is None else wrong
    return " | ".join(origins(seen, mask, unwritten))


def held(word: int, dtype: str, count: int = 4) -> NDArray[Any]:
    seen = np.empty(count, dtype)
    poison.fill(seen.view(np.uint8), word)
    return seen


@pytest.mark.parametrize("dtype", SIZES)
@pytest.mark.parametrize("word", poison.WHERE, ids=hex)
def test_a_pattern_is_told_at_every_size(dtype: str, word: int) -> None:
    assert told(held(word, dtype)).startswith(f"guess: read from {poison.WHERE[word]}: 4 of 4 ")


@pytest.mark.parametrize("dtype", ["uint16", "float32", "int64"])
@pytest.mark.parametrize("word", poison.WHERE, ids=hex)
def test_a_pattern_read_at_an_odd_address_is_told(dtype: str, word: int) -> None:
    moved = np.roll(held(word, dtype).view(np.uint8), 1).view(dtype)
    assert f"{poison.WHERE[word]}: 4 of 4 " in told(moved)
    assert "its bytes exchanged" in told(moved)


@pytest.mark.parametrize("word", poison.WHERE, ids=hex)
def test_a_part_of_a_pattern_is_told(word: int) -> None:
    signed = word - (1 << 16 if word >> 15 else 0)
    wide = (word << 16 | word) - (1 << 32 if word >> 15 else 0)
    for value, dtype in ((word, "int32"), (signed, "int32"), (word, "int64"), (wide, "int64")):
        assert f"{poison.WHERE[word]}: 3 of 3 " in told(np.full(3, value, dtype))


@pytest.mark.parametrize("word", poison.WHERE, ids=hex)
def test_what_is_computed_from_a_pattern_keeps_it(word: int) -> None:
    with np.errstate(invalid="ignore"):
        for dtype in (np.float16, ml_dtypes.bfloat16):
            read = np.array([word], np.uint16).view(dtype)
            wide = read.astype(np.float32) + np.arange(3, dtype=np.float32)
            assert f"read from {poison.WHERE[word]}: 3 of 3" in told(wide)


@pytest.mark.parametrize("word", poison.WHERE, ids=hex)
def test_integers_made_of_an_index_are_told(word: int) -> None:
    index = np.array([word << 16 | word], np.uint32).view(np.int32)
    with np.errstate(over="ignore"):
        for made in (index * np.int32(2), index * np.int32(8) + np.arange(8, dtype=np.int32)):
            assert f"read from {poison.WHERE[word]}: " in told(made)
    assert "8 times" in told(index.astype(np.int64) * 8 + np.arange(8))


@pytest.mark.parametrize("dtype", ["uint16", "float32", "int64"])
def test_what_a_guard_zone_held_is_told(dtype: str) -> None:
    assert told(guard_pattern(7, 64).view(dtype)) == (
        f"guess: read from {poison.IN_A_GUARD}: {64 // np.dtype(dtype).itemsize} of"
        f" {64 // np.dtype(dtype).itemsize} wrong elements hold odd words of it, from 0x7fc1 to"
        " 0x7fdf"
    )


@pytest.mark.parametrize("dtype", [*SIZES, "int32", "float16"])
def test_other_values_are_told_nothing_of(dtype: str) -> None:
    generator = np.random.default_rng(3)
    for _ in range(50):
        raw = generator.integers(0, 256, 8 * np.dtype(dtype).itemsize, np.uint8)
        assert told(raw.view(dtype)) == ""
    for value in (0, 1, -1, 127, -128):
        if np.dtype(dtype).kind != "u" or value >= 0:
            assert told(np.full(8, value, dtype)) == ""


def test_only_wrong_elements_are_evidence_and_of_them_most() -> None:
    seen = held(poison.INPUT_GAPS, "uint16", 8)
    wrong = np.array([True] * 4 + [False] * 4)
    assert ": 4 of 4 wrong elements hold 0x7ff9" in told(seen, wrong)
    seen[:2] = 5
    assert told(seen, wrong) == ""


def test_what_was_never_written_is_no_evidence() -> None:
    seen = held(poison.OUTPUTS, "uint16", 8)
    left = np.arange(8) >= 2
    assert ": 2 of 2 wrong elements hold 0x7ffb" in told(seen, unwritten=left)
    assert told(seen, unwritten=np.ones(8, np.bool_)) == ""
