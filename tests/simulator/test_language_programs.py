"""Whole kernels: blocks, queues, flags, and a launch as the runtime sees it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.simulator.simulated_machine import (
    INVALID_PARAMETER,
    KERNEL_EXCEPTION,
    OK,
    SimulatedMachine,
)
from tests.simulator.test_language import same_bits

NOTHING = np.zeros(8, np.int32)


@pytest.fixture
def machine(strict_machine: SimulatedMachine) -> SimulatedMachine:
    return strict_machine


@pytest.mark.parametrize("blocks", [1, 2, 48, 1000])
def test_every_block_knows_its_index_and_the_launch_size(
    machine: SimulatedMachine, blocks: int
) -> None:
    result = machine.run("block_indices", NOTHING, np.zeros((blocks, 2), np.int32), blocks=blocks)
    assert result.tolist() == [[index, blocks] for index in range(blocks)]


def test_output_bytes_that_no_block_writes_are_known(machine: SimulatedMachine) -> None:
    """Each block writes 8 bytes, one after the other."""
    machine.run("block_indices", NOTHING, np.zeros((5, 2), np.int32), blocks=3)
    assert machine.unwritten() == [("result", 24, 16)]
    machine.run("block_indices", NOTHING, np.zeros((5, 2), np.int32), blocks=5)
    assert machine.unwritten() == []
    machine.run("empty", NOTHING, np.zeros(5, np.int32))
    assert machine.unwritten() == [("result", 0, 20)]


@pytest.mark.parametrize("hidden", [1, 15, 16, 17, 128, 1000])
@pytest.mark.parametrize("blocks", [1, 3, 48])
def test_gather_and_sum(machine: SimulatedMachine, hidden: int, blocks: int) -> None:
    tokens, k = 7, 4
    rng = np.random.default_rng(hidden)
    rows = rng.integers(-64, 64, (tokens * k, hidden)).astype(np.float16)
    indices = rng.permutation(tokens * k).astype(np.int32)
    result = machine.run(
        "gather_sum",
        rows,
        np.zeros((tokens, hidden), np.float16),
        [tokens, k, hidden],
        second=indices,
        blocks=blocks,
    )
    assert same_bits(result, rows[indices].reshape(tokens, k, hidden).sum(axis=1))


def test_a_bound_queue_and_flags_order_copies(machine: SimulatedMachine) -> None:
    first, second = np.arange(64, dtype=np.float32), -np.arange(64, dtype=np.float32)
    result = machine.run("copy_through", first, np.zeros(128, np.float32), [64], second=second)
    assert same_bits(result, np.concatenate([first, second]))


def test_fetching_reserves_no_event_id_and_allocating_does(machine: SimulatedMachine) -> None:
    result = machine.run("event_ids", NOTHING, np.full(6, -1, np.int32))
    assert result.tolist() == [0, 0, 0, 1, 0, 0]


def test_destroying_a_pipe_twice_is_harmless(machine: SimulatedMachine) -> None:
    machine.run("destroy_twice", NOTHING, NOTHING.copy())


def test_views_share_bytes_and_know_what_is_left(machine: SimulatedMachine) -> None:
    """100 bytes of UB are rounded up to 128."""
    result = machine.run("views", NOTHING, np.zeros(10, np.int32))
    assert result[:6].tolist() == [0x1234, 32, 96, 20, 6, 4]


def test_the_machine_is_a_parameter(machine: SimulatedMachine) -> None:
    c = machine.c
    c.stand_in_soc.restype = ctypes.c_char_p
    seen = []
    for soc, cores, ub_bytes in [
        ("", 0, 0),
        ("Ascend910B3", 0, 0),
        ("Ascend910_9382", 0, 0),
        ("Ascend910B1", 3, 8192),
        ("Ascend910B1", 0, 196608),
    ]:
        assert machine.configure(soc, cores, ub_bytes) == OK
        seen.append((c.stand_in_soc(), c.ascendsimVectorCores(), c.ascendsimUbBytes()))
    assert seen == [
        (b"Ascend910B1", 48, 196352),
        (b"Ascend910B3", 40, 196352),
        (b"Ascend910_9382", 48, 196608),
        (b"Ascend910B1", 3, 8192),
        (b"Ascend910B1", 48, 196608),
    ]


@pytest.mark.parametrize(
    ("soc", "cores", "ub_bytes"),
    [("Ascend310P", 0, 0), ("", 65, 0), ("", 0, 196640), ("", 0, 992), ("", 0, 4100)],
)
def test_a_machine_that_cannot_be_is_refused_and_changes_nothing(
    machine: SimulatedMachine, soc: str, cores: int, ub_bytes: int
) -> None:
    assert machine.configure(soc, cores, ub_bytes) == INVALID_PARAMETER
    assert (machine.c.ascendsimVectorCores(), machine.c.ascendsimUbBytes()) == (48, 196352)


@pytest.mark.parametrize("blocks", [0, 65536])
def test_a_launch_without_a_sensible_block_count_is_refused(
    machine: SimulatedMachine, blocks: int
) -> None:
    memory = np.zeros(2, np.int32)
    assert machine.launch("empty", memory, memory, memory, blocks=blocks) == INVALID_PARAMETER
    status = machine.launch("block_indices", memory, memory, memory, describe=())
    assert status == KERNEL_EXCEPTION, "the regions of a refused launch are forgotten too"


@pytest.fixture
def allocation(machine: SimulatedMachine) -> Iterator[NDArray[np.int32]]:
    """The only memory that the runtime's stand-in knows: 32 bytes."""
    memory = np.zeros(8, np.int32)
    start = memory.ctypes.data_as(ctypes.c_void_p)
    machine.c.stand_in_begin(start, ctypes.c_uint64(memory.nbytes))
    machine.c.stand_in_failed_stream.restype = ctypes.c_void_p
    machine.c.stand_in_failure_text.restype = ctypes.c_char_p
    yield memory
    machine.c.stand_in_end()


