"""The data types that a run judges of a mode share its rows: the data type is an axis more.

Every ``strength`` levels that go together are judged in one of the data types, and every fewer of
them in each. A data type that is judged alone has all rows of its own. In smoke the modes share
rows, too (conformance/draw/shared_modes.py).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from conformance.draw.profiles import Profile
from conformance.draw.shared_modes import Turn, by_turns
from conformance.record.cells import EDGE, Cells, Levels
from conformance.record.covering import covering_array
from conformance.record.edges import Edge
from conformance.record.operator import Operator
from conformance.record.tuples import Axes, Feasible, Tuples, compact, feasible_tuples

DTYPE = "dtype"
"""The axis of the data types, the first one."""

Place = tuple[str, int]
"""A mode, and the number of those of its data types that share cells."""


@dataclass(frozen=True)
class Shared:
    """The discrete cells of the data types of a mode whose axes and levels are the same ones.

    ``turn`` is what they are asked for if modes take turns; None: everything.
    """

    of_each: Mapping[str, Cells]
    turn: _Turn | None = None

    @property
    def dtype(self) -> str:
        """The data types in words."""
        return ", ".join(self.of_each)

    @property
    def axes(self) -> Axes:
        """Names and levels of all axes; one data type alone is none."""
        (first, *others) = self.of_each.values()
        return (((DTYPE, tuple(self.of_each)),) if others else ()) + _axes(first)

    @cached_property
    def feasible(self) -> Feasible:
        """Which levels go together, with one axis for each of ``axes``."""
        (first, *others) = (cells.feasible for cells in self.of_each.values())
        if not others:
            return first
        small = np.broadcast_arrays(*map(compact, (first, *others)))
        return np.broadcast_to(np.stack(small), (len(small), *first.shape))

    @cached_property
    def alike(self) -> dict[str, list[str]]:
        """By a data type with edges, those that have the same ones, itself among them."""
        declared = {
            dtype: cells.edges.declared for dtype, cells in self.of_each.items() if cells.edges
        }
        return {
            dtype: [other for other, its in declared.items() if its == mine]
            for dtype, mine in declared.items()
        }

    def edges(self, dtype: str, profile: Profile) -> tuple[Edge, ...]:
        """The edges of a data type that the profile judges.

        Of those that cost no more than it affords, data types with the same ones take turns, and
        modes with the same one.
        """
        edges = self.of_each[dtype].edges
        if edges is None:
            return ()
        if self.turn is not None and not profile.each_mode:
            mine = self.turn.edges(dtype, profile.edge_cost)
            return tuple(edge for edge in edges.within(profile.edge_cost) if edge.name in mine)
        alike = self.alike[dtype]
        place = alike.index(dtype)
        return tuple(
            edge
            for number, edge in enumerate(edges.within(profile.edge_cost))
            if profile.each_edge_dtype or edge.in_each or number % len(alike) == place
        )

    def edge_names(self, profile: Profile, dtypes: Collection[str] | None = None) -> list[str]:
        """The edges that the profile judges, each with its data type if there are some.

        Those of ``dtypes``; None: of all.
        """
        return [
            self._edge(dtype, edge.name)
            for dtype in self.of_each
            if dtypes is None or dtype in dtypes
            for edge in self.edges(dtype, profile)
        ]

    def asked(self, profile: Profile, dtypes: Collection[str] | None = None) -> Tuples:
        """The combinations of levels that the profile judges, those of ``dtypes``; None: of all.

        Nobody may write to them.
        """
        turn = self._turn_in(profile)
        if dtypes is None and turn is not None:
            return turn.at(profile.strength).tuples
        feasible = self.feasible if dtypes is None else self._feasible_in(dtypes)
        every = feasible_tuples(feasible, profile.strength)
        if turn is None:
            return every
        mine = turn.at(profile.strength).tuples
        return {axes: left & mine[axes] for axes, left in every.items()}

    def _turn_in(self, profile: Profile) -> _Turn | None:
        """What rows are asked for by turns; None: no turns are taken."""
        return None if profile.each_mode else self.turn

    def _feasible_in(self, dtypes: Collection[str]) -> Feasible:
        """`feasible` where it is one of ``dtypes``: nothing goes together in any other."""
        chosen = np.array([dtype in dtypes for dtype in self.of_each])
        across = [1] * self.feasible.ndim
        across[0] = len(chosen)
        kept = np.logical_and(compact(self.feasible), chosen.reshape(across))
        return np.broadcast_to(kept, self.feasible.shape)

    def shown(
        self, dtype: str, levels: Mapping[str, tuple[str, ...]]
    ) -> dict[str, tuple[str, ...]]:
        """The levels that a case of ``dtype`` shows, the data type among them."""
        return shown_among(dtype, levels, alone=len(self.of_each) == 1)

    def rows(self, profile: Profile) -> dict[str, list[Levels]]:
        """The rows of each data type: together they hold what the profile asks for."""
        (first, *_) = self.of_each
        found: dict[str, list[Levels]] = {dtype: [] for dtype in self.of_each}
        turn, strength = self._turn_in(profile), profile.strength
        for row in turn.at(strength).rows if turn else covering_array(self.feasible, strength):
            levels = {
                name: known[level] for (name, known), level in zip(self.axes, row, strict=True)
            }
            found[levels.pop(DTYPE, first)].append(levels)
        return found

    def _edge(self, dtype: str, name: str) -> str:
        return edge_name(dtype, name, alone=len(self.of_each) == 1)


def shown_among(
    dtype: str, levels: Mapping[str, tuple[str, ...]], *, alone: bool
) -> dict[str, tuple[str, ...]]:
    """The levels that a case of ``dtype`` shows, the data type among them; ``alone``: no other data
    type shares them."""
    edges = tuple(edge_name(dtype, name, alone=alone) for name in levels.get(EDGE, ()))
    return {**levels, DTYPE: (dtype,), EDGE: edges}


def edge_name(dtype: str, name: str, *, alone: bool) -> str:
    """An edge with its data type, if others share it."""
    return name if alone else f"{dtype}: {name}"


def shared(operator: Operator, mode: str, dtypes: Iterable[str]) -> list[Shared]:
    """The cells of a mode in these data types: those with the same axes share, others do not.

    Nor does a data type that some versions of CANN are not given: then the others have all rows.
    Modes take turns if these are all data types of the mode.
    """
    if operator.cells is None:
        return []
    given = _Given(
        operator.cells,
        tuple((one.name, operator.dtypes_in(one.name)) for one in operator.modes),
        frozenset(one.dtype for one in operator.dated),
    )
    chosen, every = tuple(dtypes), operator.dtypes_in(mode)
    if {*chosen} != {*every}:
        return [Shared(of_each) for of_each in given.of(mode, chosen)]
    return [
        Shared(of_each, _Turn(given, (mode, number)))
        for number, of_each in enumerate(given.of(mode, every))
    ]


@dataclass(frozen=True)
class _Given:
    """Of an operator what says which data types share cells: they are compared by it."""

    cells: Callable[[str, str], Cells]
    modes: tuple[tuple[str, tuple[str, ...]], ...]
    dated: frozenset[str]

    def of(self, mode: str, dtypes: Iterable[str]) -> list[dict[str, Cells]]:
        """The cells of a mode in these data types, those together that share."""
        found: dict[object, dict[str, Cells]] = {}
        for dtype in dtypes:
            cells = self.cells(mode, dtype)
            alone = dtype if dtype in self.dated else ""
            found.setdefault((_axes(cells), alone), {})[dtype] = cells
        return list(found.values())

    @property
    def every(self) -> dict[Place, dict[str, Cells]]:
        """The cells of all modes."""
        return {
            (mode, number): of_each
            for mode, dtypes in self.modes
            for number, of_each in enumerate(self.of(mode, dtypes))
        }


@dataclass(frozen=True)
class _Turn:
    """What the cells at a ``place`` are asked for if modes take turns."""

    given: _Given
    place: Place

    def at(self, strength: int) -> Turn:
        """Rows, and the combinations of so many levels that they are there for."""
        return _turns(self.given, strength)[self.place]

    def edges(self, dtype: str, cost: int) -> frozenset[str]:
        """The names of edges that cost no more."""
        return _edges(self.given, cost)[self.place, dtype]


@lru_cache(maxsize=64)
def _turns(given: _Given, strength: int) -> dict[Place, Turn]:
    every = {place: Shared(of_each) for place, of_each in given.every.items()}
    asked = by_turns([(one.axes, one.feasible) for one in every.values()], strength)
    return dict(zip(every, asked, strict=True))


_Met = tuple[str, frozenset[tuple[str, int]], tuple[str, ...]]
"""An edge: its name and sizes, and the data types that have the same ones."""


@lru_cache(maxsize=64)
def _edges(given: _Given, cost: int) -> dict[tuple[Place, str], frozenset[str]]:
    asked: dict[tuple[Place, str], set[str]] = {}
    places: dict[_Met, list[tuple[Place, str]]] = {}
    for place, of_each in given.every.items():
        alike = Shared(of_each).alike
        for dtype, cells in of_each.items():
            mine = asked.setdefault((place, dtype), set())
            for edge in cells.edges.within(cost) if cells.edges else ():
                if edge.in_each:
                    mine.add(edge.name)
                else:
                    met = edge.name, frozenset(edge.sizes.items()), tuple(alike[dtype])
                    places.setdefault(met, []).append((place, dtype))
    for number, ((name, *_), some) in enumerate(places.items()):
        asked[some[number % len(some)]].add(name)
    return {place: frozenset(names) for place, names in asked.items()}


def _axes(cells: Cells) -> Axes:
    return tuple((axis.name, axis.levels) for axis in cells.axes)
