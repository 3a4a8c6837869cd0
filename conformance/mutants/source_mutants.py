"""Mutants of C++ text: small operators on code that clang-format has laid out.

Each mutant changes one place. Comments, strings, preprocessor lines, templates, declarations of
types and remarks for the simulated device are left alone; what a mutant breaks in the grammar the
compiler finds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

SWAPS = {
    "comparison": {
        " < ": " <= ",
        " <= ": " < ",
        " > ": " >= ",
        " >= ": " > ",
        " == ": " != ",
        " != ": " == ",
    },
    "arithmetic": {" + ": " - ", " - ": " + ", " * ": " + ", " / ": " * ", " % ": " / "},
    "assignment": {" += ": " -= ", " *= ": " += "},
    "logic": {" && ": " || ", " || ": " && ", "return true;": "return false;"},
    "extremes": {"std::min": "std::max", "std::max": "std::min"},
}
"""Operators by class: the text that is replaced, as clang-format writes it, and what by."""

HIDDEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
SKIPPED = re.compile(r"\s*(#|template\b|using\b|static_assert\b|enum\b|namespace\b|ASCENDSIM_)")
NUMBER = re.compile(r"(?<![\w.\"'])\d+(?![\w.'])")
CONDITION = re.compile(r"\bif \((?!const|auto|Reason)(.*)\) \{$")
CHOICE = re.compile(r"( \? )([^?:;]+)( : )([^?:;]+?)(?=[;,)])")
STATEMENT = re.compile(
    r"^\s+(?!return|using|case|break|const|auto|constexpr|else|\})[\w.:>\-]+(\(|<| [-+*]?= ).*;$"
)


@dataclass(frozen=True)
class SourceMutant:
    """One change: ``before`` at offset ``start`` of ``file`` becomes ``after``.

    ``line`` counts from 1, ``kind`` is the class of the change.
    """

    file: str
    line: int
    kind: str
    start: int
    before: str
    after: str

    def apply(self, text: str) -> str:
        """The text with the change. Raises ValueError where the text is another one."""
        end = self.start + len(self.before)
        if text[self.start : end] != self.before:
            raise ValueError(f"{self}: the text there is {text[self.start : end]!r}")
        return text[: self.start] + self.after + text[end:]

    def __str__(self) -> str:
        before, after = self.before.strip(), self.after.strip()
        return f"{self.file}:{self.line} {self.kind}: {before!r} -> {after!r}"


def source_mutants(file: str, text: str) -> Iterator[SourceMutant]:
    """Every mutant of a file, in the order of its lines."""
    blind = HIDDEN.sub(lambda found: re.sub(r"[^\n]", "~", found.group()), text)
    start = 0
    for number, line in enumerate(blind.splitlines(keepends=True), 1):
        if not SKIPPED.match(line):
            for kind, at, before, after in sorted(_changes(line.rstrip("\n"))):
                yield SourceMutant(file, number, kind, start + at, before, after)
        start += len(line)


def _changes(line: str) -> Iterator[tuple[str, int, str, str]]:
    """Class, offset, old and new text of every change of a line without comments and strings."""
    for kind, swaps in SWAPS.items():
        for before, after in swaps.items():
            for at in _places(line, before):
                yield kind, at, before, after
    for found in NUMBER.finditer(line):
        yield "number", found.start(), found.group(), str(int(found.group()) + 1)
    condition = CONDITION.search(line)
    if condition and "~" not in condition.group(1):
        yield "condition", condition.start(1), condition.group(1), f"!({condition.group(1)})"
    for found in CHOICE.finditer(line):
        if "~" not in found.group():
            _, one, colon, other = found.groups()
            yield "choice", found.start(), found.group(), f" ? {other}{colon}{one}"
    if STATEMENT.match(line) and line.count("(") == line.count(")"):
        body = line.strip()
        if "~" not in body:
            yield "statement", line.index(body), body, ";"


def _places(line: str, text: str) -> Iterator[int]:
    at = line.find(text)
    while at >= 0:
        yield at
        at = line.find(text, at + 1)
