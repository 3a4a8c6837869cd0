"""Whatever a simulated kernel does to its process, a diagnostic says where it was, and the next
case runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.call.case import Machine
from conformance.call.observation import Observation, Outcome
from conformance.devices.device import Device
from conformance.devices.open import open_device
from device_kernels.build import build
from tests.conformance.devices.fakes import fake_case, fake_operator

KERNELS = Path(__file__).parent / "ill_kernels"
SOURCE = (KERNELS / "ill" / "ill_kernel.cpp").read_text().splitlines()
COPIES, LOOPS_FOR_EVER, TAKES_ALL_MEMORY, READS_BEYOND, ABORTS = range(5)
TIME_LIMIT = 1.5


@pytest.fixture(scope="module")
def libraries() -> Path:
    return build(KERNELS).lib


@pytest.fixture(scope="module")
def device(libraries: Path) -> Iterator[Device]:
    device = open_device("sim", libraries=libraries, time_limit=TIME_LIMIT, memory_limit=128 << 20)
    yield device
    device.close()


def run(
    device: Device, ending: int, blocks: int = 1, machine: Machine | None = None
) -> Observation:
    case = fake_case((ending, 2, 3, 4), addend=blocks, machine=machine)
    return device.run(fake_operator("Ill"), case)


def assert_fine(device: Device) -> None:
    observation = run(device, COPIES)
    assert observation.outcome is Outcome.COMPLETED, observation
    assert observation.outputs["y"].tolist() == [0, 2, 3, 4]
    assert observation.diagnostics == ()


def line_of(text: str) -> int:
    [line] = [number for number, line in enumerate(SOURCE, start=1) if text in line]
    return line


@pytest.mark.parametrize(
    ("ending", "outcome", "code", "last_call"),
    [
        (LOOPS_FOR_EVER, Outcome.TIMED_OUT, "kernel-endless", "from.GetValue(1)"),
        (TAKES_ALL_MEMORY, Outcome.OUT_OF_MEMORY, "memory-exhausted", "from.GetValue(0)"),
        (READS_BEYOND, Outcome.FAILED, "memory-fault", "from.GetValue(0)"),
        (ABORTS, Outcome.FAILED, "kernel-crash", "from.GetValue(0)"),
    ],
)
def test_an_ill_kernel_ends_as_a_diagnostic_and_the_next_case_runs(
    device: Device, ending: int, outcome: Outcome, code: str, last_call: str
) -> None:
    observation = run(device, ending)
    assert observation.outcome is outcome, observation
    [found] = observation.diagnostics
    assert (found.code, found.severity, found.kernel, found.block) == (code, "error", "ill", 0)
    assert found.file.endswith("ill/ill_kernel.cpp")
    assert found.line == line_of(last_call)
    assert f"GetValue in line {found.line}" in found.message
    assert found.advice
    assert_fine(device)


def test_a_loop_ends_within_the_time_limit(device: Device) -> None:
    assert run(device, LOOPS_FOR_EVER).seconds < TIME_LIMIT + 0.5


def test_a_fault_names_the_nearest_buffer(device: Device) -> None:
    [found] = run(device, READS_BEYOND).diagnostics
    assert "offset 32768 of x, which has 16 bytes" in found.message


def test_a_crash_of_the_host_code_is_a_crash_and_no_diagnostic(device: Device) -> None:
    observation = run(device, COPIES, blocks=0)
    assert observation.outcome is Outcome.CRASHED
    assert "SIGSEGV" in observation.message
    assert observation.phase == "aclnnIll"
    assert observation.diagnostics == ()
    assert_fine(device)


def test_a_process_whose_kernel_was_left_judges_nothing_more(device: Device) -> None:
    assert_fine(device)
    before = device._child.pid
    run(device, READS_BEYOND)
    assert_fine(device)
    assert device._child.pid != before


def test_the_blocks_run_in_the_order_of_the_case(device: Device) -> None:
    """Both blocks copy to one place, which is found at the one that runs last."""
    last = {}
    for order in ("forward", "reverse", "forward"):
        machine = Machine(2, 4096, order)
        [found] = run(device, COPIES, blocks=2, machine=machine).diagnostics
        assert found.code == "race"
        last[order] = found.block
    assert last == {"forward": 1, "reverse": 0}


def test_a_case_without_a_machine_has_the_order_of_the_process(device: Device) -> None:
    run(device, COPIES, machine=Machine(2, 4096, "reverse"))
    [found] = run(device, COPIES, blocks=2).diagnostics
    assert (found.code, found.block) == ("race", 1)
