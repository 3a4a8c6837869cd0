"""A page of documentation as something to execute: the files and the commands in its blocks.

A fenced block with a title is a file of that name. In a block of the language ``console`` a line
that starts with ``$`` is a command, and the lines below are what it prints, standard error
included; ``...`` in them stands for any text, and a last line ``[status N]`` for an exit status
other than 0. Other blocks are for the reader alone. How far a run is, which it prints once a minute
on a busy machine, is no part of what is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

BLOCK = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRESS = re.compile(r"^judging for \d+ min: .*\n", re.MULTILINE)
STATUS = re.compile(r"\[status (\d+)\]")


@dataclass(frozen=True)
class Command:
    """One command, the lines that it prints, with ``...`` in them, and its exit status."""

    line: str
    shown: str
    status: int

    def matches(self, printed: str) -> bool:
        """Whether the text is what is shown; spaces at the ends of lines do not count."""
        text = "\n".join(line.rstrip() for line in PROGRESS.sub("", printed).rstrip().splitlines())
        pattern = ".*".join(re.escape(part) for part in self.shown.split("..."))
        return re.fullmatch(pattern, text, re.DOTALL) is not None


def write_files(page: str, folder: Path) -> list[Path]:
    """Writes every titled block below ``folder``."""
    written = []
    for _, title, content in BLOCK.findall(page):
        if title:
            path = folder / title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
            written.append(path)
    return written


def commands(page: str) -> Iterator[Command]:
    """Every command of the page, in order."""
    for language, _, content in BLOCK.findall(page):
        if language == "console":
            for part in re.split(r"^\$ ", content, flags=re.MULTILINE)[1:]:
                line, *shown = part.rstrip().splitlines()
                ending = STATUS.fullmatch(shown[-1]) if shown else None
                status = int(ending.group(1)) if ending else 0
                yield Command(line, "\n".join(shown[:-1] if ending else shown), status)
