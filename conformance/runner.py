"""A run of the suite in pytest's own process, watched from the front door."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest
from rich.console import Console

from conformance import run_folder, suite
from conformance.controller import ACCEPTED, ENVIRONMENT, INTERRUPTED, NOTHING_TO_DO, REFUSED
from conformance.operator import Operator
from conformance.probe import order_lines
from conformance.profiles import Profile
from conformance.progress import Tail, bar
from conformance.reporting.terminal import WIDTH, standards_table, table
from conformance.summary import Evidence, now, read_evidence

POLL_SECONDS = 0.2
END_SECONDS = 30
SHOWN_FAILURES = 3
SHOWN_LOG_LINES = 15
RESULTS = {
    ACCEPTED: "accepted",
    REFUSED: "failed",
    NOTHING_TO_DO: "nothing to judge",
    ENVIRONMENT: "environment failed",
    INTERRUPTED: "interrupted",
}
"""A run's result in words, by exit status."""


@dataclass(frozen=True)
class Request:
    """What a run is asked to do, checked."""

    operators: tuple[Operator, ...]
    device: str
    route: str
    profile: Profile
    seed: int
    out: Path
    directories: tuple[Path, ...]
    time_limit: float
    libraries: Path | None
    workers: int
    standard: str | None = None
    standards: bool = False
    pytest_arguments: tuple[str, ...] = ()

    @property
    def expected(self) -> int:
        """Verdicts that a run without failures reaches, about."""
        cells = sum(len(o.modes) * len(o.dtypes) for o in self.operators)
        documented = sum(2 * len(o.examples) + 2 * len(o.rejections) for o in self.operators)
        return cells * self.profile.examples + documented


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
    """Raise `suite.UsageError` for what would end the run before its first verdict."""
    run_folder.check(request.out)
    if not request.operators:
        raise suite.UsageError("operators", "none", "there is nothing to judge")


def record_failure(request: Request, failure: Exception) -> None:
    """Leave a run's folder that says that nothing was judged: an older run's must not stand for it.

    Raises `suite.UsageError` as `check` does.
    """
    evidence = Evidence(
        started=now(),
        profile=request.profile.name,
        seed=request.seed,
        device=request.device,
        route=request.route,
        operators=[operator.name for operator in request.operators],
        environment=[str(failure)],
        exit_status=ENVIRONMENT,
        status="finished",
    )
    run_folder.start(request.out, evidence)


def run(request: Request, console: Console) -> Outcome:
    """Run the suite, show its progress, and tell how it came out."""
    console.print(
        f"run: {', '.join(o.name for o in request.operators)}; "
        f"profile {request.profile.name}, seed {request.seed}",
        markup=False,
    )
    with tempfile.TemporaryFile() as log:
        process = _start(request, log)
        interrupted = _watch(process, request, console)
        log.seek(0)
        text = log.read()
    evidence = read_evidence(request.out)
    if evidence is None or evidence.process != process.pid:
        status = INTERRUPTED if interrupted else _status_of(process.returncode)
        if interrupted:
            console.print("interrupted: nothing was judged yet")
        else:
            _show_end(text.decode(errors="replace"), console)
            console.print("nothing was judged: pytest ended before its first item")
        return Outcome(status, "nothing judged", "", 0, 0, 0.0, "")
    (request.out / "pytest.log").write_bytes(text)
    status = evidence.exit_status if evidence.exit_status is not None else ENVIRONMENT
    status = INTERRUPTED if interrupted else status
    _tell(request, evidence, status, console)
    if evidence.status == "running":
        _show_end(text.decode(errors="replace"), console)
    return Outcome(
        status=status,
        verdict=_result(evidence, status),
        device=", ".join(line.description for line in evidence.devices),
        cases=evidence.cases,
        failures=len(evidence.failures),
        seconds=evidence.seconds,
        evidence=str(request.out / "evidence.json"),
    )


