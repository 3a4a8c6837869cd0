"""Ladders: which sizes are asked, in which cells, and down to which size a refusal is followed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import strategies as st

from conformance.call.case import PROGRAM, Case, Machine, Tensor
from conformance.call.observation import Observation, Outcome
from conformance.draw.ladder_cells import cells_asked
from conformance.draw.profiles import PROFILES
from conformance.judge.verdict import Verdict
from conformance.record.clause import Clause, SourceClass
from conformance.record.operator import Mode, Operator
from conformance.record.size_ladders import (
    BLOCKS,
    DEAR,
    MACHINES,
    MOST,
    REPEATS,
    SLOW,
    Ladder,
)
from conformance.session.binding import OfRun, bind
from conformance.session.ladder_item import cases_of as climbed_cases
from conformance.session.search_budget import SearchBudget
from conformance.session.template import Asked, item_ids, parametrize, record
from conformance.session.trial import Refused, Trial
from conformance.values.fill import Fill
from tests.cases.drawing import one_of_each
from tests.conformance.toy.records.copying import OPERATOR

LANGUAGE = Path(__file__).parents[3] / "device_kernels" / "simulator" / "language" / "ascendc"


def case_of(mode: str, dtype: str, size: int, machine: Machine) -> Case:
    return Case(
        OPERATOR.name, mode, dtype, {"size": size}, {"x": Tensor((1,), "int32")}, {}, machine
    )


def cases_of(mode: str, dtype: str, size: int, machine: Machine) -> st.SearchStrategy[Case]:
    return st.just(case_of(mode, dtype, size, machine))


LADDER = Ladder("size", cases_of)
SLOTS = Ladder("slots", cases_of, least=16, step=8)
CLAUSE = Clause("one way to call it", SourceClass.DOCUMENT, "nowhere")
RECORD = replace(
    OPERATOR,
    modes=(Mode("plain", CLAUSE), Mode("padded", CLAUSE)),
    dtypes=("float16", "float32", "bfloat16"),
    ladders=(LADDER, SLOTS, replace(LADDER, name="capacity", modes=("padded",))),
)


def run(
    ladder: Ladder,
    wrong: Callable[[int], bool],
    outcome: Outcome = Outcome.COMPLETED,
    profile: str = "smoke",
    cores: int = 0,
) -> tuple[Trial, list[tuple[int, Machine | None]]]:
    """A whole item on a device that errs at some sizes, if ``cores`` are given only on so many; its
    trial, and what was judged."""
    judged: list[tuple[int, Machine | None]] = []

    def body(operator: object, ladder: object, mode: str, dtype: str, case: Case) -> None:
        size = case.attributes["size"]
        judged.append((size, case.machine))
        is_wrong = wrong(size) and (not cores or case.machine.cores == cores)
        seen = outcome if is_wrong else Outcome.COMPLETED
        record(Verdict(not is_wrong, "x is wrong."), case, Observation(seen))

    trial = Trial(lambda *_: None, SearchBudget(60))
    item = {"operator": RECORD, "ladder": ladder, "mode": "plain", "dtype": "float16"}
    climb = bind(body, item, trial, OfRun(PROFILES[profile], seed=1), "x").free
    try:
        climb(**item)
    except Refused:
        assert trial.smallest is not None
    return trial, judged


def test_the_sizes_are_those_around_each_power_of_two_up_to_the_largest() -> None:
    assert Ladder("top_k", cases_of, most=70, every=5).sizes == (
        *range(1, 6),
        *(7, 8, 9),
        *(15, 16, 17),
        *(31, 32, 33),
        *(63, 64, 65),
        *(69, 70),
    )
    assert LADDER.sizes[-5:] == (2**16 - 1, 2**16, 2**16 + 1, MOST - 1, MOST)


def test_a_size_that_grows_in_steps_is_met_a_step_below_and_above() -> None:
    assert SLOTS.sizes[:6] == (16, 24, 32, 40, 56, 64)
    assert {2**16 - 8, 2**16, 2**16 + 8} <= set(SLOTS.sizes)
    assert all(size % 8 == 0 for size in SLOTS.sizes)


def test_each_size_that_is_asked_is_judged_once() -> None:
    trial, judged = run(LADDER, lambda size: False)
    assert trial.smallest is None
    assert tuple(size for size, _ in judged) == LADDER.asked("operator", 1)
    trial, judged = run(LADDER, lambda size: False, profile="gate")
    assert trial.smallest is None
    assert tuple(size for size, _ in judged) == LADDER.asked("mode", 1, 0, 2)


@pytest.mark.parametrize("profile", ["smoke", "gate"])
def test_smoke_makes_large_calls_in_the_order_of_the_program(profile: str) -> None:
    _, judged = run(LADDER, lambda size: False, profile=profile)
    met: dict[bool, set[str]] = {False: set(), True: set()}
    for size, machine in judged:
        assert machine is not None
        met[size > SLOW].add(machine.pipes)
    assert len(met[False]) > 2
    assert (met[True] == {PROGRAM}) == (profile == "smoke")


def test_around_each_power_of_two_all_machines_are_met() -> None:
    for power in (2**3, 2**7, 2**9):
        assert {LADDER.machine(size, 0) for size in (power - 1, power, power + 1)} == {*MACHINES}
    for turn in range(3):
        assert {LADDER.machine(2**power - turn, turn) for power in (10, 11)} == {*MACHINES[1:]}
    for size in (16, 24, 32):
        assert {LADDER.machine(size, turn) for turn in range(3)} == {*MACHINES}


def test_the_limits_of_instructions_are_those_of_the_language_model() -> None:
    copies, constants = (
        (LANGUAGE / name).read_text("utf-8")
        for name in ("movement/data_copy.h", "vocabulary/constants.h")
    )
    assert re.findall(r"kMostCopyBlocks = (\d+);", copies) == [str(BLOCKS)]
    assert re.findall(r"MAX_REPEAT_TIMES = (\d+);", constants) == [str(REPEATS)]


@pytest.mark.parametrize("ladder", [LADDER, SLOTS], ids=lambda one: one.name)
def test_what_is_too_much_for_one_instruction_is_judged_on_a_single_core(ladder: Ladder) -> None:
    assert {BLOCKS // ladder.step * ladder.step, 8160, 16320, 32640} <= set(ladder.sizes)
    for turn in range(9):
        asked = [n for n in ladder.asked("operator", turn) if ladder.machine(n, turn).cores == 1]
        for blocks, more in ((BLOCKS, 5000), (8160, 9000)):
            assert any(blocks < n < more for n in asked)


def test_the_largest_size_but_one_is_that_of_a_single_core() -> None:
    for ladder in (LADDER, SLOTS, Ladder("top_k", cases_of, most=512)):
        largest, second = ladder.sizes[-1], ladder.sizes[-2]
        assert {ladder.machine(second, turn).cores for turn in range(3)} == {1}
        assert {ladder.machine(largest, turn).cores for turn in range(3)} == {48}


def test_the_last_call_of_smoke_is_the_largest_but_one_which_16_bits_do_not_hold() -> None:
    for ladder in (LADDER, SLOTS):
        last = ladder.asked("operator", 0)[-1]
        assert last == ladder.sizes[-2] == MOST - ladder.step
        assert {ladder.machine(last, turn).cores for turn in range(3)} == {1}
    short = Ladder("ranks", cases_of, most=40_000)
    assert short.asked("operator", 0)[-1] == short.sizes[-2] == 40_000 - 1


def test_smoke_asks_every_size_around_small_powers_and_one_around_each_large_one() -> None:
    asked = [LADDER.asked("operator", turn) for turn in range(6)]
    for sizes in asked:
        assert sizes[:9] == (31, 32, 33, 63, 64, 65, 127, 128, 129)
        near = [sum(abs(size - 2**n) <= 1 for size in sizes) for n in range(10, 16)]
        assert near[:4] == [1] * 4
        assert sorted(near[4:]) == [0, 1], "above 10,000 every other power, by turns"
        assert sizes[-1] == MOST - 1
        assert sizes[-2] <= 2**15 + 1
    near_powers = {size for size in LADDER.sizes[:-6] if size > 30} - LADDER.at_limits
    assert near_powers - {n + 1 for n in LADDER.at_limits - {BLOCKS}} <= {
        size for sizes in asked for size in sizes
    }


def test_gate_asks_the_sizes_around_a_large_power_of_one_mode_by_turns() -> None:
    assert LADDER.asked("mode", 0) == LADDER.sizes
    for turn in range(3):
        asked = [{*LADDER.asked("mode", turn, place, 3)} for place in range(3)]
        assert set.union(*asked) == {*LADDER.sizes}
        shared = set.intersection(*asked)
        assert shared == {n for n in LADDER.sizes if n <= DEAR + 1} | {MOST - 1}
        assert sum(len(one - shared) for one in asked) == len({*LADDER.sizes} - shared)
        assert all({2**n - 1, 2**n, 2**n + 1} <= one for n in (11,) for one in asked if 2**n in one)


def test_smoke_asks_every_top_k_to_64() -> None:
    assert Ladder("top_k", cases_of, most=512, every=64).asked("operator", 0)[:64] == (
        *range(1, 65),
    )


def test_a_refusal_is_followed_down_to_the_smallest_refused_size() -> None:
    trial, judged = run(LADDER, lambda size: size > 2749)
    assert trial.smallest is not None
    assert trial.smallest.case.attributes["size"] == 2750
    assert trial.noted == "up the ladder of size on 1 core: 2,749 is accepted, 2,750 fails"
    assert len(judged) < len(LADDER.sizes)


def test_the_smallest_refused_size_is_one_that_can_be() -> None:
    trial, _ = run(SLOTS, lambda size: size > 2749)
    assert trial.smallest is not None
    assert trial.smallest.case.attributes["size"] == 2752
    assert trial.noted == "up the ladder of slots on 1 core: 2,744 is accepted, 2,752 fails"


def test_a_first_size_that_is_refused_stands() -> None:
    trial, judged = run(LADDER, lambda size: True)
    assert trial.smallest is not None
    assert trial.smallest.case.attributes["size"] == 31
    assert trial.noted == "up the ladder of size on 3 cores: 31, the first, fails"
    assert len(judged) == 1


@pytest.mark.parametrize(
    ("most", "cores", "told"),
    [
        (65_535, 1, "on 1 core: 65,535 is accepted, 65,536 fails"),
        (40, 48, "on 48 cores: 40 is accepted, 41 fails"),
        (0, 1, "on 1 core: 1, the first, fails"),
    ],
)
def test_a_refusal_is_followed_down_on_its_own_machine(most: int, cores: int, told: str) -> None:
    """Smaller sizes were accepted on the way up, on machines on which they are not wrong."""
    trial, _ = run(LADDER, lambda size: size > most, cores=cores)
    assert trial.smallest is not None
    assert trial.smallest.case.machine.cores == cores
    assert trial.noted == f"up the ladder of size {told}"


def test_smoke_judges_a_ladder_in_one_cell_and_every_cell_has_its_turn() -> None:
    asked = [[*cells_asked(RECORD, LADDER, "operator", seed)] for seed in range(6)]
    assert all(len(one) == 1 for one in asked)
    assert len({cell for one in asked for cell in one}) == 6


def test_gate_judges_it_in_one_dtype_of_each_mode_and_nightly_in_all() -> None:
    gate = [*cells_asked(RECORD, LADDER, "mode", 0)]
    assert Counter(mode for mode, _ in gate) == {"plain": 1, "padded": 1}
    assert len([*cells_asked(RECORD, LADDER, "dtype", 0)]) == 6


def test_a_ladder_of_one_mode_is_judged_there_and_nowhere_on_a_route_without_it() -> None:
    capacity = RECORD.ladders[-1]
    assert {mode for mode, _ in cells_asked(RECORD, capacity, "dtype", 0)} == {"padded"}
    elsewhere = replace(RECORD, modes=RECORD.modes[:1])
    for each in ("operator", "mode", "dtype"):
        assert [*cells_asked(elsewhere, capacity, each, 0)] == []


@pytest.mark.parametrize("turn", range(4))
def test_the_items_of_a_template_with_a_ladder_are_known_by_name(turn: int) -> None:
    def template(operator: Operator, ladder: Ladder, mode: str, dtype: str, case: Case) -> None:
        """Judges nothing."""

    mark = parametrize(template, [RECORD], Asked(ladders="operator", turn=turn))
    assert mark is not None
    assert mark.args[0] == ("operator", "ladder", "mode", "dtype")
    assert len(mark.args[1]) == len(RECORD.ladders)
    assert {*mark.kwargs["ids"]} <= item_ids([RECORD])


def test_sizes_that_were_not_judged_are_not_called_accepted() -> None:
    """The search ends after two calls that do not end; the size may be smaller than the one met."""
    trial, _ = run(LADDER, lambda size: size > 2749, outcome=Outcome.TIMED_OUT)
    assert trial.smallest is not None
    assert trial.smallest.case.attributes["size"] > 2750
    assert trial.budget.stopped
    assert trial.noted == ""


def test_smoke_leaves_out_what_takes_seconds() -> None:
    dear = replace(LADDER, cheap=1000)
    assert max(dear.asked("operator", 0)) < 1000
    assert max(dear.asked("mode", 0)) == 2049
    assert dear.asked("dtype", 0) == LADDER.sizes


def test_values_that_repeat_every_2_16_rows_are_not_drawn() -> None:
    """An address code is the same at row 65,536 as at row 0."""
    coded = replace(
        case_of("plain", "float16", 3, MACHINES[0]),
        inputs={
            "x": Tensor((3, 4), "float16", fill=Fill(("address",), seed=7)),
            "y": Tensor((3, 4), "float16", fill=Fill(("bits", "address"), seed=7)),
        },
    )
    ladder = Ladder("size", lambda *_: st.just(coded))
    (case,) = one_of_each([climbed_cases(ladder, "plain", "float16", 3, MACHINES[0])])
    fills = [tensor.fill for tensor in case.inputs.values()]
    assert [fill.stripes for fill in fills if fill] == [("gaussian",), ("bits",)]
