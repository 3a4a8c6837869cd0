"""A mistake is named when it explains the wrong elements, and its evidence is counted."""

import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest

from conformance.diagnosis.guess import Guess, Guesses, joint, told
from conformance.diagnosis.guesses import diagnose, guesses
from conformance.diagnosis.subject import Subject
from conformance.numerics.addends import Rule, delivered, exactly
from conformance.numerics.elements import judge_elements
from conformance.numerics.gather import gather, gather_elements
from conformance.numerics.order import emulate, sequential
from conformance.numerics.rounding import IEEE_BEHAVIOUR
from reference.floats import BF16, FP16, FP32, round_once, to_bits, truncate
from reference.terms import Terms
from tests.conformance.diagnosis.subjects import (
    HIDDEN,
    SLOTS,
    TOKENS,
    right_rows,
    source,
    subject,
    summed,
)

ROWS = right_rows()
DROPPED = np.where(np.arange(TOKENS * SLOTS).reshape(ROWS.shape) % 5 == 0, -1, ROWS)


def guessed(observed, x, rows=ROWS, storage=FP16, **fields):
    return list(told(guesses(subject(observed, x, rows, storage, **fields))))


def values_of(x, rows=ROWS):
    terms = Terms(np.asarray(rows, np.int64), "x")
    return gather(x, terms, slice(None), slice(None)).astype(np.float64)


def exact(x, rows=ROWS):
    return values_of(x, rows).sum(axis=0)


def narrow(x):
    return to_bits(emulate(sequential(SLOTS), values_of(x), FP16), FP16)


def cut_additions(x):
    total = np.zeros((TOKENS, HIDDEN))
    for term in values_of(x):
        total = truncate(total + term, FP32)
    return to_bits(total, FP32)


@pytest.mark.parametrize(
    ("storage", "mistake", "words"),
    [
        (FP16, lambda x: to_bits(truncate(exact(x), FP16), FP16), "truncated, not rounded, to"),
        (FP16, narrow, "added up in fp16, not in fp32"),
        (
            FP32,
            lambda x: to_bits(round_once(values_of(x), BF16).sum(axis=0), FP32),
            "rounded to bf16 before",
        ),
        (FP32, cut_additions, "every addition is truncated, not rounded, to fp32"),
        (FP16, lambda x: summed(x, ROWS) + np.uint16(1), "the next one away from zero"),
        (FP16, lambda x: np.zeros((TOKENS, HIDDEN), np.uint16), "the output is zero"),
        (FP16, lambda x: to_bits(exact(x) - values_of(x)[2], FP16), "slot 2 is left out"),
        (FP16, lambda x: to_bits(exact(x) + values_of(x)[0], FP16), "slot 0 is added twice"),
        (FP16, lambda x: to_bits(values_of(x)[1], FP16), "slot 1 is copied alone"),
    ],
)
def test_a_mistake_of_arithmetic_is_named_first(storage, mistake, words):
    x = source(storage=storage)
    merges = sequential(SLOTS) if "added up" in words or storage == FP32 else None
    found = guessed(mistake(x), x, storage=storage, merges=merges)
    assert any(words in guess for guess in found[:2]), found


def shifted(rows, step):
    return np.clip(np.where(rows >= 0, rows + step, -1), -1, TOKENS * SLOTS - 1)


@pytest.mark.parametrize(
    ("rows", "wrong_rows", "words"),
    [
        (ROWS, np.argsort(ROWS.ravel()).reshape(ROWS.shape), "inverse (argsort for rank)"),
        (DROPPED, np.where(DROPPED < 0, 0, DROPPED), "a dropped slot is read as row 0"),
        (
            DROPPED,
            np.where(DROPPED < 0, TOKENS * SLOTS - 1, DROPPED),
            "a dropped slot is read as the last row",
        ),
        (ROWS, shifted(ROWS, 1), "every slot reads the row after its own"),
        (ROWS, shifted(ROWS, -1), "every slot reads the row before its own"),
        (
            ROWS,
            np.c_[ROWS, np.append(ROWS.ravel()[SLOTS::SLOTS], -1)],
            "one slot too many is added",
        ),
        (ROWS, ROWS.ravel().reshape(SLOTS, TOKENS).T, "slots and rows of the index are exchanged"),
        (ROWS, np.repeat(ROWS[:, :1], SLOTS, axis=1), "every slot reads the row of slot 0"),
        (ROWS, ROWS[::-1], "the rows come in reverse"),
        (ROWS, np.roll(ROWS, -1, axis=0), "every row holds the sum of the next one"),
    ],
)
def test_a_mistake_of_indexing_is_named_first(rows, wrong_rows, words):
    x = source()
    found = guessed(summed(x, wrong_rows), x, rows)
    assert words in found[0]


