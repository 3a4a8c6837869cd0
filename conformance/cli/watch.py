"""``run --watch``: judge again whenever a source is saved, what was refused last first.

Each run is a process of its own, so that it reads what was saved, be it a kernel or Python.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rich.console import Console

from conformance import places
from conformance.catalogue import front_door as say
from conformance.catalogue import options
from conformance.devices.python.named import folder_of_function
from conformance.errors import ENVIRONMENT, NOTHING_TO_DO, REFUSED, UsageError
from conformance.evidence.summary import read_evidence
from conformance.text.command_lines import called, near

OPTION = "--watch"
POLL_SECONDS = 0.2
SETTLED_SECONDS = 0.05
"""An editor may write a file in several steps."""

LOOKING = 10
"""A look at the files takes at most one part in so many of the time."""

SOURCES = frozenset(
    (".py", ".cpp", ".cc", ".c", ".h", ".hpp", ".toml", ".json", ".jsonl", ".so", ".o")
)
APART = frozenset(("__pycache__", "build", "reports", "node_modules"))
STILL_WRONG = (REFUSED, ENVIRONMENT, NOTHING_TO_DO)
"""Statuses of the case that was refused last: refused again; and what does not build, or is no
Python."""

FEW = 3
"""Files that are named in one line."""

Saved = dict[Path, tuple[int, int]]


def watch(parsed: argparse.Namespace, console: Console, extra: Sequence[str]) -> int:
    """Judge, and again after each save, until a person interrupts it; the status of the last run.

    Wrong use ends it at once; later it may be a file that is saved half written. Raises
    `UsageError` for ``--resume``.
    """
    if parsed.resume:
        raise UsageError("watch", True, options.NOT_WITH(option="--resume"))
    watched, out = [*folders(parsed)], parsed.out.absolute()
    before = saved(watched, out)
    status = _run(extra)
    if status == NOTHING_TO_DO:
        return status
    try:
        while True:
            console.print(say.WATCHING(count=len(before)), markup=False)
            now = _next(before, watched, out)
            console.print(say.SAVED(files=_named(before, now)), markup=False)
            before = now
            again = parsed.case is None and status in (REFUSED, NOTHING_TO_DO)
            failed = _failed(out) if again else None
            if failed is None or _run(extra, "--case", str(failed)) not in STILL_WRONG:
                status = _run(extra)
    except KeyboardInterrupt:
        pass
    return status


def saved(folders: Iterable[Path], out: Path) -> Saved:
    """When each source below the folders was saved, and its size; ``out`` is left out."""
    found: Saved = {}
    for folder in folders:
        for root, below, files in os.walk(folder):
            below[:] = [
                name
                for name in below
                if name not in APART and name[0] != "." and Path(root, name) != out
            ]
            for path in (Path(root, name) for name in files):
                if path.suffix in SOURCES:
                    try:
                        state = path.stat()
                    except OSError:  # it is gone, or is just being replaced
                        continue
                    found[path] = state.st_mtime_ns, state.st_size
    return found


def folders(parsed: argparse.Namespace) -> Iterator[Path]:
    """Where the sources of a run lie."""
    yield places.PACKAGE
    yield from (places.root() / name for name in ("cases", "reference", "device_kernels"))
    for folder in (*parsed.operators, parsed.kernels, parsed.libraries, parsed.package):
        if folder is not None:
            yield Path(folder).absolute()
    for where in parsed.implementation:
        yield folder_of_function(where.rpartition("=")[2]).absolute()


def _next(before: Saved, folders: Sequence[Path], out: Path) -> Saved:
    """The sources as they are once one of them is saved, removed or new."""
    while True:
        begun = time.monotonic()
        now = saved(folders, out)
        if now != before:
            break
        time.sleep(max(POLL_SECONDS, LOOKING * (time.monotonic() - begun)))
    while True:
        time.sleep(SETTLED_SECONDS)
        if (again := saved(folders, out)) == now:
            return now
        now = again


def _named(before: Saved, now: Saved) -> str:
    """The files that differ, the first few by name."""
    files = sorted(path for path in before.keys() | now.keys() if before.get(path) != now.get(path))
    names = [near(path) for path in files[:FEW]]
    return ", ".join(names) + (f" (+{len(files) - FEW})" if len(files) > FEW else "")


def _failed(out: Path) -> Path | None:
    """The case of the first failure of the run that has just ended, if it is kept."""
    evidence = read_evidence(out)
    kept = [out / one.case for one in evidence.failures] if evidence is not None else []
    return next((path for path in kept if path.is_file()), None)


def _run(extra: Sequence[str], *more: str) -> int:
    """The status of a run as it was asked for, with ``more``, up to the first failed item."""
    words = sys.argv[1:]
    asked = words[: words.index("--")] if "--" in words else words
    asked = [word for word in asked if word != OPTION]
    process = subprocess.Popen([*called(), *asked, *more, "--", "-x", *extra])
    try:
        return process.wait()
    except KeyboardInterrupt:
        # It was interrupted too, and sums up what it judged.
        process.wait()
        raise
