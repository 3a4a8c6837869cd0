"""The parent's side of the device process: spawn it, ask it, and notice however it ends.

A time limit, which leaves out waits for a processor, and a memory limit hold for every message. A
process that dies or is killed raises ``ChildEndedError`` with the reason, and is not used again.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import conformance
from conformance.call.observation import Outcome
from conformance.catalogue import device as say
from conformance.devices import messages
from conformance.devices.messages import Reply, Request, Setup
from conformance.devices.packages.lookup import CUSTOM_VARIABLE
from conformance.devices.segment import Segment
from conformance.errors import EnvironmentFailure

SAMPLE = 0.005
"""Seconds between two looks at the child's memory while a call runs."""

STALL = 5.0
"""Seconds that a child may take to end once it has closed its pipe."""

PRINTED_LIMIT = 64 << 20
"""Bytes of output that a child may print in one call before it is thrown away."""

PARTING = 0.2
"""Seconds that a simulator has, before it is killed, to say where its kernel is."""

LAST_LINES = 20
"""Lines of the child's output that go into the message of a crash."""

EXHAUSTION = ("std::bad_alloc", "MemoryError", "Cannot allocate memory")
"""What a process prints that ends because an allocation failed."""

ROOT = Path(conformance.__file__).parents[1]


class ChildEndedError(Exception):
    """The process ended in the middle of a call."""

    def __init__(self, outcome: Outcome, detail: str, seconds: float, status: int = 0) -> None:
        super().__init__(detail)
        self.outcome = outcome
        self.detail = detail
        self.seconds = seconds
        self.status = status


