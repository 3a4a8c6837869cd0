"""Mistakes in moving rows and counting are named from what came back alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from conformance.diagnosis import guess as of_guesses
from conformance.diagnosis.movement import Moved, guesses
from reference.floats import FP16

ROWS = np.random.default_rng(0).integers(0, 2**16, (24, 10)).astype(np.uint16)
RANKS = np.random.default_rng(1).permutation(24).astype(np.int32)


def told(expected: NDArray[Any], seen: NDArray[Any], **known: Any) -> list[str]:
    wrong = expected != seen
    assert wrong.any()
    return list(of_guesses.told(guesses(Moved(expected, seen, wrong, **known))))


def one(expected: NDArray[Any], seen: NDArray[Any], **known: Any) -> str:
    (guess,) = told(expected, seen, **known)
    return guess


@pytest.mark.parametrize(("away", "words"), [(1, "r + 1"), (-1, "r - 1"), (3, "r + 3")])
def test_rows_that_are_shifted(away: int, words: str) -> None:
    seen = ROWS.copy()
    source = np.arange(24) + away
    inside = (source >= 0) & (source < 24)
    seen[inside] = ROWS[source[inside]]
    guess = one(ROWS, seen)
    assert f"row r holds what belongs in row {words} (" in guess
    assert f"(all {24 - abs(away)} wrong rows)" in guess


def test_one_row_that_a_rule_does_not_explain_ends_it() -> None:
    seen = np.roll(ROWS, -1, axis=0)
    seen[4] ^= 1
    assert told(ROWS, seen) == []


def test_rows_read_column_by_column() -> None:
    seen = ROWS.reshape(4, 6, 10).transpose(1, 0, 2).reshape(24, 10)
    assert "rows lie as [6, 4] where they must as [4, 6]" in one(ROWS, seen)


def test_rows_in_reverse() -> None:
    assert "row r holds the row that belongs as far from the end" in one(ROWS, ROWS[::-1].copy())


def test_one_row_in_all_places() -> None:
    seen = ROWS.copy()
    seen[:] = ROWS[5]
    assert "all wrong rows hold what belongs in row 5" in one(ROWS, seen)


def test_rows_in_another_order() -> None:
    seen = ROWS[np.random.default_rng(3).permutation(24)]
    assert "guess: row 0 holds what belongs in row 13; row 1 holds" in one(ROWS, seen)


def test_what_was_never_written_is_said_and_nothing_else() -> None:
    seen = ROWS.copy()
    seen[3:9] = 0x7FFB
    assert "never written" in one(ROWS, seen, unwritten=60)


def test_rank_and_argsort_exchanged() -> None:
    guess = one(RANKS, np.argsort(RANKS).astype(np.int32))
    assert "the inverse permutation: argsort and rank are exchanged" in guess


def test_integers_that_are_off_by_a_constant() -> None:
    assert "each is 1 too large" in one(RANKS, RANKS + 1)
    assert "each is 7 too small" in one(RANKS, RANKS - 7)


def test_integers_cut_to_16_bits() -> None:
    wide = (RANKS.astype(np.int64) * 9973 + 60_000).astype(np.int32)
    assert "the low 16 bits" in one(wide, wide.astype(np.uint16).astype(np.int32))


def test_the_right_integers_in_another_order() -> None:
    seen = RANKS.copy()
    seen[[2, 7, 11, 12]] = seen[[7, 2, 12, 11]]
    assert "the right values in another order" in one(RANKS, seen)


HALVES = np.array([[0x7C01, 0xFD23, 0x8000, 0x0003], [0x7D55, 0x3C00, 0x8000, 0x8001]] * 3, "u2")


def test_signalling_nans_made_quiet() -> None:
    nan = (HALVES & 0x7FFF) > 0x7C00
    seen = np.where(nan, HALVES | 0x200, HALVES)
    assert "signalling NaNs were made quiet" in one(HALVES, seen, storage=FP16)


def test_nans_made_one() -> None:
    nan = (HALVES & 0x7FFF) > 0x7C00
    assert "every NaN became 0x7e00" in one(
        HALVES, np.where(nan, np.uint16(0x7E00), HALVES), storage=FP16
    )


def test_minus_zero_and_subnormals_lost() -> None:
    seen = np.where(HALVES == 0x8000, np.uint16(0), HALVES)
    assert "minus zero became plus zero" in one(HALVES, seen, storage=FP16)
    small = ((HALVES & 0x7FFF) < 0x400) & ((HALVES & 0x7FFF) > 0)
    seen = np.where(small, HALVES & 0x8000, HALVES).astype(np.uint16)
    assert "subnormals were flushed to zero" in one(HALVES, seen, storage=FP16)


def test_noise_is_explained_by_nothing() -> None:
    seen = np.random.default_rng(9).integers(0, 2**16, ROWS.shape).astype(np.uint16)
    assert told(ROWS, seen) == []


def test_a_single_wrong_element_is_no_evidence() -> None:
    seen = ROWS.copy()
    seen[0, 0] ^= 1
    assert told(ROWS, seen) == []


def test_beside_what_was_never_written_the_rest_is_told_by_its_rule() -> None:
    seen = ROWS.copy()
    seen[:-1] = ROWS[1:]
    seen[-1] = 0x7FFB
    assert one(ROWS, seen, unwritten=10) == (
        "guess: row r holds what belongs in row r + 1 (all 23 wrong rows)"
    )


def test_what_was_never_written_is_no_guess_where_the_rest_is_not_explained() -> None:
    seen = np.random.default_rng(9).integers(0, 2**16, ROWS.shape).astype(np.uint16)
    seen[-1] = 0x7FFB
    assert told(ROWS, seen, unwritten=10) == []


def test_one_zero_is_no_evidence() -> None:
    seen = RANKS.copy()
    seen[3] = 0
    assert told(RANKS, seen) == []


def test_ties_that_are_broken_otherwise_are_told_by_their_keys() -> None:
    keys = np.arange(24) // 4
    expected = np.argsort(keys, kind="stable").astype(np.int32)
    seen = expected.copy()
    seen[[4, 5, 8, 10]] = seen[[5, 4, 10, 8]]
    assert one(expected, seen, inputs={"keys": keys}) == (
        "guess: ties are broken otherwise: only elements of equal keys changed places"
    )


def test_counts_in_place_of_running_sums() -> None:
    counts = np.array([3, 1, 4, 1, 5], np.int32)
    assert "counts of each, where running sums" in one(np.cumsum(counts).astype(np.int32), counts)
    assert "running sums of the counts, where" in one(counts, np.cumsum(counts).astype(np.int32))
