"""What the run over diagnoses says of a guess, and what it knows of the seeded mistakes."""

from __future__ import annotations

import pytest

from conformance.suite.records import operators
from tests.kernels.diagnoses_run import AMONG, MISLEADING, PLACE, RIGHT, expected, outcome, works
from tests.kernels.natures import EXPECTED, LOST, ROWS, WEIGHTS, WORDS, named

LEFT_OUT = "guess: slot 2 is left out (explains all 40 wrong elements looked at)"
OTHER_ROW = "guess: slot 2 reads row 3 of x, not row 5 of x (explains all 40 wrong elements)"


@pytest.mark.parametrize(
    ("told", "is_"),
    [
        ([], PLACE),
        ([LEFT_OUT], RIGHT),
        ([LEFT_OUT, LEFT_OUT], RIGHT),
        ([OTHER_ROW, LEFT_OUT], AMONG),
        ([OTHER_ROW], MISLEADING),
    ],
)
def test_a_diagnosis_is_held_against_what_is_written_of_the_mistake(
    told: list[str], is_: str
) -> None:
    assert outcome([LOST], told) == is_


def test_a_nature_is_told_by_words_of_its_own() -> None:
    assert set(named(LEFT_OUT)) >= {LOST}
    assert not {ROWS, WEIGHTS} & set(named(LEFT_OUT))
    assert ROWS in named(OTHER_ROW)
    assert LOST not in named(OTHER_ROW)


def test_a_sentence_without_a_cause_names_no_nature() -> None:
    assert not list(named("pattern: columns 7, 14, 16..17 and 4 more of every row"))


def test_every_nature_that_is_written_down_has_words() -> None:
    assert {nature for natures in EXPECTED.values() for nature in natures} <= WORDS.keys()


def test_a_sample_is_of_all_operators_and_the_same_each_time() -> None:
    sample = works([], [], 60)
    assert sample == works([], [], 60)
    assert len({operator for operator, _ in sample}) > 9


def test_most_mistakes_have_a_nature_on_record() -> None:
    """The others the machine reports: it is not asked where they show in values. Of values that are
    computed through functions, and of selections, no nature is told.
    """
    computed = {one.name for one in operators([]) if one.computes}
    every = [work for work in works([], [], 0) if work[0] not in computed]
    assert sum(bool(expected(mutant)) for _, mutant in every) > 0.8 * len(every)
