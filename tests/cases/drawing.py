"""Drawing from a record's cells: one case of every row, and smallest cases."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import HealthCheck, Phase, Verbosity, find, given, seed, settings
from hypothesis.strategies import SearchStrategy

from conformance.case import Case
from conformance.cells import Levels
from conformance.covered import not_simplest
from conformance.operator import Operator

ONE = settings(
    max_examples=1,
    phases=[Phase.generate],
    database=None,
    deadline=None,
    verbosity=Verbosity.quiet,
    suppress_health_check=list(HealthCheck),
)
SHRUNK = settings(
    database=None, derandomize=True, max_examples=40, suppress_health_check=list(HealthCheck)
)
FOUND = settings(SHRUNK, phases=[Phase.generate])
"""The first case that is found: shrinking would look for what a sum of wrong terms comes from."""


def a_case_of_every_row(
    operator: Operator, mode: str, dtype: str, strength: int = 2
) -> Iterator[tuple[Levels, Case]]:
    """Every row of the covering array, with a case that is drawn for it."""
    assert operator.cells is not None
    cells = operator.cells(mode, dtype)
    for number, row in enumerate(cells.rows(strength)):
        yield row, drawn_once(not_simplest(cells.cases(row)), number)


def drawn_once(cases: SearchStrategy[Case], number: int) -> Case:
    """One case, drawn from a seed."""
    drawn: list[Case] = []
    seed(number)(ONE(given(case=cases)(lambda case: drawn.append(case))))()
    return drawn[0]


def smallest(operator: Operator, mode: str, dtype: str, **levels: str) -> Case:
    """The smallest case of a record that shows these levels."""
    assert operator.cells is not None
    drawn = operator.cells(mode, dtype).drawn(levels)
    return find(drawn, lambda case: True, settings=SHRUNK)
