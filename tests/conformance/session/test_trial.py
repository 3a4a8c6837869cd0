"""A trial bounds what a failing item costs, and tells what it saw."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from conformance.call.case import Case, Machine, Tensor
from conformance.call.observation import Observation, Outcome
from conformance.errors import EnvironmentFailure
from conformance.judge.calls import judge
from conformance.judge.verdict import Verdict
from conformance.numerics.arithmetic import IEEE, Arithmetic
from conformance.session import template
from conformance.session.known_diagnoses import KnownDiagnoses
from conformance.session.search_budget import MOST_REOPENED, SearchBudget
from conformance.session.smaller import narrow
from conformance.session.trial import (
    Judged,
    Lost,
    NothingJudged,
    Refused,
    Trial,
    current,
)
from tests.conformance.segment_sum import case, observe, operator

LIMIT = 20.0


class Bench:
    """A clock, and a device that hangs for the time limit on cases of 5 elements or more."""

    def __init__(self) -> None:
        self.now = 0.0
        self.ran: list[int] = []
        self.phases: list[str] = []
        self.trial = Trial(self.note, SearchBudget(LIMIT, clock=lambda: self.now))

    def note(self, judged: Judged, phase: str, seconds: float) -> None:
        self.phases.append(phase)

    def run(self, case: Case) -> None:
        size = case.inputs["x"].size
        self.ran.append(size)
        self.now += LIMIT if size >= 5 else 0.001
        outcome = Outcome.TIMED_OUT if size >= 5 else Outcome.COMPLETED
        trial = current()
        assert trial is not None
        trial.record(Judged(case, Observation(outcome), Verdict(size < 5, outcome.value)))

    def attempt(self, size: int) -> None:
        case = case_of(size)
        self.trial.attempt(lambda: self.run(case), case)


def case_of(size: int) -> Case:
    tensor = Tensor((size,), "int32", tuple(range(size)))
    return Case("toy", "plain", "int32", {}, {"x": tensor}, {"y": Tensor((size,), "int32")})


def test_an_item_that_hangs_ends_within_four_time_limits() -> None:
    bench = Bench()

    @settings(max_examples=200, database=None, deadline=None, phases=[Phase.generate, Phase.shrink])
    @given(st.integers(0, 1000))
    def item(size: int) -> None:
        bench.attempt(size)

    with pytest.raises(Refused):
        item()
    bench.trial.replay()
    assert bench.now <= 4 * LIMIT + 1
    assert bench.trial.smallest is not None
    assert bench.phases[-1] == "replay"
    assert bench.trial.smallest.case.inputs["x"].size == bench.ran[-1]


def test_an_item_that_hangs_may_do_so_twice_before_its_replay_however_much_time_is_left() -> None:
    bench = Bench()
    bench.trial.budget.shrink_seconds = 1e9
    for size in (9, 8):
        with pytest.raises(Refused):
            bench.attempt(size)
    bench.attempt(7)
    assert bench.ran == [9, 8]
    assert bench.trial.budget.stopped == "2 calls that did not end"


def test_a_refused_case_is_not_run_again_while_shrinking() -> None:
    bench = Bench()
    for _ in range(3):
        with pytest.raises(Refused, match="timed out"):
            bench.attempt(7)
    assert bench.ran == [7]


def test_after_the_budget_a_new_case_counts_as_accepted_without_being_run() -> None:
    bench = Bench()
    with pytest.raises(Refused):
        bench.attempt(9)
    bench.now += LIMIT + 1
    bench.attempt(8)
    with pytest.raises(Refused):
        bench.attempt(9)
    assert bench.ran == [9]
    assert bench.trial.budget.stopped == "20 s"
    assert bench.trial.smallest is not None
    assert bench.trial.smallest.case.inputs["x"].size == 9


def test_after_so_many_reopenings_of_the_device_no_smaller_case_is_looked_for() -> None:
    bench = Bench()

    def crash(case: Case) -> None:
        bench.ran.append(case.inputs["x"].size)
        trial = current()
        assert trial is not None
        observation = Observation(Outcome.CRASHED, reopened=2)
        trial.record(Judged(case, observation, Verdict(False, "crashed")))

    sizes = range(MOST_REOPENED, MOST_REOPENED // 2, -1)
    for size in sizes:
        with pytest.raises(Refused):
            bench.trial.attempt(partial(crash, case_of(size)), case_of(size))
    assert bench.trial.budget.stopped == ""
    bench.trial.attempt(partial(crash, case_of(1)), case_of(1))
    assert bench.ran == list(sizes)
    assert bench.trial.budget.stopped == f"{MOST_REOPENED} times that the device was opened anew"


def test_the_replay_really_runs_and_its_verdict_is_the_one_that_is_told() -> None:
    bench = Bench()
    with pytest.raises(Refused):
        bench.attempt(6)
    before = bench.trial.smallest
    bench.trial.replay()
    assert bench.ran == [6, 6]
    assert bench.trial.smallest is not before
    assert not bench.trial.unrepeatable


@pytest.mark.parametrize(
    ("outcome", "tried"),
    [
        (
            Outcome.COMPLETED,
            [(40, 4096), (1, 4096), (2, 4096), (3, 4096), (3, 1024), (3, 2048), (3, 2048)],
        ),
        (Outcome.TIMED_OUT, [(40, 4096), (1, 4096), (40, 1024), (40, 4096)]),
    ],
)
def test_the_machine_of_the_smallest_case_is_made_small_last(
    outcome: Outcome, tried: list[tuple[int, int]]
) -> None:
    ran: list[tuple[int, int]] = []

    def body(case: Case) -> None:
        assert case.machine is not None
        cores, ub_bytes = case.machine.cores, case.machine.ub_bytes
        ran.append((cores, ub_bytes))
        how = Outcome.REJECTED if cores == 2 else outcome
        trial = current()
        assert trial is not None
        right = cores == 1 or ub_bytes == 1024
        trial.record(Judged(case, Observation(how), Verdict(right, how.value)))

    trial = Trial(lambda judged, phase, seconds: None, SearchBudget(LIMIT))
    case = replace(case_of(3), machine=Machine(40, 4096))
    with pytest.raises(Refused):
        trial.attempt(lambda: body(case), case)
    narrow(trial, body)
    trial.replay()
    assert ran == tried
    assert trial.smallest is not None
    assert trial.smallest.case.machine == Machine(*tried[-1])


def test_a_body_that_judges_nothing_does_not_pass() -> None:
    with pytest.raises(NothingJudged, match="judged nothing"):
        Bench().trial.attempt(lambda: None)


def test_a_device_that_is_lost_ends_the_item_though_the_same_case_went_well_before() -> None:
    bench = Bench()

    def device(case: Case) -> None:
        if len(bench.ran) == 3:
            raise EnvironmentFailure("unplugged")
        bench.run(case)

    @settings(max_examples=9, database=None, deadline=None, phases=[Phase.generate, Phase.shrink])
    @given(st.integers(0, 1000))
    def item(number: int) -> None:
        for again in (case_of(1), case_of(2)):
            bench.trial.attempt(partial(device, again), again)

    with pytest.raises(Lost, match="unplugged") as ended:
        item()
    assert isinstance(ended.value.cause, EnvironmentFailure)
    assert bench.ran == [1, 2, 1]


def test_a_verdict_is_given_on_the_arithmetic_of_the_items_device() -> None:
    made = case([[65504.0], [65504.0]], [[0, 1]])
    seen = observe(np.array([[65504.0]], np.float16))
    saturating = Arithmetic(overflows=frozenset({"saturate"}))
    for arithmetic, ok in ((IEEE, False), (saturating, True)):
        verdicts: list[Judged] = []
        trial = Trial(lambda judged, *_: verdicts.append(judged), SearchBudget(1.0))  # noqa: B023
        trial.arithmetic = arithmetic
        with contextlib.suppress(Refused):
            trial.attempt(lambda: assert_ok(template.judge(operator(), made, seen)))
        assert verdicts[0].verdict.ok is ok


def assert_ok(verdict: Verdict) -> None:
    assert verdict.ok


def failing(bench: Bench, size: int) -> None:
    with pytest.raises(Refused):
        bench.attempt(size)


def test_a_failure_of_a_known_diagnosis_is_not_made_smaller() -> None:
    first, second = Bench(), Bench()
    second.trial.diagnoses.known = first.trial.diagnoses.known
    failing(first, 9)
    failing(first, 8)
    assert not first.trial.diagnoses.as_drawn
    failing(second, 9)
    second.attempt(8)
    assert second.ran == [9]
    assert second.trial.diagnoses.as_drawn
    assert second.trial.smallest is not None
    assert second.trial.smallest.case.inputs["x"].size == 9


def test_what_was_refused_as_it_was_drawn_is_refused_when_it_is_repeated() -> None:
    bench = Bench()
    bench.trial.diagnoses.known["toy: the call timed out"] = "toy: the call timed out"
    failing(bench, 9)
    failing(bench, 9)
    assert bench.ran == [9]


RULE = case(np.random.default_rng(0).standard_normal((2, 36)), [[0, 1]], "float32")


def wrong_sum(mistake: str) -> Judged:
    """A refused sum, the mistake of which can be told."""
    x = RULE.arrays["x"]
    y = {"left out": x[:1], "doubled": 2 * x.sum(axis=0, keepdims=True)}[mistake]
    observation = observe(y.astype(np.float32))
    return Judged(RULE, observation, judge(operator(), RULE, observation))


def as_drawn(found: Judged) -> Trial:
    """A trial that took its failure for a known one, and then looked at a larger case."""
    known = {"y wrong": "y wrong: terms left out"}
    diagnoses = KnownDiagnoses(known, as_drawn=True, _first_seen="y wrong")
    trial = Trial(lambda *_: None, SearchBudget(LIMIT, _began=0.0), diagnoses)
    trial.smallest = found
    return trial


def test_a_failure_that_a_larger_case_shows_to_be_another_one_is_made_smaller() -> None:
    trial = as_drawn(wrong_sum("left out"))
    assert not trial.conclude()
    assert not trial.diagnoses.as_drawn
    trial._remember(wrong_sum("left out"), RULE)
    assert not trial.diagnoses.as_drawn
    assert trial.conclude()
    assert trial.diagnoses.alike == "segment_sum: y wrong, terms left out"


def test_a_failure_of_a_diagnosis_that_is_guessed_elsewhere_stands_as_it_was_drawn() -> None:
    trial = as_drawn(wrong_sum("doubled"))
    known = "segment_sum: y wrong, terms added twice"
    trial.diagnoses.known[known] = known
    assert trial.conclude()
    assert trial.diagnoses.as_drawn
    assert trial.diagnoses.alike == known


def test_a_failure_of_which_nothing_is_guessed_is_told_with_the_first_that_began_alike() -> None:
    bench = Bench()
    failing(bench, 9)
    trial = as_drawn(bench.trial.smallest or wrong_sum("doubled"))
    assert trial.conclude()
    assert trial.diagnoses.alike == "y wrong: terms left out"


def test_the_suite_is_held_against_itself_on_an_items_first_cases_and_then_on_one_of_16() -> None:
    trial = Trial(lambda judged, phase, seconds: None, SearchBudget(LIMIT))
    checked = [trial.checks_suite() for _ in range(50)]
    assert all(checked[:8])
    assert [number for number, one in enumerate(checked[8:], 9) if one] == [16, 32, 48]
