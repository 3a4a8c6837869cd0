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
