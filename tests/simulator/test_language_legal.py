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
