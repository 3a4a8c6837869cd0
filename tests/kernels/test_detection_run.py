"""What the run that counts gates says of a mistake; no case is drawn before it is judged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from conformance.suite import records as suite
from tests.kernels.detection_run import Detection, Kept, cells_of
from tests.kernels.mutants import Mutant
from tests.kernels.mutation_run import MUTANTS

MUTANT = Mutant("tail-lost", "x/x_kernel.cpp", "before", "after")
IN_DOUBT = replace(MUTANT, quarantined="no range")
REORDERING = Mutant("pairs-swapped", "x/x_kernel.cpp", "before", "after", reorders=True)


def test_a_mistake_is_well_known_when_every_seed_finds_it() -> None:
    found = Detection(MUTANT, (3, 1, 8), 2.4)
    assert found.well
    assert str(found) == f"{'tail-lost':48} found 3/3, after 3 cases, at most 8, 2 s"
    lost = Detection(MUTANT, (3, None, 8), 2.4)
    assert not lost.well
    assert "found 2/3, after 6 cases" in str(lost)
    assert not Detection(MUTANT, (None,), 1.0).well


def test_a_mistake_that_documented_calls_alone_show_is_found_by_every_gate() -> None:
    told = Detection(MUTANT, (0, 0), 1.0)
    assert told.well
    assert "found 2/2 by documented calls alone" in str(told)


def test_one_that_only_reorders_additions_must_not_be_found() -> None:
    assert Detection(REORDERING, (None, None), 1.0).well
    assert "none is due: the order is open" in str(Detection(REORDERING, (None, 4), 1.0))
    assert not Detection(REORDERING, (None, 4), 1.0).well


def test_one_that_a_call_in_quarantine_shows_must_be_told_and_not_refused() -> None:
    told = Detection(IN_DOUBT, (None,), 1.0, told=True)
    assert told.well
    assert "none is due: the call no range is in quarantine, and told otherwise" in str(told)
    unseen = Detection(IN_DOUBT, (None,), 1.0)
    assert not unseen.well
    assert "and told as of the right kernel" in str(unseen)
    assert not Detection(IN_DOUBT, (3,), 1.0, told=True).well


def test_cases_are_drawn_when_they_are_asked_for_and_once() -> None:
    drawn: list[int] = []

    def cases() -> Iterator[Any]:
        for number in range(5):
            drawn.append(number)
            yield number

    kept = Kept(cases())
    assert list(islice(kept, 2)) == [0, 1]
    assert drawn == [0, 1]
    assert list(kept) == list(kept) == [0, 1, 2, 3, 4]
    assert drawn == [0, 1, 2, 3, 4]


def test_every_mistake_can_show_in_some_cell_and_only_in_its_own() -> None:
    for operator in suite.operators():
        for mutant in MUTANTS[operator.name]:
            cells = list(cells_of(operator, mutant))
            if "int8" not in mutant.dtypes:
                assert cells, mutant.name
            assert {dtype for _, _, dtype in cells} <= set(mutant.dtypes)
            assert {mode for _, mode, _ in cells} <= set(
                mutant.modes or (mode.name for mode in operator.modes)
            )
