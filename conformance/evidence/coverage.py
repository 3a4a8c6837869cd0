"""What a run's evidence shows of the discrete cells: cases per level, and what no case shows."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from conformance.call.observation import Outcome
from conformance.draw.profiles import PROFILES, Profile
from conformance.draw.shared_rows import DTYPE, Shared, shown_among
from conformance.evidence.combinations import (
    Axes,
    Shown,
    count,
    in_words,
    numbered,
    packed,
    strike,
)
from conformance.evidence.lines import AnyLine, VerdictLine
from conformance.judge.judged import Judged
from conformance.record.cells import EDGE
from conformance.record.operator import Operator
from conformance.record.tuples import Feasible, Tuples, feasible_tuples

UNCOVERING = ("rejection", "quarantine", "relation", "sequence")
"""Calls that show no cell: what they ask for was not computed, or not judged."""

Key = tuple[str, str, str]


class Coverage(msgspec.Struct, kw_only=True):
    """The discrete cells of an operator's mode, as judged in one data type, or in those that share
    them: ``dtype`` names all.

    ``levels`` counts distinct cases for every axis and level. ``tuples`` are the combinations of
    ``strength`` levels that go together: all that the profile judges, whatever the run reached, but
    for those that only calls show that were not possible on the device or its route.
    ``missing`` names those that no judged case shows though their items ended; ``open`` counts the
    others that none shows: their items were not asked for, or did not end. ``edges`` counts
    distinct cases for the profile's edges, but for ``open_edges`` on which no case lies, as of
    ``open``. Of a cell whose items are split, ``together`` has the combinations that go together as
    `packed` writes them, and ``every_edge`` all edges: by them a merge knows what no part shows.
    """

    operator: str
    mode: str
    dtype: str
    strength: int
    levels: dict[str, dict[str, int]]
    tuples: int
    missing: list[str] = []
    edges: dict[str, int] = {}
    open: int = 0
    open_edges: int = 0
    together: str = ""
    every_edge: list[str] = []

    @property
    def judged(self) -> int:
        """How many combinations the judged cases show."""
        return self.tuples - len(self.missing) - self.open

    @property
    def edges_judged(self) -> int:
        """On how many edges a judged case lies."""
        return sum(1 for cases in self.edges.values() if cases)

    @property
    def edges_declared(self) -> int:
        """How many edges the profile judges."""
        return len(self.edges) + self.open_edges

    @property
    def unmet(self) -> list[str]:
        """The edges on which no judged case lies, though their items ended."""
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

    A call that must be rejected shows none: what it asks for was never computed.
    """
    case = judged.case
    known = (case.mode, case.dtype) in operator.declared_cells
    if operator.cells is None or not known or judged.judged_as in UNCOVERING:
        return None
    return operator.cells(case.mode, case.dtype).of(case)


def coverage(
    lines: Iterable[AnyLine],
    declared: Mapping[Key, Shared],
    profile: Profile,
    counted: Iterable[str],
    ended: Collection[Key] | None = None,
    split: Collection[Key] = (),
) -> list[Coverage]:
    """The coverage of each declared cell, of an operator and a mode, by the distinct cases of the
    ``counted`` phases.

    Of the edges, those count that the ``profile`` judges. What no case shows is missing in the
    cells that ``ended`` (None: all), and open in the others. Of those whose items are ``split`` it
    says for a merge what goes together.
    """
    of_cells = {
        (*key[:2], dtype): key for key, cells in declared.items() for dtype in cells.of_each
    }
    shown, away = shown_in(lines, of_cells, counted)
    return [
        _of(
            key,
            cells,
            shown[key].values(),
            away[key],
            profile,
            {dtype for dtype in cells.of_each if ended is None or (*key[:2], dtype) in ended},
            is_split=any((*key[:2], dtype) in split for dtype in cells.of_each),
        )
        for key, cells in declared.items()
    ]


def shown_in(
    lines: Iterable[AnyLine], of_cells: Mapping[Key, Key], counted: Iterable[str]
) -> tuple[dict[Key, dict[object, Shown]], dict[Key, list[Shown]]]:
    """By cell the levels that each distinct case shows, and those of calls that were not possible.

    ``of_cells`` has of operator, mode and data type the key of the cell, which names all data types
    that share it.
    """
    phases = set(counted)
    shown: dict[Key, dict[object, Shown]] = {key: {} for key in of_cells.values()}
    away: dict[Key, list[Shown]] = {key: [] for key in of_cells.values()}
    for line in lines:
        if not isinstance(line, VerdictLine) or line.levels is None:
            continue
        key = of_cells.get((line.operator, line.mode, line.dtype))
        if key is not None and line.phase in phases:
            # The same inputs on another machine lie on other boundaries.
            machine = tuple(sorted((line.machine or {}).items()))
            levels = shown_among(line.dtype, line.levels, alone=key[2] == line.dtype)
            if line.outcome == Outcome.NOT_POSSIBLE.value:
                away[key].append(levels)
            else:
                shown[key][line.dtype, line.digest, machine] = levels
    return shown, away


