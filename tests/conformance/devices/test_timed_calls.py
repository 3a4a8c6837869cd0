"""Phase two of a call is timed on the device by events; what keeps it from that is told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.call.case import Case, Machine
from conformance.devices.device import Device
from conformance.devices.isolated import IsolatedDevice, NotTimed
from conformance.devices.open import open_device, simulator_libraries
from conformance.errors import OperatorUnavailable
from conformance.record.operator import Operator
from conformance.suite import records as suite
from tests.conformance.devices.fakes import fake_case, fake_operator

NAME = "moe_token_permute"


@pytest.fixture(scope="module")
def operator() -> Operator:
    (found,) = suite.chosen(suite.records(), [NAME])
    return found


@pytest.fixture(scope="module")
def case(operator: Operator) -> Case:
    return operator.examples[0].case


@pytest.fixture(scope="module")
def libraries() -> Path:
    return simulator_libraries(None, (NAME,))


@pytest.fixture
def device(libraries: Path) -> Iterator[IsolatedDevice]:
    opened = open_device("sim", libraries=libraries)
    assert isinstance(opened, IsolatedDevice)
    with closing(opened):
        yield opened


def test_as_many_repetitions_are_told_as_are_asked_for_without_the_warm_ones(
    device: IsolatedDevice, operator: Operator, case: Case
) -> None:
    assert len(device.times(operator, case, 3, 7)) == 7
    assert min(device.times(operator, case, 0, 5)) > 0


def test_a_call_is_judged_after_it_was_timed_as_before(
    device: IsolatedDevice, operator: Operator, case: Case
) -> None:
    before = device.run(operator, case)
    device.times(operator, case, 1, 2)
    after = device.run(operator, case)
    assert (after.outcome, after.diagnostics) == (before.outcome, ())
    for name, output in before.outputs.items():
        assert output.tobytes() == after.outputs[name].tobytes()
    assert after.work == before.work


def test_a_larger_machine_takes_place_for_the_timed_call(
    device: IsolatedDevice, operator: Operator, case: Case
) -> None:
    for cores in (1, 48):
        on = replace(case, machine=Machine(cores, 196352))
        assert len(device.times(operator, on, 0, 5)) == 5


def test_a_call_that_phase_one_rejects_is_not_timed(
    device: IsolatedDevice, operator: Operator
) -> None:
    (rejection, *_) = (one for one in operator.rejections if one.case.breach is None)
    with pytest.raises(NotTimed, match="GetWorkspaceSize"):
        device.times(operator, rejection.case, 0, 5)


def test_a_library_without_the_operator_does_not_time_it(
    device: IsolatedDevice, case: Case
) -> None:
    (other,) = suite.chosen(suite.records(), ["moe_token_unpermute"])
    with pytest.raises(OperatorUnavailable):
        device.times(other, other.examples[0].case, 0, 5)


def test_a_runtime_without_events_does_not_time(fake_device: Device) -> None:
    assert isinstance(fake_device, IsolatedDevice)
    with pytest.raises(NotTimed, match="aclrtCreateEventWithFlag"):
        fake_device.times(fake_operator("FakeAdd"), fake_case(), 0, 5)
