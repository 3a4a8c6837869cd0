"""Invariants: mistakes that show only where the same call finds something else around it."""

from dataclasses import replace

import numpy as np
import pytest

from conformance.call.case import Machine
from conformance.call.observation import Outcome
from conformance.call.surroundings import AS_LEFT, BESIDE, DEFAULT, LEVELS, ZEROED, Setting
from conformance.judge.relate import related
from conformance.record.contract import Unspecified
from conformance.relations.invariants import definedness, determinism, invariants
from tests.conformance.segment_sum import SUM, case, observe, operator, right, whole
from tests.conformance.session.test_failure_text import SNAPSHOTS
from tests.snapshots import pinned

RECORD = operator()
UNORDERED = operator(merges=None)
BY_ATOMICS = replace(
    UNORDERED, contracts={"y": replace(UNORDERED.contracts["y"], deterministic=False)}
)
ON_THREE_CORES = replace(whole(), machine=Machine(3, 6144))


def told(relation, made, device, record=RECORD):
    return related(relation, {record.name: record}, made, device)[1]


def kernel(change):
    """A kernel whose sums ``change(case, y)`` spoils in place; ``calls`` are the cases it got."""

    def device(_, made):
        device.calls.append(made)
        y = right(made).copy()
        change(made, y)
        return observe(y)

    device.calls = []
    return device


def nothing(made, y):
    pass


def adds_to_what_was_zeroed_for_it(made, y):
    if made.setting.memory != ZEROED:
        y[0, 0] += 1


def leaves_the_last_row_as_it_was(made, y):
    if made.setting.memory == AS_LEFT:
        y[-1] = 7


def starts_elsewhere_on_one_core(made, y):
    if made.machine.cores == 1:
        y[0, 0] += 1


def first_block_wins(made, y):
    if made.machine.block_order == "reverse":
        y[0, 0] += 1


def differs_at_a_level(made, y):
    if made.setting.determinism and made.machine.cores != 3:
        y[0, 0] += 1


def takes_the_default_stream(made, y):
    if made.setting.stream == DEFAULT:
        y[0, 0] += 1


def keeps_the_newest_plan(made, y):
    if made.setting.stream == BESIDE:
        y[0, 0] += 1


def every_second_call():
    calls = iter(range(100))

    def change(made, y):
        y[0, 0] += next(calls) % 2

    return change


@pytest.mark.parametrize("relation", invariants(RECORD), ids=lambda one: one.name)
@pytest.mark.parametrize("made", [whole(), ON_THREE_CORES], ids=["an NPU's", "three cores"])
def test_a_right_kernel_keeps_them(relation, made):
    verdict = told(relation, made, kernel(nothing))
    assert verdict.ok, verdict


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (adds_to_what_was_zeroed_for_it, "on zeroed memory, on poisoned memory "),
        (
            leaves_the_last_row_as_it_was,
            "on memory as the calls before left it, on poisoned memory ",
        ),
    ],
)
def test_what_memory_held_before_breaks_definedness_alone(change, words):
    verdict = told(definedness(RECORD), ON_THREE_CORES, kernel(change))
    assert not verdict.ok
    assert "segment_sum, plain, float16: definedness does not hold: " in verdict.headline
    assert words in verdict.headline
    assert told(determinism(RECORD), ON_THREE_CORES, kernel(change)).ok


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (starts_elsewhere_on_one_core, "on one core, on 3 cores "),
        (first_block_wins, "with blocks in order reverse, with blocks in order forward "),
        (differs_at_a_level, " on one core at determinism level 3, on 3 cores "),
        (takes_the_default_stream, " on the default stream, on a stream of its own "),
        (
            keeps_the_newest_plan,
            " beside the same call on another stream, on a stream of its own ",
        ),
    ],
)
def test_what_streams_cores_order_or_level_change_breaks_determinism_alone(change, words):
    verdict = told(determinism(RECORD), ON_THREE_CORES, kernel(change))
    assert not verdict.ok
    assert words in verdict.headline
    assert told(definedness(RECORD), ON_THREE_CORES, kernel(change)).ok


def test_a_second_call_that_answers_otherwise_breaks_determinism():
    verdict = told(determinism(RECORD), whole(), kernel(every_second_call()))
    assert " in a second call, in the first " in verdict.headline


def test_every_level_is_asked_of_some_case_and_twice():
    asked = set()
    for columns in range(1, 20):
        device = kernel(nothing)
        assert told(determinism(RECORD), replace(whole(columns=columns)), device).ok
        levels = [made.setting.determinism for made in device.calls]
        assert levels[:4] == [0, 0, 0, 0]
        assert levels[4] == levels[5] != 0
        asked.update(levels)
    assert asked == set(LEVELS)


def test_a_contract_without_an_order_is_deterministic_unless_it_says_otherwise():
    assert not told(determinism(UNORDERED), whole(), kernel(every_second_call()), UNORDERED).ok
    assert told(determinism(BY_ATOMICS), whole(), kernel(every_second_call()), BY_ATOMICS).ok


def test_of_what_is_unspecified_nothing_is_compared():
    record = replace(RECORD, contracts={"y": Unspecified(SUM)})
    assert told(determinism(record), whole(), kernel(every_second_call()), record).ok


def test_a_call_that_fails_elsewhere_is_told_as_such():
    def device(_, made):
        if made.setting.memory == ZEROED:
            return observe(right(made), outcome=Outcome.CRASHED, outputs={}, status=11)
        return observe(right(made))

    verdict = told(definedness(RECORD), whole(), device)
    assert "of a further call" in verdict.headline
    assert "crashed" in verdict.headline


def test_a_setting_is_told_with_its_case_and_does_not_change_its_digest():
    made = replace(whole(), setting=Setting("zeroed", 2))
    assert "with memory zeroed, determinism level 2" in repr(made)
    assert "with memory" not in repr(whole())
    assert "with stream default" in repr(replace(whole(), setting=Setting(stream=DEFAULT)))
    assert made.digest == whole().digest


def test_sizes_without_elements_are_asked_too():
    made = case(np.zeros((2, 0)), [[0, 1]])
    assert all(told(one, made, kernel(nothing)).ok for one in invariants(RECORD))


@pytest.mark.parametrize(
    ("relation", "change"),
    [
        (definedness, leaves_the_last_row_as_it_was),
        (determinism, starts_elsewhere_on_one_core),
        (determinism, first_block_wins),
        (determinism, differs_at_a_level),
        (determinism, every_second_call()),
    ],
    ids=["memory", "cores", "block_order", "level", "again"],
)
def test_the_text_of_a_broken_invariant(relation, change, request):
    verdict = told(relation(RECORD), ON_THREE_CORES, kernel(change))
    name = request.node.callspec.id
    pinned(SNAPSHOTS / f"invariant_{name}.txt", verdict.text)
