"""What the interface documents is executed, and no check mistakes it for a fault."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulator.simulated_machine import SimulatedMachine

NOTHING = np.zeros(8, np.int32)


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        ("accumulates_repeats", [8.0] * 64),
        ("repeats_beside_its_operand", ([3.0] * 8 + [2.0] * 8) * 32),
        ("casts_in_place_in_repeats", [2.0] * 512),
    ],
)
def test_operands_may_share_bytes_as_documented(
    machine: SimulatedMachine, kernel: str, expected: list[float]
) -> None:
    result = machine.run(kernel, NOTHING, np.zeros(len(expected), np.float32))
    assert result.tolist() == expected


def test_a_mask_of_one_word_is_enough_for_64_lanes(machine: SimulatedMachine) -> None:
    result = machine.run("masks_with_one_word", NOTHING, np.zeros(64, np.float32))
    assert result.tolist() == [2.0] * 16 + [3.0] * 16 + [1.0] * 32


def test_half_converts_as_a_built_in_type(machine: SimulatedMachine) -> None:
    result = machine.run("computes_with_half", NOTHING, np.zeros(8, np.float32))
    assert result.tolist() == [3.0, 1.5, 4.0, 1.0, 2.0, 2049.0, 2048.0, -1.0]


def test_fields_and_elements_are_computed_with(machine: SimulatedMachine) -> None:
    result = machine.run("counts_with_fields_and_elements", NOTHING, np.zeros(8, np.float32))
    assert result.tolist() == [5.0, 5.0, 6.0, 1.0, 1.0, 1.0, 1.0, 1.0]
