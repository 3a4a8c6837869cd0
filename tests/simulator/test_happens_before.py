"""The clocks of the simulated core against a graph of every instruction, on random programs."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile

import numpy as np
import pytest

from tests.simulator.happens_before import has_unordered, read_trace, unordered
from tests.simulator.planted_engine import (
    FORGETS_FLAGS,
    NOTHING,
    Plant,
    in_new_process,
    planted,
)
from tests.simulator.random_programs import (
    Step,
    first_unordered,
    graph_of,
    legal,
    parameters,
    program,
)
from tests.simulator.simulated_machine import OUTPUT, SimulatedMachine

ASKS_EARLY = "asks_for_counts_before_the_merge_has_ended"


def stopped_at(machine: SimulatedMachine, programs: list[list[Step]]) -> tuple[int, int] | None:
    """Block and step at which the simulator stops the same programs."""
    source, result = np.zeros(64, np.float32), np.zeros(128, np.float32)
    machine.launch("script", source, source, result, parameters(programs), blocks=len(programs))
    found = machine.take_diagnostics()
    if not found:
        return None
    allowed = {"sync-missing", "sync-scalar", "barrier-missing", "race"}
    assert {one["code"] for one in found} <= allowed, found
    block = found[0]["block"]
    return block, int(result.view(np.int32)[64 + block])


@pytest.fixture
def compare(strict_machine: SimulatedMachine) -> Callable[[list[list[Step]]], bool]:
    """Compares both; returns whether they saw a conflict."""
    strict_machine.result_role = OUTPUT

    def both(programs: list[list[Step]]) -> bool:
        expected = first_unordered(programs)
        assert stopped_at(strict_machine, programs) == expected, programs
        return expected is not None

    return both


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("blocks", [1, 2])
def test_random_programs_stop_where_the_graph_says(
    compare: Callable[[list[list[Step]]], bool], seed: int, blocks: int
) -> None:
    draw = random.Random(1000 * blocks + seed)
    seen = {True: 0, False: 0}
    for _ in range(1000):
        programs = [program(draw, block) for block in range(blocks)]
        assert all(map(legal, programs))
        seen[compare(programs)] += 1
    assert min(seen.values()) > 20


def disagreements(library: Path) -> int:
    """Of 300 random programs, in how many a machine and the graph stop at different places."""
    machine = SimulatedMachine(library)
    machine.configure()
    machine.synchronise("vector")
    draw = random.Random(7)
    programs = [[program(draw, 0)] for _ in range(300)]
    return sum(stopped_at(machine, one) != first_unordered(one) for one in programs)


@pytest.mark.parametrize(
    ("plant", "found_out"), [(NOTHING, False), (FORGETS_FLAGS, True)], ids=["nothing", "no-flags"]
)
def test_clocks_that_forget_the_edge_of_a_flag_disagree_with_the_graph(
    machine: SimulatedMachine, plant: Plant, found_out: bool
) -> None:
    library = planted(machine.library, plant)
    assert (in_new_process(disagreements, library) > 0) == found_out


@pytest.mark.parametrize("blocks", [1, 2, 3])
def test_whether_a_pair_is_unordered_is_told_without_looking_at_each(blocks: int) -> None:
    draw = random.Random(blocks)
    seen = {True: 0, False: 0}
    for _ in range(400):
        graph, instructions = graph_of([program(draw, block) for block in range(blocks)])
        found = bool(unordered(graph, instructions))
        assert has_unordered(graph, instructions) == found
        seen[found] += 1
    assert min(seen.values()) > 20


def unordered_in(kernel: str, library: Path) -> list[str]:
    """The memories of which the trace of a kernel shows accesses that nothing orders."""
    with NamedTemporaryFile("r") as trace:
        os.environ["ASCENDSIM_TRACE"] = trace.name
        machine = SimulatedMachine(library)
        machine.configure()
        machine.synchronise("none")
        machine.launch(kernel, *(np.zeros(64, np.float32) for _ in range(3)))
        pairs = [one for graph, done in read_trace(trace) for one in unordered(graph, done)]
    return [touched.memory for _, later in pairs for touched in later.touched]


def test_counts_that_are_read_before_their_merge_has_ended_are_unordered(
    machine: SimulatedMachine,
) -> None:
    found = {}
    for kernel in (ASKS_EARLY, f"right_{ASKS_EARLY}"):
        found[kernel] = in_new_process(partial(unordered_in, kernel), machine.library)
    assert [one.partition(" ")[0] for one in found[ASKS_EARLY]] == ["counts"]
    assert found[f"right_{ASKS_EARLY}"] == []
