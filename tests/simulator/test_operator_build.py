"""Kernels of the operator build compile as they are, and read what that build would generate."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from tests.simulator.simulated_machine import KERNELS, SimulatedMachine, compile_operator
from tests.simulator.test_language import same_bits

# factor (two words), added[4], range.first, range.count
TILING = [3, 0, 10, 20, 30, 40, 5, 100]


@pytest.mark.parametrize(("key", "factor", "added"), [(101, 3, 30), (102, 1, 0)])
def test_the_tiling_key_chooses_the_branch(
    machine: SimulatedMachine, key: int, factor: int, added: int
) -> None:
    values = np.arange(200, dtype=np.int32)
    machine.c.ascendsimTilingKey(ctypes.c_uint64(key))
    result = machine.run("scale", values, np.zeros(100, np.int32), TILING)
    assert same_bits(result, (factor * values[5:105] + added).astype(np.int32))


def test_the_tiling_key_is_forgotten_after_its_launch(machine: SimulatedMachine) -> None:
    values = np.arange(200, dtype=np.int32)
    machine.c.ascendsimTilingKey(ctypes.c_uint64(101))
    machine.run("scale", values, np.zeros(100, np.int32), TILING)
    result = machine.run("scale", values, np.zeros(100, np.int32), TILING)
    assert (result == 0).all()


def test_a_tiling_struct_beyond_its_region_is_refused(machine: SimulatedMachine) -> None:
    values = np.arange(200, dtype=np.int32)
    machine.launch("scale", values, values, np.zeros(100, np.int32), TILING[:4])
    [found] = machine.take_diagnostics()
    assert (found["code"], Path(found["file"]).name) == ("gm-out-of-bounds", "scale_kernel.cpp")


@pytest.mark.parametrize("dtype", ["half", "float", "int16_t"])
def test_one_source_serves_every_dtype(tmp_path: Path, dtype: str) -> None:
    names = {"half": "DT_FLOAT16", "float": "DT_FLOAT", "int16_t": "DT_INT16"}
    source = KERNELS / "operator_build" / "scale_kernel.cpp"
    result = compile_operator(source, tmp_path / "scale.o", dtype, names[dtype])
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(("kernel", "skipped"), [("scale", 16 << 20), ("direct_workspace", 0)])
def test_the_users_workspace_begins_behind_the_systems_own(
    machine: SimulatedMachine, kernel: str, skipped: int
) -> None:
    machine.c.ascendsimTilingKey(ctypes.c_uint64(103))
    nothing = np.zeros(8, np.int32)
    assert machine.run(kernel, nothing, np.zeros(8, np.int32), TILING)[0] == skipped


def test_one_buffer_passes_a_queue_between_positions_of_choice(
    strict_machine: SimulatedMachine,
) -> None:
    values = np.arange(16, dtype=np.int32)
    result = strict_machine.run("passes_a_queue_more_than_once", values, np.zeros(16, np.int32))
    assert result.tolist() == [*range(1, 9), *range(8, 16)]


def test_elements_of_64_bits_are_copied_by_raw_addresses(strict_machine: SimulatedMachine) -> None:
    values = np.array([1 << 40, -2, 3, 99], np.int64)
    result = strict_machine.run("copies_by_raw_addresses", values, np.zeros(7, np.int64))
    assert result.tolist() == [1 << 40, -2, 3, 1 << 40, -2, 3, -1]


def test_blocks_are_reduced_by_raw_addresses(strict_machine: SimulatedMachine) -> None:
    values = np.random.default_rng(0).integers(-99, 99, 128).astype(np.float32)
    result = strict_machine.run("reduces_by_raw_addresses", values, np.zeros(32, np.float32))
    blocks = values.reshape(16, 8)
    assert result.tolist() == [*blocks.max(axis=1), *blocks.sum(axis=1)]


def test_elements_of_global_memory_are_computed_with(strict_machine: SimulatedMachine) -> None:
    values = np.array([0, 11, 22, 33], np.int32)
    result = strict_machine.run("counts_in_global_memory", values, np.zeros(3, np.int32))
    assert result.tolist() == [38, -16, 11]


def test_bools_are_copied_as_bytes(strict_machine: SimulatedMachine) -> None:
    bools = np.array([1, 0, 1], np.uint8)
    numbers = np.array([-5], np.int32)
    result = strict_machine.run("copies_bools", bools, np.zeros(5, np.int32), second=numbers)
    assert result.view(np.uint8)[:8].tolist() == [1, 0, 1, 1, 1, 1, 1, 1]
    assert result[2:4].tolist() == [-5, 7]
    assert result[4:].view(np.uint16).tolist() == [0x3FC0, 0x3FC0]
