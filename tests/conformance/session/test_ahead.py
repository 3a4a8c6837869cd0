"""Cases whose calls a device makes some at a time are judged in their order, one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable

from conformance.call.case import Case, Tensor
from conformance.session.ahead import made_ahead
from conformance.session.drawing import Drawing
from tests.conformance.toy.records.copying import OPERATOR


def case_of(value: int) -> Case:
    return Case(OPERATOR.name, "plain", "int32", {}, {"x": Tensor((1,), "int32", (value,))}, {})


def value_of(case: Case | None) -> int | None:
    return None if case is None else int(case.arrays["x"][0])


@dataclass
class Ahead:
    """A device that only tells which calls it was to make, among what else was done."""

    done: list[Any] = field(default_factory=list)

    def run_ahead(self, operator: object, cases: Sequence[Case]) -> None:
        assert operator is OPERATOR
        self.done.append([value_of(case) for case in cases])

    @property
    def arguments(self) -> dict[str, Any]:
        return {"operator": OPERATOR, "device": self}


def drawn(count: int, fails_at: int | None = None) -> Iterator[tuple[Case, int]]:
    for value in range(count):
        if value == fails_at:
            raise ValueError(value)
        yield case_of(value), value


@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 8, 11])
def test_calls_are_made_before_the_first_case_of_a_group(count: int) -> None:
    device = Ahead()
    for case, _ in made_ahead(drawn(count), device.arguments, 4):
        device.done.append(value_of(case))
    expected: list[Any] = []
    for first in range(0, count, 4):
        group = [*range(first, min(first + 4, count))]
        expected += [group, *group] if len(group) > 1 else group
    assert device.done == expected


@pytest.mark.parametrize("fails_at", [0, 2, 4, 6])
def test_what_a_draw_raises_it_raises_in_its_turn(fails_at: int) -> None:
    made = made_ahead(drawn(9, fails_at), Ahead().arguments, 4)
    assert [value_of(next(made)[0]) for _ in range(fails_at)] == [*range(fails_at)]
    with pytest.raises(ValueError, match=str(fails_at)):
        next(made)


@pytest.mark.parametrize("arguments", [{}, {"operator": OPERATOR, "device": object()}])
def test_a_device_that_does_not_run_ahead_gets_one_case_after_the_other(
    arguments: dict[str, Any],
) -> None:
    made = made_ahead(drawn(9, fails_at=1), arguments)
    assert value_of(next(made)[0]) == 0


def test_nothing_is_drawn_ahead_of_cases_that_take_long_to_draw() -> None:
    device = Ahead()
    assert value_of(next(made_ahead(drawn(9, fails_at=1), device.arguments, 1))[0]) == 0
    assert device.done == []


def each(*values: st.SearchStrategy[int]) -> tuple[list[Any], list[Exception | None]]:
    """What a device that errs on 77 is asked, and what is told of each stream."""
    device = Ahead()

    def attempt(case: Case, **_: Any) -> None:
        value = value_of(case)
        device.done.append(value)
        assert value != 77, "77 is wrong"

    streams = [(one.map(case_of), f"stream {at}") for at, one in enumerate(values)]
    drawing = Drawing(attempt, lambda case: case, "x", 1, at_once=2)
    told = [*drawing.each(streams, device.arguments)]
    return device.done, told


def test_the_first_case_of_each_stream_is_judged() -> None:
    assert each(*map(st.just, (1, 2, 3))) == ([[1, 2], 1, 2, 3], [None, None, None])


def test_what_is_told_of_a_stream_is_told_in_its_turn() -> None:
    asked, (first, second, third) = each(*map(st.just, (1, 77, 3)))
    assert asked == [[1, 77], 1, 77, 3]
    assert (first, str(second).partition("\n")[0], third) == (None, "77 is wrong", None)


def test_of_a_stream_that_has_no_case_hypothesis_tells_why() -> None:
    none = st.integers(0, 9).filter(lambda one: one > 9)
    asked, (first, second, third) = each(st.just(1), none, st.just(3))
    assert asked == [1, 3]
    assert (first, type(second), third) == (None, Unsatisfiable, None)
