"""Address-coded data tells which row and which columns were really read."""

import numpy as np
import pytest

from conformance.diagnosis.guesses import guesses
from conformance.diagnosis.sources import decoded
from reference.floats import BF16, FP16, FP32
from tests.conformance.diagnosis.subjects import (
    HIDDEN,
    SLOTS,
    TOKENS,
    coded,
    right_rows,
    source,
    subject,
    summed,
)

ROWS = right_rows()
FORMATS = (FP16, BF16, FP32)


def told(observed, x, storage, rows=ROWS, **fields):
    made = subject(observed, x, rows, storage, **{**coded(storage, rows.shape[1]), **fields})
    return list(decoded(made))


@pytest.mark.parametrize("storage", FORMATS, ids=lambda fmt: fmt.name)
def test_a_wrong_row_is_named(storage):
    x = source("address", storage)
    wrong = ROWS.copy()
    wrong[4, 1] = 30
    (sentence,) = told(summed(x, wrong, storage), x, storage)
    count = sentence.rsplit("(", 1)[1]
    assert sentence.startswith(
        f"decoded: y, row 4, slot 1 holds row 30 of x for row {ROWS[4, 1]} ("
    )
    assert count == f"{HIDDEN} of {HIDDEN} wrong coded elements agree)" or storage is BF16


@pytest.mark.parametrize("storage", FORMATS, ids=lambda fmt: fmt.name)
def test_moved_columns_are_named(storage):
    x = source("address", storage, terms=1)
    rows = np.arange(TOKENS)[:, None]
    observed = summed(x, rows, storage)
    observed[5, 16:32] = summed(x, rows, storage)[5, 8:24]
    (sentence,) = told(observed, x, storage, rows, **coded(storage, 1))
    assert sentence == (
        "decoded: y, row 5, slot 0 holds the right row, 5, of x, 8 columns before the right one"
        " (16 of 16 wrong coded elements agree)"
    )


def test_rows_that_are_all_moved_alike_are_summed_up():
    x = source("address", FP16, terms=1)
    rows = np.arange(TOKENS)[:, None]
    sentences = told(summed(x, rows + 2), x, FP16, rows, **coded(FP16, 1))
    assert len(sentences) == 4
    assert sentences[-1] == (
        "decoded: all 8 rows looked at read +2 rows, +0 columns from the right place"
    )


def test_a_row_with_two_wrong_slots_is_not_decoded():
    x = source("address", FP16)
    wrong = ROWS.copy()
    wrong[4] = [ROWS[4, 0], 30, 31]
    assert told(summed(x, wrong), x, FP16) == []


def test_nonsense_is_not_decoded():
    x = source("address", FP16)
    observed = summed(x, ROWS)
    observed[4] = np.random.default_rng(2).integers(0x5000, 0x6000, HIDDEN)
    assert told(observed, x, FP16) == []


def test_other_data_are_not_decoded():
    x = source("lattice", FP16)
    made = subject(summed(x, ROWS[::-1]), x, ROWS, FP16)
    assert list(decoded(made)) == []


def test_what_is_decoded_comes_before_the_guesses():
    x = source("address", FP16, rows=TOKENS * SLOTS + 4)
    wrong = ROWS.copy()
    wrong[4, 1] = 37
    made = subject(summed(x, wrong), x, ROWS, FP16, **coded())
    assert next(guesses(made)).startswith("decoded: y, row 4, slot 1 holds row 37 of x")
