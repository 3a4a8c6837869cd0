"""The arrays that a bundle stores: as many as its limit admits, the first ones first."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from conformance.catalogue import bundle as say
from conformance.failure.bundle.arrays import encode, encoded_bytes, storable
from conformance.failure.bundle.manifest import MOST_ARRAY_BYTES, FileEntry, LeftOut, entry


def no_room() -> str:
    """Why an array is not stored."""
    return say.ALL_ARRAYS(most=MOST_ARRAY_BYTES >> 20)


class Arrays:
    """The arrays of a bundle as files, as many as its limit admits."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.left_out: list[LeftOut] = []
        self._described: dict[str, NDArray[Any]] = {}
        self._room = MOST_ARRAY_BYTES

    def add(self, path: str, array: NDArray[Any]) -> bool:
        """Store an array; False, and told, where there is no room for it."""
        plain = storable(array)
        if not self.fits(path, encoded_bytes(plain.dtype, plain.shape)):
            return False
        self.files[path] = encode(plain)
        self._described[path] = plain
        self._room -= len(self.files[path])
        return True

    def fits(self, path: str, count: int) -> bool:
        """Whether there is room for so many bytes; where there is none, that is told."""
        if count > self._room:
            self.left_out.append(LeftOut(path=path, bytes=count, reason=no_room()))
        return count <= self._room

    def entry(self, path: str, content: bytes) -> FileEntry:
        """The manifest's entry of a file."""
        made = entry(path, content)
        if path in self._described:
            array = self._described[path]
            made.dtype, made.shape = array.dtype.str, tuple(map(int, array.shape))
        return made
