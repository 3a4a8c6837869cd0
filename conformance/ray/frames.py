"""Messages between two processes of a host: their bytes behind their length, through a socket."""

from __future__ import annotations

import select
import socket
import struct

LENGTH = struct.Struct("<I")


class Frames:
    """One end of a socket."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end

    def send(self, content: bytes) -> None:
        """Send one message. Raises `OSError` where the other end is closed."""
        self._end.sendall(LENGTH.pack(len(content)) + content)

    def receive(self, seconds: float | None = None) -> bytes | None:
        """The next message, None where none begins within ``seconds``. Raises `EOFError`."""
        if seconds is not None and not select.select([self._end], [], [], seconds)[0]:
            return None
        (length,) = LENGTH.unpack(self._exactly(LENGTH.size))
        return self._exactly(length)

    def close(self) -> None:
        """Give the socket back."""
        self._end.close()

    def _exactly(self, length: int) -> bytes:
        found = bytearray()
        while len(found) < length:
            try:
                part = self._end.recv(min(length - len(found), 1 << 20))
            except ConnectionResetError:
                part = b""
            if not part:
                raise EOFError
            found += part
        return bytes(found)
