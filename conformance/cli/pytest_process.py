"""The pytest process of a run: a fork of the front door, which has imported most of what it needs.

A Python that is started anew imports all that again, which takes longer than a small run judges.
"""

from __future__ import annotations

import atexit
import functools
import os
import runpy
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from typing import IO, Protocol

from conformance.devices.lifetime import interruptible

POLL_SECONDS = 0.02
QUIET = ("-W", "ignore:Module already imported:pytest.PytestAssertRewriteWarning")
"""Pytest would rewrite the assertions of Hypothesis, which is in a fork before it."""


class Process(Protocol):
    """What the front door asks of a process, as `subprocess.Popen` has it."""

    pid: int
    returncode: int | None

    def poll(self) -> int | None:
        """The exit status, None while the process runs."""

    def wait(self, timeout: float | None = None) -> int:
        """The exit status, once there is one. Raises `subprocess.TimeoutExpired`."""


def start(
    arguments: Sequence[str], environment: Mapping[str, str], log: IO[bytes], *, anew: bool
) -> Process:
    """``python -m pytest ARGUMENTS`` in a session of its own, so that an interrupt of a terminal
    reaches it once, through us. What it prints goes to ``log``.

    Should this process be killed, pytest is interrupted: it keeps its verdicts and ends. ``anew``:
    by a Python that is started anew. So it is, too, where this process has threads, as a fork
    would have their locks without them.
    """
    if not anew and _threads() == 1:
        return Fork(arguments, environment, log)
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        env=environment,
        start_new_session=True,
        preexec_fn=functools.partial(interruptible, os.getpid()),
    )


def _threads() -> int:
    """The threads of this process, those of libraries among them; 0 if the system does not say."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return 0


class Fork:
    """A fork of this process that runs pytest and then ends."""

    def __init__(
        self, arguments: Sequence[str], environment: Mapping[str, str], log: IO[bytes]
    ) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        parent = os.getpid()
        there, begun = os.pipe()
        self.returncode: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            _begin(parent, log, begun)
            os._exit(_pytest(arguments, environment))
        os.close(begun)
        os.read(there, 1)  # an interrupt before it has a session of its own would not reach it
        os.close(there)

    def poll(self) -> int | None:
        """The exit status, None while the process runs; -N where the signal N ended it."""
        if self.returncode is None:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            if ended:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The exit status, once there is one. Raises `subprocess.TimeoutExpired`."""
        until = None if timeout is None else time.monotonic() + timeout
        while (status := self.poll()) is None:
            if until is not None and time.monotonic() > until:
                raise subprocess.TimeoutExpired("pytest", timeout or 0.0)
            time.sleep(POLL_SECONDS)
        return status


def _begin(parent: int, log: IO[bytes], begun: int) -> None:
    """Have what a process has that is started for pytest: its session, its signals, its files."""
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    interruptible(parent)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for descriptor, copied in ((nothing, 0), (log.fileno(), 1), (log.fileno(), 2)):
        os.dup2(descriptor, copied)
    os.close(nothing)
    os.close(begun)


def _pytest(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Do what ``python -m pytest`` does; its exit status."""
    status = 1
    try:
        os.environ.clear()
        os.environ.update(environment)
        sys.path[:1] = [os.getcwd()]
        folders = environment.get("PYTHONPATH", "").split(os.pathsep)
        more = [os.path.abspath(folder) for folder in folders if folder]
        sys.path[1:1] = [folder for folder in more if folder not in sys.path]
        sys.argv[1:] = [*QUIET, *arguments]
        sys.orig_argv = [sys.executable, "-m", "pytest", *sys.argv[1:]]
        runpy.run_module("pytest", run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    return status
