"""Streams of draws: plain ones, of which the first refused case is handed to Hypothesis."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.errors import FailedHealthCheck

from conformance.call.case import Case, Tensor
from conformance.draw.plain import plainly
from conformance.evidence.part import WHOLE_ITEM, Part
from conformance.session.drawing import Drawing
from tests.conformance.toy.records.copying import OPERATOR


def case_of(values: tuple[int, ...]) -> Case:
    inputs = {"x": Tensor((len(values),), "int32", values)}
    return Case(OPERATOR.name, "plain", "int32", {}, inputs, {})


LISTS = st.lists(st.integers(0, 99), max_size=20).map(tuple).map(case_of)
LONG = st.tuples(*[st.integers(0, 99)] * 9_000).map(case_of)
RARE = st.integers(0, 10**6).filter(lambda one: one % 1_000 == 77).map(lambda one: case_of((one,)))


class Wrong:
    """Refuses cases with a number above 49, and keeps what it has judged."""

    def __init__(self) -> None:
        self.judged: list[tuple[int, ...]] = []

    def __call__(self, case: Case, **_: Any) -> None:
        values = case.inputs["x"].values
        assert values is not None
        self.judged.append(values)
        if max(values, default=0) > 49:
            raise AssertionError(values)


def drawing(wrong: Wrong, **how: Any) -> Drawing:
    def attempt(case: Case) -> None:
        wrong(case)

    return Drawing(attempt, lambda case: case, "x", 1, **how)


def refused(test: Any) -> str:
    with pytest.raises(AssertionError) as caught:
        test()
    return str(caught.value)


def test_a_refused_case_shrinks() -> None:
    wrong = Wrong()
    assert refused(drawing(wrong)(LISTS, 50, "", shrinks=True)) == "(50,)"
    assert (50,) in wrong.judged


def test_the_simplest_case_is_tried_first_of_all() -> None:
    """A list of ten does not shrink to an empty one, as what lies between is accepted."""

    def attempt(case: Case) -> None:
        size = case.arrays["x"].size
        assert 0 < size < 10, size

    test = Drawing(attempt, lambda case: case, "x", 1)(LISTS, 50, "", shrinks=True)
    assert refused(test).startswith("0")


def test_what_shall_not_shrink_stands_as_it_was_drawn() -> None:
    wrong = Wrong()
    assert refused(drawing(wrong)(LISTS, 50, "", shrinks=False)) == str(wrong.judged[-1])
    assert len(wrong.judged[-1]) > 1


def test_nothing_is_drawn_after_a_refused_case() -> None:
    wrong = Wrong()
    refused(drawing(wrong)(LISTS, 50, "", shrinks=False))
    assert [max(values, default=0) > 49 for values in wrong.judged].count(True) == 1


def test_a_case_that_hypothesis_cannot_draw_stands_as_it_was_drawn() -> None:
    """It has more choices than Hypothesis makes."""
    wrong = Wrong()
    assert refused(drawing(wrong)(LONG, 1, "", shrinks=True)) == str(wrong.judged[0])


def test_what_was_refused_is_found_again(tmp_path: Path) -> None:
    first = drawing(Wrong(), database=str(tmp_path))
    refused(first(LISTS, 50, "free", shrinks=True, kept=True))
    wrong = Wrong()
    assert refused(drawing(wrong, database=str(tmp_path)).again(LISTS, 50, "free")) == "(50,)"
    assert {*wrong.judged} == {(50,)}


def test_a_refused_case_that_is_the_simplest_is_found_again_too(tmp_path: Path) -> None:
    def attempt(case: Case) -> None:
        assert case.arrays["x"].size, "empty"

    test = Drawing(attempt, lambda case: case, "x", 1, str(tmp_path))
    refused(test(LISTS, 50, "free", shrinks=True, kept=True))
    assert [*tmp_path.iterdir()], "Hypothesis skips a test of an empty database"
    assert refused(test.again(LISTS, 50, "free")).startswith("empty")


def test_a_strategy_that_gives_few_cases_is_an_error_of_hypothesis() -> None:
    with pytest.raises(FailedHealthCheck, match="filter"):
        drawing(Wrong())(RARE, 50, "", shrinks=True)()


def drawn(examples: int, part: Part = WHOLE_ITEM, **how: Any) -> list[tuple[int, ...]]:
    """What a part judges of a stream that nothing refuses."""
    judged: list[tuple[int, ...]] = []

    def attempt(case: Case) -> None:
        judged.append(tuple(case.arrays["x"].tolist()))

    Drawing(attempt, lambda case: case, "x", 1, **how)(
        LISTS, examples, "", shrinks=True, part=part
    )()
    return judged


@pytest.mark.parametrize("examples", [1, 30, 75, 130])
@pytest.mark.parametrize("count", [2, 3, 4])
def test_the_draws_of_all_parts_are_those_of_the_whole(examples: int, count: int) -> None:
    whole = drawn(examples, block=20)
    parts = [drawn(examples, Part(index, count), block=20) for index in range(1, count + 1)]
    assert len(whole) == examples
    assert Counter(one for part in parts for one in part) == Counter(whole)
    lengths = [len(part) for part in parts]
    assert max(lengths) - min(lengths) <= (20 if examples > 20 * (count - 1) else 1)


def test_a_long_stream_begins_as_a_short_one() -> None:
    assert drawn(130, block=20)[:20] == drawn(20, block=20) == drawn(20, block=50)


def test_a_part_draws_no_block_that_others_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def counted(strategy: Any, wanted: int, seed: int, **how: Any) -> Any:
        made.append(wanted)
        return plainly(strategy, wanted, seed, **how)

    monkeypatch.setattr("conformance.session.drawing.plainly", counted)
    for index in (1, 2, 3, 4):
        drawn(175, Part(index, 4), block=20)
    assert (sum(made), len(made)) == (175, 9)