@pytest.mark.parametrize(("blocks", "status"), [(4, OK), (5, KERNEL_EXCEPTION)])
def test_without_described_regions_allocations_are_the_bounds(
    machine: SimulatedMachine, allocation: NDArray[np.int32], blocks: int, status: int
) -> None:
    """Each block writes 8 bytes; with a runtime, the stream tells the failure, not the launch."""
    arrays = (allocation, allocation, allocation)
    assert machine.launch("block_indices", *arrays, blocks=blocks, describe=()) == OK
    assert machine.c.stand_in_failure_status() == status
    if status != OK:
        assert machine.c.stand_in_failed_stream() == 0x57
        text = machine.c.stand_in_failure_text()
        assert b"[gm-out-of-bounds] kernel block_indices, block 4, " in text
        assert b"offset 32 of the allocation, which has 32" in text


def test_described_regions_rule_out_the_rest_of_an_allocation(
    machine: SimulatedMachine, allocation: NDArray[np.int32]
) -> None:
    half = allocation[:4]
    status = machine.launch("block_indices", half, half, half, blocks=3, describe=["result"])
    assert status == OK
    assert machine.c.stand_in_failure_status() == KERNEL_EXCEPTION


@pytest.mark.parametrize(
    ("first", "size", "text"),
    [
        (4, 20, b"first is given as 20 bytes at 0x%x, whose allocation has 16 bytes from there"),
        (64, 4, b"first is given as 4 bytes at 0x%x, which no live allocation of the device holds"),
    ],
)
def test_a_region_that_no_allocation_holds_is_refused_before_the_first_block(
    machine: SimulatedMachine, allocation: NDArray[np.int32], first: int, size: int, text: bytes
) -> None:
    address = allocation.ctypes.data + first * 4
    region = (ctypes.c_void_p(address), ctypes.c_uint64(size))
    machine.c.ascendsimDescribeRegion(*region, b"first", 0)
    arrays = (allocation, allocation, allocation)
    assert machine.launch("block_indices", *arrays, describe=["result"]) == OK
    assert machine.c.stand_in_failure_status() == KERNEL_EXCEPTION
    said = machine.c.stand_in_failure_text()
    assert said.startswith(b"[gm-out-of-bounds] kernel block_indices: " + text % address)
    assert not allocation.any()
    [found] = machine.take_diagnostics()
    assert (found["block"], found["file"], found["line"]) == (-1, "", 0)


def test_regions_are_forgotten_when_their_launch_ends(machine: SimulatedMachine) -> None:
    result = np.zeros(2, np.int32)
    assert machine.launch("block_indices", NOTHING, NOTHING, result) == OK
    status = machine.launch("block_indices", NOTHING, NOTHING, result, describe=())
    assert status == KERNEL_EXCEPTION
    assert [found["code"] for found in machine.take_diagnostics()] == ["gm-out-of-bounds"]


def test_a_table_that_is_loaded_with_the_kernel_may_be_read(machine: SimulatedMachine) -> None:
    result = machine.run("constant_table", NOTHING, np.zeros(8, np.int32))
    assert same_bits(result, np.array([7, 11, 13, 17, 19, 23, 29, 31], np.int32))


@pytest.mark.parametrize("kernel", ["variable_of_the_library", "written_table"])
def test_of_a_kernels_library_nothing_else_may_be_touched(
    machine: SimulatedMachine, kernel: str
) -> None:
    status = machine.launch(kernel, NOTHING, NOTHING, np.zeros(8, np.int32))
    assert status == KERNEL_EXCEPTION
    assert [found["code"] for found in machine.take_diagnostics()] == ["gm-out-of-bounds"]
