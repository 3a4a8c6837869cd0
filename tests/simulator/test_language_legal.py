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


def test_data_copy_pad_begins_at_any_byte_of_global_memory(machine: SimulatedMachine) -> None:
    source = np.arange(64, dtype=np.uint8)
    result = machine.run("pads_from_any_byte_to_any_byte", source, np.zeros(64, np.uint8))
    assert result.tolist() == [0] * 3 + list(range(1, 21)) + [0] * 41


def test_a_padded_block_of_no_length_leaves_its_place(machine: SimulatedMachine) -> None:
    result = np.zeros(64, np.float32)
    machine.launch("pads_a_block_of_nothing", NOTHING, NOTHING, result)
    assert [one["code"] for one in machine.take_diagnostics()] == ["copy-empty"]
    assert result.tolist() == [1.0] * 64


def test_a_reduction_of_nothing_leaves_its_result(machine: SimulatedMachine) -> None:
    result = machine.run("reduces_nothing", NOTHING, np.zeros(64, np.float32))
    assert result.tolist() == [1.0] * 64


def test_an_empty_mask_leaves_every_result(machine: SimulatedMachine) -> None:
    result = machine.run("masks_no_lane", NOTHING, np.zeros(64, np.float32))
    assert result.tolist() == [1.0] * 64


def test_lists_are_merged_wherever_pairs_begin_and_not_without_a_repeat(
    machine: SimulatedMachine,
) -> None:
    result = np.zeros(16, np.float32)
    machine.launch("merges_lists_wherever_pairs_begin", NOTHING, NOTHING, result)
    assert [one["code"] for one in machine.take_diagnostics()] == ["merge-alignment"]
    assert result.tolist() == [4.0, 0.0, 4.0, 2.0, 3.0, 1.0, 3.0, 3.0] + [1.0] * 8


def test_a_size_is_set_and_bounds_nothing(machine: SimulatedMachine) -> None:
    result = machine.run("sets_the_size_of_a_tensor", NOTHING, np.zeros(16, np.float32))
    assert result.tolist() == [2.0] * 8 + [4.0] * 8
