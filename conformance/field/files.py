"""Files of other tools: whose they are, their calls as cases, and where these are written."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from conformance.catalogue import field as say
from conformance.catalogue import files as of_files
from conformance.errors import UsageError, text_of
from conformance.failure import replay
from conformance.field import atk, msprobe, ttk
from conformance.field.answers import judged
from conformance.field.as_case import Read, case_of
from conformance.field.foreign import Call, NotRead, Row
from conformance.judge.verdict import Verdict
from conformance.plain_file import read_given
from conformance.record.operator import Operator

MOST_BYTES = 64 << 20
"""Of a file with calls."""

MOST_ROWS = 20_000
MOST_ELEMENTS = 1 << 22
"""Elements of a call's inputs, unless a person asks for more: it is judged in seconds."""

LONGEST_NAME = 100


@dataclass
class Imported:
    """What became of one file: the cases that were written by operator, and what was not read, each
    place with the reason.

    Of ``judged`` calls the outputs that were dumped were judged, but ``unbounded`` values of them;
    ``wrong`` has the verdicts on those that failed, each with its place and the file of its case.
    """

    file: str
    tool: str
    rows: int = 0
    operators: Counter[str] = field(default_factory=Counter)
    values: Counter[str] = field(default_factory=Counter)
    unread: list[tuple[str, str]] = field(default_factory=list)
    judged: int = 0
    unbounded: int = 0
    wrong: list[tuple[str, Path, Verdict]] = field(default_factory=list)

    @property
    def read(self) -> int:
        """The number of cases."""
        return sum(self.operators.values())


@dataclass(frozen=True)
class Source:
    """A file with calls, whose it is, and the calls."""

    path: Path
    tool: str
    rows: Iterator[Row]


def import_file(
    source: Source, out: Path, records: Mapping[str, Operator], most_elements: int = MOST_ELEMENTS
) -> Imported:
    """Write a case for each call of a file, ``OPERATOR/NAME.json`` below ``out``.

    Raises `UsageError` for a folder that cannot be written.
    """
    told = Imported(str(source.path), source.tool)
    for row in islice(source.rows, MOST_ROWS):
        told.rows += 1
        place = row.place if isinstance(row, Call) else row[0]
        try:
            read = _read(row, records, most_elements)
        except NotRead as error:
            told.unread.append((place, text_of(error)))
            continue
        assert isinstance(row, Call)
        name = f"{source.path.stem}-{row.name or row.place}"
        path = _write(out / read.case.operator, name, read)
        told.operators[read.case.operator] += 1
        told.values[read.values] += 1
        if read.returned is not None:
            verdict = judged(records[read.case.operator], read.case, read.returned)
            told.judged += 1
            told.unbounded += sum(one.unbounded for one in verdict.outputs.values())
            told.wrong += [] if verdict.ok else [(place, path, verdict)]
    if next(source.rows, None) is not None:
        told.unread.append((say.THE_REST(), say.MANY_ROWS(most=MOST_ROWS)))
    return told


def check_out(out: Path) -> None:
    """Raise `UsageError` for a folder with something in it: cases of two imports are not mixed."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError("out", out, say.NEW_FOLDER())


def _read(row: Row, records: Mapping[str, Operator], most_elements: int) -> Read:
    if not isinstance(row, Call):
        raise row[1]
    return case_of(row, records, most_elements)


def source_of(path: Path, most_elements: int = MOST_ELEMENTS) -> Source:
    """A file with its calls, which are read as they are asked for. Raises `UsageError` for a file
    of no known tool."""
    raw = read_given("file", path, MOST_BYTES)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError("file", path, say.NO_TEXT()) from error
    if path.suffix.lower() == ".csv":
        if ttk.is_header(text.partition("\n")[0].split(",")):
            return Source(path, "TTK", ttk.rows(text))
        raise UsageError("file", path, say.NO_TOOL())
    document = _document(text, path)
    if msprobe.is_file(document):
        return Source(path, "msprobe", msprobe.rows(document, path.parent, most_elements))
    if atk.is_file(document):
        return Source(path, "ATK", atk.rows(document))
    raise UsageError("file", path, say.NO_TOOL())


def _document(text: str, path: Path) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError("file", path, say.NO_JSON(error=str(error)[:100])) from error


def _write(folder: Path, name: str, read: Read) -> Path:
    """Write a case under a name that a person recognises, of plain characters."""
    plain = re.sub(r"[^\w.+-]+", "_", name, flags=re.ASCII).strip("._-")[:LONGEST_NAME] or "case"
    path = folder / f"{plain}.json"
    number = 1
    while path.exists():
        number += 1
        path = folder / f"{plain}-{number}.json"
    try:
        replay.save(replay.Replay(read.case), path)
    except OSError as error:
        raise UsageError("out", folder, of_files.UNWRITABLE(why=error.strerror)) from error
    return path


def by_reason(unread: Sequence[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    """The reasons, the most frequent first, each with its places; of reasons that differ in numbers
    alone the first is told."""
    found: dict[str, tuple[str, list[str]]] = {}
    for place, reason in unread:
        found.setdefault(re.sub(r"[\d,.]*\d", "0", reason), (reason, []))[1].append(place)
    return sorted(found.values(), key=lambda one: -len(one[1]))
