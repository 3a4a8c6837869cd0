"""The matrix of a run's page: a row for each operator, a mark for each mode in each data type."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from conformance.evidence.summary import REJECTIONS, RELATIONS, SEQUENCES, Cell

BESIDE = {
    REJECTIONS: "must be refused",
    RELATIONS: "relations",
    SEQUENCES: "sequences",
}
"""Cells of no mode, and the key of the text that stands there."""

WORST_FIRST = ("no", "not judged", "partial", "yes")


@dataclass
class Row:
    """An operator: ``marks`` are the modes of each data type, each with its verdict and cases."""

    operator: str
    verdict: str
    cases: int
    seconds: float
    marks: dict[str, list[tuple[str, str, int]]] = field(default_factory=dict)


def verdict(cell: Cell) -> str:
    """The key of the verdict on a cell."""
    if cell.failed:
        return "no"
    if not cell.cases:
        return "not judged"
    return "yes" if cell.complete else "partial"


def matrix(cells: Sequence[Cell]) -> tuple[list[str], list[Row]]:
    """The data types of all cells in their order, and a row for each operator: those that are not
    accepted first.
    """
    own = [cell for cell in cells if cell.mode not in BESIDE]
    dtypes = list(dict.fromkeys(cell.dtype for cell in own))
    of_operator: dict[str, list[Cell]] = {}
    for cell in cells:
        of_operator.setdefault(cell.operator, []).append(cell)
    rows = [_row(operator, of_one) for operator, of_one in of_operator.items()]
    return dtypes, sorted(rows, key=lambda row: WORST_FIRST.index(row.verdict))


def _row(operator: str, cells: Iterable[Cell]) -> Row:
    mine = list(cells)
    worst = min((verdict(cell) for cell in mine), key=WORST_FIRST.index)
    row = Row(operator, worst, sum(c.cases for c in mine), sum(c.seconds for c in mine))
    for cell in mine:
        if cell.mode not in BESIDE:
            row.marks.setdefault(cell.dtype, []).append((cell.mode, verdict(cell), cell.cases))
    return row
