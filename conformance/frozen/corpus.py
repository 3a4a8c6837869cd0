"""The frozen corpus: named cases of every operator, of a version, in files that say their hashes.

A folder has ``corpus.json`` and one file for each operator, a case a line. Freezing anew is an act
of a person and makes another version: runs are compared within one.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from conformance.catalogue import frozen as say
from conformance.catalogue.files import UNREADABLE, UNWRITABLE
from conformance.errors import UsageError, text_of
from conformance.plain_file import read_plain
from conformance.record.frozen import Frozen, NotFrozen, read, written

INDEX = "corpus.json"
SCHEMA = 1
MOST_BYTES = 16 << 20


class Index(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """``corpus.json``: the version, when it was frozen, and the hash of every operator's file."""

    schema: int = SCHEMA
    version: int
    frozen: str
    files: dict[str, str]


@dataclass(frozen=True)
class Corpus:
    """The cases of a folder by operator; ``version`` tells what they are, as 3-1f2e3d4c."""

    version: str
    cases: Mapping[str, Sequence[Frozen]]


def read_corpus(folder: Path) -> Corpus | None:
    """The corpus in a folder; None where there is none.

    Raises `UsageError` for a file that is not as it was frozen.
    """
    index = read_index(folder)
    if index is None:
        return None
    cases: dict[str, Sequence[Frozen]] = {}
    for operator, digest in index.files.items():
        path = folder / f"{operator}.jsonl"
        raw = _bytes(path)
        if hashlib.sha256(raw).hexdigest() != digest:
            raise UsageError("corpus", path, say.CHANGED(version=index.version))
        cases[operator] = _cases(path, raw, operator)
    told = hashlib.sha256(msgspec.json.encode(dict(sorted(index.files.items())))).hexdigest()
    return Corpus(f"{index.version}-{told[:8]}", cases)


def read_index(folder: Path) -> Index | None:
    """``corpus.json`` of a folder; None where there is none. Raises `UsageError`."""
    path = folder / INDEX
    if not path.exists():
        return None
    try:
        index = msgspec.json.decode(_bytes(path), type=Index)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError("corpus", path, say.NOT_FROZEN(error=str(error))) from error
    if index.schema != SCHEMA:
        rule = say.OF_SCHEMA(schema=index.schema, known=SCHEMA)
        raise UsageError("corpus", path, rule)
    stray = [name for name in index.files if not name.isidentifier()]
    if stray:
        raise UsageError("corpus", path, say.NO_OPERATOR(operator=repr(stray[0][:100])))
    return index


def write_corpus(folder: Path, cases: Mapping[str, Iterable[Frozen]], frozen: str) -> int:
    """Write the next version: these operators' cases anew, the others' as they were.

    Returns the version. Raises `UsageError` where the folder cannot be written.
    """
    earlier = read_index(folder)
    files = dict(earlier.files) if earlier is not None else {}
    version = earlier.version + 1 if earlier is not None else 1
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for operator, some in cases.items():
            lines = [msgspec.json.encode(written(one)) + b"\n" for one in some]
            files[operator] = hashlib.sha256(b"".join(lines)).hexdigest()
            _put(folder / f"{operator}.jsonl", b"".join(lines))
        index = Index(version=version, frozen=frozen, files=dict(sorted(files.items())))
        text = msgspec.json.format(msgspec.json.encode(index), indent=1)
        _put(folder / INDEX, text + b"\n")
    except OSError as error:
        raise UsageError("corpus", folder, UNWRITABLE(why=error.strerror)) from error
    return version


def _cases(path: Path, raw: bytes, operator: str) -> Sequence[Frozen]:
    found: list[Frozen] = []
    for number, line in enumerate(raw.splitlines(), 1):
        try:
            found.append(read(line, "corpus", operator))
        except NotFrozen as error:
            place = say.AT_LINE(path=path, line=number)
            raise UsageError("corpus", place, text_of(error)) from error
    names = [one.name for one in found]
    if len(names) != len(set(names)):
        raise UsageError("corpus", path, say.TWO_OF_A_NAME())
    return tuple(found)


def _bytes(path: Path) -> bytes:
    try:
        return read_plain(path, MOST_BYTES, follow=True)
    except OSError as error:
        raise UsageError("corpus", path, UNREADABLE(why=error.strerror)) from error


def _put(path: Path, content: bytes) -> None:
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    partial.write_bytes(content)
    os.replace(partial, path)
