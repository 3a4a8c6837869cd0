"""Covered rows: each is judged, and a refused one lets go the levels that are irrelevant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import strategies as st

from conformance.call.case import Case, Tensor
from conformance.call.observation import Observation, Outcome
from conformance.draw.profiles import PROFILES
from conformance.evidence.part import WHOLE_ITEM, Part
from conformance.judge.verdict import Verdict
from conformance.record.cells import Axis, Cells, Levels
from conformance.session.binding import OfRun, bind
from conformance.session.search_budget import SearchBudget
from conformance.session.template import record
from conformance.session.trial import Refused, Trial
from tests.conformance.toy.records.copying import OPERATOR

AXES = {"colour": ("red", "green", "blue"), "shape": ("round", "square"), "size": ("s", "m", "l")}


def case_of(levels: Levels, values: tuple[int, ...]) -> Case:
    return Case(
        OPERATOR.name,
        "plain",
        "int32",
        {axis: AXES[axis].index(levels[axis]) for axis in AXES},
        {"x": Tensor((len(values),), "int32", values)},
        {},
    )


def level_of(axis: str) -> Callable[[Case], list[str]]:
    return lambda case: [AXES[axis][case.attributes[axis]]]


def has(case: Case, *levels: str) -> bool:
    return set(levels) <= {AXES[axis][at] for axis, at in case.attributes.items()}


def cases_of(levels: Levels) -> st.SearchStrategy[Case]:
    values = st.lists(st.integers(0, 99), min_size=1, max_size=20).map(tuple)
    return values.map(lambda drawn: case_of(levels, drawn))


CELLS = Cells(tuple(Axis(name, levels, level_of(name)) for name, levels in AXES.items()), cases_of)
DULL = case_of({"colour": "red", "shape": "round", "size": "s"}, (0,))
RECORD = replace(OPERATOR, cases=lambda mode, dtype: st.just(DULL), cells=lambda *_: CELLS)
PROFILE = PROFILES["smoke"]


def run(wrong: Callable[[Case], bool], part: Part = WHOLE_ITEM) -> tuple[Trial, list[Case]]:
    """A whole item on a device that errs on some cases; its trial, and what was judged."""
    judged: list[Case] = []

    def body(operator: object, mode: str, dtype: str, case: Case) -> None:
        judged.append(case)
        record(Verdict(not wrong(case), "x is wrong."), case, Observation(Outcome.COMPLETED))

    trial = Trial(lambda *_: None, SearchBudget(60))
    cell = {"operator": RECORD, "mode": "plain", "dtype": "int32"}
    streams = bind(body, cell, trial, OfRun(PROFILE, seed=3), "x", part=part)
    streams.free(**cell)
    (covered,) = streams.covered
    try:
        covered(**cell)
    except Refused:
        assert trial.smallest is not None
    return trial, judged


def test_every_row_is_judged_once_and_not_at_its_simplest() -> None:
    trial, judged = run(lambda case: False)
    assert trial.smallest is None
    rows = CELLS.rows(PROFILE.strength)
    drawn = judged[-len(rows) :]
    assert [CELLS.of(case) for case in drawn] == [
        {axis: (level,) for axis, level in row.items()} for row in rows
    ]
    assert sum(case.inputs["x"].values == (0,) for case in drawn) < len(rows) / 2


def test_the_same_seed_judges_the_same_rows() -> None:
    assert run(lambda case: False)[1] == run(lambda case: False)[1]


def test_a_mistake_of_one_level_shrinks_in_all_other_axes() -> None:
    trial, _ = run(lambda case: has(case, "blue"))
    assert trial.smallest is not None
    assert trial.smallest.case == case_of({"colour": "blue", "shape": "round", "size": "s"}, (0,))


def test_a_mistake_of_two_levels_keeps_both() -> None:
    trial, _ = run(lambda case: has(case, "square", "l"))
    assert trial.smallest is not None
    assert trial.smallest.case == case_of({"colour": "red", "shape": "square", "size": "l"}, (0,))


@pytest.mark.parametrize("longest", [5, 9])
def test_what_is_not_a_level_shrinks_too(longest: int) -> None:
    trial, _ = run(lambda case: has(case, "l") and case.arrays["x"].size >= longest)
    assert trial.smallest is not None
    assert trial.smallest.case.inputs["x"].values == (0,) * longest


def test_each_row_is_judged_by_one_part_as_the_whole_judges_it() -> None:
    _, whole = run(lambda case: False)
    parts = [run(lambda case: False, Part(index, 4))[1] for index in (1, 2, 3, 4)]
    assert Counter(case.key for part in parts for case in part) == Counter(
        case.key for case in whole
    )
    lengths = [len(part) for part in parts]
    assert max(lengths) - min(lengths) <= 2