class Further(msgspec.Struct, kw_only=True):
    """What a larger ``profile`` judges beyond the run's own: so many more ``edges``, and all
    ``tuples`` of ``strength`` levels, 0 if a smaller profile judges them, too.
    """

    profile: str
    edges: int
    strength: int
    tuples: int


def further(declared: Iterable[Shared], own: Profile) -> list[Further]:
    """What each larger profile judges of the declared cells, and the run's ``own`` does not."""
    found = []
    known = list(declared)
    strength = own.strength
    before = sum(len(cells.edge_names(own)) for cells in known)
    for profile in PROFILES.values():
        tuples = 0
        if profile.strength > strength:
            strength = profile.strength
            tuples = sum(_feasible(cells.feasible, strength) for cells in known)
        edges = sum(len(cells.edge_names(profile)) for cells in known) - before
        if edges > 0 or tuples:
            more = {"edges": max(edges, 0), "strength": profile.strength, "tuples": tuples}
            found.append(Further(profile=profile.name, **more))
    return found


def _feasible(feasible: Feasible, strength: int) -> int:
    """How many combinations of ``strength`` levels go together."""
    tuples = feasible_tuples(feasible, strength).values()
    return sum(int(np.count_nonzero(left)) for left in tuples)


def _of(
    key: Key,
    cells: Shared,
    cases: Iterable[Shown],
    away: Sequence[Shown],
    profile: Profile,
    ended: Collection[str],
    *,
    is_split: bool,
) -> Coverage:
    tuples = cells.asked(profile)
    found = of_cell(
        key,
        Declared(
            cells.axes,
            profile.strength,
            tuples,
            cells.edge_names(profile),
            cells.asked(profile, ended),
            cells.edge_names(profile, ended),
        ),
        cases,
        away,
    )
    if is_split:
        found.together, found.every_edge = packed(tuples), cells.edge_names(profile)
    return found


@dataclass(frozen=True)
class Declared:
    """What a profile judges of a cell: ``tuples`` by their axes and ``edges``; and what of it is
    ``owed``, as the items of its data types ended."""

    axes: Axes
    strength: int
    tuples: Tuples
    edges: Sequence[str]
    owed: Tuples
    owed_edges: Collection[str]


def of_cell(
    key: Key, declared: Declared, cases: Iterable[Shown], away: Sequence[Shown]
) -> Coverage:
    """What ``cases`` show of a cell, and those that were not possible (``away``) do not."""
    edges = dict.fromkeys(declared.edges, 0)
    counts = {name: dict.fromkeys(levels, 0) for name, levels in declared.axes}
    missing = {axes: left.copy() for axes, left in declared.tuples.items()}
    tuples = count(missing)
    rows: list[tuple[int, ...]] = []
    for case in cases:
        for edge in edges.keys() & set(case.get(EDGE, ())):
            edges[edge] += 1
        for name, known in counts.items():
            for level in known.keys() & set(case.get(name, ())):
                known[level] += 1
        rows += numbered(case, declared.axes)
    strike(missing, rows)
    unjudged = count(missing)
    strike(missing, [row for case in away for row in numbered(case, declared.axes)])
    tuples -= unjudged - count(missing)
    impossible = {edge for case in away for edge in case.get(EDGE, ())}
    edges = {edge: count for edge, count in edges.items() if count or edge not in impossible}
    unseen = count(missing)
    for axes in missing:
        missing[axes] &= declared.owed[axes]
    names = in_words(declared.axes, missing)
    owed = set(declared.owed_edges)
    told = {edge: count for edge, count in edges.items() if count or edge in owed}
    return Coverage(
        operator=key[0],
        mode=key[1],
        dtype=key[2],
        strength=declared.strength,
        levels=counts,
        tuples=tuples,
        missing=names,
        edges=told,
        open=unseen - len(names),
        open_edges=len(edges) - len(told),
    )


def _is_of(name: str, dtype: str) -> bool:
    """Whether a combination or an edge, in words, is of that data type alone."""
    return name.startswith(f"{dtype}: ") or f"{DTYPE} {dtype}" in name.split(", ")
