"""The counts of a launch: what kernels of known work have, and the longest chain of random ones."""

from __future__ import annotations

import ctypes
import random
from pathlib import Path

import numpy as np
import pytest

from conformance.call.work import COUNTS
from tests.simulator.longest_chain import work_of_programs
from tests.simulator.planted_engine import NOTHING, Plant, in_new_process, planted
from tests.simulator.random_programs import BARRIER, COPY_BACK, COPY_OUT, parameters, program
from tests.simulator.simulated_machine import OK, OUTPUT, SimulatedMachine

TILE_BYTES = 32
SHARED = (COPY_OUT, COPY_BACK)
"""Steps that touch memory which blocks share."""

FORGETS_CHAINS = Plant(
    "flags.cpp",
    "        core.work.Await(WaiterOf(event), core.chains[event][static_cast<uint32_t>(id)]);\n",
    "",
)
"""The chain of an instruction does not go through the flag that its pipe waits for."""


def total(machine: SimulatedMachine) -> list[int]:
    counts = (ctypes.c_uint64 * len(COUNTS))()
    assert machine.c.ascendsimWork(counts, ctypes.c_uint32(len(COUNTS))) == len(COUNTS)
    return list(counts)


def work(
    machine: SimulatedMachine, kernel: str, params: list[int], blocks: int = 1
) -> dict[str, int]:
    """The counts of one clean launch."""
    first, result = np.zeros(256, np.float32), np.zeros(256, np.float32)
    before = total(machine)
    assert machine.launch(kernel, first, first, result, params, blocks=blocks) == OK
    assert machine.take_diagnostics() == []
    return dict(
        zip(COUNTS, (a - b for a, b in zip(total(machine), before, strict=True)), strict=True)
    )


def test_bytes_and_instructions_of_tiles_are_counted_by_pipe(
    strict_machine: SimulatedMachine,
) -> None:
    found = work(strict_machine, "work_of_tiles", [5, 2, 1])
    assert found["mte2_bytes"] == found["mte3_bytes"] == 5 * TILE_BYTES
    assert found["vector_bytes"] == 5 * 2 * TILE_BYTES
    copies = found["mte2_instructions"], found["vector_instructions"], found["mte3_instructions"]
    assert copies == (5, 5, 5)


def test_a_doubled_copy_doubles_the_bytes_of_its_pipe_alone(
    strict_machine: SimulatedMachine,
) -> None:
    once = work(strict_machine, "work_of_tiles", [5, 2, 1])
    twice = work(strict_machine, "work_of_tiles", [5, 2, 2])
    assert twice["mte2_bytes"] == 2 * once["mte2_bytes"]
    assert twice["most_mte2_bytes"] == 2 * once["most_mte2_bytes"]
    assert twice["mte3_bytes"] == once["mte3_bytes"]
    assert twice["barriers"] == once["barriers"] + 5


def test_one_buffer_in_place_of_two_makes_the_chain_longer_and_nothing_else(
    strict_machine: SimulatedMachine,
) -> None:
    two = work(strict_machine, "work_of_tiles", [10, 2, 1])
    one = work(strict_machine, "work_of_tiles", [10, 1, 1])
    # Two: tile after tile in V, between the first copy in and the last copy out.
    assert two["chain"] == 1 + 10 + 1
    # One: a copy in waits for the sum of the tile before it.
    assert one["chain"] == 2 * 10 + 1
    same = [name for name in COUNTS if name not in ("chain", "chain_bytes", "waits")]
    assert [two[name] for name in same] == [one[name] for name in same]


def test_blocks_go_on_from_the_longest_chain_of_those_that_met(
    strict_machine: SimulatedMachine,
) -> None:
    found = work(strict_machine, "work_until_all_meet", [], blocks=4)
    assert found["chain"] == 4 + 1
    assert found["blocks"] == found["meetings"] == 4
    assert found["vector_instructions"] == 1 + 2 + 3 + 4 + 4
    assert found["most_vector_bytes"] == (4 + 1) * TILE_BYTES


def test_a_copy_of_blocks_is_one_instruction_and_a_scalar_read_is_one_access(
    strict_machine: SimulatedMachine,
) -> None:
    found = work(strict_machine, "work_of_one_copy", [3, 0, 0, 0])
    assert (found["mte2_instructions"], found["mte2_bytes"]) == (1, 3 * TILE_BYTES)
    assert (found["scalar_accesses"], found["scalar_bytes"]) == (3, 3 * 4)
    assert found["chain_bytes"] == 3 * TILE_BYTES


def test_a_chain_in_bytes_adds_what_its_instructions_move(strict_machine: SimulatedMachine) -> None:
    one = work(strict_machine, "work_of_tiles", [10, 1, 1])
    # Of each tile the copy in and the operands of the sum, then the last copy out.
    assert one["chain_bytes"] == 10 * (TILE_BYTES + 2 * TILE_BYTES) + TILE_BYTES


def of_random_programs(machine: SimulatedMachine, draw: random.Random, blocks: int) -> bool:
    """Whether the counts of random programs are those of a graph of their instructions."""
    machine.result_role = OUTPUT
    machine.synchronise("none")
    programs = [program(draw, block) for block in range(blocks)]
    if blocks > 1:  # a race between blocks would stop them
        apart = (BARRIER, 0, 0, 0)
        programs = [[apart if step[0] in SHARED else step for step in one] for one in programs]
    source, result = np.zeros(64, np.float32), np.zeros(128, np.float32)
    before = total(machine)
    machine.launch("script", source, source, result, parameters(programs), blocks=blocks)
    found = [after - count for after, count in zip(total(machine), before, strict=True)]
    return dict(zip(COUNTS, found, strict=True)) == work_of_programs(programs)


@pytest.mark.parametrize("blocks", [1, 2])
@pytest.mark.parametrize(
    ("order", "schedule"), [("forward", "program"), ("reverse", "late"), ("shuffled:1", "random:5")]
)
def test_random_programs_have_the_counts_of_their_graph_in_each_schedule(
    machine: SimulatedMachine, order: str, schedule: str, blocks: int
) -> None:
    machine.order_blocks(order)
    machine.schedule_pipes(schedule)
    draw = random.Random(blocks)
    assert all(of_random_programs(machine, draw, blocks) for _ in range(300))


def disagreements(library: Path) -> int:
    """Of 100 random programs, how many have other counts than those of their graph."""
    machine = SimulatedMachine(library)
    machine.configure()
    draw = random.Random(3)
    return sum(not of_random_programs(machine, draw, 1) for _ in range(100))


@pytest.mark.parametrize(
    ("plant", "found_out"), [(NOTHING, False), (FORGETS_CHAINS, True)], ids=["nothing", "no-flags"]
)
def test_chains_that_pass_no_flag_disagree_with_the_graph(
    machine: SimulatedMachine, plant: Plant, found_out: bool
) -> None:
    library = planted(machine.library, plant)
    assert (in_new_process(disagreements, library) > 0) == found_out
