"""One machine for all tests of the language: it takes seconds to compile."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.simulator.simulated_machine import OUTPUT, WORKSPACE, SimulatedMachine, kept_machine


@pytest.fixture(scope="session")
def built_machine() -> SimulatedMachine:
    """Compiled by the worker that asks first, unless an earlier run compiled the same sources."""
    return SimulatedMachine(kept_machine())


@pytest.fixture
def machine(built_machine: SimulatedMachine) -> Iterator[SimulatedMachine]:
    """The built machine as an Ascend910B1, with no diagnostics left from an earlier test.

    It judges neither synchronisation nor the padding that is stored: most test kernels show what
    one function leaves in UB, no more.
    """
    assert built_machine.configure() == 0
    built_machine.synchronise("none")
    built_machine.order_blocks("forward")
    built_machine.choose_functions("rounded")
    built_machine.schedule_pipes(os.environ.get("ASCENDSIM_PIPES", "program"))
    built_machine.result_role = WORKSPACE
    built_machine.take_diagnostics()
    yield built_machine
    built_machine.configure()


@pytest.fixture
def strict_machine(machine: SimulatedMachine) -> SimulatedMachine:
    """The machine with every check, as a conformance run has it."""
    machine.synchronise("vector")
    machine.result_role = OUTPUT
    return machine
