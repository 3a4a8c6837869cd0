"""An interrupt at the front door reaches pytest and its workers, and is told at once; how a run
came out is told from what is on record, however it ended."""

from __future__ import annotations

import io
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from conformance.cli import runner
from conformance.evidence.lines import VerdictLine, read_lines
from conformance.evidence.summary import COUNTED, Evidence
from tests.conformance.front_door import BY_WORKERS, ROOT
from tests.proofs.killed.kills import wait_until
from tests.proofs.killed.resumed import on_record, summary_of

PYTEST_AND_A_WORKER = """
import os, signal, sys
worker = os.fork() == 0
def interrupted(*_):
    open(sys.argv[1] + ("/worker" if worker else "/pytest"), "w").close()
    if not worker:
        os.wait()
    os._exit(0)
signal.signal(signal.SIGINT, interrupted)
open(sys.argv[1] + ("/worker.up" if worker else "/pytest.up"), "w").close()
while True:
    signal.pause()
"""


def test_an_interrupt_reaches_the_workers_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", PYTEST_AND_A_WORKER, str(tmp_path)], start_new_session=True
    )

    def interrupt(seconds: float) -> None:
        if len(list(tmp_path.glob("*.up"))) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(runner, "time", SimpleNamespace(sleep=interrupt))
    told = io.StringIO()
    request: Any = SimpleNamespace(out=tmp_path / "out", expected=1, resume=False)
    assert runner._watch(process, request, Console(file=told))
    assert sorted(path.name for path in tmp_path.iterdir() if not path.suffix) == [
        "pytest",
        "worker",
    ]
    assert told.getvalue() == "interrupted: what was judged is summed up\n"


LINES = 60
"""On record when a run is ended: a tenth of what it would write."""

PATIENT = (
    "import runpy, sys; from conformance.cli import runner; runner.END_SECONDS = 10**6;"
    " sys.argv[:3] = ['conformance']; runpy.run_module('conformance', run_name='__main__')"
)
"""A front door that waits for pytest's summary, however long it takes on a busy machine."""

IN_THE_BACKGROUND = (
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN);"
    f" os.execv(sys.executable, [sys.executable, '-c', {PATIENT!r}, *sys.argv[1:]])"
)
"""As a shell that is no terminal's starts a command in the background: interrupts are ignored."""


def judged(out: Path) -> int:
    """The distinct cases on record, however many items have ended."""
    lines = [line for line in read_lines(out) if isinstance(line, VerdictLine)]
    alone = ("rejection", "relation", "sequence")
    return len(
        {
            (line.judged_as if line.judged_as in alone else "", line.digest)
            for line in lines
            if line.phase in COUNTED and line.judged_as != "quarantine"
        }
    )


def begun(out: Path, *before: str) -> subprocess.Popen[str]:
    """A run by two workers that has some verdicts on record."""
    process = subprocess.Popen(
        [sys.executable, *before, "-m", "conformance", "run", *BY_WORKERS, "--out", str(out)],
        cwd=out.parent,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert wait_until(process, on_record(out, LINES))
    return process


def told_of(evidence: Evidence, text: str, word: str) -> bool:
    """Whether a run tells its distinct cases under a word."""
    return f"{word}: {evidence.cases:,} distinct cases" in text


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_in_the_background_is_interrupted_and_sums_up(
    tmp_path: Path, number: signal.Signals
) -> None:
    out = tmp_path / "run"
    process = begun(out, "-c", IN_THE_BACKGROUND)
    process.send_signal(number)
    _, told = process.communicate()
    evidence = summary_of(out)
    assert (process.returncode, evidence.status, evidence.exit_status) == (130, "interrupted", 130)
    assert evidence.parts == 1, "pytest itself has summed it up"
    assert evidence.cases == judged(out) > 0
    assert told_of(evidence, told, "interrupted")


@pytest.mark.slow
def test_a_run_whose_pytest_was_killed_is_told_from_what_is_on_record(tmp_path: Path) -> None:
    out = tmp_path / "run"
    process = begun(out)
    os.killpg(summary_of(out).process, signal.SIGKILL)
    _, told = process.communicate()
    evidence = summary_of(out)
    assert (process.returncode, evidence.status, evidence.exit_status) == (3, "incomplete", 3)
    assert evidence.cases == judged(out) > 0
    assert evidence.unreached
    assert evidence.environment == ["pytest ended before it had summed the run up"]
    assert told_of(evidence, told, "environment failed")


def test_a_pytest_that_does_not_end_is_ended_with_its_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deaf = PYTEST_AND_A_WORKER.replace("def interrupted(*_):", "def interrupted(*_):\n    return")
    read, held = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", deaf, str(tmp_path)], start_new_session=True, pass_fds=[held]
    )
    os.close(held)
    assert wait_until(process, lambda: len(list(tmp_path.glob("*.up"))) == 2)
    os.killpg(process.pid, signal.SIGINT)
    monkeypatch.setattr(runner, "END_SECONDS", 0)
    runner._end(process)
    assert process.returncode == -signal.SIGKILL
    there, _, _ = select.select([read], [], [], 60)
    os.close(read)
    assert there, "whoever holds the pipe has ended"


def test_a_second_interrupt_after_pytest_has_ended_is_no_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    process = subprocess.Popen([sys.executable, "-c", ""], start_new_session=True)
    process.wait()

    def interrupted(timeout: float) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(process, "wait", lambda *timeout: interrupted(*timeout) if timeout else 0)
    runner._end(process)