def test_an_index_that_wraps_is_named():
    x = source(rows=300)
    rows = np.arange(298, 280, -1).reshape(6, 3)
    assert "it wraps after 8 bits" in guessed(summed(x, rows & 255), x, rows)[0]


def without_slot_2(x, rows_of=2):
    observed = summed(x, ROWS)
    observed[rows_of] = summed(x, np.c_[ROWS[:, :2], np.full(TOKENS, -1)])[rows_of]
    return observed


def test_the_evidence_counts_what_is_explained():
    x = source("lattice")
    (guess,) = guessed(without_slot_2(x, slice(None)), x)
    assert guess == "guess: slot 2 is left out (explains all 480 wrong elements looked at)"


def test_a_mistake_that_would_make_right_elements_wrong_is_told_of_its_row_alone():
    x = source("lattice")
    (guess,) = guessed(without_slot_2(x), x)
    assert guess.startswith(f"guess: row {ROWS[2, 2]} of x is left out wherever it is named")
    rows = ROWS.copy()
    rows[3, 0] = rows[2, 2]  # which has that row, too
    observed = summed(x, rows)
    observed[2] = summed(x, np.c_[rows[:, :2], np.full(TOKENS, -1)])[2]
    (guess,) = guessed(observed, x, rows)
    assert guess == (
        "guess: slot 2 of row 2 is left out (explains all 40 wrong elements looked at)"
    )


def test_a_mistake_everywhere_explains_the_right_elements_too():
    x = source()
    first = guessed(to_bits(truncate(exact(x), FP16), FP16), x)[0]
    assert "explains all " in first
    assert " and leaves " in first
    assert first.endswith(" right ones right)")


def test_one_element_that_contradicts_it_ends_a_guess():
    x = source("lattice")
    observed = without_slot_2(x)
    observed[2, 7] = 0x1234
    assert guessed(observed, x) == []


def test_a_right_element_that_contradicts_it_ends_a_guess():
    x = source("lattice")
    observed = without_slot_2(x, slice(None))
    observed[5] = summed(x, ROWS)[5]
    assert not any(guess.startswith("guess: slot 2 is left out") for guess in guessed(observed, x))


def test_what_chance_may_explain_is_not_told():
    x = source("lattice")
    observed = summed(x, ROWS)
    observed[0, 0] = 0
    assert guessed(observed, x) == []


def test_infinities_and_nans_are_looked_at_without_a_warning():
    x = source("special")
    observed = np.full((TOKENS, HIDDEN), 0x7C00, np.uint16)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(diagnose(subject(observed, x, ROWS)).guesses) == []


def test_half_of_the_wrong_elements_is_no_evidence():
    x = source("lattice")
    observed = summed(x, ROWS)
    observed[2] = summed(x, np.c_[ROWS[:, :2], np.full(TOKENS, -1)])[2]
    observed[2, ::2] = 0x1234
    assert guessed(observed, x) == []


def test_of_more_than_two_kinds_of_mistake_that_explain_as_much_none_is_told():
    x = np.ones((TOKENS * SLOTS, HIDDEN), np.float16)
    assert guessed(summed(x, ROWS) * 0 + 0x4400, x) == []


def test_poison_is_named_by_its_bits():
    x = source()
    observed = summed(x, ROWS)
    observed[:, 32:] = 0x7FA5
    (guess,) = guessed(observed, x, unwritten=96)
    assert (
        "the device found 96 untouched, and the wrong elements that were looked at, 96, hold the"
        in guess
    )
    assert "hold the bits 0x7fa5" in guess


def test_a_nan_from_finite_terms_points_at_what_must_not_be_read():
    x = source()
    observed = summed(x, ROWS)
    observed[3] = 0x7E00
    assert "something that must not be read was added" in guessed(observed, x)[-1]


def test_a_canary_row_that_is_read_is_told_by_its_index():
    x = source()
    x[0] = np.nan
    rows = np.where(ROWS == 0, -1, ROWS)
    found = guessed(summed(x, np.maximum(rows, 0)), x, rows)
    assert "a dropped slot is read as row 0" in found[0]


