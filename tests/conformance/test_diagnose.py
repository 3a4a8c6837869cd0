"""The pattern of a mismatch, in the words of someone who looks at the tensor."""

import numpy as np
import pytest

from conformance.diagnose import guesses, pattern
from reference.floats import FP16, FP32, from_bits, to_bits, truncate


def mask(*windows, shape=(8, 36)):
    wrong = np.zeros(shape, bool)
    for rows, columns in windows:
        wrong[rows, columns] = True
    return wrong


ALL = slice(None)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (mask((ALL, ALL)), "all elements"),
        (mask((3, ALL), (7, ALL)), "whole rows 3, 7"),
        (mask((slice(6, None), ALL)), "whole rows 6..7, the last ones"),
        (
            mask((ALL, slice(32, None))),
            "columns 32..35 of every row, the last partial 32 bytes of a row",
        ),
        (mask((ALL, slice(30, None))), "columns 30..35 of every row, the end of a row"),
        (mask((ALL, slice(5, 8))), "columns 5..7 of every row"),
        (mask((slice(2, 4), slice(16, 32))), "columns 16..31 of rows 2..3"),
        (mask((1, 5)), "one element, row 1, column 5"),
        (mask((1, 5), (2, 9), (2, 30)), "3 elements scattered over rows 1..2 and columns 5, 9, 30"),
        (
            mask((1, slice(20, None)), (2, slice(0, 4))),
            "one run of 20 elements in memory order, from row 1, column 20 to row 2, column 3",
        ),
    ],
)
def test_patterns(wrong, sentence):
    assert pattern(wrong, itemsize=2) == sentence


def test_long_lists_are_cut():
    wrong = mask(*((row, ALL) for row in range(0, 40, 2)), shape=(40, 4))
    assert pattern(wrong, 2) == "whole rows 0, 2, 4, 6, 8, 10 and 14 more"


VALUES = np.array([[1.0, 2.0], [2.0**-11 * 1.5, 2.0**-10 * 1.5], [0.5, 0.25]])


def guessed(observed, values=VALUES, storage=FP16, unwritten=0):
    bits = to_bits(np.asarray(observed, np.float64), storage)
    return " ".join(guesses(values, bits, storage, FP32, unwritten))


def test_a_truncated_sum_is_named():
    assert "truncated" in guessed(truncate(VALUES.sum(axis=0), FP16))


def test_a_slot_left_out_is_named():
    assert "slot 2 is left out" in guessed(VALUES[:2].sum(axis=0))


def test_a_slot_added_twice_is_named():
    assert "slot 0 is added twice" in guessed(VALUES.sum(axis=0) + VALUES[0])


def test_zeros_are_named():
    assert "zero" in guessed([0.0, 0.0])


def test_accumulation_in_storage_is_named():
    values = np.array([[1.0], [2.0**-11], [2.0**-11]])
    assert "added up in fp16" in guessed([1.0], values)


def test_a_nan_from_finite_terms_points_at_what_must_not_be_read():
    assert "must not be read" in guessed([np.nan, np.nan])


def test_poison_is_named_by_its_bits():
    bits = np.array([0x7FA5, 0x7FA5], np.uint16)
    assert "0x7fa5" in " ".join(guesses(VALUES, bits, FP16, FP32, unwritten=2))


def test_no_guess_without_evidence():
    assert guessed(from_bits(np.array([0x1234, 0x4321], np.uint16), FP16)) == ""
