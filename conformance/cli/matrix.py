"""The matrix of a run's page: a row for each operator, a mark for each mode in each data type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from conformance.catalogue import page, table
from conformance.evidence.summary import REJECTIONS, RELATIONS, SEQUENCES, Cell
from conformance.text.terminal import verdict as in_words

BESIDE = {
    REJECTIONS: page.MUST_BE_REFUSED(),
    RELATIONS: page.RELATIONS(),
    SEQUENCES: page.SEQUENCES(),
}
"""Cells of no mode, and the text that stands there."""

VERDICTS: dict[str, str] = {
    table.FAILED(): "no",
    table.NOT_JUDGED(): "not judged",
    table.INCOMPLETE(): "partial",
    table.ACCEPTED(): "yes",
}
"""The keys of the texts that stand for the words of a verdict, the worst first."""


@dataclass
class Row:
    """An operator: ``marks`` are the modes of each data type, each with its verdict and cases."""

    operator: str
    verdict: str
    cases: int
    seconds: float
    marks: dict[str, list[tuple[str, str, int]]] = field(default_factory=dict)


def verdict(cells: Sequence[Cell]) -> str:
    """The key of the verdict on cells together."""
    return VERDICTS[in_words(cells)]


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
    worst_first = list(VERDICTS.values()).index
    return dtypes, sorted(rows, key=lambda row: worst_first(row.verdict))


def _row(operator: str, cells: Sequence[Cell]) -> Row:
    cases, seconds = sum(one.cases for one in cells), sum(one.seconds for one in cells)
    row = Row(operator, verdict(cells), cases, seconds)
    for cell in cells:
        if cell.mode not in BESIDE:
            row.marks.setdefault(cell.dtype, []).append((cell.mode, verdict([cell]), cell.cases))
    return row
