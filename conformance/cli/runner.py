"""A run of the suite in pytest's own process, watched from the front door."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from rich.console import Console

from conformance import places
from conformance.catalogue import front_door as say
from conformance.catalogue import options as rules
from conformance.catalogue import run_lines
from conformance.catalogue.message import row
from conformance.cli import result as outcome
from conformance.cli.other_routes import modes_elsewhere
from conformance.cli.progress import Pulse, Tail, bar
from conformance.cli.pytest_process import Process, start
from conformance.cli.request import Request, options
from conformance.devices.device import DeviceProfile
from conformance.errors import (
    ACCEPTED,
    ENVIRONMENT,
    INTERRUPTED,
    NOTHING_TO_DO,
    REFUSED,
    EnvironmentFailure,
    UsageError,
    text_of,
)
from conformance.evidence import kernel_coverage, run_folder
from conformance.evidence.summary import Evidence, now, read_evidence, write_evidence
from conformance.session import resume
from conformance.session.command import environment_of_suite, of_suite
from conformance.session.context import BY_A_PERSON, BY_ITSELF
from conformance.text.command_lines import COMMAND, VARIABLE, called

POLL_SECONDS = 0.2
END_SECONDS = 30
FEW_NAMES = 3
"""Operators that are named in one line."""

_USAGE_ERROR, _NOTHING_COLLECTED = 4, 5
"""Exit statuses of pytest, as its reference numbers them (ExitCode)."""

JUNIT = "junit.xml"
COUNTERS = "counters"
"""The folder, in that of the run, in which device processes leave their coverage."""


@dataclass(frozen=True)
class Outcome:
    """How a run ended; the line of ``--json``."""

    status: int
    verdict: str
    device: str
    cases: int
    failures: int
    seconds: float
    evidence: str


def check(request: Request) -> None:
    """Raise `UsageError` for what would end the run before its first verdict."""
    run_folder.check(request.out)
    if not request.operators and not request.left_out:
        raise UsageError("operators", "none", rules.NOTHING_TO_JUDGE())
    if request.resume:
        earlier = resume.earlier_run(request.out)
        resume.check_request(request.out, earlier.request, resume.request(request))


def check_device(request: Request, profile: DeviceProfile) -> None:
    """Raise `UsageError` where a run cannot go on with this device."""
    if request.resume:
        resume.check_device(request.out, profile)


def record_failure(request: Request, failure: Exception) -> None:
    """Leave a run's folder that says that nothing was judged: an older run's must not stand for it.

    The older run's failures stay, to be replayed. A run that was to go on keeps its verdicts: it is
    no older one. Raises `UsageError` as `check` does.
    """
    if request.resume:
        return
    evidence = _unjudged(request, ENVIRONMENT)
    evidence.environment = [text_of(failure)]
    run_folder.start(request.out, evidence, judges=False).release()


def leave_out(request: Request, console: Console) -> Outcome:
    """Leave a run's folder that says that nothing of what was asked for can be judged.

    Raises `UsageError` as `check` does.
    """
    check(request)
    evidence = _unjudged(request, REFUSED)
    run_folder.start(request.out, evidence, judges=False).release()
    return _told(request, evidence, REFUSED, console)


def _unjudged(request: Request, status: int) -> Evidence:
    """The evidence of a run that ended before it judged anything."""
    return Evidence(
        started=now(),
        profile=request.profile.name,
        seed=request.seed,
        device=request.device,
        route=request.route,
        operators=[operator.name for operator in request.operators],
        left_out=dict(request.left_out),
        exit_status=status,
        status="finished",
    )


def run(request: Request, console: Console) -> Outcome:
    """Run the suite, show its progress, and tell how it came out."""
    names = [operator.name for operator in request.operators]
    beginning = say.RUN(
        whom=names if len(names) <= FEW_NAMES else say.OPERATORS(count=len(names)),
        route=request.route,
        profile=request.profile.name,
        seed=request.seed,
        workloads=row(say.WORKLOAD(name=name) for name in request.workloads),
    )
    console.print(beginning, markup=False)
    for line in modes_elsewhere(request.operators, request.route):
        console.print(line, markup=False)
    earlier = None if request.resume else read_evidence(request.out)
    with tempfile.TemporaryFile() as log:
        process = _start(request, log)
        interrupted = _watch(process, request, console)
        evidence = _evidence_of(process, request)
        unsummed = evidence is not None and evidence.status == "running"
        if unsummed:
            evidence = _sum_up(request, log, interrupted=interrupted) or evidence
        log.seek(0)
        text = log.read()
    told = text.decode(errors="replace")
    if evidence is None:
        _tidy(request.out)
        if request.left_out and process.returncode == _NOTHING_COLLECTED:
            return leave_out(request, console)
        status = INTERRUPTED if interrupted else _status_of(process.wait())
        if interrupted:
            console.print(say.INTERRUPTED_EARLY(), markup=False)
        elif request.pytest_arguments and process.returncode == _NOTHING_COLLECTED:
            words = shlex.join(request.pytest_arguments)
            console.print(say.NO_ITEM(arguments=words), markup=False)
        else:
            outcome.explain(told, console)
            console.print(say.PYTEST_ENDED(), markup=False)
        return Outcome(status, say.NOTHING(), "", 0, 0, 0.0, "")
    with contextlib.suppress(OSError):  # where the disk is full, the evidence says so
        (request.out / outcome.LOG).write_bytes(text)
    status = evidence.exit_status if evidence.exit_status is not None else ENVIRONMENT
    status = INTERRUPTED if interrupted else status
    if request.counted and request.libraries is not None and status in (ACCEPTED, REFUSED):
        _measure(request, request.libraries, evidence, console)
    ended = _told(request, evidence, status, console, earlier)
    if unsummed and not interrupted:
        outcome.explain(told, console)
    return ended


def _told(
    request: Request,
    evidence: Evidence,
    status: int,
    console: Console,
    earlier: Evidence | None = None,
) -> Outcome:
    """The outcome of a run, after its page is written and its end is told."""
    outcome.write_report(request.out, console)
    outcome.tell(
        request.out,
        evidence,
        status,
        console,
        called=request.called,
        verbose=request.verbose,
        earlier=earlier,
    )
    return Outcome(
        status=status,
        verdict=outcome.result(evidence, status),
        device=", ".join(line.description for line in evidence.devices),
        cases=evidence.cases,
        failures=len(evidence.failures),
        seconds=evidence.seconds,
        evidence=str(request.out / "evidence.json"),
    )


def _tidy(out: Path) -> None:
    """Take pytest's report away where a run never began: alone, it would look like the folder of
    somebody else, which the next run must not replace."""
    with contextlib.suppress(OSError):
        if [entry.name for entry in out.iterdir()] == [JUNIT]:
            (out / JUNIT).unlink()


def _measure(request: Request, notes: Path, evidence: Evidence, console: Console) -> None:
    """Add to the evidence which lines and branches of the kernels the run reached."""
    counters = request.out / COUNTERS
    try:
        evidence.kernel_coverage = kernel_coverage.measure(counters, notes, request.counted)
    except EnvironmentFailure as failure:
        console.print(say.NOT_MEASURED(error=text_of(failure)), markup=False)
    else:
        write_evidence(request.out, evidence)
        shutil.rmtree(counters)


def _start(request: Request, log: IO[bytes]) -> Process:
    """Start pytest, which starts its workers."""
    root = places.root()
    command = [*of_suite(root), f"--junit-xml={request.out / JUNIT}"]
    command += [f"--conformance-{name}={value}" for name, value in options(request)]
    command += ["--conformance-resume"] if request.resume else []
    command += request.farm
    if request.workers:
        command += ["-n", str(request.workers), "--dist", "worksteal"]
    command += request.pytest_arguments
    environment = environment_of_suite(root)
    environment[VARIABLE] = shlex.join(called())
    environment[COMMAND] = shlex.join([*called(), *sys.argv[1:]])
    if request.counted:
        environment |= kernel_coverage.environment(request.out / COUNTERS)
    return start(command, environment, log, anew=not request.alone)


def _evidence_of(process: Process, request: Request) -> Evidence | None:
    """The evidence of the run that a process began; None where it began none."""
    evidence = read_evidence(request.out)
    return evidence if evidence is not None and evidence.process == process.pid else None


def _sum_up(request: Request, log: IO[bytes], *, interrupted: bool) -> Evidence | None:
    """Have what is on record of a run summed up, where its own process ended before it did that."""
    how = BY_A_PERSON if interrupted else BY_ITSELF
    more = (*request.pytest_arguments, f"--conformance-sum-up={how}")
    asked = replace(request, resume=True, workers=0, farm=(), pytest_arguments=more)
    with tempfile.TemporaryFile() as unread:
        process = _start(asked, unread)
        process.wait()
    return _evidence_of(process, request)


def _watch(process: Process, request: Request, console: Console) -> bool:
    """Show progress until pytest ends; True if a person interrupted it."""
    tail, pulse = Tail(request.out, process.pid), Pulse(console)
    if request.resume:
        tail.go_on()
    progress = bar(console)
    try:
        with progress:
            expected = request.expected
            task = progress.add_task(say.JUDGING(), total=expected)
            while process.poll() is None:
                time.sleep(POLL_SECONDS)
                tail.read()
                while tail.lost:
                    console.print(run_lines.LOST_WORKER(line=tail.lost.pop(0)), markup=False)
                words = say.JUDGING()
                if tail.refused:
                    words = say.JUDGING_FAILED(failed=tail.refused)
                total = max(expected, tail.judged)
                progress.update(task, total=total, completed=tail.judged, description=words)
                pulse.beat(tail.judged, total, tail.refused)
    except KeyboardInterrupt:
        # Its workers too: xdist waits ten seconds for a worker that is in the middle of an item.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGINT)
        console.print(say.SUMMED_UP(), markup=False)
        return True
    finally:
        _end(process)
    return False


def _end(process: Process) -> None:
    """Wait for pytest's summary; end it and its workers if that takes too long, or if a person who
    has interrupted the run does so once more.
    """
    try:
        process.wait(END_SECONDS)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        # Not it alone: its workers would write on.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _status_of(returncode: int) -> int:
    """The front door's status of a pytest that ended without evidence."""
    usage = (_USAGE_ERROR, _NOTHING_COLLECTED)
    return NOTHING_TO_DO if returncode in usage else ENVIRONMENT
