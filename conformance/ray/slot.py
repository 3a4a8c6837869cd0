"""What Ray runs on a node: it starts one session of pytest, and passes messages on.

The session is a process of its own, on the node's own copy of the suite.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence

import msgspec

from conformance import places
from conformance.devices.cards import VISIBLE
from conformance.ray.frames import Frames
from conformance.ray.messages import Begun, Ended, Gone, Job, decode, decode_do, encode
from conformance.ray.worker import OPTION
from conformance.session.command import environment_of_suite, of_suite

GATHER_SECONDS = 0.25
"""How long what a session says is gathered before it is passed on."""

IDLE_SECONDS = 1.0
MOST_BYTES = 8 << 20
"""Of messages that are passed on together."""

LAST_LINES = 6
PLUGIN = "conformance.ray.worker"


class Slot:
    """One worker: the other end of a session's socket."""

    def __init__(self, job: Job, worker: str, probes: bool, elapsed: float | None) -> None:
        """Start a session. Raises `OSError`."""
        mine, theirs = socket.socketpair()
        self._frames = Frames(mine)
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the session
        self._open = 0
        begun = Begun(
            socket=theirs.fileno(),
            parent=os.getpid(),
            worker=worker,
            workers=job.workers,
            probes=probes,
            elapsed=elapsed,
        )
        root = places.root()
        command = [*of_suite(root), "-p", PLUGIN, *job.arguments]
        command.append(f"{OPTION}={msgspec.json.encode(begun).decode()}")
        environment = {"OPENBLAS_NUM_THREADS": "1", **environment_of_suite(root)}
        environment |= job.environment
        if not environment.get(VISIBLE):
            # Ray hides all cards from what claims none.
            environment.pop(VISIBLE, None)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *command],
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=job.folder if os.access(job.folder, os.R_OK | os.X_OK) else None,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
        theirs.close()

    def told(self, given: Sequence[bytes]) -> list[bytes]:
        """Tell the session each `Do`; what it has said since, as soon as it has nothing to do.

        Without anything that it says, an empty list after a second.
        """
        try:
            for one in given:
                self._frames.send(one)
                self._open += len(decode_do(one).items)
            return self._heard()
        except (EOFError, OSError):
            return [encode(self._gone())]

    def _heard(self) -> list[bytes]:
        said: list[bytes] = []
        size = 0
        until = time.monotonic() + IDLE_SECONDS
        while size < MOST_BYTES and (left := until - time.monotonic()) > 0:
            try:
                one = self._frames.receive(left)
            except EOFError:
                return [*said, encode(self._gone())]
            if one is None:
                break
            if not said:
                until = time.monotonic() + GATHER_SECONDS
            said.append(one)
            size += len(one)
            if isinstance(decode(one), Ended):
                self._open -= 1
                if not self._open:
                    break
        return said

    def _gone(self) -> Gone:
        """How the session ended: it has closed its socket."""
        status = self._process.wait()
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").strip().splitlines()
        return Gone(status=status, text="\n".join(lines[-LAST_LINES:]))


class SlotOfRaylet(Slot):
    """A worker that ends with the process that started it."""

    def __init__(self, job: Job, worker: str, probes: bool, elapsed: float | None) -> None:
        """Start a session. Raises `OSError`."""
        threading.Thread(target=end_without, args=(os.getppid(),), daemon=True).start()
        super().__init__(job, worker, probes, elapsed)


def end_without(parent: int) -> None:
    """End this process, and by it its session, once the process ``parent`` has ended.

    Ray lets its workers live on if their raylet is killed, and nobody would ask them for anything.
    """
    while os.getppid() == parent:
        time.sleep(IDLE_SECONDS)
    os._exit(1)
