"""Take each piece of synchronisation out of the kernels: `python -m tests.kernels.removal_run`.

The kernel without it runs twice over the same cases: once with the trace of all that it does, which
an exact graph of every instruction judges (tests/simulator/happens_before.py), and once as in a
conformance run. A removal that leaves a conflicting pair unordered counts as reported if that run
has a diagnostic about synchronisation. Ends with status 1 below 95 %.

Without the clocks, schedules of the pipes show removals inside a core by value. Ends with status 1
where one shows a removal that the clocks do not report, or where less than 80 % of the reported
ones show.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from conformance.call.case import PROGRAM, Case
from conformance.mutants.answer import Answer
from conformance.record.operator import Operator
from conformance.suite.records import operators
from device_kernels.build import build
from tests.kernels.launches import drawn, simulator
from tests.kernels.removals import apply, removals, users
from tests.kernels.schedules_run import SCHEDULES, told
from tests.simulator.happens_before import has_unordered, read_trace

KERNELS = Path(__file__).parents[2] / "device_kernels" / "kernels"
CODES = {"sync-missing", "sync-scalar", "barrier-missing", "race"}
LEAST_SHARE = 0.95
EARLY = {"early-access"}
"""What names the schedule's doing is no value."""

RACES = {"race"}
"""Between blocks, which no schedule of pipes reorders."""

LEAST_SHOWN = 0.8
SHOWING = 7
"""Schedules in which a removal may show: late, and a seed for each order of the three pipes."""

MOST_CASES = 240
"""Of one removal: a header of ten operators has three times as many."""

Called = tuple[Operator, Case]


def leaves_unordered(lib: Path, cases: Sequence[Called], trace: Path) -> bool:
    """Whether the graph of some launch has a conflicting pair that nothing orders."""
    loose = {"ASCENDSIM_TRACE": str(trace), "ASCENDSIM_SYNC_LEVEL": "none"}
    with simulator(loose, lib) as device:
        for operator, case in cases:
            trace.write_text("")
            device.run(operator, case)
            with trace.open() as lines:
                if any(has_unordered(graph, done) for graph, done in read_trace(lines)):
                    return True
    return False


def reported(lib: Path, cases: Iterable[Called]) -> list[set[str]]:
    """The codes about synchronisation that a conformance run would tell of each case."""
    with simulator({}, lib) as device:
        return [
            {one.code for one in device.run(operator, case).diagnostics} & CODES
            for operator, case in cases
        ]


def shown(lib: Path, cases: Iterable[Called]) -> str:
    """The schedule by which some call shows another value than in that of the program, "" if none.

    The environment chooses the schedule: where the clocks do not judge, a case's own is not used.
    """
    values: list[Answer] = []
    for schedule in (PROGRAM, *SCHEDULES[:SHOWING]):
        loose = {"ASCENDSIM_PIPES": schedule, "ASCENDSIM_SYNC_LEVEL": "none"}
        with simulator(loose, lib) as device:
            seen = [told(device.run(operator, case), CODES | EARLY) for operator, case in cases]
        if values and seen != values:
            return schedule
        values = seen
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=8, help="per mode and dtype")
    parser.add_argument("--every", type=int, default=1, help="take every so many-th removal")
    parser.add_argument("--start", type=int, default=0, help="the first removal to take, from 0")
    chosen = parser.parse_args()
    cases = [
        (operator, case)
        for operator in operators()
        for case in drawn(operator, chosen.cases, most_elements=1500)
    ]
    counted = {"caught": 0, "survived": 0, "harmless": 0}
    between_pipes = by_value = contradictions = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, removal in enumerate(
            islice(removals(KERNELS), chosen.start, None, chosen.every)
        ):
            kernels = Path(folder) / str(number)
            apply(removal, KERNELS, kernels)
            lib = build(kernels, quiet=True).lib
            concerned = users(removal.file, KERNELS)
            its = [called for called in cases if called[0].name in concerned]
            its = its[:: -(-len(its) // MOST_CASES) or 1]
            of_each = reported(lib, its)
            codes = set().union(*of_each)
            # The graph is slow: a case of which something is told shows first what is loose.
            its = [its[at] for at in sorted(range(len(its)), key=lambda at: not of_each[at])]
            loose = leaves_unordered(lib, its, Path(folder) / "trace")
            verdict = "caught" if codes else "survived" if loose else "harmless"
            counted[verdict] += 1
            schedule = shown(lib, its)
            between_pipes += bool(codes - RACES)
            by_value += bool(codes - RACES and schedule)
            by_clock = ", ".join(sorted(codes)) or "silent"
            print(f"{verdict:9} {removal.name}: {by_clock}; {schedule or 'no value'}", flush=True)
            if schedule and not codes:
                print("          a schedule shows what the clocks do not report", flush=True)
                contradictions += 1
            if codes and not loose:
                print("          reported, though the graph orders everything", flush=True)
                contradictions += 1
    print(", ".join(f"{count} {verdict}" for verdict, count in counted.items()))
    print(f"{by_value} of {between_pipes} caught ones inside a core show by value")
    matters = sum(counted.values()) - counted["harmless"]
    reports = counted["caught"] >= LEAST_SHARE * matters and not contradictions
    return 0 if reports and by_value >= LEAST_SHOWN * between_pipes else 1


if __name__ == "__main__":
    sys.exit(main())
