"""The progress of a run, read from the evidence that it writes."""

from __future__ import annotations

from pathlib import Path

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from conformance.evidence import AnyLine, VerdictLine, Writer
from conformance.summary import COUNTED, read_evidence


def bar(console: Console) -> Progress:
    """A progress bar where ``console`` is a terminal; nothing in a pipe."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    shown = console.is_terminal
    # Before rich 14.3 even a disabled bar ends its console's line.
    console = console if shown else Console(quiet=True)
    return Progress(
        *columns, TimeElapsedColumn(), console=console, disable=not shown, transient=True
    )


class Tail:
    """Counts verdicts in the evidence files of the run that ``process`` writes."""

    def __init__(self, out: Path, process: int) -> None:
        self.judged = self.refused = 0
        self._out = out
        self._process = process
        self._begun = False
        self._read: dict[Path, int] = {}
        self._decoder = msgspec.json.Decoder(AnyLine)

    def read(self) -> None:
        """Count what was written since the last time."""
        if not self._begun:
            evidence = read_evidence(self._out)
            self._begun = evidence is not None and evidence.process == self._process
        if self._begun:
            for path in self._out.glob(Writer.PATTERN):
                self._read_file(path)

    def _read_file(self, path: Path) -> None:
        if path.is_symlink() or not path.is_file():
            return
        with open(path, "rb") as file:
            file.seek(self._read.get(path, 0))
            whole = file.read().rpartition(b"\n")[0]
        if not whole:
            return
        self._read[path] = self._read.get(path, 0) + len(whole) + 1
        for raw in whole.splitlines():
            line = self._decoder.decode(raw)
            if isinstance(line, VerdictLine) and line.phase in COUNTED:
                self.judged += 1
                self.refused += not line.ok
