"""The schedules of the pipes against the clocks: what nothing orders shows by value, and what is
ordered never does."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.simulator.planted_engine import (
    BARRIER_ORDERS_ALL,
    NOTHING,
    PASSES_OVER_FLAGS,
    Plant,
    in_new_process,
    planted,
)
from tests.simulator.random_programs import (
    ADD_COUNT,
    BARRIER,
    BARRIERS,
    COPY_IN,
    COPY_OUT,
    ELEMENTS,
    EVENTS,
    READ,
    SET,
    WAIT,
    Step,
    chained,
    legal,
    parameters,
    program,
)
from tests.simulator.simulated_machine import (
    INVALID_PARAMETER,
    OK,
    OUTPUT,
    SimulatedMachine,
    twins,
)

SCHEDULES = ("late", *(f"random:{seed}" for seed in range(18)))
ALL = BARRIERS.index("ALL")


def result_of(machine: SimulatedMachine, steps: list[Step], schedule: str) -> bytes:
    """What a program leaves in the output and in UB by a schedule; leaves the diagnostics."""
    source = np.arange(1, 65, dtype=np.float32)
    result = np.zeros(128, np.float32)
    shown = [*steps, (BARRIER, ALL, 0, 0), (COPY_OUT, 0, 96, ELEMENTS)]
    machine.schedule_pipes(schedule)
    try:
        machine.launch("script", source, source, result, parameters([shown]))
    finally:
        machine.schedule_pipes("program")
    result[64] = 0  # how far it came
    return result.tobytes()


def shown_by(machine: SimulatedMachine, steps: list[Step]) -> list[str]:
    """The schedules in which a program leaves other bytes than in that of the program."""
    machine.synchronise("none")
    first = result_of(machine, steps, "program")
    return [name for name in SCHEDULES if result_of(machine, steps, name) != first]


def is_reported(machine: SimulatedMachine, steps: list[Step], level: str = "vector") -> bool:
    """Whether the clocks find something that nothing orders."""
    machine.synchronise(level)
    machine.take_diagnostics()
    result_of(machine, steps, "program")
    return machine.take_diagnostics() != []


def scheduled(machine: SimulatedMachine, level: str, programs: int, seed: int) -> dict[str, int]:
    """How many random programs were shown and not reported, both, or only reported."""
    draw = random.Random(seed)
    return counted(machine, level, [program(draw, 0) for _ in range(programs)])


def chains(machine: SimulatedMachine, programs: int, seed: int) -> dict[str, int]:
    """The same of random programs that are ordered from step to step."""
    draw = random.Random(seed)
    return counted(machine, "vector", [chained(program(draw, 0)) for _ in range(programs)])


def counted(machine: SimulatedMachine, level: str, programs: list[list[Step]]) -> dict[str, int]:
    machine.result_role = OUTPUT
    seen = {"shown": 0, "both": 0, "reported": 0, "neither": 0}
    for steps in programs:
        assert legal(steps)
        shown, reported = shown_by(machine, steps), is_reported(machine, steps, level)
        seen[
            "both"
            if shown and reported
            else "shown"
            if shown
            else "reported"
            if reported
            else "neither"
        ] += 1
    return seen


@pytest.mark.parametrize("seed", range(4))
def test_no_schedule_changes_a_byte_of_a_random_program_that_the_clocks_accept(
    machine: SimulatedMachine, seed: int
) -> None:
    seen = scheduled(machine, "vector", 250, seed)
    assert seen["shown"] == 0
    assert min(seen["both"], seen["neither"]) > 20


def test_programs_that_are_ordered_from_step_to_step_are_accepted_and_the_same(
    machine: SimulatedMachine,
) -> None:
    assert chains(machine, 60, 1) == {"shown": 0, "both": 0, "reported": 0, "neither": 60}


def test_clocks_that_see_less_are_found_out_by_a_schedule(machine: SimulatedMachine) -> None:
    assert scheduled(machine, "pipes", 250, 0)["shown"] > 0
    assert scheduled(machine, "scalar", 250, 0)["shown"] > 0


def shown_though_accepted(library: Path) -> int:
    """The random programs that a machine accepts, and of which a schedule changes a byte."""
    machine = SimulatedMachine(library)
    machine.configure()
    return scheduled(machine, "vector", 250, 0)["shown"] + chains(machine, 60, 0)["shown"]


@pytest.mark.parametrize(
    ("plant", "found_out"),
    [(NOTHING, False), (PASSES_OVER_FLAGS, True), (BARRIER_ORDERS_ALL, True)],
    ids=["nothing", "passes-over-flags", "barrier-orders-all"],
)
def test_a_mistake_that_is_planted_in_the_engine_is_found_out_by_a_schedule(
    machine: SimulatedMachine, plant: Plant, found_out: bool
) -> None:
    library = planted(machine.library, plant)
    assert (in_new_process(shown_though_accepted, library) > 0) == found_out


# Copied in, computed, computed again, copied out: each step needs the one before.
IN, ADD, AGAIN, OUT = (
    (COPY_IN, 0, 8, 8),
    (ADD_COUNT, 8, 0, 8),
    (ADD_COUNT, 16, 8, 8),
    (COPY_OUT, 16, 0, 8),
)
BARRIER_V = (BARRIER, BARRIERS.index("V"), 0, 0)


def flag(event: str) -> list[Step]:
    """A flag that is set and waited for at once."""
    return [(SET, EVENTS.index(event), 0, 0), (WAIT, EVENTS.index(event), 0, 0)]


def without(missing: str) -> list[Step]:
    """The steps, each behind what it needs but for one order."""

    def part(name: str) -> list[Step]:
        return [] if name == missing else [BARRIER_V] if name == "V" else flag(name)

    steps = [IN, *part("MTE2_V"), ADD, *part("V"), AGAIN, *part("V_MTE3"), OUT, *part("MTE3_V")]
    if missing == "MTE2_S":
        return [IN, (READ, 0, 0, 0)]
    return [*steps, (ADD_COUNT, 16, 0, 8), *flag("MTE2_S"), (READ, 0, 0, 0)]


@pytest.mark.parametrize("missing", ["MTE2_V", "V", "V_MTE3", "MTE3_V", "MTE2_S", ""])
def test_each_missing_order_shows_in_the_latest_schedule_or_a_random_one(
    machine: SimulatedMachine, missing: str
) -> None:
    steps = without(missing)
    machine.result_role = OUTPUT
    shown = shown_by(machine, steps)
    assert bool(shown) == (missing not in ("", "MTE2_S"))
    assert is_reported(machine, steps) == (missing != "")


def early_in(machine: SimulatedMachine, steps: list[Step], schedule: str) -> list[dict[str, Any]]:
    """What a run without clocks tells of instructions that took effect too early."""
    machine.synchronise("none")
    machine.take_diagnostics()
    result_of(machine, steps, schedule)
    found = machine.take_diagnostics()
    assert {one["code"] for one in found} <= {"early-access"}
    assert len(found) <= 1
    return found


@pytest.mark.parametrize("seed", range(4))
def test_an_instruction_is_named_as_too_early_where_a_schedule_shows_one_and_nowhere_else(
    machine: SimulatedMachine, seed: int
) -> None:
    """In each schedule that changes a byte one is named, and none of a program that the clocks
    accept."""
    machine.result_role = OUTPUT
    draw, named = random.Random(100 + seed), 0
    for _ in range(120):
        steps = program(draw, 0)
        early = {name for name in SCHEDULES if early_in(machine, steps, name)}
        assert early >= set(shown_by(machine, steps)), steps
        assert not early or is_reported(machine, steps), steps
        named += bool(early)
    assert named > 20


COPY, ADDS = "DataCopyPad in line N", "Adds in line N"
NAMED = {
    "MTE2_V": f"Adds reads UB from byte 0 on before {COPY} has written it: "
    "runs pipe V ahead of MTE2",
    "V": f"Adds reads UB from byte 32 on before {ADDS} has written it: "
    "begins the next instruction of pipe V meanwhile",
    "V_MTE3": f"DataCopyPad reads UB from byte 64 on before {ADDS} has written it: "
    "runs pipe MTE3 ahead of V",
    "MTE3_V": f"Adds writes UB from byte 64 on before {COPY} has read it: "
    "runs pipe V ahead of MTE3",
    "MTE2_S": f"GetValue reads UB from byte 0 on before {COPY} has written it: "
    "runs pipe S ahead of MTE2",
}
"""What a missing order lets a schedule do, without the name of the schedule."""


@pytest.mark.parametrize("missing", NAMED)
def test_what_was_too_early_is_named_with_what_it_depends_on(
    machine: SimulatedMachine, missing: str
) -> None:
    machine.result_role = OUTPUT
    early = {name: early_in(machine, without(missing), name) for name in SCHEDULES}
    schedule, (found,) = next((name, one) for name, one in early.items() if one)
    said = re.sub(r"in line \d+", "in line N", found["message"])
    assert said.replace(f"schedule {schedule} ", "") == NAMED[missing]
    assert Path(found["file"]).name == Path(found["earlier"]["file"]).name == "scripts.cpp"
    assert found["line"] != found["earlier"]["line"] or missing == "V"
    assert (found["severity"], found["block"]) == ("warning", 0)


@pytest.mark.parametrize("schedule", ["late", "random:0", "random:1", "random:2", "random:9"])
@pytest.mark.parametrize("kernel", twins())
def test_a_kernel_without_its_mistake_stays_clean_in_every_schedule(
    strict_machine: SimulatedMachine, kernel: str, schedule: str
) -> None:
    strict_machine.schedule_pipes(schedule)
    assert strict_machine.run_fault(f"right_{kernel}") == (OK, [])


@pytest.mark.parametrize("text", ["", "Late", "random", "random:", "random:x", "random:1 "])
def test_no_other_schedule_is_taken(machine: SimulatedMachine, text: str) -> None:
    assert machine.c.ascendsimPipes(text.encode()) == INVALID_PARAMETER
