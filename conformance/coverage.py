"""What a run's evidence shows of the discrete cells: cases per level, and what no case shows."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from itertools import product

import msgspec
import numpy as np
from numpy.typing import NDArray

from conformance.cells import EDGE
from conformance.evidence import AnyLine, VerdictLine
from conformance.operator import Operator
from conformance.sharing import DTYPE, Shared
from conformance.strategies.covering import Feasible, feasible_tuples
from conformance.trial import Judged

UNCOVERING = ("rejection", "quarantine", "relation", "sequence")
"""Calls that show no cell: what they ask for was not computed, or not judged."""

Shown = Mapping[str, tuple[str, ...]]
Key = tuple[str, str, str]


class Coverage(msgspec.Struct, kw_only=True):
    """The discrete cells of an operator's mode, as judged in one data type, or in those that share
    them: ``dtype`` names all.

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

    @property
    def dtypes(self) -> list[str]:
        """The data types one by one."""
        return self.dtype.split(", ")

    def unseen(self, ended: Container[str]) -> tuple[list[str], list[str]]:
        """What no judged case shows: what was left out, and what may be missing because items of
        the data types ``ended`` ended early."""
        left_out: list[str] = []
        consequences: list[str] = []
        early = [dtype for dtype in self.dtypes if dtype in ended]
        for name in (*self.missing, *self.unmet):
            of = [one for one in self.dtypes if _is_of(name, one)] or self.dtypes
            (consequences if any(one in early for one in of) else left_out).append(name)
        return left_out, consequences


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
    declared: Mapping[Key, Shared],
    strength: int,
    counted: Iterable[str],
    edge_cost: int = 0,
) -> list[Coverage]:
    """The coverage of each declared cell, of an operator and a mode, by the distinct cases of the
    ``counted`` phases.

    Of the edges, those count that cost no more than ``edge_cost``.
    """
    phases = set(counted)
    of_cell = {(*key[:2], dtype): key for key, cells in declared.items() for dtype in cells.of_each}
    shown: dict[Key, dict[object, Shown]] = {key: {} for key in declared}
    for line in lines:
        if not isinstance(line, VerdictLine) or line.levels is None:
            continue
        key = of_cell.get((line.operator, line.mode, line.dtype))
        if key is not None and line.phase in phases:
            # The same inputs on another machine lie on other boundaries.
            machine = tuple(sorted((line.machine or {}).items()))
            levels = declared[key].shown(line.dtype, line.levels)
            shown[key][line.dtype, line.digest, machine] = levels
    return [
        _of(key, cells, shown[key].values(), strength, edge_cost) for key, cells in declared.items()
    ]


def _of(key: Key, cells: Shared, cases: Iterable[Shown], strength: int, edge_cost: int) -> Coverage:
    edges, declared = dict.fromkeys(cells.edges(edge_cost), 0), cells.axes
    counts = {name: dict.fromkeys(levels, 0) for name, levels in declared}
    missing = feasible_tuples(cells.feasible, strength)
    tuples = sum(int(np.count_nonzero(left)) for left in missing.values())
    rows: list[tuple[int, ...]] = []
    for case in cases:
        for edge in edges.keys() & set(case.get(EDGE, ())):
            edges[edge] += 1
        numbers: list[list[int]] = []
        for name, levels in declared:
            mine = [level for level in case.get(name, ()) if level in counts[name]]
            for level in mine:
                counts[name][level] += 1
            # A case that shows no level of an axis has a number beyond, and may show other pairs.
            numbers.append([levels.index(level) for level in mine] or [len(levels)])
        rows += product(*numbers)
    _strike(missing, np.array(rows, np.intp).reshape(-1, len(declared)))
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


def _is_of(name: str, dtype: str) -> bool:
    """Whether a combination or an edge, in words, is of that data type alone."""
    return name.startswith(f"{dtype}: ") or f"{DTYPE} {dtype}" in name.split(", ")


def _strike(missing: Mapping[tuple[int, ...], Feasible], rows: NDArray[np.intp]) -> None:
    """Take what rows [rows, axes] of level numbers show out of what is missing, in place."""
    for axes, left in missing.items():
        shown = np.zeros([size + 1 for size in left.shape], np.bool_)
        shown[tuple(rows[:, axis] for axis in axes)] = True
        left &= ~shown[tuple(slice(size) for size in left.shape)]


def _words(cells: Shared, missing: Mapping[tuple[int, ...], Feasible]) -> list[str]:
    """Each missing combination as a person reads it."""
    return [
        ", ".join(
            f"{cells.axes[axis][0]} {cells.axes[axis][1][level]}"
            for axis, level in zip(axes, levels, strict=True)
        )
        for axes, left in missing.items()
        for levels in np.argwhere(left).tolist()
    ]
