"""A run's cases as a table for spreadsheets: CSV, in UTF-8 with the mark by which Excel knows it.

Cells are for programs, so they are English. What a spreadsheet would compute, or a terminal obey,
is made harmless: evidence quotes names from anybody's files.
"""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from conformance.evidence.lines import AnyLine, FailureLine, VerdictLine, read_lines
from conformance.evidence.summary import COUNTED, QUARANTINE
from conformance.names import bracket, joined
from conformance.printable import printable

COLUMNS = (
    "operator",
    "mode",
    "dtype",
    "case",
    "shapes",
    "attributes",
    "verdict",
    "first_wrong_output",
    "diagnostics",
    "seconds",
    "replay",
)
FORMULA = "=+-@\t\r"
"""What a cell of a spreadsheet must not begin with."""


def case_table(out: Path, files: Mapping[str, str]) -> bytes:
    """The table of a run's folder, a row for each distinct case of each item; ``files`` by the name
    that a given case has in an item."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\r\n")
    table.writerow(COLUMNS)
    table.writerows([harmless(one) for one in row] for row in _rows([*read_lines(out)], out, files))
    return text.getvalue().encode("utf-8-sig")


def _rows(
    lines: Sequence[AnyLine], out: Path, files: Mapping[str, str]
) -> Iterator[tuple[str, ...]]:
    bundles = {line.item: line.case for line in lines if isinstance(line, FailureLine)}
    shown = {joined((name,)): file for name, file in files.items()}
    seen: set[tuple[str, str]] = set()
    for line in lines:
        if not isinstance(line, VerdictLine) or line.phase not in COUNTED:
            continue
        if (line.item, line.digest) in seen:
            continue
        seen.add((line.item, line.digest))
        name = bracket(line.item)
        yield (
            line.operator,
            line.mode,
            line.dtype,
            line.name or shown.get(name.removeprefix(f"{line.operator}-"), name),
            "; ".join(f"{n} {'x'.join(map(str, s))}" for n, s in (line.shapes or {}).items()),
            "; ".join(f"{n}={v}" for n, v in (line.attributes or {}).items()),
            _verdict(line),
            "" if line.ok else line.headline or "",
            ", ".join(line.diagnostics),
            f"{line.seconds:.6f}",
            "" if line.ok else _replay(out, bundles.get(line.item, "")),
        )


def _verdict(line: VerdictLine) -> str:
    if line.judged_as == QUARANTINE:
        return "observed"
    return "accepted" if line.ok else "failed"


def _replay(out: Path, case: str) -> str:
    """The line that judges the smallest failed case of an item again."""
    if not case:
        return ""
    folder = (out / case).parent if case.endswith(".json") else out / case
    return shlex.join(["python", "-m", "conformance", "replay", str(folder)])


def harmless(cell: str) -> str:
    """A cell that a spreadsheet shows, and does not compute."""
    plain = printable(cell).replace("\n", " ")
    return f"'{plain}" if plain.startswith(tuple(FORMULA)) else plain
