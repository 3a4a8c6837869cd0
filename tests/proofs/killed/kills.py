"""Ending a run or a writer of the history by force at a random moment, and what is left."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from conformance.evidence.lines import VerdictLine
from conformance.evidence.reading import read_run
from conformance.gate.decide import Asked, decide
from conformance.gate.judgement import CANNOT_JUDGE
from conformance.history.record import import_runs
from tests.proofs.killed.acknowledged import FILE
from tests.waiting import wait_for

ROOT = Path(__file__).resolve().parents[3]
TODAY = date(2026, 1, 1)


def killed(
    command: Sequence[str], until: Callable[[], bool], folder: Path, **environment: str
) -> bool:
    """Start a command, and kill it and what it started once ``until``; False if it had ended."""
    return ended(command, until, folder, signal.SIGKILL, **environment)


def ended(
    command: Sequence[str],
    until: Callable[[], bool],
    folder: Path,
    number: signal.Signals,
    **environment: str,
) -> bool:
    """Start a command, and end it by a signal once ``until``; False if it had ended by itself.

    SIGKILL strikes it and all that it started. They are stopped first, so that none sees another
    one go and still does something about it. Any other signal the command answers by itself.
    """
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    if not wait_until(process, until):
        return False
    if number is signal.SIGKILL:
        _kill_all(process)
    else:
        _send(process.pid, number)
    process.wait()
    return True


def wait_until(process: subprocess.Popen[Any], until: Callable[[], bool]) -> bool:
    """Wait for a moment in the life of a process; False if it had ended by then."""
    while not until():
        if process.poll() is not None:
            return False
        time.sleep(0.002)
    return True


def _kill_all(process: subprocess.Popen[bytes]) -> None:
    stopped: set[int] = set()
    while fresh := {process.pid, *_below(process.pid)} - stopped:
        for one in fresh:
            _send(one, signal.SIGSTOP)
        stopped |= fresh
    for one in stopped:
        _send(one, signal.SIGKILL)
    process.wait()
    wait_for(lambda: not any(map(_lives, stopped)), "the end of killed processes")


def after(seconds: float) -> Callable[[], bool]:
    """The moment in so many seconds from now."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() >= end


def since(path: Path, seconds: float) -> Callable[[], bool]:
    """The moment in so many seconds from when a path is there."""
    began: list[float] = []

    def reached() -> bool:
        if not began and path.exists():
            began.append(time.monotonic())
        return bool(began) and time.monotonic() >= began[0] + seconds

    return reached


def told_of(acknowledged: Path, verdicts: int) -> Callable[[], bool]:
    """The moment in which so many verdicts have been told."""
    return lambda: acknowledged.exists() and acknowledged.read_bytes().count(b"\n") >= verdicts


def check_run(out: Path, acknowledged: Path) -> str:
    """What a killed run left, in a word; raises AssertionError where it is not what it must be."""
    told = Counter(acknowledged.read_text().splitlines()) if acknowledged.exists() else Counter()
    if not out.exists():
        assert not told, "verdicts were told, and there is no folder"
        return "no folder yet"
    run = read_run(out)
    kept = Counter(
        f"{line.worker} {line.item} {line.digest} {line.phase} {line.ok}"
        for line in run.lines
        if isinstance(line, VerdictLine)
    )
    lost = told - kept
    assert not lost, f"{sum(lost.values())} flushed verdicts are lost: {list(lost)[:3]}"
    assert sum((kept - told).values()) <= len({line.worker for line in run.lines} | {""})
    if run.evidence.status == "finished":
        return "finished"
    judgement = decide(Asked(folder=out, compares=False, today=TODAY))
    assert judgement.status == CANNOT_JUDGE, judgement
    assert judgement.reasons[0].startswith("incomplete: "), judgement.reasons
    return "incomplete with verdicts" if kept else "incomplete"


def importing(db: Path, runs: Sequence[Path]) -> list[str]:
    """A command that imports runs one by one, each in a transaction of its own."""
    program = (
        "import sys; from pathlib import Path\n"
        "from conformance.history.record import import_runs\n"
        "for run in sys.argv[2:]: import_runs(Path(sys.argv[1]), [Path(run)])\n"
    )
    return [sys.executable, "-c", program, str(db), *map(str, runs)]


def check_history(db: Path, runs: Sequence[Path]) -> int:
    """How many runs a killed writer left, each whole; the others can be added afterwards."""
    found = 0
    if db.exists():
        connection = sqlite3.connect(db)
        try:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if tables:
                rows = connection.execute(
                    "SELECT id, (SELECT count(*) FROM cell WHERE run = id),"
                    " (SELECT count(*) FROM fact WHERE run = id) FROM run"
                ).fetchall()
                assert len({tuple(counts) for _, *counts in rows}) <= 1, "a run is there in part"
                found = len(rows)
        finally:
            connection.close()
    new, known = import_runs(db, runs)
    assert (new, known) == (len(runs) - found, found)
    return found


def _below(pid: int) -> set[int]:
    """All processes that a process started, and those that they started."""
    parents: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents.setdefault(int(fields[1]), []).append(int(path.parent.name))
    found: set[int] = set()
    left = [pid]
    while left:
        children = set(parents.get(left.pop(), ())) - found
        found |= children
        left += children
    return found


def _send(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def environment(acknowledged: Path) -> dict[str, str]:
    """What makes every pytest process of a run tell what it wrote."""
    return {FILE: str(acknowledged), "PYTEST_PLUGINS": "tests.proofs.killed.acknowledged"}
