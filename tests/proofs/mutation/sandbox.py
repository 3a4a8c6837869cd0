"""Runs work on a changed module in a child process that ends with it.

The child is a fork of a process in which the libraries are imported and the project is not, so that
a mutant costs no more than the import of the project. Its processor time is limited, not its time
by the clock: a loaded machine changes no outcome.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.abc
import importlib.machinery
import importlib.util
import os
import pickle
import resource
import select
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

PROJECT = ("cases", "conformance", "reference", "tests")
"""Packages that are imported anew."""

MEMORY = 12 << 30
"""Bytes of address space of a child, beyond what its parent has mapped."""

PATIENCE = 30
"""Seconds by the clock for each second of processor time, for a child that sleeps."""


@dataclass(frozen=True)
class Ended:
    """How the work ended: its result, or in words why there is none."""

    result: Any = None
    failure: str = ""


class _Changed(importlib.machinery.SourceFileLoader):
    """Loads a module from a changed source; nothing is written to a cache."""

    def __init__(self, name: str, path: str, source: str) -> None:
        super().__init__(name, path)
        self.source = source

    def get_code(self, fullname: str) -> CodeType:
        return compile(self.source, self.path, "exec", dont_inherit=True)


class Overlay(importlib.abc.MetaPathFinder):
    """Puts a changed source in the place of one module."""

    def __init__(self, name: str, path: str, source: str) -> None:
        self.name, self.loader = name, _Changed(name, path, source)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(fullname, loader=self.loader)


def forget_project() -> None:
    """Drop the project's modules, so that the next import of them runs them again."""
    for name in list(sys.modules):
        if name.partition(".")[0] in PROJECT:
            del sys.modules[name]


def run(
    work: Callable[[], Any], overlay: Overlay | None, seconds: int, *, fresh: bool = True
) -> Ended:
    """The result of ``work``, which must be picklable, with ``overlay`` in the project's place.

    ``work`` imports what it needs of the project itself, unless ``fresh`` is False: then it goes on
    with what is imported. ``seconds`` of processor time are allowed.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _in_child(work, overlay, seconds, writing, fresh)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = _all_of(pipe.fileno(), child, seconds * PATIENCE)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return Ended(failure=f"killed by {signal.Signals(os.WTERMSIG(status)).name}")
    if not answer:
        return Ended(failure=f"ended with status {os.waitstatus_to_exitcode(status)}")
    return Ended(*pickle.loads(answer))


def _all_of(pipe: int, child: int, seconds: float) -> bytes:
    """Everything that the child writes; the child is killed where that takes too long."""
    parts, deadline = [], time.monotonic() + seconds
    while True:
        ready, _, _ = select.select([pipe], [], [], max(deadline - time.monotonic(), 0.0))
        part = os.read(pipe, 1 << 16) if ready else b""
        if not ready:
            os.kill(child, signal.SIGKILL)
        if not part:
            return b"".join(parts)
        parts.append(part)


def _in_child(
    work: Callable[[], Any], overlay: Overlay | None, seconds: int, pipe: int, fresh: bool
) -> None:
    """Does the work and ends the process, whatever happens."""
    status = 1
    try:
        silence = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(silence, stream)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        memory = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        # What is here stays here: to look through it for garbage is to copy all of its pages.
        gc.freeze()
        if fresh:
            forget_project()
        if overlay is not None:
            sys.meta_path.insert(0, overlay)
        try:
            ended = (work(), "")
        except BaseException as error:
            ended = (None, f"{type(error).__name__}: {str(error)[:200]}")
        with contextlib.suppress(BrokenPipeError):
            data = memoryview(pickle.dumps(ended))
            while data:
                data = data[os.write(pipe, data) :]
        status = 0
    finally:
        os._exit(status)
