"""Calls with strides, refused or carried out, are made from the record's own examples."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.judge.legality import check_call
from conformance.record.clause import document
from conformance.record.operator import Example, Strided
from conformance.suite.strided_calls import of_strides, with_strides
from tests.conformance.segment_sum import operator, whole

RULE = document("y is contiguous", "segment_sum.md, Layout")
EXAMPLE = Example("worked by hand", whole(), "segment_sum.md, Example")


def test_a_tensor_that_must_be_contiguous_is_spaced_and_turned_in_an_example() -> None:
    said = (Strided(("x",), RULE), Strided(("y",), RULE, 161002))
    record = operator(strided=said, examples=(EXAMPLE,))
    made = of_strides(record)
    assert {one.name: one.case.outputs["y"].strides for one in made} == {
        "y of spaced elements": (72, 2),
        "y of spaced rows": (37, 1),
        "y with its axes reversed": (1, 4),
    }
    for one in made:
        assert (one.status, one.clause, one.routes) == (161002, RULE, ())
        assert one.case.inputs == whole().inputs
        check_call(one.case, record)


def test_a_tensor_that_may_have_strides_has_them_in_an_example() -> None:
    said = (Strided(("x",), RULE), Strided(("y",), RULE, 161002))
    record = operator(strided=said, examples=(EXAMPLE,))
    made = with_strides(record)
    assert [one.name for one in made] == [
        "x of spaced elements",
        "x of spaced rows",
        "x with its axes reversed",
    ]
    for one in made:
        assert one.source == RULE.source
        assert one.case.inputs["x"].strides
        assert one.case.outputs == whole().outputs
        check_call(one.case, record)


def test_nothing_is_refused_of_which_nothing_is_said() -> None:
    assert of_strides(operator(examples=(EXAMPLE,))) == ()
    assert of_strides(operator(strided=(Strided(("y",), RULE),), examples=(EXAMPLE,))) == ()


def test_a_tensor_of_which_no_example_has_rows_and_columns_is_asked_nothing() -> None:
    flat = replace(EXAMPLE, case=whole(columns=1))
    assert of_strides(operator(strided=(Strided(("y",), RULE, 161002),), examples=(flat,))) == ()


def test_a_name_that_is_no_tensors_is_told() -> None:
    record = operator(strided=(Strided(("z",), RULE, 161002),), examples=(EXAMPLE,))
    with pytest.raises(ValueError, match="strided of segment_sum names z: its tensors are"):
        of_strides(record)
