"""Array attributes reach an operator as aclIntArrays, which do not outlive the call."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from conformance.call.observation import Outcome
from conformance.devices.device import Device
from conformance.devices.open import open_device
from conformance.errors import OperatorUnavailable
from tests.conformance.devices.fakes import (
    fake_array_case,
    fake_array_operator,
    fake_case,
    fake_operator,
)


@pytest.mark.parametrize(
    ("addends", "added"), [((3, -4), -1), ((2**62, 5 - 2**62), 5), ((7,), 7), ((), 0), (None, -1)]
)
def test_the_operator_gets_every_value_of_the_array_or_a_null_pointer(
    fake_device: Device, addends: tuple[int, ...] | None, added: int
) -> None:
    observation = fake_device.run(fake_array_operator(), fake_array_case(addends))
    assert observation.outcome is Outcome.COMPLETED, observation
    assert observation.outputs["y"].tolist() == [x + added for x in (1, 2, 3, 4, 5, 6)]


@pytest.mark.parametrize(
    ("addends", "added"), [((3, -4), -1), ((2**62, 5 - 2**62), 5), ((7,), 7), ((), 0), (None, -1)]
)
def test_a_kernel_entry_gets_the_numbers_themselves(
    fake_libraries: Path, addends: tuple[int, ...] | None, added: int
) -> None:
    with closing(open_device("sim", libraries=fake_libraries, route="kernel")) as device:
        observation = device.run(fake_array_operator(), fake_array_case(addends))
    assert observation.outcome is Outcome.COMPLETED, observation
    assert observation.outputs["y"].tolist() == [x + added for x in (1, 2, 3, 4, 5, 6)]


def test_an_operator_without_a_kernel_entry_is_not_available_on_that_route(
    fake_libraries: Path,
) -> None:
    words = "FakeAdd is not available on route kernel: kernelFakeAddGetWorkspaceSize is in none of"
    with (
        closing(open_device("sim", libraries=fake_libraries, route="kernel")) as device,
        pytest.raises(OperatorUnavailable, match=words),
    ):
        device.run(fake_operator("FakeAdd"), fake_case())


def test_no_array_is_left_after_a_call(fake_device: Device) -> None:
    for addends in ((1, 2), (), None):
        fake_device.run(fake_array_operator(), fake_array_case(addends))
    left = fake_device.run(fake_operator("FakeLiveArrays"), fake_case())
    assert left.outputs["y"].flat[0] == 0
