"""Gathering terms: the right rows, exact, in bounded blocks, dropped slots unread."""

import ml_dtypes
import numpy as np
import pytest

from conformance.numerics.gather import blocks, factors, gather, gather_elements
from reference.terms import Terms

BF16 = np.dtype(ml_dtypes.bfloat16)
EVERYTHING = slice(None)


def terms(rows, **fields):
    return Terms(np.array(rows, np.int32).reshape(len(rows), -1), "x", **fields)


@pytest.mark.parametrize("dtype", [np.float16, BF16, np.float32])
def test_gathers_source_rows_slot_by_slot(dtype):
    source = np.arange(12, dtype=np.float32).reshape(4, 3).astype(dtype)
    gathered = gather(source, terms([[2, 0], [3, 3]]), EVERYTHING, EVERYTHING)
    assert gathered.dtype == np.float32
    assert gathered[:, 0].tolist() == [[6, 7, 8], [0, 1, 2]]
    assert gathered[:, 1].tolist() == [[9, 10, 11], [9, 10, 11]]


def test_a_slot_that_adds_nothing_contributes_a_positive_zero_and_reads_no_canary():
    source = np.array([[1.0], [np.nan]], np.float16)
    gathered = gather(source, terms([[-1, 0], [-1, -1]]), EVERYTHING, EVERYTHING)
    assert gathered[:, :, 0].tolist() == [[0.0, 0.0], [1.0, 0.0]]
    assert not np.signbit(gathered).any()


def test_gathers_a_window_of_rows_and_columns():
    source = np.arange(20, dtype=np.float32).reshape(4, 5)
    gathered = gather(source, terms([[0], [1], [2], [3]]), slice(1, 3), slice(3, 5))
    assert gathered.tolist() == [[[8.0, 9.0], [13.0, 14.0]]]


def test_a_row_outside_the_source_is_an_error_and_not_a_wrapped_index():
    with pytest.raises(ValueError, match=r"rows\[output row 0, slot 0\]=4"):
        list(blocks(terms([[4]]), np.zeros((4, 3), np.float32)))


def test_a_slot_that_adds_nothing_has_the_factor_zero_whatever_its_coefficient():
    weights = np.array([[2.0, np.nan], [0.5, -3.0]], np.float16)
    found = factors(terms([[0, -1], [1, 1]], coefficients=weights))
    assert found.tolist() == [[2.0, 0.0], [0.5, -3.0]]


def test_terms_without_coefficients_have_no_factors():
    assert factors(terms([[0, 1]])) is None


@pytest.mark.parametrize("budget", [4, 64, 400, 1 << 20])
def test_blocks_cover_every_element_once_within_the_budget(budget):
    rows = terms(np.zeros((7, 3), np.int32))
    source = np.zeros((1, 11), np.float32)
    seen = np.zeros((7, 11), int)
    for row_window, column_window in blocks(rows, source, budget):
        seen[row_window, column_window] += 1
        elements = seen[row_window, column_window].size
        assert elements * 3 * 4 <= max(budget, 3 * 4)
    assert (seen == 1).all()


@pytest.mark.parametrize(
    ("slots", "budget", "sizes"),
    [
        (3, 59, [4, 4, 3]),
        (3, 60, [5, 5, 1]),
        (1, 44, [11]),
        (1, 40, [10, 1]),
        (0, 40, [10, 1]),
        (3, 11, [1] * 11),
    ],
)
def test_a_block_is_as_wide_as_the_budget_holds(slots, budget, sizes):
    rows = Terms(np.zeros((1, slots), np.int32), "x")
    found = [window[1] for window in blocks(rows, np.zeros((1, 11), np.float32), budget)]
    assert [window.stop - window.start for window in found] == sizes


@pytest.mark.parametrize(("output_rows", "slots", "hidden"), [(0, 2, 3), (2, 0, 3), (2, 2, 0)])
def test_empty_axes_need_no_special_case(output_rows, slots, hidden):
    rows = Terms(np.zeros((output_rows, slots), np.int32), "x")
    source = np.zeros((1, hidden), np.float32)
    covered = sum(gather(source, rows, *window)[:1].size for window in blocks(rows, source))
    assert covered == (output_rows * hidden if slots else 0)


def test_single_elements_hold_the_same_terms_as_the_window_around_them():
    source = np.arange(20, dtype=np.float32).reshape(4, 5)
    rows = terms([[2, 0], [3, -1]])
    window = gather(source, rows, EVERYTHING, EVERYTHING)
    where = np.array([0, 1, 1]), np.array([4, 0, 2])
    assert (gather_elements(source, rows, *where) == window[:, where[0], where[1]]).all()
