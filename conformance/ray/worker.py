"""The pytest plugin of a worker's session: it judges the items that it is told, and sends what
comes of them.

Its place is a process of its own: what ends it does not end the worker of Ray that started it.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import tempfile
import time
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from conformance import places
from conformance.devices.lifetime import end_with
from conformance.errors import EnvironmentFailure, text_of
from conformance.evidence.items import items_in_words
from conformance.evidence.lines import AnyLine, FailureLine, ItemLine, encoded
from conformance.evidence.provenance import provenance
from conformance.plugin import CONTEXT
from conformance.ray.frames import Frames
from conformance.ray.messages import (
    Begun,
    Bundled,
    Closed,
    Ended,
    Message,
    Ready,
    Reported,
    Written,
    decode_do,
    encode,
)
from conformance.session.context import BEGAN, PROBES, Context
from conformance.session.resume import JUDGES
from conformance.session.worked_out import WORKED_OUT

OPTION = "--conformance-ray-worker"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option by which a worker of Ray starts the session."""
    parser.addoption(OPTION, dest="conformance_ray_worker", help="JSON")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Make the session one of a worker, as pytest-xdist marks its own."""
    begun = msgspec.json.decode(config.option.conformance_ray_worker, type=Begun)
    end_with(begun.parent, signal.SIGKILL)
    config.workerinput = {  # type: ignore[attr-defined]
        "workerid": begun.worker,
        "workercount": begun.workers,
        PROBES: begun.probes,
    }
    if begun.elapsed is not None:
        began = time.monotonic() - begun.elapsed
        config.workerinput[BEGAN] = began  # type: ignore[attr-defined]
    config.workeroutput = {}  # type: ignore[attr-defined]
    frames = Frames(socket.socket(fileno=begun.socket))
    config.pluginmanager.register(Session(config, frames), "conformance-ray-session")


class Sender:
    """Takes a session's lines of evidence, and the bundles that belong to them, to the driver."""

    def __init__(self, frames: Frames, files: Path) -> None:
        self._frames = frames
        self._files = files

    def write(self, line: AnyLine) -> None:
        """Send a line, after the files of the failure that it tells."""
        if isinstance(line, FailureLine | ItemLine) and self._files.is_dir():
            for path in sorted(one for one in self._files.rglob("*") if one.is_file()):
                place = path.relative_to(self._files).as_posix()
                self.send(Bundled(path=place, content=path.read_bytes()))
            self.close()
        self.send(Written(kind=line.__struct_config__.tag, line=encoded(line)))  # type: ignore[arg-type]

    def send(self, message: Message) -> None:
        """Send what is no line."""
        self._frames.send(encode(message))

    def close(self) -> None:
        """Take the bundles away that lie here."""
        shutil.rmtree(self._files, ignore_errors=True)


class Elsewhere(pytest.Item):
    """Stands for the item after the last one that is known.

    Pytest tears down what that would not need: all but what lives as long as the session.
    """

    def listchain(self) -> list[Any]:
        """The session, and this."""
        return [self.session, self]

    def runtest(self) -> None:
        """Nothing: it is run by nobody."""


class Session:
    """Hooks of a session whose items another process chooses."""

    def __init__(self, config: pytest.Config, frames: Frames) -> None:
        self._config = config
        self._frames = frames
        name = f"moe-conformance-{os.getpid()}-{secrets.token_hex(8)}"
        self._files = Path(tempfile.gettempdir(), name)
        self._sender = Sender(frames, self._files)
        self._failure = ""

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Send what would be written."""
        context = session.config.stash[CONTEXT]
        context.send(self._sender, self._files)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Say what judges here."""
        items = [item.nodeid for item in session.items]
        judges = judges_of(session.config.stash[CONTEXT], items)
        self._sender.send(Ready(judges=judges))

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Judge what the driver names until it names the last."""
        by_id = {item.nodeid: item for item in session.items}
        after = Elsewhere.from_parent(session, name="elsewhere")
        while not (session.shouldfail or session.shouldstop):
            try:
                asked = decode_do(self._frames.receive() or b"")
            except EOFError:
                break
            items = [by_id[one] for one in asked.items]
            for item, following in zip(items, [*items[1:], after], strict=True):
                self._failure = ""
                session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                self._sender.send(Ended(item=item.nodeid, failure=self._failure))
            if asked.last:
                break
        return True

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Keep how the device or its environment failed: another worker may judge the item."""
        if call.excinfo is not None and isinstance(call.excinfo.value, EnvironmentFailure):
            self._failure = str(text_of(call.excinfo.value))
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Send the report of a phase."""
        told = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        self._sender.send(Reported(report=json.dumps(told).encode()))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Send what has been worked out."""
        output = session.config.workeroutput  # type: ignore[attr-defined]
        self._sender.send(Closed(worked_out=output.get(WORKED_OUT, {})))

    def pytest_unconfigure(self) -> None:
        """Close the socket."""
        self._sender.close()
        self._frames.close()


def judges_of(context: Context, items: Iterable[str]) -> dict[str, Any]:
    """What decides verdicts beside the device: versions, sources, and the items that are known."""
    known = provenance(places.root(), context.directories)
    frozen = {"corpus": context.kept.corpus, "regressions": context.kept.regressions}
    told = {name: value for name, value in {**known, **frozen}.items() if name in JUDGES}
    made: dict[str, Any] = json.loads(json.dumps({**told, "items": items_in_words([*items])}))
    return made
