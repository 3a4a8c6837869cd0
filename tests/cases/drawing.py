"""Drawing from a record's cells: one case of every row, and smallest cases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.strategies import SearchStrategy

from conformance.call.case import Case
from conformance.draw.plain import plainly
from conformance.record.cells import Levels
from conformance.record.operator import Operator

Drawn = TypeVar("Drawn")

SHRUNK = settings(
    database=None, derandomize=True, max_examples=40, suppress_health_check=list(HealthCheck)
)
FEW = settings(SHRUNK, deadline=None)
"""Of a test that draws each of a record's cells."""

FOUND = settings(SHRUNK, phases=[Phase.generate])
"""The first case that is found: shrinking would look for what a sum of wrong terms comes from."""


def a_case_of_every_row(
    operator: Operator, mode: str, dtype: str, strength: int = 2
) -> Iterator[tuple[Levels, Case]]:
    """Every row of the covering array, with a case that is drawn for it."""
    assert operator.cells is not None
    cells = operator.cells(mode, dtype)
    rows = cells.rows(strength)
    yield from zip(rows, one_of_each([cells.cases(row) for row in rows]), strict=True)


def one_of_each(strategies: Iterable[SearchStrategy[Case]]) -> Iterator[Case]:
    """One case of each strategy, drawn as a run draws them, from seeds of their own."""
    for number, cases in enumerate(strategies):
        yield drawn_once(cases, number)


def drawn_once(cases: SearchStrategy[Drawn], number: int) -> Drawn:
    """One case, or some together, drawn from a seed."""
    return next(value for value, _ in plainly(cases, 1, number))


def smallest(operator: Operator, mode: str, dtype: str, **levels: str) -> Case:
    """The smallest case of a record that shows these levels."""
    assert operator.cells is not None
    drawn = operator.cells(mode, dtype).drawn(levels)
    return find(drawn, lambda case: True, settings=SHRUNK)
