"""That an element was never written is told by two calls that found different poison there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from conformance.call.case import Case
from conformance.call.observation import Observation, Outcome
from conformance.devices.device import Device
from conformance.devices.messages import DTYPES
from conformance.judge.calls import judge
from conformance.judge.relate import related
from conformance.poison import OUTPUTS, OUTPUTS_AGAIN, holds
from conformance.relations.invariants import invariants
from conformance.relations.layout import layout
from tests.conformance.devices.fakes import fake_operator, move_case, move_operator

PLACED = {
    "contiguous": {},
    "in a larger storage": {"start": 3, "spare": 1},
    "with gaps between rows": {"strides": (5, 1), "start": 1},
    "with gaps between all elements": {"strides": (7, 3)},
    "rows last": {"strides": (1, 3)},
}
every_size = pytest.mark.parametrize("dtype", DTYPES)
however_placed = pytest.mark.parametrize("placed", PLACED.values(), ids=list(PLACED))


def run(device: Device, case: Case, name: str = "FakeMove") -> Observation:
    return device.run(fake_operator(name), case)


def calls_made(device: Device) -> int:
    """How many moves the process of the device has made, this one included."""
    counting = replace(move_case(0, "int32"), attributes={"addend": -1})
    return int(run(device, counting).outputs["y"].flat[0])


@every_size
@however_placed
@pytest.mark.parametrize("word", [OUTPUTS, OUTPUTS_AGAIN])
def test_a_value_that_equals_the_poison_is_written(
    fake_device: Device, dtype: str, placed: Any, word: int
) -> None:
    seen = run(fake_device, move_case(word, dtype, **placed))
    assert seen.outcome is Outcome.COMPLETED
    assert holds(seen.outputs["y"], word).all()
    assert (seen.unwritten, seen.unwritten_at) == ({"y": 0}, {})
    assert (seen.guard_damage, seen.inputs_changed) == ((), ())


@every_size
@however_placed
@pytest.mark.parametrize("word", [OUTPUTS, OUTPUTS_AGAIN, 0])
def test_an_element_that_is_left_is_told_beside_values_that_equal_the_poison(
    fake_device: Device, dtype: str, placed: Any, word: int
) -> None:
    seen = run(fake_device, move_case(word, dtype, left=3, **placed))
    assert seen.unwritten == {"y": 3}
    assert np.flatnonzero(seen.unwritten_at["y"]).tolist() == [3, 4, 5]
    assert not seen.outputs_untouched


@pytest.mark.parametrize(
    ("word", "left", "made"), [(0, 0, 1), (OUTPUTS_AGAIN, 0, 1), (OUTPUTS, 0, 2), (0, 1, 2)]
)
def test_the_second_call_is_made_where_an_element_holds_the_poison_alone(
    fake_device: Device, word: int, left: int, made: int
) -> None:
    before = calls_made(fake_device)
    run(fake_device, move_case(word, "float16", left=left))
    assert calls_made(fake_device) - before - 1 == made


def test_what_came_back_is_of_the_first_call(fake_device: Device) -> None:
    seen = run(fake_device, move_case(0, "int16", left=2))
    assert holds(seen.outputs["y"]).tolist() == [[False, False], [False, False], [True, True]]


def test_the_next_call_finds_the_usual_poison(fake_device: Device) -> None:
    run(fake_device, move_case(OUTPUTS, "int8"))
    assert run(fake_device, move_case(0, "int8", left=6)).unwritten == {"y": 6}


@pytest.mark.parametrize("dtype", ["int8", "uint8", "float16", "float32", "int32", "int64"])
@however_placed
def test_no_judge_and_no_relation_takes_such_a_value_for_unwritten(
    fake_device: Device, dtype: str, placed: Any
) -> None:
    case = move_case(OUTPUTS, dtype, **placed)
    record = move_operator(case)
    verdict = judge(record, case, fake_device.run(record, case))
    assert verdict.ok, verdict
    for relation in (*invariants(record), layout(record)):
        _, told = related(relation, {record.name: record}, case, fake_device.run)
        assert told.ok, told


def test_what_is_left_fails_whatever_is_due_there(fake_device: Device) -> None:
    case = move_case(OUTPUTS, "int8", left=2)
    record = move_operator(case)
    verdict = judge(record, case, fake_device.run(record, case))
    assert verdict.headline == "Fake, plain, int8: 2 of 6 elements of y were never written."


def test_a_second_call_that_ends_otherwise_is_what_became_of_the_call(fake_device: Device) -> None:
    fake_device.renew()
    seen = run(fake_device, move_case(OUTPUTS, "int8"), "FakeMoveOnce")
    assert seen.outcome is Outcome.CRASHED
    assert seen.message.startswith("in a second call, which found other bytes in its outputs: ")
    assert seen.reopened == 1
