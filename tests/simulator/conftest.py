"""One machine for all tests of the language: it takes seconds to compile."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.simulator.simulated_machine import SimulatedMachine, build


@pytest.fixture(scope="session")
def built_machine(tmp_path_factory: pytest.TempPathFactory) -> SimulatedMachine:
    return SimulatedMachine(build(tmp_path_factory.mktemp("machine")))


@pytest.fixture
def machine(built_machine: SimulatedMachine) -> Iterator[SimulatedMachine]:
    """The built machine as an Ascend910B1, with no diagnostics left from an earlier test."""
    assert built_machine.configure() == 0
    built_machine.take_diagnostics()
    yield built_machine
    built_machine.configure()
