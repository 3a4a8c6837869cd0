"""Every operator has an entry of its own beside aclnn's, for route kernel."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.call.case import Case
from conformance.call.observation import Outcome
from conformance.devices.device import Device
from conformance.judge.calls import judge
from conformance.judge.rejections import judge_rejection
from conformance.record.operator import TWO_PHASE, Operator
from conformance.record.variations import without
from conformance.suite.on_route import on_route
from conformance.suite.records import operators
from tests.named import named

RECORDS = {operator.name: operator for operator in operators()}
EP = RECORDS["moe_token_permute_with_ep"]


def small(operator: Operator) -> Case:
    """The first documented call."""
    return operator.examples[0].case


@pytest.mark.parametrize("name", RECORDS)
def test_both_entries_answer_a_call_alike(name: str, devices: dict[str, Device]) -> None:
    operator = RECORDS[name]
    case = small(operator)
    aclnn, kernel = (devices[route].run(operator, case) for route in TWO_PHASE)
    assert aclnn.outcome is kernel.outcome is Outcome.COMPLETED
    for output, array in aclnn.outputs.items():
        assert array.tobytes() == kernel.outputs[output].tobytes()


@pytest.mark.parametrize("name", RECORDS)
def test_each_entry_speaks_under_its_own_name(name: str, devices: dict[str, Device]) -> None:
    operator = RECORDS[name]
    broken = without(small(operator), operator.tensors[0].name)
    for route in TWO_PHASE:
        seen = devices[route].run(operator, broken)
        assert (seen.outcome, seen.status) == (Outcome.REJECTED, 161001)
        assert seen.message.startswith(f"{operator.symbol(route)}GetWorkspaceSize: ")


def test_a_padded_call_is_carried_out_on_route_kernel_and_refused_on_aclnn(
    devices: dict[str, Device],
) -> None:
    padded = next(e.case for e in EP.examples if e.case.mode == "padded")
    assert judge(EP, padded, devices["kernel"].run(EP, padded)).ok
    seen = devices["aclnn"].run(EP, padded)
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, 561002)
    assert "paddedMode is true; it must be false" in seen.message


def test_a_mistake_in_padded_rows_is_refused(devices: dict[str, Device]) -> None:
    """The judge sees one element of one row, one index and one probability."""
    padded = next(e.case for e in EP.examples if e.name == "padded, probabilities of two experts")
    right = devices["kernel"].run(EP, padded)
    for output, array in right.outputs.items():
        wrong = array.copy()
        wrong.reshape(-1)[-1:] = wrong.reshape(-1)[:1]
        told = judge(EP, padded, replace(right, outputs={**right.outputs, output: wrong}))
        assert f"1 of {array.size} elements of {output} is wrong" in told.headline


@pytest.mark.parametrize("index", [-1, 3, 2**31 + 1])
def test_an_index_that_names_no_token_ends_the_kernel(
    index: int, devices: dict[str, Device]
) -> None:
    padded = next(e.case for e in EP.examples if e.name == "padded, probabilities of two experts")
    stray = replace(padded.inputs["indices"], values=(0, index, 1, 2))
    seen = devices["kernel"].run(EP, replace(padded, inputs={**padded.inputs, "indices": stray}))
    assert seen.outcome is not Outcome.COMPLETED
    assert [one.code for one in seen.diagnostics] == ["assertion"]


def test_the_kernel_entry_refuses_each_call_that_it_must(devices: dict[str, Device]) -> None:
    for rejection in on_route(EP, "kernel").rejections:
        with named(rejection.name):
            verdict = judge_rejection(rejection, devices["kernel"].run(EP, rejection.case))
            assert verdict.ok, verdict
