"""The folder of a run: whether it may be written, and how it takes the place of the run before.

A run holds a lock in its folder until its process ends, however it ends: two runs never write the
same folder, and a process number that another program has by now does not stand in the way.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import time
from collections.abc import Callable
from pathlib import Path

from conformance.call.case import PROGRAM, ROUNDED, Case
from conformance.catalogue import files
from conformance.catalogue import folder_of_run as say
from conformance.errors import EnvironmentFailure, UsageError
from conformance.evidence.packed import ENDING, PATTERN, files_of_lines, mend
from conformance.evidence.summary import Evidence, read_evidence, write_evidence

LOCK = ".lock"
FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
FAILURES = "failures"
KEPT = frozenset({".gitkeep", "junit.xml"})
"""What may lie in a folder without a run: pytest leaves its report where a run ends before it has
anything on record."""
WAIT_SECONDS = 30


class Hold:
    """The lock of a run's folder; the operating system gives it back when the process ends."""

    def __init__(self, folder: Path) -> None:
        """Take the lock; raises BlockingIOError where another run has it, `OSError`."""
        self._descriptor = os.open(folder / LOCK, FLAGS, 0o644)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._descriptor)
            raise

    def release(self) -> None:
        """Give the lock back."""
        os.close(self._descriptor)


def check(out: Path) -> None:
    """Refuse a folder that a run must not replace; changes nothing.

    It may be absent, empty, or an earlier run's (it holds an ``evidence.json``) that has ended.
    Raises `UsageError`.
    """
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise UsageError("out", out, say.MUST_BE_FOLDER())
    there = next(folder for folder in (out, *out.parents) if folder.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise UsageError("out", out, say.CANNOT_BE_MADE(there=there))
    if is_empty(out):
        return
    if read_evidence(out) is None:
        raise UsageError("out", out, say.NOT_EMPTY())
    if (out / LOCK).exists():
        _hold(out).release()


def is_empty(out: Path) -> bool:
    """Whether a folder holds no run, nor anything else; one that is not there does not."""
    return not out.is_dir() or not {entry.name for entry in out.iterdir()} - KEPT


def wait(
    out: Path, tell: Callable[[str], None], sleep: Callable[[float], None] = time.sleep
) -> None:
    """Wait until no run writes in a folder, not for longer than it takes a run to end.

    A run whose front door was killed lives on for as long as it sums itself up.
    """
    for waited in range(WAIT_SECONDS):
        try:
            Hold(out).release()
        except BlockingIOError:
            if not waited:
                tell(say.WAITING(folder=out))
            sleep(1.0)
        except OSError:
            return  # whoever writes there says what is wrong
        else:
            return


def start(out: Path, evidence: Evidence, *, judges: bool = True) -> Hold:
    """Make ``out`` the folder of a run that begins now; an earlier run's folder goes.

    The failures of an earlier run stay where this one judges nothing: there are no newer ones. The
    new folder is put in place as a whole, with its lock and its ``evidence.json``. Raises
    `UsageError` as `check` does, before anything is moved, `EnvironmentFailure` where the folder
    cannot be written.
    """
    check(out)
    fresh, aside = (out.with_name(f".{out.name}.{word}-{os.getpid()}") for word in ("new", "old"))
    evidence.process = os.getpid()
    earlier: Hold | None = None
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir()
        hold = Hold(fresh)
        write_evidence(fresh, evidence)
        if out.exists():
            earlier = _hold(out)
            os.replace(out, aside)
        os.rename(fresh, out)
        if not judges and (aside / FAILURES).is_dir():
            os.rename(aside / FAILURES, out / FAILURES)
    except OSError as error:
        if aside.exists() and not out.exists():
            os.replace(aside, out)
        raise _unwritable(out, error) from error
    finally:
        if earlier is not None:
            earlier.release()
        shutil.rmtree(fresh, ignore_errors=True)
    shutil.rmtree(aside, ignore_errors=True)
    return hold


def go_on(out: Path, evidence: Evidence) -> Hold:
    """Write on in the folder of a run that has ended before its end.

    A line that was cut by the end of its process goes. Raises `UsageError` where the run has not
    ended, `EnvironmentFailure` where the folder cannot be written.
    """
    evidence.process = os.getpid()
    hold = _hold(out)
    try:
        for path in files_of_lines(out):
            mend(path)
        write_evidence(out, evidence)
    except OSError as error:
        hold.release()
        raise _unwritable(out, error) from error
    return hold


def seconds_on_record(out: Path) -> float:
    """Seconds from the begin of a run, or of its last part, to the last line that it wrote."""
    began = (out / "evidence.json").stat().st_mtime
    files = (*out.glob(PATTERN), *out.glob(PATTERN + ENDING))
    return max([began, *(path.stat().st_mtime for path in files)]) - began


def failure_folder(out: Path, case: Case, law: str = "") -> Path:
    """Where the bundle of a failed case lives: named by its inputs, by its machine if any, by the
    ``law`` that is broken, where it is no value that is wrong, and by the calls before it if any.
    """
    machine = ""
    if case.machine:
        order = case.machine.block_order.replace(":", "")
        machine = f"-{case.machine.cores}x{case.machine.ub_bytes}"
        machine += "" if order == "forward" else f"-{order}"
        how = case.machine.functions
        machine += "" if how == ROUNDED else f"-{how}"
        when = case.machine.pipes.replace(":", "")
        machine += "" if when == PROGRAM else f"-{when}"
    told = "-" + re.sub(r"\W+", "-", law) if law else ""
    if case.before:
        hashed = hashlib.sha256(repr(case.key).encode()).hexdigest()
        told += f"-after{len(case.before)}-{hashed[:8]}"
    return out / FAILURES / f"{case.digest}{machine}{told}"


def _hold(out: Path) -> Hold:
    """The lock of a run's folder that is there; raises `UsageError`."""
    try:
        return Hold(out)
    except BlockingIOError:
        earlier = read_evidence(out)
        who = None if earlier is None else say.ANOTHER_PROCESS(process=earlier.process)
        raise UsageError("out", out, who or say.ANOTHER_RUN()) from None
    except OSError as error:
        raise UsageError("out", out, files.UNWRITABLE(why=error.strerror)) from None


def _unwritable(out: Path, error: OSError) -> EnvironmentFailure:
    return EnvironmentFailure(say.UNWRITABLE(folder=out, why=error.strerror))
