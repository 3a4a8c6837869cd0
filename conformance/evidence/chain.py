"""The chain of a file of evidence: each line tells its number and a digest of all up to it.

A line ends in ``"link":"NUMBER:DIGEST"``. The digest is of the line, its number and the digest
before it, the first one of the file's name. So a line that is lost, added, changed or moved is
found, and told by its number.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from conformance.catalogue import corrupted as say

LINK = re.compile(rb',"link":"([1-9]\d{0,11}):([0-9a-f]{16})"\}\n\Z')
LONGEST_LINK = 48
"""Bytes at the end of a line that hold its link."""


@dataclass(frozen=True)
class Link:
    """The end of a chain: how many lines there are, and the digest of the last one."""

    number: int
    digest: str

    def __str__(self) -> str:
        return f"{self.number}:{self.digest}"

    @staticmethod
    def first(name: str) -> Link:
        """That of a file without a line, by the file's name."""
        return Link(0, name)

    @staticmethod
    def of_line(raw: bytes) -> tuple[bytes, Link] | None:
        """What stands before a line's link, and the link; None where there is no link."""
        found = LINK.search(raw, max(0, len(raw) - LONGEST_LINK))
        if found is None:
            return None
        return raw[: found.start()], Link(int(found[1]), found[2].decode())

    @staticmethod
    def of_text(text: str) -> Link | None:
        """The link that `str` gave; None for another text."""
        found = re.fullmatch(r"([1-9]\d{0,11}):([0-9a-f]{16})", text, re.ASCII)
        return None if found is None else Link(int(found[1]), found[2])

    def after(self, body: bytes) -> Link:
        """The link of a line behind this one; ``body`` is all of it that stands before its link."""
        number = self.number + 1
        hashed = hashlib.blake2b(body, digest_size=8)
        hashed.update(f"\n{number}:{self.digest}".encode())
        return Link(number, hashed.hexdigest())


def linked(before: Link, encoded: bytes) -> tuple[bytes, Link]:
    """A line with its link and its end, and the link; ``encoded`` is the line as a JSON object."""
    body = encoded[:-1]
    link = before.after(body)
    return b'%b,"link":"%b"}\n' % (body, str(link).encode()), link


class Follower:
    """Goes along the chain of one file, line by line."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.end = Link.first(name)

    def take(self, place: int, raw: bytes) -> str:
        """What is wrong with the line in that place, from 1, in a sentence; empty if nothing."""
        found = Link.of_line(raw)
        if found is None:
            return self._at(place, say.NO_LINK())
        (body, link), before = found, self.end
        if link.number <= before.number:
            return self._at(place, say.OUT_OF_PLACE(line=link.number))
        self.end = link
        if link.number > before.number + 1:
            lines = _lines(before.number + 1, link.number - 1)
            return self._at(place, say.MISSING_BEFORE(lines=lines))
        return "" if before.after(body) == link else self._at(place, say.LINE_CHANGED())

    def close(self, sealed: Link) -> str:
        """What is wrong with the end of the file, beside what the run sealed; empty if nothing."""
        end = self.end
        if end.number < sealed.number:
            what = say.MISSING_AT_END(lines=_lines(end.number + 1, sealed.number))
            return say.OF_FILE(file=self.name, what=what)
        if end.number > sealed.number:
            return self._at(sealed.number + 1, say.LINE_ADDED())
        return "" if end == sealed else say.OF_FILE(file=self.name, what=say.ANOTHER_END())

    def _at(self, place: int, what: str) -> str:
        return say.AT_LINE(file=self.name, line=place, what=what)


def _lines(first: int, last: int) -> str:
    return say.LINE_IS(line=first) if first == last else say.LINES_ARE(first=first, last=last)