def test_the_rows_of_one_expert_are_recognized():
    x = source("lattice", rows=40)
    rows = np.arange(36).reshape(12, 3)[np.random.default_rng(1).permutation(12)]
    observed = summed(x, rows)
    hit = (rows // 10 == 2).any(axis=1)
    observed[hit] ^= 1
    found = diagnose(subject(observed, x, rows, segment=10))
    assert found.pattern.endswith("all rows that add from x[2] and no other")


def test_nonsense_has_a_pattern_and_no_guess():
    x = source()
    observed = np.random.default_rng(0).integers(0, 0x7C00, (TOKENS, HIDDEN)).astype(np.uint16)
    found = diagnose(subject(observed, x, ROWS))
    assert found.guesses == ()


def weighted(cast=None, **changed):
    """The subject of a weighted sum whose kernel has other coefficients, rows or cast."""
    x, terms = source(), Terms(ROWS, "x", WEIGHTS, cast)
    rule = Rule(FP32, FP16, FP16, FP32, None if cast is None else FP16, "never")

    def patterns(made):
        at = np.indices((TOKENS, HIDDEN)).reshape(2, -1)
        values = gather_elements(x, made, *at).astype(np.float64)
        factors = made.coefficients[at[0]].T.astype(np.float64)
        added = delivered(values, factors, rule, IEEE_BEHAVIOUR, bare=False)
        return exactly(added), to_bits(emulate(sequential(SLOTS), added.copy(), FP32), FP16)

    seen = patterns(replace(terms, **changed))[1]
    wrong = ~judge_elements(patterns(terms)[0], seen, FP32, FP16).ok
    shape = (TOKENS, HIDDEN)
    return Subject("y", wrong.reshape(shape), seen.reshape(shape), terms, x, rule)


WEIGHTS = np.random.default_rng(4).uniform(0.1, 1, ROWS.shape).astype(np.float32)


@pytest.mark.parametrize("cast", [None, "float16"])
def test_mistakes_of_weighted_sums_are_named_too(cast):
    left_out = np.where(np.arange(SLOTS) == 2, 0, WEIGHTS).astype(np.float32)
    found = told(guesses(weighted(cast, coefficients=left_out)))
    assert "slot 2 is left out" in found[0]
    inverse = np.argsort(ROWS.ravel()).reshape(ROWS.shape)
    found = told(guesses(weighted(cast, rows=inverse)))
    assert "argsort for rank" in found[0]


def test_a_nan_of_a_weighted_sum_points_at_a_term_that_is_left_out_too():
    changed = WEIGHTS.copy()
    changed[3] = np.nan
    (guess,) = other_weights(changed)
    assert "infinity or NaN times a coefficient of 0" in guess


def test_a_slot_beyond_the_last_has_the_coefficient_that_lies_behind_it():
    subject_of = weighted(rows=ROWS[::-1])
    found = subject_of.weights(np.array([0, TOKENS - 1]), SLOTS + 1)
    assert found[:, 0].tolist() == [*WEIGHTS[0].tolist(), float(WEIGHTS[1, 0])]
    assert found[-1, 1] == 0


def other_weights(changed):
    return list(told(guesses(weighted(coefficients=changed.astype(np.float32)))))


def test_coefficients_of_other_places_are_named():
    (guess,) = other_weights(np.ones_like(WEIGHTS))
    assert "the coefficients are ignored" in guess
    (guess,) = other_weights(np.roll(WEIGHTS, 1, axis=0))
    assert "every row has the coefficients of the one before" in guess
    (guess,) = other_weights(WEIGHTS[np.r_[:6, :6]])
    assert "row 6 has the coefficients of row 0; row 7 has the coefficients of row 1" in guess


def test_a_guess_that_a_larger_case_contradicts_is_not_told():
    def found(*guessed_of):
        return Guesses(
            lambda: [Guess(words, nature, sure=sure) for words, nature, sure in guessed_of]
        )

    small = found(("a", "A", True))
    assert joint(small, found(("b", "B", True))) == ()
    assert joint(small, found(("a2", "A", True), ("b", "B", True))) == ("a2",)
    assert joint(found(("a", "A", False)), found(("b", "B", True))) == ("b",)
    assert joint(small, found()) == ()


def test_a_guess_reaches_another_process_whole() -> None:
    made = Guess("words", "nature", "key", rank=2, sure=False, anew=True)
    again = pickle.loads(pickle.dumps(made))
    assert again == made
    assert (again.nature, again.key, again.rank) == ("nature", "key", 2)
    assert (again.sure, again.anew) == (False, True)


def test_where_no_output_row_adds_any_no_row_is_named():
    nothing = np.full((TOKENS, SLOTS), -1)
    ones = to_bits(np.ones((TOKENS, HIDDEN)), FP16)
    made = subject(ones, source()[:0], nothing)
    assert made.named_rows() == []
    assert list(told(guesses(made))) == []
