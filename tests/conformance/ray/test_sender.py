"""What a worker writes goes to the driver: the files of a failure before the lines that tell it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.evidence.lines import ItemLine, LineReader
from conformance.ray.frames import Frames
from conformance.ray.messages import Bundled, Written, decode
from conformance.ray.worker import Sender


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
