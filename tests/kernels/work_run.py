"""Whether the gate finds work that is wasted: `python -m tests.kernels.work_run`.

Every kernel of wastes.py is built and called with its operator's frozen corpus, and the gate
compares the counts with those of the kernel as it is. It must reject each, for more work alone. The
kernel as it is must be accepted in each of 200 runs, though blocks and pipes are scheduled
otherwise in each. So must each count of every operator's corpus be the same in four of them. Ends
with status 1 where one comes out otherwise.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from conformance.call.case import Case
from conformance.devices.device import Device
from conformance.devices.open import open_device
from conformance.evidence.lines import Place, VerdictLine, verdict_line
from conformance.frozen.attach import attached
from conformance.gate.judgement import Finding, Judgement
from conformance.judge.calls import judge
from conformance.judge.judged import Judged
from conformance.record.operator import Operator
from conformance.suite import records as suite
from device_kernels.build import build
from tests.conformance.gate.asking import accepted, gate
from tests.conformance.gate.runs import run
from tests.kernels.mutants import Mutant
from tests.kernels.shown_mutants import build_alone
from tests.kernels.wastes import WASTES

RUNS, TURNS = 200, 4
ORDERS = ("forward", "reverse", "shuffled:{turn}")
SCHEDULES = ("program", "late", "random:{turn}", "random:1{turn}")


def with_corpus(name: str) -> Operator:
    """The record of an operator with its frozen cases."""
    (record,) = attached(suite.chosen(suite.records(), [name]), (), corpus=True).operators
    return record


def scheduled(case: Case, number: int, turn: int) -> Case:
    """A case with the schedules of a turn; in turn 0 its own."""
    if case.machine is None or not turn:
        return case
    order = ORDERS[(turn + number) % len(ORDERS)].format(turn=turn)
    pipes = SCHEDULES[(turn + number) % len(SCHEDULES)].format(turn=turn)
    return replace(case, machine=replace(case.machine, block_order=order, pipes=pipes))


def unsteady(device: Device, operator: Operator) -> tuple[int, int]:
    """Of the corpus of an operator, how many calls are counted, and of how many counts differ."""
    counted = differing = 0
    for number, frozen in enumerate(operator.corpus):
        turns = range(0 if frozen.case.before else TURNS)
        found = [device.run(operator, scheduled(frozen.case, number, turn)).work for turn in turns]
        counted += any(one is not None for one in found)
        differing += any(one != found[0] for one in found)
    return counted, differing


def lines(device: Device, operator: Operator, turn: int = 0) -> Iterator[VerdictLine]:
    """The verdicts of the corpus, as a run writes them; each turn has schedules of its own."""
    place = Place("main", f"cases/test_corpus.py::test_corpus[{operator.name}]", "test_corpus")
    for number, frozen in enumerate(operator.corpus):
        assert not frozen.case.before
        case = scheduled(frozen.case, number, turn)
        observation = device.run(operator, case)
        verdict = judge(operator, case, observation)
        judged = Judged(case, observation, verdict, "corpus", frozen.name)
        yield verdict_line(judged, place, phase="generate", seconds=0.0)


class Comparison:
    """Runs of an operator beside a baseline of the kernel as it is; all lie in a folder."""

    def __init__(self, operator: str, folder: Path) -> None:
        self.operator, self.folder = with_corpus(operator), folder
        self._own = build(only=(operator,), quiet=True).lib
        with closing(open_device("sim", libraries=self._own)) as device:
            before = run(folder / "before", list(lines(device, self.operator)), cells=[])
        accepted(folder / "baselines", before)

    def judged(self, found: Sequence[VerdictLine], name: str) -> Judgement:
        """What the gate says of a run with these verdicts."""
        folder = run(self.folder / name, list(found), cells=[])
        return gate(folder, baselines=self.folder / "baselines")[0]

    def of_waste(self, waste: Mutant) -> tuple[Finding, ...]:
        """What rejects the kernel with a waste."""
        lib = build_alone(self.operator.name, waste, self.folder / f"{waste.name}-kernel")
        with closing(open_device("sim", libraries=lib)) as device:
            found = list(lines(device, self.operator))
        return tuple(self.judged(found, waste.name).findings)

    def alarms(self, runs: int) -> int:
        """How many runs of the kernel as it is are rejected."""
        with closing(open_device("sim", libraries=self._own)) as device:
            return sum(
                self.judged(list(lines(device, self.operator, turn)), f"turn{turn}").status != 0
                for turn in range(1, runs + 1)
            )


def main(words: Sequence[str] | None = None) -> int:
    """Compare them, one after the other; 0 where all come out as they must."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help="of kernels as they are, in all")
    parsed = parser.parse_args(words)
    wrong = 0
    for operator, wastes in WASTES.items():
        with tempfile.TemporaryDirectory() as folder:
            comparison = Comparison(operator, Path(folder))
            for waste in wastes:
                findings = comparison.of_waste(waste)
                wrong += {one.kind for one in findings} != {"more work"}
                print(f"{operator} {waste.name}: {len(findings)} findings", flush=True)
                for one in findings:
                    print(f"    {one.kind}: {one.message}", flush=True)
            runs = parsed.runs // len(WASTES)
            alarms = comparison.alarms(runs)
            print(f"{operator} as it is: {alarms} alarms in {runs} runs", flush=True)
            wrong += alarms
    with closing(open_device("sim", libraries=build(quiet=True).lib)) as device:
        found = [unsteady(device, with_corpus(name)) for name in suite.records()]
    calls, differing = (sum(column) for column in zip(*found, strict=True))
    print(f"all operators: the counts of {differing} of {calls} calls differ by schedule")
    wrong += differing
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
