"""The folder of a run: whether it may be written, and how it takes the place of the run before."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from conformance.case import Case
from conformance.suite import UsageError
from conformance.summary import Evidence, read_evidence, write_evidence

KEPT = frozenset({".gitkeep"})


def check(out: Path) -> None:
    """Refuse a folder that a run must not replace; changes nothing.

    It may be absent, empty, or an earlier run's (it holds an ``evidence.json``) that has ended.
    Raises `UsageError`.
    """
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise UsageError("out", out, "must be a folder, or not be there yet")
    there = next(folder for folder in (out, *out.parents) if folder.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise UsageError("out", out, f"cannot be made: {there} is no folder that can be written")
    if not out.is_dir() or not {entry.name for entry in out.iterdir()} - KEPT:
        return
    earlier = read_evidence(out)
    if earlier is None:
        raise UsageError("out", out, "is not empty and not the folder of an earlier run")
    if earlier.status == "running" and earlier.process != os.getpid() and _alive(earlier.process):
        raise UsageError("out", out, f"another run, process {earlier.process}, is writing there")


def start(out: Path, evidence: Evidence) -> None:
    """Make ``out`` the folder of a run that begins now; an earlier run's folder goes.

    The earlier folder is moved aside in one step and removed after the new one holds its
    ``evidence.json``. Raises `UsageError` as `check` does, before anything is moved.
    """
    check(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    aside = out.with_name(f".{out.name}.before-{os.getpid()}")
    if out.exists():
        os.replace(out, aside)
    out.mkdir()
    evidence.process = os.getpid()
    write_evidence(out, evidence)
    if aside.exists():
        shutil.rmtree(aside, ignore_errors=True)


def failure_folder(out: Path, case: Case) -> Path:
    """Where the bundle of a refused case lives: named by its inputs, and by its machine if any."""
    machine = f"-{case.machine.cores}x{case.machine.ub_bytes}" if case.machine else ""
    return out / "failures" / f"{case.digest}{machine}"


def _alive(process: int) -> bool:
    """Whether a process of that number runs on this host."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return process > 0