class Child:
    """One device process. ``memory_limit`` is bytes of its own memory beyond its use at start,
    ``package`` the folder of the only custom operators that it may find, ``python`` its program,
    None: that of this process."""

    def __init__(
        self,
        kind: str,
        segment: Segment,
        memory_limit: int,
        package: str | None = None,
        python: str | None = None,
    ) -> None:
        self._output = os.memfd_create("moe-conformance-output")
        os.set_blocking(self._output, True)
        # Appending, so that the parent can cut the file while the child writes.
        appending = os.open(f"/proc/self/fd/{self._output}", os.O_WRONLY | os.O_APPEND)
        commands, self._commands = os.pipe()
        self._replies, replies = os.pipe()
        inherited = (commands, replies, segment.descriptor)
        try:
            # A session of its own: Ctrl-C is the parent's to answer, not a crash of the child.
            self._process = subprocess.Popen(
                [python or sys.executable, "-m", "conformance.devices.worker"]
                + [str(number) for number in (*inherited, os.getpid())],
                stdin=subprocess.DEVNULL,
                stdout=appending,
                stderr=appending,
                env=environment(kind, package),
                pass_fds=inherited,
                start_new_session=True,
            )
        except OSError as error:
            for descriptor in (self._output, self._commands, self._replies):
                os.close(descriptor)
            raise EnvironmentFailure(say.NOT_STARTED(error=str(error))) from error
        finally:
            for descriptor in (commands, replies, appending):
                os.close(descriptor)
        self._statm = os.open(f"/proc/{self._process.pid}/statm", os.O_RDONLY)
        self._schedstat = _opened(f"/proc/{self._process.pid}/schedstat")
        self._waited, self._ran, self._ran_before = 0.0, 0, 0
        self._segment = segment
        self._simulates = kind == "sim"
        self._memory_limit = memory_limit
        self._allowed = memory_limit
        self._poll = select.poll()
        self._poll.register(self._replies, select.POLLIN)

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    def open(self, setup: Setup, limit: float) -> Reply:
        """Send the first message; memory is counted from its answer on. Raises ChildEndedError."""
        reply = self.ask(setup, limit)
        self._allowed = self._own_memory() + self._memory_limit
        return reply

    def ask(self, message: Request, limit: float) -> Reply:
        """Send a message and wait for its reply. Raises ChildEndedError; the child is gone then."""
        replies, ended = self.ask_all([(message, limit)])
        if ended is not None:
            raise ended
        return replies[0]

    def ask_all(
        self, asked: Sequence[tuple[Request, float]]
    ) -> tuple[list[Reply], ChildEndedError | None]:
        """Send messages at once, each with its limit, and wait for their replies.

        How the child ended if it did: that was when it was at the first message without a reply.
        All messages, and all replies, must fit into a pipe.
        """
        replies: list[Reply] = []
        os.ftruncate(self._output, 0)
        try:
            with suppress(BrokenPipeError):
                messages.send(self._commands, *(message for message, _ in asked))
            for _, limit in asked:
                start = time.monotonic()
                self._wait(self._clock() + limit, limit)
                reply = messages.receive(self._replies, messages.REPLIES)
                if reply is None:
                    return replies, self._crash(time.monotonic() - start)
                replies.append(reply)
        except ChildEndedError as ended:
            self.kill()
            return replies, ended
        except BaseException:
            self.kill()
            raise
        return replies, None

    def printed(self) -> str:
        """What the child has printed since the last message was sent."""
        size = os.fstat(self._output).st_size
        return os.pread(self._output, size, 0).decode(errors="replace") if size else ""

    def kill(self) -> None:
        """End the process now and let go of everything that belongs to it."""
        if self._commands < 0:
            return
        self._process.kill()
        try:
            self._process.wait(STALL)
        except subprocess.TimeoutExpired:
            raise EnvironmentFailure(say.NOT_ENDED(pid=self.pid)) from None
        finally:
            self._let_go()

    def close(self) -> None:
        """Close the pipe, on which the process ends by itself; kill it if it does not."""
        if self._commands < 0:
            return
        os.close(self._commands)
        self._commands = os.open(os.devnull, os.O_WRONLY)
        try:
            self._process.wait(STALL)
        except subprocess.TimeoutExpired:
            pass
        finally:
            self.kill()

    def _wait(self, until: float, limit: float) -> None:
        """Return when a reply or the end of the pipe is there; ``until`` is by `_clock`."""
        while not self._poll.poll(SAMPLE * 1000):
            seconds = limit + self._clock() - until
            own = self._own_memory()
            if own > self._allowed:
                self._part(signal.SIGUSR1)
                detail = say.TOOK_MEMORY(mebibytes=self._memory_limit >> 20)
                raise ChildEndedError(Outcome.OUT_OF_MEMORY, detail, seconds)
            if seconds > limit and not self._queued():
                self._part(signal.SIGXCPU)
                detail = say.NO_ANSWER(seconds=limit)
                raise ChildEndedError(Outcome.TIMED_OUT, detail, seconds)
            if os.fstat(self._output).st_size > PRINTED_LIMIT:
                os.ftruncate(self._output, 0)

    def _part(self, reason: signal.Signals) -> None:
        """Let a simulator say what its kernel is at (`ascendsimLastWords`); it is killed next."""
        if not self._simulates:
            return
        self._process.send_signal(reason)
        until = self._clock() + PARTING
        while self.alive and not self._segment.last_words() and self._clock() < until:
            time.sleep(SAMPLE)

    def _own_memory(self) -> int:
        """Resident bytes that are not of files or shared memory, 0 once the process is gone."""
        try:
            fields = os.pread(self._statm, 256, 0).split()
        except ProcessLookupError:
            return 0
        return (int(fields[1]) - int(fields[2])) * os.sysconf("SC_PAGE_SIZE") if fields else 0

    def _clock(self) -> float:
        """Seconds without those in which the process could run and others did, if the system tells.

        A busy host is no fault of a kernel.
        """
        with suppress(OSError, IndexError):  # once the process is gone, what was last read holds
            fields = os.pread(self._schedstat, 256, 0).split()
            self._ran, self._ran_before = int(fields[0]), self._ran
            self._waited = int(fields[1]) / 1e9
        return time.monotonic() - self._waited

    def _queued(self) -> bool:
        """Whether the process waits for a processor now: that is counted once it has got one."""
        with suppress(OSError, IndexError):
            state = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
            return state == "R" and self._ran == self._ran_before and self._ran > 0
        return False

    def _crash(self, seconds: float) -> ChildEndedError:
        """The reason why the process closed its pipe without a reply."""
        try:
            status = self._process.wait(STALL)
        except subprocess.TimeoutExpired:
            status = 0
        printed = self.printed()
        self.kill()
        # Where the libraries said nothing, Python's own account of the crash is better than none.
        shown = (printed.split("Fatal Python error")[0].strip() or printed).splitlines()
        last = "".join(f"\n{line}" for line in shown[-LAST_LINES:])
        if any(sign in printed for sign in EXHAUSTION) and status == -signal.SIGABRT:
            detail = say.ALLOCATION_FAILED() + last
            return ChildEndedError(Outcome.OUT_OF_MEMORY, detail, seconds, status)
        return ChildEndedError(Outcome.CRASHED, _ending(status) + last, seconds, status)

    def _let_go(self) -> None:
        for descriptor in (self._commands, self._replies, self._output, self._statm):
            os.close(descriptor)
        if self._schedstat >= 0:
            os.close(self._schedstat)
        self._commands = -1


def environment(kind: str, package: str | None = None) -> dict[str, str]:
    """The environment of a device process: for the simulator, without anything of CANN in it; where
    a package is judged, with that as the only one that ASCEND_CUSTOM_OPP_PATH names.
    """
    chosen = dict(os.environ)
    if kind == "sim":
        chosen = {
            name: value
            for name, value in chosen.items()
            if name.startswith("ASCENDSIM_")
            or not (name.startswith("ASCEND") or name == "LD_LIBRARY_PATH")
        }
    if package is not None:
        chosen[CUSTOM_VARIABLE] = package
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH", "")])]
    chosen["PYTHONPATH"] = os.pathsep.join(paths)
    chosen["PYTHONSAFEPATH"] = "1"
    if kind != "npu":  # of several processes, each would start as many threads as there are cores
        chosen.setdefault("OMP_NUM_THREADS", "1")
    # Every further malloc arena would reserve 64 MiB of the limited address space.
    chosen["MALLOC_ARENA_MAX"] = "2"
    return chosen


def _opened(path: str) -> int:
    """The descriptor of a file to read, -1 if there is none: not every Linux counts waits."""
    try:
        return os.open(path, os.O_RDONLY)
    except OSError:
        return -1


def _ending(status: int) -> str:
    if status >= 0:
        return say.ENDED_BY_ITSELF(status=status)
    name = signal.Signals(-status).name
    ended = say.ENDED_FOR_MEMORY if name == "SIGKILL" else say.ENDED_BY_SIGNAL
    return ended(signal=name)
