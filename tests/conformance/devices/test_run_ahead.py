"""Calls that are made before they are asked for are observed as if each were made by itself."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.call.case import Case
from conformance.call.observation import Observation, Outcome
from conformance.devices.device import Device
from conformance.devices.isolated import AHEAD_BYTES
from conformance.devices.open import open_device
from conformance.errors import OperatorUnavailable
from conformance.record.operator import Operator
from device_kernels.build import build
from tests.conformance.devices.fakes import fake_case, fake_operator
from tests.conformance.devices.test_sly_kernels import NUMBERS, sly

HERE = Path(__file__).parent
FINE = 0
"""What the ill kernel copies without an accident, and the host of the sly one without a trick."""

ILL = {"loops": 1, "takes all memory": 2, "reads beyond": 3, "aborts": 4}


def opened(**how: Any) -> Device:
    return open_device("sim", time_limit=1.5, memory_limit=128 << 20, **how)


@pytest.fixture(scope="module")
def ill() -> Iterator[Device]:
    device = opened(libraries=build(HERE / "ill_kernels").lib)
    yield device
    device.close()


@pytest.fixture(scope="module")
def two() -> Iterator[tuple[Device, Device]]:
    """Two devices with the sly library, as its host keeps what it did before."""
    devices = (
        opened(libraries=build(HERE / "sly_kernels").lib),
        opened(libraries=build(HERE / "sly_kernels").lib),
    )
    yield devices
    for device in devices:
        device.close()


def shown(seen: Observation, *without: str) -> dict[str, Any]:
    """An observation without its seconds, and without what no two calls tell alike."""
    found = {field.name: getattr(seen, field.name) for field in dataclasses.fields(seen)}
    outputs = {name: array.tolist() for name, array in seen.outputs.items()}
    at = {name: mask.tolist() for name, mask in seen.unwritten_at.items()}
    told = [(one.code, one.line, one.block) for one in seen.diagnostics]
    found |= {"outputs": outputs, "unwritten_at": at, "diagnostics": told}
    return {name: value for name, value in found.items() if name not in ("seconds", *without)}


def one_by_one(device: Device, operator: Operator, cases: list[Case]) -> list[Observation]:
    return [device.run(operator, case) for case in cases]


def ahead(device: Device, operator: Operator, cases: list[Case]) -> list[Observation]:
    device.run_ahead(operator, cases)
    return one_by_one(device, operator, cases)


def kept(device: Device) -> int:
    """How many calls were made that nobody has asked for."""
    return len(device._ahead)


def end_process(device: Device) -> None:
    device._child.kill()


def test_a_call_that_was_made_ahead_is_not_made_again(fake_device: Device) -> None:
    operator, cases = fake_operator("FakeAdd"), [fake_case(addend=1), fake_case(addend=2)]
    fake_device.run_ahead(operator, cases)
    end_process(fake_device)
    seen = one_by_one(fake_device, operator, cases)
    assert [one.outputs["y"].tolist() for one in seen] == [[2, 3, 4, 5, 6, 7], [3, 4, 5, 6, 7, 8]]
    assert fake_device.run(operator, cases[0]).outcome is Outcome.COMPLETED  # in a new process


def test_each_time_a_call_is_asked_for_it_is_made(fake_device: Device) -> None:
    operator, case = fake_operator("FakePid"), fake_case()
    first, *_ = ahead(fake_device, operator, [case, fake_case()])
    fake_device.renew()
    assert first.outputs["y"][0] != fake_device.run(operator, case).outputs["y"][0]


def test_an_equal_case_that_was_not_given_is_called_by_itself(fake_device: Device) -> None:
    operator = fake_operator("FakePid")
    fake_device.run_ahead(operator, [fake_case(), fake_case()])
    assert kept(fake_device) == 2
    end_process(fake_device)
    before = fake_device.run(operator, fake_case())
    assert before.outputs["y"][0] == fake_device._child.pid


def test_what_was_made_in_an_earlier_process_is_forgotten(fake_device: Device) -> None:
    operator, cases = fake_operator("FakePid"), [fake_case(), fake_case()]
    fake_device.run_ahead(operator, cases)
    fake_device.renew()
    assert fake_device.run(operator, cases[0]).outputs["y"][0] == fake_device._child.pid


def test_calls_are_small_together(fake_device: Device) -> None:
    """Each large one is made by itself, and those between them are not."""
    large = fake_case((7,) * (AHEAD_BYTES // 4))
    cases = [fake_case(), large, fake_case((7,) * (AHEAD_BYTES // 9)), fake_case(), large]
    fake_device.run_ahead(fake_operator("FakeAdd"), cases)
    assert kept(fake_device) == 3
    seen = one_by_one(fake_device, fake_operator("FakeAdd"), cases)
    assert [one.outputs["y"].size for one in seen] == [one.outputs["y"].size for one in cases]
    assert all(
        (one.outputs["y"] == case.arrays["x"] + 10).all()
        for one, case in zip(seen, cases, strict=True)
    )


def test_what_a_call_prints_is_told_once_for_each(
    fake_libraries: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It cannot be told apart of calls made together: from then on they are made by themselves."""
    device, operator = opened(libraries=fake_libraries), fake_operator("FakePrint")
    for _ in range(2):
        ahead(device, operator, [fake_case(), fake_case()])
    assert capfd.readouterr().err == "printed by the operator\n" * 4
    with monkeypatch.context() as patched:
        patched.setattr(device._child, "ask_all", None)
        device.run_ahead(operator, [fake_case(), fake_case()])
    device.close()


