"""Sentences of contracts, each with its source and how firmly that states it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from conformance.catalogue import record as say


class SourceClass(Enum):
    """Where a clause of a contract comes from, strongest first."""

    DOCUMENT = "document"
    MEASURED = "measured"
    SOURCE_READ = "source-read"
    INFERRED = "inferred"


KINDS = {
    SourceClass.DOCUMENT: say.DOCUMENT,
    SourceClass.MEASURED: say.MEASURED,
    SourceClass.SOURCE_READ: say.SOURCE_READ,
    SourceClass.INFERRED: say.INFERRED,
}
"""The words for them."""

DOUBTFUL = (SourceClass.SOURCE_READ, SourceClass.INFERRED)
"""What a real device may contradict without being wrong: no document promises it, nor has a
measurement been accepted."""


@dataclass(frozen=True)
class Clause:
    """One sentence of a contract: what is promised, where that is written, and how firmly."""

    text: str
    source: str
    source_class: SourceClass

    @property
    def origin(self) -> str:
        """How firmly it is stated, and where."""
        return say.ORIGIN(kind=KINDS[self.source_class](), source=self.source)


def document(text: str, source: str) -> Clause:
    """A clause that a public document states."""
    return Clause(text, source, SourceClass.DOCUMENT)


def source_read(text: str, source: str) -> Clause:
    """A clause that no document states but that was read in the vendor's public sources."""
    return Clause(text, source, SourceClass.SOURCE_READ)


def inferred(text: str, source: str) -> Clause:
    """A clause that no source says in words, and that follows from this one."""
    return Clause(text, source, SourceClass.INFERRED)
