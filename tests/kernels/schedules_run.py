"""Run the kernels in many schedules of their pipes: `python -m tests.kernels.schedules_run`.

The same small cases run as the program has their instructions, and in each schedule. With
``--smoke`` every call of the smoke profile is made in five schedules more. Ends with status 1 where
a schedule changes a byte of an output, an outcome or a diagnostic.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from conformance.call.case import PROGRAM, Case
from conformance.call.observation import Observation
from conformance.devices.device import Device
from conformance.draw.machines import scheduled
from conformance.mutants.answer import Answer, answer
from conformance.record.operator import Operator
from conformance.suite.on_route import on_route
from conformance.suite.records import operators
from device_kernels.build import build
from tests.kernels.launches import ROUTE, drawn, simulator

SCHEDULES = ("late", *(f"random:{seed}" for seed in range(49)))
FIVE = SCHEDULES[:5]
PLUGIN = "tests.kernels.each_schedule"
CALLS = "SCHEDULED_CALLS"
"""Names the file in which the plugin counts."""


def told(seen: Observation, but: Iterable[str] = ()) -> Answer:
    """What a call shows, all NaNs as one, without diagnostics of these codes.

    An instruction that waits is another piece of code of the model: which of two NaNs a sum gives
    follows from the order in which a compiler has its operands.
    """
    found = answer(seen)
    return found._replace(codes=tuple(code for code in found.codes if code not in but))


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


def smoke(operator: Operator) -> bool:
    """Whether smoke accepts the operator, each of its calls made in five schedules more."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "calls"
        command = [sys.executable, "-m", "conformance", "run", "--profile", "smoke"]
        command += ["--device", "sim", "--route", ROUTE, "--operator", operator.name, "-n", "1"]
        command += ["--out", str(Path(folder) / "run"), "--", "-p", PLUGIN]
        environment = {**os.environ, CALLS: str(log)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        repeated, alone = map(sum, zip(*_counts(log), strict=True))
    if done.returncode != 0:
        print(done.stdout, done.stderr, sep="\n")
    print(
        f"{operator.name}: status {done.returncode}; {repeated} calls in five schedules more, "
        f"{alone} choose no machine",
        flush=True,
    )
    return done.returncode == 0 and repeated > 0


def _counts(log: Path) -> list[list[int]]:
    """Both numbers of each line, and a line of zeros."""
    lines = log.read_text().splitlines() if log.exists() else []
    return [[0, 0], *([int(word) for word in line.split()] for line in lines)]


def in_many(device: Device, operator: Operator, per_cell: int, schedules: Sequence[str]) -> int:
    """The small cases of an operator that a schedule changes, each printed."""
    cases = [
        case for case in drawn(operator, per_cell, most_elements=1500) if case.machine is not None
    ]
    changed = 0
    for case in cases:
        if schedule := shows(device, operator, case, schedules):
            changed += 1
            print(f"{operator.name} changes with {schedule}: {case}", flush=True)
    print(f"{operator.name}: {len(cases)} cases in {len(schedules)} schedules", flush=True)
    return changed if cases else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("operator", nargs="*", help="all of them without one")
    parser.add_argument("--cases", type=int, default=200, help="of each operator, over its cells")
    parser.add_argument("--schedules", type=int, default=len(SCHEDULES), help="at most 50")
    parser.add_argument("--smoke", action="store_true", help="every smoke case, five schedules")
    chosen = parser.parse_args()
    judged = [one for one in operators() if not chosen.operator or one.name in chosen.operator]
    if chosen.smoke:
        return 0 if judged and all([smoke(operator) for operator in judged]) else 1
    changed = 0
    with simulator({}, build(quiet=True).lib) as device:
        for operator in judged:
            cells = len(on_route(operator, ROUTE).declared_cells)
            schedules = SCHEDULES[: chosen.schedules]
            changed += in_many(device, operator, -(-chosen.cases // cells), schedules)
    print(f"{changed} cases that a schedule changes")
    return 1 if changed or not judged else 0


if __name__ == "__main__":
    sys.exit(main())