def test_a_case_that_does_not_fit_its_operator_is_told_when_it_is_run(fake_device: Device) -> None:
    operator, unfit = fake_operator("FakeAdd"), replace(fake_case(), attributes={})
    cases = [fake_case(), unfit, fake_case()]
    fake_device.run_ahead(operator, cases)
    assert kept(fake_device) == 2
    with pytest.raises(ValueError, match="addend"):
        fake_device.run(operator, unfit)


def test_an_operator_that_the_library_lacks_is_told_when_it_is_run(fake_device: Device) -> None:
    cases = [fake_case(), fake_case()]
    fake_device.run_ahead(fake_operator("Absent"), cases)
    with pytest.raises(OperatorUnavailable):
        fake_device.run(fake_operator("Absent"), cases[0])


@pytest.mark.parametrize(
    "name", ["FakeWriteAfter", "FakeChangeInput", "FakeFail", "FakeKernelFault"]
)
def test_what_a_call_does_wrong_is_observed_alike(fake_device: Device, name: str) -> None:
    operator, cases = fake_operator(name), [fake_case(addend=at) for at in range(3)]
    alone = one_by_one(fake_device, operator, cases)
    fake_device.run_ahead(operator, cases)
    assert kept(fake_device) == 3
    assert [*map(shown, one_by_one(fake_device, operator, cases))] == [*map(shown, alone)]


@pytest.mark.parametrize("name", ["FakeCrash", "FakeExit", "FakeHang", "FakeEat", "FakeBadAlloc"])
def test_a_process_that_ends_is_observed_alike(fake_device: Device, name: str) -> None:
    operator, cases = fake_operator(name), [fake_case(), fake_case()]
    alone = one_by_one(fake_device, operator, cases)
    fake_device.run(fake_operator("FakeAdd"), fake_case())
    fake_device.run_ahead(operator, cases)
    assert kept(fake_device) == 1
    assert [*map(shown, one_by_one(fake_device, operator, cases))] == [*map(shown, alone)]


@pytest.mark.parametrize("accident", [*ILL])
def test_only_the_call_with_the_accident_is_told_of_it(ill: Device, accident: str) -> None:
    operator = fake_operator("Ill")
    endings = [FINE, FINE, ILL[accident], FINE, FINE]
    cases = [fake_case((ending, 2, 3, 4), addend=1) for ending in endings]
    alone = one_by_one(ill, operator, cases)
    together = ahead(ill, operator, cases)
    assert [one.outcome is Outcome.COMPLETED for one in together] == [not one for one in endings]
    assert [shown(one, "message") for one in together] == [shown(one, "message") for one in alone]


@pytest.mark.parametrize("trick", [*NUMBERS])
def test_what_a_library_does_beside_its_work_is_observed_alike(
    two: tuple[Device, Device], trick: str
) -> None:
    addends = [FINE, NUMBERS[trick], FINE, NUMBERS[trick], NUMBERS[trick]]
    cases = [fake_case((1, 2, 3, 4), addend=addend) for addend in addends]
    alone, together = one_by_one(two[0], sly(), cases), ahead(two[1], sly(), cases)
    # A library that was asked to load leaves a message, which the first refused call tells.
    assert [shown(one, "message") for one in together] == [shown(one, "message") for one in alone]
