"""The synchronisation of a kernel's source, each piece of it taken out alone."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

STATEMENT = re.compile(
    r"[ \t]*(?:\w+::)*"
    r"(PipeBarrier<\w+>\(\)|SyncAll(?:<\w+>)?\([^;]*\)|Order<[\w:]+>\(\));\n"
)
FLAG = re.compile(r"[ \t]*(?:AscendC::)?SetFlag<([^>]+)>\(([^;]*)\);\n")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
ENQUEUE = re.compile(r"[ \t]*(\w+)\.EnQue(?:<\w+>)?\((\w+)\);\n")


@dataclass(frozen=True)
class Removal:
    """Text without one barrier, one SyncAll, one SetFlag with its WaitFlag, one Order (which is
    both), or one EnQue with its DeQue; ``line`` is where it stood.
    """

    file: Path
    line: int
    what: str
    text: str

    @property
    def name(self) -> str:
        return f"{self.file.name}:{self.line} {self.what}"


def removals(kernels: Path) -> Iterator[Removal]:
    """Every removal of the kernels in a folder of operators; ``file`` is relative to it."""
    for source in sorted([*kernels.rglob("*_kernel.cpp"), *kernels.rglob("*_kernel*.h")]):
        text = source.read_text()
        for found in STATEMENT.finditer(text):
            yield _removal(kernels, source, text, found, found[1], text[found.end() :])
        for found in FLAG.finditer(text):
            wait = re.compile(
                r"[ \t]*(?:AscendC::)?WaitFlag<" + re.escape(found[1]) + r">\([^;]*\);\n"
            )
            rest, times = wait.subn("", text[found.end() :], count=1)
            if times:
                yield _removal(kernels, source, text, found, f"SetFlag<{found[1]}>", rest)
        for found in ENQUEUE.finditer(text):
            taken = re.compile(re.escape(found[1]) + r"\.(?:template )?DeQue<\w+>\(\)")
            rest, times = taken.subn(found[2], text[found.end() :], count=1)
            if times:
                yield _removal(kernels, source, text, found, f"{found[1]}.EnQue", rest)


def _removal(
    kernels: Path, source: Path, text: str, found: re.Match[str], what: str, rest: str
) -> Removal:
    line = text.count("\n", 0, found.start()) + 1
    return Removal(source.relative_to(kernels), line, what, text[: found.start()] + rest)


def users(file: Path | str, kernels: Path) -> set[str]:
    """The operators of a folder of kernels that are compiled from a file of it."""
    used = (kernels / file).resolve()
    return {name for name, files in _compiled(kernels).items() if used in files}


@cache
def _compiled(kernels: Path) -> dict[str, set[Path]]:
    """What the kernel of each operator of a folder is compiled from."""
    return {
        path.parent.name: _included(path.resolve(), set())
        for path in kernels.glob("*/*_kernel.cpp")
    }


def _included(source: Path, seen: set[Path]) -> set[Path]:
    """A source and what it includes from the folder of kernels, through any number of steps."""
    if source.exists() and source not in seen:
        seen.add(source)
        for name in INCLUDE.findall(source.read_text()):
            _included((source.parent / name).resolve(), seen)
    return seen


def apply(removal: Removal, kernels: Path, target: Path) -> None:
    """Copies the operators that a removal concerns to ``target``, which must not exist."""
    for name in {*users(removal.file, kernels), "shared"}:
        shutil.copytree(kernels / name, target / name)
    (target / removal.file).write_text(removal.text)
