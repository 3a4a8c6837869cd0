"""A call that shows something else in one schedule of the pipes is refused."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import cast

import numpy as np
import pytest

from conformance.call.case import Case
from conformance.call.observation import Observation, Outcome
from conformance.devices.isolated import IsolatedDevice
from conformance.record.operator import Operator
from conformance.suite.records import operators
from tests.kernels.each_schedule import FIVE, in_each
from tests.kernels.launches import drawn
from tests.kernels.schedules_run import told

NO_DEVICE = cast(IsolatedDevice, None)


@pytest.fixture(scope="module")
def call() -> tuple[Operator, Case]:
    operator = next(one for one in operators() if one.name == "moe_token_unpermute")
    drawn_cases = drawn(operator, 1, most_elements=200)
    return operator, next(case for case in drawn_cases if case.machine is not None)


def answers(odd: str):
    """A device whose output is 1, and 2 in the schedule ``odd``."""

    def run(_: IsolatedDevice, operator: Operator, case: Case) -> Observation:
        assert operator.name
        value = 2 if case.machine and case.machine.pipes == odd else 1
        return Observation(Outcome.COMPLETED, outputs={"out": np.array([value])})

    return run


@pytest.mark.parametrize("odd", FIVE[1:])
def test_a_device_whose_value_changes_with_a_schedule_is_refused(call, odd):
    counts = Counter()
    with pytest.raises(AssertionError, match=f"something else with {odd}"):
        in_each(answers(odd), counts)(NO_DEVICE, *call)
    assert not counts["repeated"]


def test_a_device_that_answers_the_same_in_all_is_passed_and_counted(call):
    counts = Counter()
    first = in_each(answers("no schedule"), counts)(NO_DEVICE, *call)
    assert told(first) == told(answers("no schedule")(NO_DEVICE, *call))
    assert counts == {"repeated": 1}


def test_a_call_that_chooses_no_machine_is_counted_apart(call):
    counts = Counter()
    operator, case = call
    in_each(answers("late"), counts)(NO_DEVICE, operator, replace(case, machine=None))
    assert counts == {"without a machine": 1}
