"""The progress of a run, read from the evidence that it writes."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TimeElapsedColumn,
)
from rich.text import Text

from conformance.catalogue import front_door as say
from conformance.catalogue.message import within
from conformance.evidence.chain import Follower, Link
from conformance.evidence.lines import LineReader, VerdictLine
from conformance.evidence.packed import MOST_BYTES, files_of_lines, members, packed_of
from conformance.evidence.summary import COUNTED, lost_workers, read_evidence
from conformance.plain_file import read_plain
from conformance.session.resume import finished_items

A_MINUTE = 60


def bar(console: Console) -> Progress:
    """A progress bar where ``console`` is a terminal; nothing in a pipe."""
    columns = (_Description(console), BarColumn(), MofNCompleteColumn())
    shown = console.is_terminal
    # Before rich 14.3 even a disabled bar ends its console's line.
    console = console if shown else Console(quiet=True)
    return Progress(
        *columns, TimeElapsedColumn(), console=console, disable=not shown, transient=True
    )


class _Description(ProgressColumn):
    """What is being done, in the console's language."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._language = getattr(console, "language", "en")

    def render(self, task: Task) -> Text:
        return Text(within(task.description, self._language))


class Pulse:
    """A line each minute where no terminal shows a bar: silence would look like a run that hangs,
    which CI ends.
    """

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._clock = clock
        self._began = clock()
        self._told = 0

    def beat(self, judged: int, expected: int, failed: int) -> None:
        """Tell how far the run is, if a minute has gone by since it was told last."""
        minutes = int(self._clock() - self._began) // A_MINUTE
        if self._console.is_terminal or minutes <= self._told:
            return
        self._told = minutes
        counts = {"minutes": minutes, "judged": judged, "expected": expected}
        line = say.PULSE_FAILED(**counts, failed=failed) if failed else say.PULSE(**counts)
        self._console.print(line, markup=False)


class Tail:
    """Counts verdicts in the evidence files of the run that ``process`` writes, and says which
    workers it ``lost``."""

    def __init__(self, out: Path, process: int) -> None:
        self.judged = self.refused = 0
        self.lost: list[str] = []
        self._out = out
        self._process = process
        self._begun = False
        self._read: dict[Path, _Place] = {}
        self._line = LineReader()

    def go_on(self) -> None:
        """Count what is on record of an earlier part of the run, before the next part begins.

        Of items that had ended alone: the others are judged anew.
        """
        ended = finished_items(self._out).keys()
        for path in files_of_lines(self._out):
            self._read_file(path, ended)

    def read(self) -> None:
        """Count what was written since the last time."""
        if not self._begun:
            evidence = read_evidence(self._out)
            self._begun = evidence is not None and evidence.process == self._process
        if self._begun:
            for path in files_of_lines(self._out):
                self._read_file(path)

    def _read_file(self, path: Path, ended: Collection[str] | None = None) -> None:
        place = self._read.setdefault(path, _Place(Follower(path.name)))
        with suppress(OSError):
            for raw in place.further(path):
                line = self._line(raw)
                if ended is None:
                    self.lost += lost_workers([line])
                if not isinstance(line, VerdictLine) or line.phase not in COUNTED:
                    continue
                if ended is None or line.item in ended:
                    self.judged += 1
                    self.refused += not line.ok


@dataclass
class _Place:
    """How far the lines of a process were read, which go on and may be packed meanwhile."""

    follower: Follower
    packed: int = 0

    def further(self, path: Path) -> Iterator[bytes]:
        """The lines that follow those before. Raises `OSError`."""
        before = self.packed
        for end, text in members(_read_from(packed_of(path), before), path):
            self.packed = before + end
            yield from self._following(text)
        with suppress(FileNotFoundError):
            yield from self._following(read_plain(path, MOST_BYTES))

    def _following(self, text: bytes) -> Iterator[bytes]:
        for raw in text.splitlines(keepends=True):
            found = Link.of_line(raw)
            if found is None or found[1].number != self.follower.end.number + 1:
                continue
            before = self.follower.end
            if self.follower.take(found[1].number, raw):
                self.follower.end = before
                return
            yield raw


def _read_from(path: Path, at: int) -> bytes:
    """The end of a plain file, which may be large; nothing of what is none."""
    if path.is_symlink() or not path.is_file() or path.stat().st_size <= at:
        return b""
    with path.open("rb") as file:
        file.seek(at)
        return file.read()
