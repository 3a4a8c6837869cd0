"""What of pages follows from the records: ``python -m tests.project.pages`` writes it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from conformance.judge.calls import JUDGES
from conformance.record.operator import Operator
from conformance.suite.records import operators
from tests.cases import contracts_audit, extremes_audit, ladders_audit
from tests.project import records_page

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"


class Table(NamedTuple):
    """A table of a page: the heading above it, and its lines. Its first column's name finds it."""

    page: Path
    heading: str
    lines: tuple[str, ...]

    def shown(self) -> tuple[str, ...]:
        """Its lines as the page has them. Raises ValueError if it has no such table."""
        return tuple(self._parted()[1].splitlines())

    def write(self) -> None:
        """Put the lines into the page."""
        before, _, after = self._parted()
        lines = "".join(f"{line}\n" for line in self.lines)
        self.page.write_text(before + lines + after, encoding="utf-8")

    def _parted(self) -> tuple[str, str, str]:
        text = self.page.read_text(encoding="utf-8")
        start = text.index(f"{self.heading}\n")
        level = self.heading.index(" ")
        after = re.compile(rf"^#{{1,{level}}} ", re.MULTILINE).search(text, start + level)
        first = self.lines[0].split("|")[1]
        found = re.compile(rf"^\|{re.escape(first)}\|.*\n(\|.*\n)*", re.MULTILINE)
        table = found.search(text, start, after.start() if after else len(text))
        if table is None:
            raise ValueError(f"{self.page}: no table {self.lines[0]} below {self.heading}")
        return text[: table.start()], table[0], text[table.end() :]


def tables() -> Iterator[Table]:
    """Every table that follows from the records."""
    yield Table(REFERENCE / "operators.md", "# Operators", tuple(_operators()))
    for kind in JUDGES:
        lines = tuple(contracts_audit.table(kind))
        yield Table(REFERENCE / "contracts.md", f"## {kind.__name__}", lines)
    yield Table(REFERENCE / "extremes.md", "# Extremes", tuple(extremes_audit.table()))
    yield Table(REFERENCE / "extremes.md", "## Ladders", tuple(ladders_audit.table()))


def _operators() -> Iterator[str]:
    yield "| operator | modes | dtypes | documents |"
    yield "|---|---|---|---|"
    for one in operators([]):
        modes = ", ".join(mode.name for mode in one.modes)
        documents = ", ".join(_documents(one))
        yield f"| `{one.name}` | {modes} | {', '.join(_dtypes(one))} | {documents} |"


def _dtypes(operator: Operator) -> Iterator[str]:
    """The data types of a record, each with its modes if they are not all."""
    for dtype in operator.dtypes:
        modes = [mode for mode, one in operator.declared_cells if one == dtype]
        yield dtype if len(modes) == len(operator.modes) else f"{dtype} ({', '.join(modes)})"


def _documents(operator: Operator) -> Iterator[str]:
    """The documents among the sources of a record."""
    for name in (source.split(", ")[-1] for source in operator.sources):
        if name.endswith((" README", " document")):
            yield name.removesuffix(" document")


def main() -> None:
    """Write all pages anew."""
    records_page.PAGE.write_text(records_page.page(), encoding="utf-8")
    for table in tables():
        table.write()


if __name__ == "__main__":
    main()
