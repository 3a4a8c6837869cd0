"""The pattern of a mismatch, in the words of someone who looks at the tensor."""

import numpy as np
import pytest

from conformance.diagnosis.pattern import ordinal, pattern


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
        (
            mask((slice(2, 4), slice(16, 32))),
            "columns 16..31 of rows 2..3, one tile, if tiles are 16 columns wide",
        ),
        (mask((slice(2, 4), slice(17, 33))), "columns 17..32 of rows 2..3"),
        (
            mask((ALL, slice(16, None))),
            "columns 16..35 of every row, the end of a row from a multiple of 32 bytes on",
        ),
        (
            mask((ALL, slice(0, None, 16)), shape=(4, 64)),
            "columns 0, 16, 32, 48 of every row, every 16th column, as if once in each tile",
        ),
        (
            mask((ALL, slice(2, None, 5)), shape=(4, 20)),
            "columns 2, 7, 12, 17 of every row, every 5th column",
        ),
        (mask((slice(1, None, 3), ALL)), "whole rows 1, 4, 7, every 3rd row from row 1 on"),
        (mask((slice(1, 6, 2), ALL)), "whole rows 1, 3, 5"),
        (
            mask((1, 33), (4, 35)),
            "2 elements scattered over rows 1, 4 and columns 33, 35,"
            " the last partial 32 bytes of a row",
        ),
        (
            mask((5, slice(20, None)), (slice(6, None), ALL)),
            "everything from row 5, column 20 on in memory order, 88 elements",
        ),
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
    wrong = mask(*((row, ALL) for row in range(0, 40, 2)), shape=(50, 4))
    assert pattern(wrong, 2) == "whole rows 0, 2, 4, 6, 8, 10 and 14 more"


@pytest.mark.parametrize(
    ("rows", "cores", "sentence"),
    [
        (slice(3, 6), 3, "whole rows 3..5, what core 1 of 3 does if the rows are shared in order"),
        (slice(3, 6), 4, "whole rows 3..5"),
        (slice(5, 7), 4, "whole rows 5..6"),
        (slice(4, 6), 4, "whole rows 4..5, what core 2 of 4 does if the rows are shared in order"),
        (slice(3, 4), 8, "whole row 3"),
    ],
)
def test_the_share_of_one_core_is_named(rows, cores, sentence):
    assert pattern(mask((rows, ALL)), 2, cores) == sentence


def test_both_ways_to_share_rows_are_known():
    wrong = mask((slice(4, 7), ALL), shape=(10, 4))
    assert pattern(wrong, 2, cores=3).endswith(
        "what core 1 of 3 does if the rows are shared in order"
    )
    wrong = mask((slice(8, 10), ALL), shape=(10, 4))
    assert "what core 2 of 3 does" in pattern(wrong, 2, cores=3)


def test_rows_that_have_something_in_common_are_named_by_it():
    wrong = mask((1, ALL), (6, ALL))
    readers = {"all rows that add from x[2]": np.array([1, 6]), "others": np.array([1, 5])}
    assert pattern(wrong, 2, readers=readers) == "whole rows 1, 6, all rows that add from x[2]"


@pytest.mark.parametrize(("number", "word"), [(1, "1st"), (2, "2nd"), (11, "11th"), (23, "23rd")])
def test_ordinals(number, word):
    assert ordinal(number) == word
