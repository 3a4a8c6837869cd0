"""A tensor of a storage without bytes has no address, as one of PyTorch has none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest

from conformance.call.case import Case, Tensor
from conformance.call.observation import Observation, Outcome
from conformance.call.surroundings import BESIDE, Setting
from conformance.devices.device import Device
from conformance.devices.open import Kernels, open_device
from conformance.judge.examples import judge_example
from conformance.suite import records as suite
from tests.conformance.devices.fakes import fake_case, fake_operator

EMPTY = Tensor((0,), "int32")
PART = Tensor((0,), "int32", start=2, spare=1)


def run(device: Device, x: Tensor, y: Tensor, name: str = "FakeAddress") -> Observation:
    case = fake_case()
    return device.run(fake_operator(name), replace(case, inputs={"x": x}, outputs={"y": y}))


@pytest.mark.parametrize(
    ("x", "has"),
    [
        (Tensor((0,), "int32", ()), 0),
        (Tensor((0, 3), "int32", (), strides=(5, 1)), 0),
        (replace(PART, values=()), 1),
        (Tensor((1,), "int32", (5,)), 1),
    ],
)
def test_an_input_of_an_empty_storage_has_no_address(
    fake_device: Device, x: Tensor, has: int
) -> None:
    observation = run(fake_device, x, Tensor((1,), "int32"))
    assert observation.outcome is Outcome.COMPLETED, observation
    assert observation.outputs["y"].tolist() == [has]
    assert observation.guard_damage == ()


def test_an_output_of_an_empty_storage_has_no_address(fake_device: Device) -> None:
    observation = run(fake_device, Tensor((1,), "int32", (5,)), EMPTY)
    assert observation.outcome is Outcome.COMPLETED, observation
    assert observation.guard_damage == ()
    part = run(fake_device, Tensor((1,), "int32", (5,)), replace(PART, start=0, spare=1))
    assert [one.buffer for one in part.guard_damage] == ["y"]


def test_a_write_to_an_empty_output_is_told_and_ends_no_run(fake_device: Device) -> None:
    observation = run(fake_device, Tensor((1,), "int32", (5,)), EMPTY, "FakeWriteEmpty")
    assert observation.outcome is Outcome.CRASHED
    assert run(fake_device, Tensor((1,), "int32", (5,)), EMPTY).outcome is Outcome.COMPLETED


RECORDS = suite.records()
NAMES = ("moe_token_permute_grad", "moe_init_routing_v2_grad")


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with closing(open_device("sim", time_limit=10, kernels=Kernels(only=NAMES))) as opened:
        yield opened


def empty(case: Case) -> bool:
    """Whether an output of a call, or an input, has no element."""
    return any(tensor.size == 0 for tensor in (*case.inputs.values(), *case.outputs.values()))


@pytest.mark.parametrize("stream", ["own", BESIDE])
@pytest.mark.parametrize("name", NAMES)
def test_calls_of_empty_tensors_are_carried_out(device: Device, name: str, stream: str) -> None:
    (record,) = suite.chosen(RECORDS, [name])
    calls = [one for one in record.examples if empty(one.case)]
    assert calls
    for one in calls:
        case = replace(one.case, setting=Setting(stream=stream))  # type: ignore[arg-type]
        verdict = judge_example(replace(one, case=case), record, device.run(record, case))
        assert verdict.ok, verdict
