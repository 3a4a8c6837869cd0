"""Plain draws: those that Hypothesis makes of the same choices, each of them once."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.control import BuildContext, assume
from hypothesis.internal.conjecture.data import ConjectureData
from hypothesis.strategies import SearchStrategy

from conformance.draw.plain import Choices, TooFiltered, plainly, simplest
from conformance.draw.profiles import PROFILES
from conformance.draw.sequences import sequences
from conformance.session.planned_cases import plan
from conformance.suite.records import records
from tests.slow import OF_EACH_KIND, slow_but

OPERATORS = records()
EACH = 4
"""Cases of each of an operator's strategies that are drawn."""


def by_hypothesis(strategy: SearchStrategy[Any], choices: Choices) -> Any:
    data = ConjectureData.for_choices(choices)
    with BuildContext(data, wrapped_test=by_hypothesis):
        value = data.draw(strategy)
    assert data.misaligned_at is None
    assert data.choices == choices
    return value


@st.composite
def of_many_kinds(draw: st.DrawFn) -> Any:
    count = draw(st.integers(0, 300))
    assume(count != 7)
    return count, draw(
        st.tuples(
            st.lists(st.integers(0, 9).filter(lambda one: one % 3), max_size=5),
            st.sampled_from("abc").map(str.upper) | st.none(),
            st.booleans().flatmap(lambda yes: st.just(yes) if yes else st.text(max_size=3)),
            st.builds(complex, st.floats(0, 1), imag=st.integers(1, 2)),
            st.permutations(range(4)),
            st.sets(st.integers(0, 5)),
        )
    )


def test_hypothesis_draws_the_same_of_the_choices() -> None:
    for value, choices in plainly(of_many_kinds(), 300, 1):
        assert by_hypothesis(of_many_kinds(), choices) == value


@pytest.mark.parametrize("name", slow_but(OF_EACH_KIND, OPERATORS))
def test_hypothesis_draws_the_same_case_of_a_record(name: str) -> None:
    operator = OPERATORS[name]
    made: list[SearchStrategy[Any]] = [sequences(operator, OPERATORS.values())]
    for mode in operator.modes:
        dtype = operator.dtypes_in(mode.name)[0]
        planned = plan(operator, mode.name, dtype, PROFILES["smoke"])
        assert planned.cells is not None
        made += map(planned.cells.cases, planned.rows[::40])
        if planned.cells.edges is not None:
            made += map(planned.cells.edges.cases, planned.edges[::40])
        made += [
            draw(mode.name, dtype)
            for draw in (operator.cases, operator.small_cases, operator.seam_cases)
            if draw is not None
        ]
    for strategy in made:
        for case, choices in plainly(strategy, EACH, 5):
            assert by_hypothesis(strategy, choices).key == case.key


def test_a_seed_draws_the_same_and_another_one_others() -> None:
    first, again, other = (list(plainly(of_many_kinds(), 30, seed)) for seed in (1, 1, 2))
    assert first == again != other


def test_the_simplest_is_what_hypothesis_begins_with() -> None:
    assert simplest(st.tuples(st.integers(3, 9), st.booleans())) == [((3, False), (3, False))]
    assert simplest(st.integers(0, 9).filter(bool)) == []


def test_no_choices_are_drawn_twice() -> None:
    assert sorted(value for value, _ in plainly(st.integers(0, 4), 50, 1)) == [0, 1, 2, 3, 4]


def test_as_many_are_drawn_as_are_asked_for_and_no_more() -> None:
    asked: list[int] = []
    noted = st.integers(0, 10**6).map(lambda one: asked.append(one) or one)
    assert len(list(islice(plainly(noted, 50, 1), 3))) == len(asked) == 3
    assert len(list(plainly(noted, 50, 1))) == 50


def test_small_integers_are_drawn_alike_often_up_to_both_ends() -> None:
    many = st.tuples(st.integers(-3, 12), st.integers(0, 2**60))
    counts = Counter(small for (small, _), _ in plainly(many, 4000, 1))
    assert sorted(counts) == [*range(-3, 13)]
    assert all(200 < count < 320 for count in counts.values())


def test_none_are_drawn_if_none_are_asked_for() -> None:
    assert [*plainly(st.integers(), 0, 1)] == []


def test_a_strategy_that_gives_nothing_is_too_filtered() -> None:
    nothing = st.integers(0, 9).filter(lambda one: one > 9)
    for often in (False, True):
        with pytest.raises(TooFiltered):
            list(plainly(nothing, 5, 1, often_filtered=often))


def test_one_that_gives_little_is_if_it_is_not_said_to() -> None:
    little = st.integers(0, 10**6).map(str).filter(lambda one: one.endswith("77"))
    with pytest.raises(TooFiltered):
        list(plainly(little, 20, 1))
    assert len(list(plainly(little, 5, 1, often_filtered=True))) == 5
