"""What a run's evidence shows of the discrete cells: cases per level, and what no case shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product

import msgspec
import numpy as np

from conformance.cells import EDGE, Cells
from conformance.evidence import AnyLine, VerdictLine
from conformance.operator import Operator
from conformance.strategies.covering import Feasible, feasible_tuples
from conformance.trial import Judged

UNCOVERING = ("rejection", "quarantine", "relation")
"""Calls that show no cell: what they ask for was not computed, or not judged."""

Shown = Mapping[str, tuple[str, ...]]
Key = tuple[str, str, str]


class Coverage(msgspec.Struct, kw_only=True):
    """The discrete cells of an operator's mode and dtype, as judged.

    ``levels`` counts distinct cases for every axis and level. Of the ``tuples`` combinations of
    ``strength`` levels that go together, ``missing`` names those that no judged case shows.
    ``edges`` counts distinct cases for every edge that the profile judges.
    """

    operator: str
    mode: str
    dtype: str
    strength: int
    levels: dict[str, dict[str, int]]
    tuples: int
    missing: list[str] = []
    edges: dict[str, int] = {}

    @property
    def unmet(self) -> list[str]:
        """The edges on which no judged case lies."""
        return [edge for edge, cases in self.edges.items() if not cases]


def levels_of(operator: Operator, judged: Judged) -> dict[str, tuple[str, ...]] | None:
    """The levels that a judged case shows; None where no cell of the record is judged by it.

    A call that must be refused shows none: what it asks for was never computed.
    """
    case = judged.case
    known = case.mode in [mode.name for mode in operator.modes] and case.dtype in operator.dtypes
    if operator.cells is None or not known or judged.judged_as in UNCOVERING:
        return None
    return operator.cells(case.mode, case.dtype).of(case)


def coverage(
    lines: Iterable[AnyLine],
    declared: Mapping[Key, Cells],
    strength: int,
    counted: Iterable[str],
    edge_cost: int = 0,
) -> list[Coverage]:
    """The coverage of each declared cell by the distinct cases of the ``counted`` phases.

    Of the edges, those count that cost no more than ``edge_cost``.
    """
    phases = set(counted)
    shown: dict[Key, dict[object, Shown]] = {key: {} for key in declared}
    for line in lines:
        if not isinstance(line, VerdictLine) or line.levels is None:
            continue
        key = (line.operator, line.mode, line.dtype)
        if key in shown and line.phase in phases:
            # The same inputs on another machine lie on other boundaries.
            machine = tuple(sorted((line.machine or {}).items()))
            shown[key][line.digest, machine] = line.levels
    return [
        _of(key, cells, shown[key].values(), strength, edge_cost) for key, cells in declared.items()
    ]


def _of(key: Key, cells: Cells, cases: Iterable[Shown], strength: int, edge_cost: int) -> Coverage:
    near = cells.edges.within(edge_cost) if cells.edges is not None else ()
    edges = {edge.name: 0 for edge in near}
    counts = {axis.name: dict.fromkeys(axis.levels, 0) for axis in cells.axes}
    missing = feasible_tuples(cells.feasible, strength)
    tuples = sum(int(np.count_nonzero(left)) for left in missing.values())
    for case in cases:
        for edge in edges.keys() & set(case.get(EDGE, ())):
            edges[edge] += 1
        numbers: list[list[int]] = []
        for axis in cells.axes:
            mine = [level for level in case.get(axis.name, ()) if level in counts[axis.name]]
            for level in mine:
                counts[axis.name][level] += 1
            numbers.append([axis.levels.index(level) for level in mine])
        for axes, left in missing.items():
            for levels in product(*(numbers[axis] for axis in axes)):
                left[levels] = False
    return Coverage(
        operator=key[0],
        mode=key[1],
        dtype=key[2],
        strength=strength,
        levels=counts,
        tuples=tuples,
        missing=_words(cells, missing),
        edges=edges,
    )


def _words(cells: Cells, missing: Mapping[tuple[int, ...], Feasible]) -> list[str]:
    """Each missing combination as a person reads it."""
    return [
        ", ".join(
            f"{cells.axes[axis].name} {cells.axes[axis].levels[level]}"
            for axis, level in zip(axes, levels, strict=True)
        )
        for axes, left in missing.items()
        for levels in np.argwhere(left).tolist()
    ]
