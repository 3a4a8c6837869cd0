"""A large output gets the same verdict in parts as at once."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from conformance.devices.function_traits import SIMULATED
from conformance.draw.plain import plainly
from conformance.judge import in_parts
from conformance.judge.calls import judge
from conformance.judge.question import Question
from conformance.judge.right_answer import right_answer
from conformance.numerics.arithmetic import IEEE
from conformance.record.clause import document
from conformance.record.computed import Box
from conformance.record.contract import Bounded, Varying
from conformance.record.functions import ALL_UNKNOWN
from conformance.suite.records import operators

CLAUSE = document("y is x", "toy.md")
DEVICES = [replace(IEEE, functions=functions) for functions in (SIMULATED, ALL_UNKNOWN)]


def by_rows(operator):
    """Whether an output of the operator is judged by rows."""
    every = [
        contract
        for one in operator.contracts.values()
        for contract in (one.among.values() if isinstance(one, Varying) else [one])
    ]
    return any(getattr(contract, "by_row", ()) for contract in every)


MODES = [
    pytest.param(operator, mode.name, id=f"{operator.name}-{mode.name}")
    for operator in operators()
    if by_rows(operator)
    for mode in operator.modes
]


def with_a_mistake(observed, name):
    """The answer with the last element of an output one place off."""
    array = observed.outputs[name].copy()
    array.view(f"i{array.itemsize}").reshape(-1)[-1:] += 1
    return replace(observed, outputs={**observed.outputs, name: array})


def verdicts(monkeypatch, at_once, operator, case, observed, arithmetic):
    monkeypatch.setattr(in_parts, "AT_ONCE", at_once)
    found = judge(operator, case, observed, arithmetic, checked=False)
    return found.headline, found.outputs, tuple(found.findings)


@pytest.mark.parametrize("arithmetic", DEVICES, ids=["simulated", "unknown"])
@pytest.mark.parametrize(("operator", "mode"), MODES)
def test_a_third_of_the_rows_each_has_the_verdict_of_all(monkeypatch, operator, mode, arithmetic):
    several = False
    for case, _ in plainly(operator.cases(mode, "float32"), 4, seed=1, often_filtered=True):
        right = right_answer(operator, case)
        few = max(array.size for array in (*case.arrays.values(), *right.outputs.values())) // 3
        for observed in (right, *(with_a_mistake(right, name) for name in case.outputs)):
            about = operator, case, observed, arithmetic
            assert verdicts(monkeypatch, few, *about) == verdicts(monkeypatch, 1 << 40, *about)
        several |= max(len(array) for array in right.outputs.values()) > 3
    assert several


def question(x, y, **more):
    contract = Bounded(CLAUSE, lambda call: Box(call.inputs["x"], call.inputs["x"]), **more)
    case = SimpleNamespace(arrays={"x": np.asarray(x, np.float64)}, attributes={})
    return Question("y", contract, case, np.asarray(y, np.float32), lambda inputs, _: inputs)


def test_a_contract_that_names_no_rows_is_judged_at_once(monkeypatch):
    monkeypatch.setattr(in_parts, "AT_ONCE", 1)
    asked = question([[1.0], [2.0]], [[1.0], [2.0]])
    assert list(in_parts.parts(asked)) == [asked]


def test_parts_are_as_long_as_the_largest_tensor_allows(monkeypatch):
    monkeypatch.setattr(in_parts, "AT_ONCE", 8)
    asked = question(np.zeros((5, 4)), np.zeros((5, 1)), by_row=("x", "y"))
    parts = list(in_parts.parts(asked))
    assert [len(part.observed) for part in parts] == [2, 2, 1]
    assert [part.arrays["x"].shape for part in parts] == [(2, 4), (2, 4), (1, 4)]


def test_a_tensor_of_other_rows_is_a_mistake_of_the_record():
    asked = question(np.zeros((3, 1)), np.zeros((2, 1)), by_row=("x",))
    with pytest.raises(ValueError, match=r"by_row: \('x',\) must have 2 rows, as y has"):
        list(in_parts.parts(asked))
