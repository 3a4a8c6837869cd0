"""A plugin of pytest: each call of a run is made in five schedules of the pipes more.

`python -m conformance run -- -p tests.kernels.each_schedule`. A test fails whose call shows
something else in one of them. ``SCHEDULED_CALLS`` names a file, which gets a line from each
process: calls that were repeated, and calls that leave the machine to the device.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path

import pytest

from conformance.call.case import PROGRAM, Case
from conformance.call.observation import Observation
from conformance.devices.isolated import IsolatedDevice
from conformance.draw.machines import scheduled
from conformance.record.operator import Operator
from tests.kernels.schedules_run import CALLS, SCHEDULES, told

FIVE = (PROGRAM, *SCHEDULES[:4])

Run = Callable[[IsolatedDevice, Operator, Case], Observation]


def in_each(run: Run, counts: Counter[str]) -> Run:
    """Make each call of a device, then once more in each of `FIVE`.

    Returns what the first showed. Raises AssertionError if another shows something else.
    """

    @wraps(run)
    def checked(device: IsolatedDevice, operator: Operator, case: Case) -> Observation:
        seen = run(device, operator, case)
        if case.machine is None:
            counts["without a machine"] += 1
            return seen
        for schedule in FIVE:
            again = run(device, operator, scheduled(case, schedule))
            assert told(again) == told(seen), (
                f"{operator.name} shows something else with {schedule} than with "
                f"{case.machine.pipes}: {case}"
            )
        counts["repeated"] += 1
        return seen

    return checked


@pytest.fixture(scope="session", autouse=True)
def each_schedule() -> Iterator[None]:
    """Every device of the session checks each call so."""
    counts: Counter[str] = Counter()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(IsolatedDevice, "run", in_each(IsolatedDevice.run, counts))
        yield
    if log := os.environ.get(CALLS):
        with Path(log).open("a") as lines:
            lines.write(f"{counts['repeated']} {counts['without a machine']}\n")
