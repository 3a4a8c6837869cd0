"""What nobody wrote is named where a kernel uses it: by the workspace that it came from, by the
pattern of the memory that it came from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conformance import poison
from tests.simulator.simulated_machine import (
    INPUT,
    KERNELS,
    REGION_BYTES,
    WORKSPACE,
    SimulatedMachine,
    aligned_zeros,
)

SIMULATOR = Path(__file__).parents[2] / "device_kernels" / "simulator"
ORIGIN = 1 + (KERNELS / "origins.cpp").read_text().splitlines().index(
    "        DataCopy(tensor, Global<float>(workspace)[16], 64);  // origin"
)
WORKSPACE_ADVICE = "Write a workspace before it is read, or zero it: nothing else does."


@pytest.fixture
def machine(strict_machine: SimulatedMachine) -> Iterator[SimulatedMachine]:
    strict_machine.second_role = WORKSPACE
    yield strict_machine
    strict_machine.second_role = INPUT


def found(machine: SimulatedMachine, kernel: str) -> dict[str, Any]:
    _, (one,) = machine.run_fault(kernel)
    return one


@pytest.mark.parametrize(
    ("kernel", "code", "message"),
    [
        (
            "stores_bytes_of_a_workspace",
            "uninitialised-store",
            "DataCopy stores UB addresses 32 to 95 in an output, read from byte 96 of second",
        ),
        (
            "stores_what_it_computed_from_a_workspace",
            "uninitialised-store",
            "DataCopy stores UB addresses 256 to 511 in an output, computed from byte 64 of second",
        ),
        (
            "reads_a_scalar_that_came_from_a_workspace",
            "uninitialised-read",
            "GetValue of UB address 8, read from byte 72 of second",
        ),
    ],
)
def test_a_byte_of_a_workspace_is_named_with_the_copy_that_brought_it(
    machine: SimulatedMachine, kernel: str, code: str, message: str
) -> None:
    one = found(machine, kernel)
    copied = f"DataCopy in line {ORIGIN} copied it"
    assert (one["code"], one["advice"]) == (code, WORKSPACE_ADVICE)
    assert one["message"] == f"{message}, where nobody put a value: {copied}"
    earlier = one["earlier"]
    assert (earlier["operation"], earlier["line"], earlier["pipe"]) == ("DataCopy", ORIGIN, "MTE2")


def test_a_scalar_of_a_workspace_has_the_advice_on_workspaces(machine: SimulatedMachine) -> None:
    one = found(machine, "reads_a_scalar_of_a_workspace")
    assert (one["code"], one["advice"]) == ("uninitialised-read", WORKSPACE_ADVICE)
    assert one["message"] == "GetValue of byte 8 of second, where nothing has put a value"


def test_what_lay_there_before_is_not_named(machine: SimulatedMachine) -> None:
    one = found(machine, "stores_padding_where_a_workspace_was")
    assert one["message"].endswith("which hold nothing that was copied or computed")
    assert "mind the padding of copies" in one["advice"]
    assert one["earlier"] is None


def read_at(machine: SimulatedMachine, offset: int) -> str:
    """What is said of a read at an offset of the first input."""
    regions = [aligned_zeros(REGION_BYTES, 64) for _ in range(3)]
    # The last in memory is read: nothing of the launch lies behind it, however far.
    second, result, first = sorted(regions, key=lambda region: region.ctypes.data)
    halves = np.array([offset % 2**64], np.uint64).view(np.int32).tolist()
    machine.launch("reads_at_an_offset", first, second, result, halves)
    (one,) = machine.take_diagnostics()
    assert one["code"] == "gm-out-of-bounds"
    message: str = one["message"]
    return message.partition(f"which has {REGION_BYTES}")[2]


@pytest.mark.parametrize("word", poison.WHERE, ids=hex)
def test_an_offset_made_of_poison_is_told_with_where_that_lies(
    machine: SimulatedMachine, word: int
) -> None:
    where = f", the pattern of {poison.WHERE[word]}"
    index = word << 16 | word
    signed = index - (1 << 32 if index >> 31 else 0)
    for offset, told in (
        (index, f"; {index} is 0x{index:x}"),
        (2 * index % 2**32, f"; {2 * index % 2**32} is 2 times 0x{index:x}"),
        (signed * 4096 + 17, f"; {signed * 4096 + 17} is 4096 times 0x{index:x} and 17 more"),
        (word, f"; {word} is 0x{word:x}"),
        (4 * word, f"; {4 * word} is 4 times 0x{word:x}"),
    ):
        assert read_at(machine, offset) == told + where


def test_an_offset_made_of_a_guard_zone_is_told_so(machine: SimulatedMachine) -> None:
    for index in (0x7FC37FDD, 0xFFC37FDD):
        told = read_at(machine, index)
        assert told.endswith(f"is 0x{index:x}, the pattern of {poison.IN_A_GUARD}")


def test_other_offsets_are_told_without_a_guess(machine: SimulatedMachine) -> None:
    generator = np.random.default_rng(1)
    for size in (16, 32, 48):
        for offset in generator.integers(REGION_BYTES, 2**size, 100).tolist():
            assert read_at(machine, offset) == ""


def test_twice_an_index_that_nobody_wrote_is_told_so(machine: SimulatedMachine) -> None:
    """The text of the snapshot ``index_that_nobody_wrote``."""
    told = "; 4294377462 is 2 times 0x7ffb7ffb, the pattern of an output that nobody wrote"
    assert read_at(machine, 4294377462) == told


def test_the_engine_has_the_same_table_as_the_harness() -> None:
    engine = (SIMULATOR / "language" / "engine" / "memory" / "poison.h").read_text()
    ub = re.findall(r"kUbPoison = (0x\w+);", engine)
    rows = re.findall(r'\{(0x\w+|kUbPoison), "(.*?)"\}', engine)
    table = {int(ub[0] if word == "kUbPoison" else word, 16): where for word, where in rows}
    assert table == poison.WHERE
    assert int(ub[0], 16) == poison.UB
    least, most = re.findall(r"kLeastGuard = (0x\w+), kMostGuard = (0x\w+);", engine)[0]
    assert (int(least, 16), int(most, 16)) == (poison.LEAST_GUARD, poison.MOST_GUARD)
    assert re.findall(r'kGuardWhere = "(.*?)";', engine) == [poison.IN_A_GUARD]
    runtime = (SIMULATOR / "runtime" / "memory.h").read_text()
    assert [int(word, 16) for word in re.findall(r"kPoison = (0x\w+);", runtime)] == [poison.FRESH]
