"""The calls that a Python function must refuse, of all operators."""

from __future__ import annotations

from functools import cache

import pytest

from conformance.call.case import Case
from conformance.call.observation import UNTOLD
from conformance.record.operator import Operator
from conformance.record.torch_binding import PYTHON
from conformance.suite.on_route import on_route
from conformance.suite.records import operators

ALL = {one.name: one for one in operators()}


@cache
def asked(name: str) -> Operator:
    """The operator as a Python function is judged: worked out by tests, not on their import."""
    return on_route(ALL[name], PYTHON)


def given(operator: Operator, case: Case) -> object:
    """What a function sees of a call."""
    shapes = {name: (one.shape, one.dtype) for name, one in case.inputs.items()}
    return operator.python_call(case), shapes


@pytest.mark.parametrize("name", ALL)
def test_each_breaks_a_documented_call_as_a_function_sees_it(name: str) -> None:
    operator = asked(name)
    documented = [one.case for one in operator.examples]
    rights = [given(operator, one) for one in documented]
    assert operator.rejections
    for one in operator.rejections:
        assert one.breaks in documented
        assert one.status == UNTOLD
        assert given(operator, one.case) not in rights, one.name


@pytest.mark.parametrize("name", ALL)
def test_each_kind_of_mistake_is_among_them(name: str) -> None:
    operator = asked(name)
    required = [one.name for one in operator.tensors if one.role == "input" and not one.optional]
    calls = [one.case.inputs for one in operator.rejections]
    absent = {name for given in calls for name in required if name not in given}
    assert absent == set(required)
    kinds = {
        "null": lambda wrong, right: wrong.inputs.keys() < right.inputs.keys(),
        "dtype": lambda wrong, right: _differ(wrong, right, "dtype"),
    }
    for kind, is_of in kinds.items():
        assert any(is_of(one.case, one.breaks) for one in operator.rejections), kind


def test_what_is_right_in_another_data_type_or_mode_is_none() -> None:
    """Of the kernel float16 tokens are wrong beside float32 rows; a function makes the rows."""
    names = {one.name for one in asked("moe_token_permute").rejections}
    assert "tokens is int32, first" in names
    assert not any(name.startswith("tokens is float16") for name in names)


def test_what_is_wrong_with_outputs_alone_is_none() -> None:
    for operator in map(asked, ALL):
        outputs = {one.name for one in operator.tensors if one.role == "output"}
        names = [one.name for one in operator.rejections]
        assert not [name for name in names if name.split(" ")[:2] in ([o, "is"] for o in outputs)]


def _differ(wrong: Case, right: Case, field: str) -> bool:
    both = wrong.inputs.keys() & right.inputs.keys()
    return any(
        getattr(wrong.inputs[name], field) != getattr(right.inputs[name], field) for name in both
    )