def _start(request: Request, log: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start pytest in a session of its own, so that an interrupt reaches it once, through us."""
    root = suite.root()
    command = [sys.executable, "-m", "pytest", str(root / "cases"), "-p", "conformance.plugin"]
    command += ["--rootdir", str(root), "--import-mode=importlib", "-p", "no:cacheprovider"]
    command += ["-q", "--tb=short", f"--junit-xml={request.out / 'junit.xml'}"]
    command += [f"--conformance-{name}={value}" for name, value in _options(request)]
    if request.workers:
        command += ["-n", str(request.workers), "--dist", "worksteal"]
    command += request.pytest_arguments
    paths = [str(root), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        env=environment,
        start_new_session=True,
    )


def _options(request: Request) -> Iterator[tuple[str, str]]:
    """The plugin's options of a request."""
    yield "device", request.device
    yield "route", request.route
    yield "profile", request.profile.name
    yield "seed", str(request.seed)
    yield "out", str(request.out)
    yield "time-limit", str(request.time_limit)
    if request.libraries is not None:
        yield "libraries", str(request.libraries)
    if request.standard is not None:
        yield "standard", request.standard
    if request.standards:
        yield "standards", "all"
    yield from (("operators", str(directory)) for directory in request.directories)
    yield from (("operator", operator.name) for operator in request.operators)


def _watch(process: subprocess.Popen[bytes], request: Request, console: Console) -> bool:
    """Show progress until pytest ends; True if a person interrupted it."""
    tail = Tail(request.out, process.pid)
    progress = bar(console)
    try:
        with progress:
            task = progress.add_task("judging", total=request.expected)
            while process.poll() is None:
                time.sleep(POLL_SECONDS)
                tail.read()
                words = f"judging, {tail.refused} failed" if tail.refused else "judging"
                progress.update(task, completed=tail.judged, description=words)
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT)
        return True
    finally:
        _end(process)
    return False


def _end(process: subprocess.Popen[bytes]) -> None:
    """Wait for pytest's summary; end it if that takes too long."""
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _tell(request: Request, evidence: Evidence, status: int, console: Console) -> None:
    """Print the table, the first failures and where the rest is."""
    wide = Console(file=console.file, width=max(console.width, WIDTH), highlight=False)
    wide.print(table(evidence), crop=False)
    for line in order_lines(evidence.orders):
        console.print(f"order of additions: {line}", markup=False)
    if evidence.standards:
        console.print()
        wide.print(standards_table(evidence), crop=False)
    # A documented call is as big as the document made it: shrunk cases are told first.
    told = sorted(evidence.failures, key=lambda one: one.elements)
    for failure in told[:SHOWN_FAILURES]:
        console.print(f"\n{failure.item}", style="bold", markup=False)
        console.print(failure.text, markup=False)
    more = len(evidence.failures) - SHOWN_FAILURES
    if more > 0:
        console.print(f"\n{more} more failed items: {request.out / 'failures'}", markup=False)
    for item, text in list(evidence.errors.items())[:SHOWN_FAILURES]:
        console.print(f"\n{item} ended without a verdict:", style="bold", markup=False)
        _show_end(text, console)
    for message in evidence.environment:
        console.print(f"the device or its environment failed: {message}", markup=False)
    for cell in evidence.unjudged:
        console.print(f"not judged: {cell}", markup=False)
    result = f"{_result(evidence, status)}: {evidence.cases:,} distinct cases"
    if evidence.selected < evidence.declared:
        result += f" in {evidence.selected} of {evidence.declared} declared cells"
    where = _near(request.out / "evidence.json")
    console.print(f"{result} in {evidence.seconds:.0f} s; evidence: {where}", markup=False)


def _result(evidence: Evidence, status: int) -> str:
    """The run's result in a word or two."""
    if status == REFUSED and not evidence.failures:
        return "incomplete"
    return RESULTS[status]


def _show_end(text: str, console: Console) -> None:
    """The end of pytest's own output, where that tells what the evidence does not."""
    for line in text.splitlines()[-SHOWN_LOG_LINES:]:
        console.print(f"  {line}", markup=False)


def _status_of(returncode: int) -> int:
    """The front door's status of a pytest that ended without evidence."""
    usage = (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.NO_TESTS_COLLECTED)
    return NOTHING_TO_DO if returncode in usage else ENVIRONMENT


def _near(path: Path) -> str:
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative
