"""One run of the command line whose device is struck by faults, and what it must leave.

The run judges two documented calls of one operator on the simulated runtime. ``ASCENDSIM_FAULTS``
strikes calls by their number among all calls of the run (``ASCENDSIM_CALLS``), so that a process
that takes the place of another is not struck by the same fault once more.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conformance.devices import cards
from conformance.devices.cards import Card
from conformance.devices.open import simulator_libraries
from conformance.errors import UsageError
from conformance.evidence.contradictions import contradictions
from conformance.evidence.lines import EnvironmentLine, ItemLine, VerdictLine
from conformance.evidence.reading import CannotJudge, read_run
from conformance.evidence.run import Run
from tests.conformance.front_door import host

OPERATOR = "moe_token_permute"
ITEMS = "all_rows_kept or 1_row_dropped"
"""Two documented calls: the first finds no device memory, the second what the first one left."""

DRAWN = "test_values and first-float16"
"""An item of drawn cases: what is refused there is made smaller."""

TIME_LIMIT = 2
BOUND = 240.0
"""Seconds after which a run counts as one that does not end by itself."""

GRACE = 60.0
"""Seconds in which a device process may still end after its run: by its parent's death."""

MARK = "FAULTY_RUN"
LINE = 32
NOT_PYTHON = re.compile(r"Traceback \(most recent call last\)|INTERNALERROR|Fatal Python error")


@dataclass(frozen=True)
class Ended:
    """A run that has ended: its status (None: it did not), its calls by function, its folder."""

    status: int | None
    seconds: float
    told: str
    calls: tuple[tuple[str, int], ...]
    folder: Path
    mark: str

    @property
    def out(self) -> Path:
        """The folder of its evidence."""
        return self.folder / "out"


def faulty_run(
    folder: Path, faults: str, *, device: str = "sim", items: str = ITEMS, workers: int = 1
) -> Ended:
    """Run the command line in ``folder``, which is new; the device is sim or npu:0,1."""
    folder.mkdir(parents=True)
    (locks := folder / "locks").mkdir()
    words = ["run", "--operator", OPERATOR, "--device", device, "--out", "out"]
    words += ["--time-limit", str(TIME_LIMIT), "-n", str(workers)]
    if device != "sim":
        words += ["--libraries", str(simulator_libraries(None))]
    mark = f"{os.getpid()}-{folder}"
    environment = {
        "ASCENDSIM_FAULTS": faults,
        "ASCENDSIM_CALLS": str(folder / "calls"),
        "ASCENDSIM_DEVICES": "2",
        cards.FOLDER: str(locks),
        MARK: mark,
    }
    began = time.monotonic()
    with open(folder / "told", "w+b") as told:
        process = subprocess.Popen(
            [sys.executable, "-m", "conformance", *words, "--", "-k", items],
            cwd=folder,
            env=host(**environment),
            stdin=subprocess.DEVNULL,
            stdout=told,
            stderr=subprocess.STDOUT,
        )
        status: int | None = None
        with contextlib.suppress(subprocess.TimeoutExpired):
            status = process.wait(BOUND)
        seconds = time.monotonic() - began
        if status is None:
            for pid in marked(mark):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            process.wait()
        told.seek(0)
        text = told.read().decode(errors="replace")
    return Ended(status, seconds, text, calls_in(folder / "calls"), folder, mark)


def calls_in(ledger: Path) -> tuple[tuple[str, int], ...]:
    """The calls of a run in order, each the function and the process that made it."""
    raw = ledger.read_bytes() if ledger.exists() else b""
    lines = [raw[at : at + LINE].decode().split() for at in range(0, len(raw), LINE)]
    return tuple((function, int(process)) for function, process in lines)


def broken(ended: Ended, whole: Ended | None) -> Iterator[str]:
    """The rules that a run breaks, whatever struck it; ``whole`` is the run without faults."""
    if ended.status is None:
        yield f"the run had not ended after {BOUND:g} s"
        return
    if ended.status not in (0, 1, 3):
        yield f"the run ended with status {ended.status}"
    yield from _left_behind(ended)
    log = ended.out / "pytest.log"
    texts = (ended.told, log.read_text(errors="replace") if log.exists() else "")
    for text in texts:
        if found := NOT_PYTHON.search(text):
            told = text[found.start() :].strip().splitlines()
            yield f"a person sees {found.group()}: {' | '.join(told[-3:])}"
    try:
        run = read_run(ended.out)
    except (CannotJudge, UsageError) as error:
        yield f"the evidence cannot be read: {error}"
        return
    yield from contradictions(run)
    yield from _untrue(ended, run, whole)


def marked(mark: str) -> list[int]:
    """The processes of a run that live, by what stands in their environment."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if wanted in path.read_bytes().split(b"\0"):
                found.append(int(path.parent.name))
    return found


def _left_behind(ended: Ended) -> Iterator[str]:
    """Processes and locks that outlive a run."""
    until = time.monotonic() + GRACE
    while (left := marked(ended.mark)) and time.monotonic() < until:
        time.sleep(0.05)
    if left:
        yield f"processes {left} outlive the run"
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    locks = ended.folder / "locks"
    lost = len(list(locks.glob("*.lost")))
    if (free := cards.free([Card(0, 0), Card(1, 1)], locks)) != 2 - lost:
        yield f"{free} of 2 cards are free, {lost} of them locked out"
    built = simulator_libraries(None).parent
    for lock in (ended.out / ".lock", built.with_suffix(".lock")):
        if lock.exists() and not _free(lock):
            yield f"the lock {lock} is held"


def _free(lock: Path) -> bool:
    with open(lock, "rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def _untrue(ended: Ended, run: Run, whole: Ended | None) -> Iterator[str]:
    """Where the status, the summary and the lines of a run do not go together."""
    evidence = run.evidence
    if evidence.exit_status != ended.status or evidence.status == "running":
        yield (
            f"status {ended.status}, but the evidence is {evidence.status} with status"
            f" {evidence.exit_status}"
        )
    refused = [line for line in run.verdicts if not line.ok]
    outcomes = {line.item: line.outcome for line in run.lines if isinstance(line, ItemLine)}
    lost = [line for line in run.lines if isinstance(line, EnvironmentLine)]
    if ended.status == 0:
        if refused or lost or evidence.failures or evidence.environment or evidence.errors:
            yield "status 0, but a verdict was refused or an environment failed"
        if evidence.unreached or set(outcomes.values()) - {"accepted"}:
            yield "status 0, but not every item was accepted"
        if whole is not None and evidence.cases != read_run(whole.out).evidence.cases:
            yield f"status 0 with {evidence.cases} cases, which are not those of a whole run"
    if ended.status == 1:
        if not evidence.failures or not refused:
            yield f"status 1, but no case is named (errors: {dict(evidence.errors)})"
        for failure in evidence.failures:
            if not (ended.out / failure.case).exists():
                yield f"status 1, but the case of {failure.item} is not there: {failure.case}"
    if ended.status == 3 and not evidence.environment:
        yield "status 3, but the evidence does not say what failed"
    for line in run.lines:
        if isinstance(line, VerdictLine) and not line.ok and outcomes.get(line.item) == "accepted":
            yield f"{line.item} is accepted, but a verdict of it was refused"
