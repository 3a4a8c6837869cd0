"""A record is checked without a kernel: what is wrong is found, with the smallest case of it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import strategies as st

from cases.operators.moe_token_permute_grad import OPERATOR, call
from conformance.record.operator import Operator, Rejection
from conformance.record.variations import reshaped
from conformance.suite.record_check import Checked, checked

FEW = 4
EXAMPLE = OPERATOR.examples[0]


def small(**fields: Any) -> Operator:
    """The record of one mode and data type, with one example and no rejected call."""
    record = replace(
        OPERATOR,
        modes=OPERATOR.modes[:1],
        dtypes=("bfloat16",),
        examples=(EXAMPLE,),
        rejections=(),
        small_cases=None,
        seam_cases=None,
    )
    return replace(record, **fields)


@cache
def of(**fields: Any) -> Checked:
    return checked(small(**fields), FEW)


def test_a_right_record_has_no_problem_and_says_what_was_looked_at() -> None:
    found = of()
    assert found.problems == {}
    assert (found.examples, found.rejections) == (1, 0)
    assert 0 < found.cases <= FEW


def test_an_example_that_the_reference_does_not_give_is_a_problem() -> None:
    wrong = replace(EXAMPLE, expected={"out": (4.0, 7.0)})
    (name, problem), *more = checked(small(examples=(wrong,)), FEW).problems.items()
    assert (name, more) == ("example two rows of one token", [])
    assert "not what the document gives" in problem


def test_a_formula_that_contradicts_the_terms_is_a_problem_with_its_smallest_case() -> None:
    def twice(inputs: Any, attributes: Any) -> Any:
        return {"out": 2 * OPERATOR.formula(inputs, attributes)["out"]}

    found = checked(small(formula=twice, examples=()), FEW)
    (problem,) = found.problems.values()
    assert "the formula gives" in problem
    assert "out: bfloat16[1x1]" in problem


def test_a_drawn_case_that_is_no_legal_call_is_a_problem() -> None:
    def drawn(mode: str, dtype: str) -> Any:
        made = call(mode, dtype, source=(4, 3), indices=(0, 1, 2, 3), top_k=2)
        return st.just(reshaped(made, "out", (3, 3)))

    (problem,) = checked(small(cases=drawn, examples=()), FEW).problems.values()
    assert "out" in problem


def test_a_strategy_that_fails_is_a_problem() -> None:
    def drawn(mode: str, dtype: str) -> Any:
        return st.integers(0, 3).map(lambda number: [][number])

    (problem,) = checked(small(cases=drawn, examples=()), FEW).problems.values()
    assert problem.startswith("its strategy fails: IndexError: list index out of range")


def test_a_formula_that_raises_is_a_problem_with_its_place() -> None:
    def formula(inputs: Any, attributes: Any) -> Any:
        raise AssertionError("no such row")

    (problem,) = checked(small(formula=formula, examples=()), FEW).problems.values()
    first, place, *_ = problem.splitlines()
    assert first == "AssertionError: no such row"
    assert "test_record_check.py:" in place


def test_a_rejected_call_that_cannot_be_made_is_a_problem() -> None:
    mistyped = replace(EXAMPLE.case, attributes={"num_topk": 2})
    rejection = Rejection("no padded_mode", mistyped, 161002, OPERATOR.modes[0].clause)
    found = checked(small(rejections=(rejection,)), FEW)
    assert [*found.problems] == ["rejected call no padded_mode"]


@pytest.mark.parametrize("operator", [OPERATOR], ids=lambda operator: operator.name)
def test_a_record_of_the_suite_is_right_and_strong(operator: Operator) -> None:
    found = checked(operator, 8)
    assert (found.problems, found.weak) == ({}, [])
