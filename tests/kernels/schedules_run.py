"""Run the kernels in many schedules of their pipes: `python -m tests.kernels.schedules_run`.

The same small cases run as the program has their instructions, and in each schedule. Ends with
status 1 where a schedule changes a byte of an output, an outcome or a diagnostic.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from conformance.call.case import PROGRAM, Case
from conformance.call.observation import Observation
from conformance.devices.device import Device
from conformance.draw.machines import scheduled
from conformance.record.operator import Operator
from conformance.suite.records import operators
from device_kernels.build import build
from tests.kernels.launches import drawn, simulator

SCHEDULES = ("late", *(f"random:{seed}" for seed in range(49)))
FIVE = SCHEDULES[:5]

Told = tuple[object, ...]


def told(seen: Observation, but: Iterable[str] = ()) -> Told:
    """What a call shows, without diagnostics of these codes."""
    codes = tuple(one.code for one in seen.diagnostics if one.code not in but)
    return seen.outcome, codes, *(out.tobytes() for out in seen.outputs.values())


def shows(
    device: Device,
    operator: Operator,
    case: Case,
    schedules: Sequence[str],
    but: Iterable[str] = (),
) -> str:
    """The first schedule in which the call shows something else; "" if none does."""
    first = told(device.run(operator, scheduled(case, PROGRAM)), but)
    for schedule in schedules:
        if told(device.run(operator, scheduled(case, schedule)), but) != first:
            return schedule
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("operator", nargs="*", help="all of them without one")
    parser.add_argument("--cases", type=int, default=8, help="per mode and dtype")
    parser.add_argument("--schedules", type=int, default=len(SCHEDULES), help="at most 50")
    chosen = parser.parse_args()
    lib: Path = build(quiet=True).lib
    runs, changed = 0, 0
    with simulator({}, lib) as device:
        for operator in operators():
            if chosen.operator and operator.name not in chosen.operator:
                continue
            cases = [
                case
                for case in drawn(operator, chosen.cases, most_elements=1500)
                if case.machine is not None
            ]
            for case in cases:
                runs += chosen.schedules
                if schedule := shows(device, operator, case, SCHEDULES[: chosen.schedules]):
                    changed += 1
                    print(f"{operator.name} changes with {schedule}: {case}", flush=True)
            print(f"{operator.name}: {len(cases)} cases", flush=True)
    print(f"{runs} runs, {changed} cases that a schedule changes")
    return 1 if changed or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
