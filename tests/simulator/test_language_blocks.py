"""Blocks that wait for each other, and copies that add to what is there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.simulator.simulated_machine import KERNEL_EXCEPTION, SimulatedMachine
from tests.simulator.test_language import same_bits

NOTHING = np.zeros(8, np.int32)


@pytest.mark.parametrize("blocks", [1, 2, 3, 40, 48])
@pytest.mark.parametrize("kernel", ["sum_over_blocks", "sum_over_blocks_by_software"])
def test_after_sync_all_every_block_sees_what_the_others_wrote(
    machine: SimulatedMachine, kernel: str, blocks: int
) -> None:
    flags = 8 * blocks if "software" in kernel else 0
    numbers = -(-2 * blocks // 8) * 8
    result = machine.run(kernel, NOTHING, np.zeros(numbers + flags, np.int32), blocks=blocks)
    assert result[:blocks].tolist() == [blocks * (blocks + 1) // 2] * blocks
    if flags:
        assert result[numbers::8].tolist() == [1] * blocks


def test_sync_all_among_some_of_the_blocks(machine: SimulatedMachine) -> None:
    result = machine.run("two_blocks_of_four_meet", NOTHING, np.zeros(24, np.int32), blocks=4)
    assert result[:4].tolist() == [1, 1, 0, 0]
    assert result[8::8].tolist() == [2, 2]


def test_a_deadlock_names_the_block_that_waits(machine: SimulatedMachine) -> None:
    result = np.zeros(8, np.int32)
    status = machine.launch("returns_before_the_others_meet", result, result, result, blocks=2)
    [found] = machine.take_diagnostics()
    assert status == KERNEL_EXCEPTION
    assert (found["code"], found["block"]) == ("sync-deadlock", 0)
    assert found["message"].startswith("SyncAll waits for 2 blocks and 1 of them call it")


def test_blocks_that_wait_are_unwound_when_one_fails(machine: SimulatedMachine) -> None:
    """The launch after it finds all cores and all stacks as after power-up."""
    machine.run_fault("meets_once_more_than_the_others", blocks=48)
    result = machine.run("sum_over_blocks", NOTHING, np.zeros(96, np.int32), blocks=48)
    assert result[:48].tolist() == [48 * 49 // 2] * 48


@pytest.mark.parametrize(
    ("kernel", "dtype", "operation"),
    [
        ("add_int32", np.int32, np.add),
        ("add_int16", np.int16, np.add),
        ("add_int8", np.int8, np.add),
        ("add_half", np.float16, np.add),
        ("add_bfloat16", ml_dtypes.bfloat16, np.add),
        ("add_float", np.float32, np.add),
        ("max_int32", np.int32, np.maximum),
        ("max_float", np.float32, np.maximum),
        ("min_half", np.float16, np.minimum),
    ],
)
@pytest.mark.parametrize("count", [1, 7, 33, 1000])
def test_atomic_copies_combine_with_what_is_there(
    machine: SimulatedMachine,
    kernel: str,
    dtype: Any,
    operation: Callable[..., NDArray[Any]],
    count: int,
) -> None:
    """Three blocks, each with the same values."""
    rng = np.random.default_rng(count)
    coming = rng.integers(-20, 20, count).astype(dtype)
    there = rng.integers(-20, 20, count + 5).astype(dtype)
    result = machine.run(f"atomic_{kernel}", coming, there.copy(), [count], blocks=3)
    expected = there.copy()
    for _ in range(3):
        expected[:count] = operation(expected[:count], coming)
    assert same_bits(result, expected)


def test_global_memory_is_zeroed_before_it_is_added_to(machine: SimulatedMachine) -> None:
    result = machine.run("zero_then_add", NOTHING, np.full(100, 9, np.int32), [77], blocks=5)
    assert result.tolist() == [15] * 77 + [9] * 23
