"""The shared segment: one anonymous memory file that parent and child both map.

It has no name in any file system, so nothing is left over however either side ends.
"""

from __future__ import annotations

import mmap
import os

import numpy as np

from conformance.catalogue.message import KNOWN, Message
from conformance.devices.layout import LAST_WORDS, SEGMENT_HEADER, Bytes, round_up
from conformance.devices.messages import TensorArgument

STEP = 1 << 20
"""The segment grows in steps of this many bytes."""

KEPT = 64 << 20
"""A segment up to this size is never given back, a larger one when what it held has been taken."""


class Segment:
    """One side's view of the segment: ``bytes`` is all of it, ``address`` where that begins."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.bytes: Bytes = np.empty(0, np.uint8)
        self.address = 0
        self._map()

    @classmethod
    def create(cls) -> Segment:
        """Make a new segment; its descriptor is inherited by those it is passed to."""
        descriptor = os.memfd_create("moe-conformance")
        os.ftruncate(descriptor, STEP)
        return cls(descriptor)

    def reserve(self, need: int) -> None:
        """The parent's side: have at least ``need`` bytes, and not far more than that."""
        size = self.bytes.size
        if size < need or (size > KEPT and need < size // 4):
            os.ftruncate(self.descriptor, round_up(need + need // 4, STEP))
            self._map()

    def take(self, start: int, count: int) -> Bytes:
        """The parent's side: a copy of some bytes. Where they are many, their pages are given back
        as they are copied, so that nothing is held twice.
        """
        if count <= KEPT:
            return self.bytes[start : start + count].copy()
        taken = np.empty(count, np.uint8)
        for at in range(0, count, STEP):
            end = min(at + STEP, count)
            taken[at:end] = self.bytes[start + at : start + end]
            self._give_back(start + at, start + end)
        return taken

    def empty(self) -> None:
        """The parent's side: give back the pages of a large segment, all but the header."""
        if self.bytes.size > KEPT:
            self._give_back(SEGMENT_HEADER, self.bytes.size)

    def follow(self) -> bool:
        """The child's side: map anew where the parent has changed the size. True if it has."""
        if os.fstat(self.descriptor).st_size == self.bytes.size:
            return False
        self._map()
        return True

    def image(self, tensor: TensorArgument) -> Bytes:
        """The bytes of a tensor's storage, or of the rows of it that exist."""
        return self.bytes[tensor.offset : tensor.offset + tensor.held_bytes]

    def note(self, what: str | Message, name: object = "") -> None:
        """Leave a word on what the child is doing, should it not live to tell: a function, or a
        message of a ``name`` alone."""
        text = what if isinstance(what, str) else f"{what.id}\n{name}"
        word = text.encode()[: LAST_WORDS - 1] + b"\0"
        self._memory[: len(word)] = word

    def noted(self) -> str:
        """The parent's side: what the child last noted."""
        what, of_message, name = _text(self.bytes[:LAST_WORDS]).partition("\n")
        message = KNOWN.get(what) if of_message else None
        if message is None:
            return what
        return message(**({"name": name} if message.fields("en") else {}))

    def words(self) -> Bytes:
        """The child's side: memory for its last words, which stays where it is for good."""
        header = mmap.mmap(self.descriptor, SEGMENT_HEADER)
        return np.frombuffer(header, np.uint8)[LAST_WORDS:]

    def last_words(self) -> str:
        """The parent's side: what the child said on its way out; "" before that."""
        return _text(self.bytes[LAST_WORDS:SEGMENT_HEADER])

    def forget_last_words(self) -> None:
        """The parent's side: a process begins that has said nothing."""
        self.bytes[LAST_WORDS] = 0

    def close(self) -> None:
        """Let go of the memory, which goes with its last descriptor and mapping."""
        self.bytes = np.empty(0, np.uint8)
        del self._memory  # a mapping has a descriptor of its own
        os.close(self.descriptor)

    def _map(self) -> None:
        size = os.fstat(self.descriptor).st_size
        self._memory = mmap.mmap(self.descriptor, size)
        self.bytes = np.frombuffer(self._memory, np.uint8)
        self.address = self.bytes.ctypes.data

    def _give_back(self, start: int, end: int) -> None:
        """Give back the whole pages between two places; the memory file reads as zeros there."""
        first = round_up(start, mmap.PAGESIZE)
        count = end // mmap.PAGESIZE * mmap.PAGESIZE - first
        if count > 0:
            self._memory.madvise(mmap.MADV_REMOVE, first, count)


def _text(header: Bytes) -> str:
    return header.tobytes().split(b"\0", 1)[0].decode(errors="replace")
