"""Messages go whole through a socket, however their bytes arrive."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from conformance.ray.frames import Frames

Ends = tuple[socket.socket, socket.socket]


@pytest.fixture
def ends() -> Iterator[Ends]:
    """Both ends of a socket."""
    one, other = socket.socketpair()
    with one, other:
        yield one, other


def test_messages_arrive_in_order_and_whole(ends: Ends) -> None:
    one, other = map(Frames, ends)
    large = bytes(3 << 20)
    sending = threading.Thread(target=lambda: [one.send(said) for said in (b"", b"a", large)])
    sending.start()
    assert [other.receive() for _ in range(3)] == [b"", b"a", large]
    sending.join()


def test_nothing_is_there_yet(ends: Ends) -> None:
    assert Frames(ends[1]).receive(0.0) is None


def test_the_end_of_the_other_process_is_told(ends: Ends) -> None:
    one, other = ends
    one.sendall(b"\x05\x00\x00\x00ab")
    one.close()
    with pytest.raises(EOFError):
        Frames(other).receive()
