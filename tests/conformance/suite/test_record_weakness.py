"""A record is weak if none of its cases reaches what kernels get wrong; each weakness is named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.call.case import Case, Machine, Tensor
from conformance.record.call_rules import Range
from conformance.record.operator import Example, Operator
from conformance.suite.record_weakness import FEWEST, weaknesses
from tests.conformance.segment_sum import SUM, case, operator

SMALL, LARGE = Machine(1, 1024), Machine(3, 196_608)


def varied() -> list[Case]:
    """Cases on one core and on several, of a row beyond a buffer, with orders of all kinds."""
    wide = case([[1.0] * 600, [2.0] * 600], [[1, 0], [0, 1], [1, 1], [0, 0]])
    narrow = case([[1.0], [2.0]], [[0], [1]])
    return [
        *(replace(wide, machine=SMALL) for _ in range(FEWEST)),
        replace(wide, machine=LARGE),
        replace(narrow, machine=LARGE),
    ]


def of(cases: list[Case], record: Operator | None = None) -> list[str]:
    """The weaknesses that come from the drawn cases."""
    told = list(weaknesses(record or operator(), cases))
    return [one for one in told if "on record" not in one and "no example" not in one]


def test_cases_that_reach_all_are_not_weak() -> None:
    assert of(varied()) == []


@pytest.mark.parametrize(
    ("cases", "words"),
    [
        ([replace(one, machine=SMALL) for one in varied()], "runs on several cores"),
        ([replace(one, machine=LARGE) for one in varied()], "longer than its buffer"),
        ([replace(one, machine=SMALL) for one in varied()[:-2]], "more rows of an output"),
        (varied()[:-1], "topK is 2 in every drawn case"),
        ([case([[1.0]], [[0, 0]])] * FEWEST, "the indices rows rise in every drawn case"),
    ],
)
def test_what_no_case_reaches_is_named(cases: list[Case], words: str) -> None:
    assert any(words in told for told in of(cases))


def test_an_optional_tensor_is_there_in_some_cases_and_not_in_others() -> None:
    optional = tuple(
        replace(one, optional=one.name == "x") if one.name == "x" else one  # type: ignore[call-arg]
        for one in operator().parameters
    )
    record = operator(parameters=optional)
    assert "no drawn case leaves out x, which is optional" in of(varied(), record)
    none = [replace(one, inputs={"rows": one.inputs["rows"]}) for one in varied()]
    assert "no drawn case has x, which is optional" in of(none, record)


def test_an_attribute_that_can_have_one_value_only_is_not_weak() -> None:
    assert of(varied()[:-1], operator(ranges=(Range("topK", 2, 2, SUM),))) == []
    assert of(varied()[:-1], operator(ranges=(Range("topK", 2, 3, SUM),))) != []


def test_a_data_type_that_no_case_has_is_named() -> None:
    typed = tuple(
        replace(one, dtype=("int32", "int64")) if one.name == "rows" else one  # type: ignore[call-arg]
        for one in operator().parameters
    )
    assert of(varied(), operator(parameters=typed)) == ["no drawn case has rows of type int64"]


def test_of_few_cases_nothing_is_concluded() -> None:
    assert of([replace(varied()[0], machine=SMALL)]) == []


def test_a_record_without_examples_rejections_relations_and_cells_is_weak() -> None:
    assert list(weaknesses(operator(), [])) == [
        "mode plain has no example",
        "no rejected call is on record",
        "no relation is on record",
        "no cells are on record: coverage by levels is not measured",
    ]
    named = operator(examples=(Example("one", varied()[0], "segment_sum.md"),))
    assert "mode plain has no example" not in list(weaknesses(named, []))


def test_the_longest_row_is_that_of_any_tensor() -> None:
    long = replace(varied()[-1], outputs={"y": Tensor((1, 60_000), "float32")}, machine=LARGE)
    cases = [replace(one, machine=LARGE) for one in varied()]
    assert not any("longer than its buffer" in told for told in of([*cases, long]))
