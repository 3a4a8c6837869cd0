"""The seal of a run's folder: the end of every file of lines, and a digest of every field.

It is put on when a run ends, and shows what was changed since. It is no signature: there is no
secret in it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from conformance.catalogue import corrupted as say
from conformance.evidence.chain import Link
from conformance.evidence.packed import files_of_lines, last_link

SUMMARY = "evidence.json"
MOST_SUMMARY_BYTES = 2**28
"""One of 100,000 cases has a few MiB."""
FIELD = "seal"


class Seal(msgspec.Struct, kw_only=True):
    """``files`` has the last link of each file of lines by its name, ``fields`` a digest of each
    field of the summary, ``whole`` a digest of both."""

    files: dict[str, str] = {}
    fields: dict[str, str] = {}
    whole: str = ""


def sealed(out: Path, summary: Mapping[str, Any]) -> Seal:
    """The seal of a folder that has its lines, with this summary (as JSON says it).

    Raises `OSError`.
    """
    files = {path.name: str(last_link(path)) for path in files_of_lines(out)}
    fields = _fields(summary)
    return Seal(files=files, fields=fields, whole=_digest([files, fields]))


def broken(seal: Seal, summary: Mapping[str, Any]) -> Iterator[str]:
    """Where a summary, as JSON says it, is not the one that was sealed."""
    if seal.whole != _digest([seal.files, seal.fields]):
        yield say.OF_FILE(file=SUMMARY, what=say.SEAL_CHANGED())
    now = _fields(summary)
    for words, names in (
        (say.FIELDS_LOST, seal.fields.keys() - now.keys()),
        (say.FIELDS_ADDED, now.keys() - seal.fields.keys()),
        (say.FIELDS_CHANGED, {n for n in now if n in seal.fields and now[n] != seal.fields[n]}),
    ):
        if names:
            yield say.OF_FILE(file=SUMMARY, what=words(fields=sorted(names)))


def file_link(seal: Seal, name: str) -> Link | None:
    """The last link of a file; None where the seal has none of that name."""
    text = seal.files.get(name, "")
    # A file without a line has its name for a link.
    return Link.first(name) if text == str(Link.first(name)) else Link.of_text(text)


def _fields(summary: Mapping[str, Any]) -> dict[str, str]:
    return {name: _digest(value) for name, value in summary.items() if name != FIELD}


def _digest(value: object) -> str:
    raw = msgspec.json.encode(value, order="deterministic")
    return hashlib.sha256(raw).hexdigest()[:16]
