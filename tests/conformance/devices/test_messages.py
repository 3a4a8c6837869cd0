"""Messages cross a pipe whole, whatever their size, or not at all."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

import pytest

from conformance.devices.messages import REPLIES, Fault, Unavailable, receive, send


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        try:
            os.close(end)
        except OSError:
            continue


def test_messages_arrive_in_order(pipe: tuple[int, int]) -> None:
    for symbol in ("first", "second"):
        send(pipe[1], Unavailable(symbol))
    assert receive(pipe[0], REPLIES) == Unavailable("first")
    assert receive(pipe[0], REPLIES) == Unavailable("second")


def test_a_message_larger_than_the_pipe_arrives_whole(pipe: tuple[int, int]) -> None:
    message = Fault("x" * 1_000_000)
    writer = threading.Thread(target=send, args=(pipe[1], message))
    writer.start()
    assert receive(pipe[0], REPLIES) == message
    writer.join()


def test_a_closed_pipe_is_none(pipe: tuple[int, int]) -> None:
    os.close(pipe[1])
    assert receive(pipe[0], REPLIES) is None


@pytest.mark.parametrize("torn", [b"\x05", b"\x05\0\0\0", b"\x05\0\0\0abc"])
def test_a_torn_message_is_none(pipe: tuple[int, int], torn: bytes) -> None:
    os.write(pipe[1], torn)
    os.close(pipe[1])
    assert receive(pipe[0], REPLIES) is None
