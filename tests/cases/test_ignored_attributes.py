"""What a mode does not look at has another value in some documented call, and changes nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

from conformance.call.case import Case
from conformance.judge.legality import IllegalCase, check_call
from conformance.record.operator import AttributeParameter, Operator
from conformance.record.variations import with_attributes
from conformance.suite import records as suite
from tests.cases.modes import MODES

OPERATORS = suite.operators([])
FEW = 4096
"""Elements of a call that is tried with other values."""


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_an_attribute_without_effect_has_several_values_in_calls_alike(operator: Operator) -> None:
    assert list(missing(operator)) == []


def missing(operator: Operator) -> Iterator[str]:
    """The modes and attributes of which no documented call shows that they have no effect."""
    for parameter in operator.parameters:
        if isinstance(parameter, AttributeParameter) and parameter.ctype == "int64":
            for mode in operator.modes:
                calls = [one.case for one in operator.examples if one.case.mode == mode.name]
                free = any(legal(operator, case, parameter.name) for case in calls)
                if free and not several(calls, parameter.name):
                    yield f"{mode.name}: {parameter.name} has no effect, and one value only"


def legal(operator: Operator, case: Case, name: str) -> bool:
    """Whether the call with the attribute one more, all else the same, is one of the same mode."""
    sizes = [tensor.size for tensor in {**case.inputs, **case.outputs}.values()]
    if sum(sizes) > FEW or 0 in sizes:
        return False
    try:
        more = with_attributes(case, **{name: case.attributes[name] + 1})
        check_call(more, operator)
    except IllegalCase:
        return False
    return MODES[operator.name][case.mode](more)


def several(calls: list[Case], name: str) -> bool:
    """Whether two calls differ in that attribute alone."""
    found: defaultdict[Any, set[Any]] = defaultdict(set)
    for case in calls:
        rest = tuple((one, value) for one, value in case.attributes.items() if one != name)
        tensors = {**case.inputs, **case.outputs}.items()
        found[rest, tuple(tensors)].add(case.attributes[name])
    return any(len(values) > 1 for values in found.values())
