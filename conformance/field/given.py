"""Saved cases of a folder, which one run judges: each is an item with the name of its file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from conformance.call.case import Case
from conformance.catalogue import field as say
from conformance.catalogue.message import row
from conformance.errors import EnvironmentFailure, UsageError
from conformance.failure import replay
from conformance.names import joined
from conformance.plain_file import read_plain
from conformance.record.operator import Operator

ENDING = ".json"
OF_FAILURE = "case.json"
"""The case in the folder of a failure; other files there are no cases."""

OF_RUN = ("evidence.json",)
"""Files of a run's folder that are no cases."""

MOST_FILES = 10_000
MOST_UNREAD = 500
"""Files that are no case: each is told, and handed on to the processes of the run."""

MOST_BYTES = 1 << 30
"""Of all files together."""


@dataclass(frozen=True)
class GivenCase:
    """A saved case: ``file`` is its path below the folder, ``name`` that as part of an item's."""

    name: str
    file: str
    saved: replay.Replay

    @property
    def case(self) -> Case:
        """The call."""
        return self.saved.case


@dataclass(frozen=True)
class Folder:
    """The cases of a folder, and why a file is none, by its path below the folder."""

    cases: tuple[GivenCase, ...]
    unread: Mapping[str, str]


def read_folder(folder: Path) -> Folder:
    """The cases of a folder and of those below it; no link is followed.

    Raises `UsageError` for a folder that is none, or has more than one run can judge.
    """
    if not folder.is_dir():
        raise UsageError("case", folder, say.NO_FOLDER())
    found: list[GivenCase] = []
    unread: dict[str, str] = {}
    names: set[str] = set()
    room = MOST_BYTES
    for count, path in enumerate(_files(folder)):
        file = path.relative_to(folder).as_posix()
        if count == MOST_FILES:
            raise UsageError("case", folder, say.MANY_FILES(most=MOST_FILES))
        try:
            raw = read_plain(path, min(room, replay.MOST_BYTES))
            room -= len(raw)
            saved = replay.decoded(raw, path)
        except OSError as error:
            unread[file] = str(error.strerror)
            continue
        except UsageError as error:
            unread[file] = error.rule
            continue
        name = _unlike(file.removesuffix(ENDING), names)
        found.append(GivenCase(name, file, saved))
    return Folder(tuple(found), unread)


def checked(place: Path, folder: Folder, records: Mapping[str, Operator]) -> Folder:
    """The folder without the cases that no record allows: a verdict on them would blame a kernel.

    Raises `UsageError` where no case is left, and for more files that are none than can be told.
    """
    kept: list[GivenCase] = []
    unread = dict(folder.unread)
    for one in folder.cases:
        try:
            replay.judgement(one.saved, records)
            kept.append(one)
        except UsageError as error:
            unread[one.file] = error.text
        except EnvironmentFailure as error:
            unread[one.file] = str(error)
    told = [row([file, ": ", why]) for file, why in unread.items()][:1] or ["-"]
    if not kept:
        raise UsageError("case", place, say.NO_CASES(first=told[0]))
    if len(unread) > MOST_UNREAD:
        rule = say.MANY_UNREAD(count=len(unread), most=MOST_UNREAD, first=told[0])
        raise UsageError("case", place, rule)
    return replace(folder, cases=tuple(kept), unread=unread)


def _files(folder: Path) -> Iterator[Path]:
    """The files that may be cases, by their paths."""
    for place, folders, files in os.walk(folder):
        folders.sort()
        if OF_FAILURE in files:
            yield Path(place) / OF_FAILURE
            folders.clear()
            continue
        yield from (
            Path(place) / one
            for one in sorted(files)
            if one.endswith(ENDING) and one not in OF_RUN and not one.startswith(".")
        )


def _unlike(name: str, names: set[str]) -> str:
    """The name, with a number if another one would look like it in an item's name."""
    tried, number = name, 1
    while joined([tried]) in names:
        number += 1
        tried = f"{name}~{number}"
    names.add(joined([tried]))
    return tried
