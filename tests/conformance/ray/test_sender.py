"""What a worker says goes to the driver: at once when it has nothing to do, and the files of a
failure before the lines that tell it.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from conformance.errors import EnvironmentFailure, OperatorUnavailable
from conformance.evidence.lines import ItemLine, LineReader
from conformance.ray.frames import Frames
from conformance.ray.messages import Bundled, Ended, Written, decode, encode
from conformance.ray.slot import Slot
from conformance.ray.worker import Sender, Session


@pytest.fixture
def ends() -> Iterator[tuple[Frames, Frames]]:
    """Both ends of a socket."""
    one, other = socket.socketpair()
    with one, other:
        yield Frames(one), Frames(other)


def test_a_line_follows_the_files_that_it_tells_of(
    ends: tuple[Frames, Frames], tmp_path: Path
) -> None:
    files = tmp_path / "files"
    (files / "failures" / "1" / "larger").mkdir(parents=True)
    (files / "failures" / "1" / "case.json").write_bytes(b"{}")
    (files / "failures" / "1" / "larger" / "a.npy").write_bytes(b"123")
    line = ItemLine(worker="ray0", item="a.py::b", outcome="refused")
    Sender(ends[0], files).write(line)
    said = [decode(ends[1].receive() or b"") for _ in range(3)]
    assert said[:2] == [
        Bundled(path="failures/1/case.json", content=b"{}"),
        Bundled(path="failures/1/larger/a.npy", content=b"123"),
    ]
    (written,) = said[2:]
    assert isinstance(written, Written)
    assert written.kind == "item"
    assert LineReader()(written.line) == line
    assert not files.exists()
    assert ends[1].receive(0.0) is None


def test_what_was_said_is_passed_on_when_the_last_item_has_ended(
    ends: tuple[Frames, Frames],
) -> None:
    slot = Slot.__new__(Slot)
    slot._frames, slot._open = ends[1], 2
    line = encode(Written(kind="item", line=b"{}"))
    first, second = (encode(Ended(item=name)) for name in ("a", "b"))
    for said in (line, first, line, second, line):
        ends[0].send(said)
    assert slot.told([]) == [line, first, line, second]
    assert slot._open == 0


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (EnvironmentFailure("card 0 is lost"), "card 0 is lost"),
        (OperatorUnavailable("no such operator"), ""),
        (AssertionError("refused"), ""),
    ],
)
def test_an_item_ends_with_what_failed_of_its_device(
    ends: tuple[Frames, Frames], error: Exception, failure: str
) -> None:
    config: Any = None
    session = Session(config, ends[0])
    call: Any = SimpleNamespace(excinfo=SimpleNamespace(value=error))
    made = session.pytest_runtest_makereport(call)
    next(made)
    assert session._failure == failure
