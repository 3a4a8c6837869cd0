"""The discrete cells of an operator: which choices exist, which go together, which a case shows.

A record declares its axes (family of values, routing, boundary, machine...) with the levels of
each, and the combinations that no case can have, each with its reason. From these follow the rows
that a run must judge (conformance/record/covering.py) and what its evidence must show
(conformance/evidence/coverage.py). A level is what a judged case *is*, not what was asked for:
``of`` reads it off the case, so that freely drawn cases count too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from conformance.record.covering import covering_array
from conformance.record.edges import Edge, Edges
from conformance.record.tuples import Feasible, compact, possible

if TYPE_CHECKING:
    from hypothesis import strategies as st
    from hypothesis.strategies import SearchStrategy

    from conformance.call.case import Case

Levels = Mapping[str, str]
EDGE = "edge"
"""Where the edges of a case stand among its levels."""


@dataclass(frozen=True)
class Axis:
    """One discrete choice: its levels, simplest first, and ``of(case)``, those that a case shows.

    A case may show several levels of one axis (columns of several families), or none.
    """

    name: str
    levels: tuple[str, ...]
    of: Callable[[Case], Collection[str]]


@dataclass(frozen=True)
class Constraint:
    """Why some levels of the axes ``axes`` do not go together: ``possible`` takes one of each.

    Of an axis that is named in ``seen_as`` it takes what that makes of a level, which is the same
    of many; first of all it takes what is ``given``. Constraints with one ``possible`` that are
    given the same have one table of what is: it is asked once.
    """

    axes: tuple[str, ...]
    possible: Callable[..., bool]
    reason: str
    seen_as: Mapping[str, Callable[[str], Hashable]] = field(default_factory=dict)
    given: tuple[Hashable, ...] = ()

    def table(self, levels: Mapping[str, tuple[str, ...]]) -> Feasible:
        """Which of the axes' levels go together, with one axis for each of ``axes``."""
        seen = (map(self.seen_as.get(axis, str), levels[axis]) for axis in self.axes)
        return _table(self.possible, self.given, tuple(map(tuple, seen)))


@lru_cache(maxsize=256)
def _table(
    possible: Callable[..., bool],
    given: tuple[Hashable, ...],
    seen: tuple[tuple[Hashable, ...], ...],
) -> Feasible:
    """`Constraint.table`, of what ``possible`` takes: asked once of what is the same."""
    distinct = [list(dict.fromkeys(one)) for one in seen]
    asked = np.array([possible(*given, *together) for together in product(*distinct)], np.bool_)
    places = (list(map(kinds.index, one)) for kinds, one in zip(distinct, seen, strict=True))
    return asked.reshape([len(kinds) for kinds in distinct])[np.ix_(*places)]


@dataclass(frozen=True)
class Cells:
    """The discrete cells of an operator's mode and dtype.

    ``cases(levels)`` draws cases that show these levels, one for each axis. ``edges`` are judged
    beside the rows of levels, each by itself.
    """

    axes: tuple[Axis, ...]
    cases: Callable[[Levels], SearchStrategy[Case]]
    constraints: tuple[Constraint, ...] = field(default=())
    edges: Edges | None = None

    @cached_property
    def feasible(self) -> Feasible:
        """Whether all constraints hold, for every combination of the axes' levels, in order; nobody
        may write to it.
        """
        names = [axis.name for axis in self.axes]
        shape = [len(axis.levels) for axis in self.axes]
        allowed = np.ones([1] * len(shape), np.bool_)
        levels = {axis.name: axis.levels for axis in self.axes}
        for constraint in self.constraints:
            mine = [names.index(name) for name in constraint.axes]
            across = [size if axis in mine else 1 for axis, size in enumerate(shape)]
            table = constraint.table(levels).transpose(np.argsort(mine)).reshape(across)
            allowed = np.logical_and(allowed, table)
        return np.broadcast_to(allowed, shape)

    @property
    def packed(self) -> bytes | None:
        """`feasible` for another process; None where it was not worked out here."""
        known = vars(self).get("feasible")
        if known is None:
            return None
        small = compact(known)
        return bytes(size > 1 for size in small.shape) + np.packbits(small).tobytes()

    def adopt(self, packed: bytes) -> None:
        """Take `feasible` as another process has worked it out from the same record."""
        shape = [len(axis.levels) for axis in self.axes]
        varies, known = packed[: len(shape)], packed[len(shape) :]
        small = [size if named else 1 for size, named in zip(shape, varies, strict=True)]
        bits = np.unpackbits(np.frombuffer(known, np.uint8), count=math.prod(small))
        vars(self)["feasible"] = np.broadcast_to(bits.astype(np.bool_).reshape(small), shape)

    def completed(
        self,
        *axes: Axis,
        cases: Callable[[SearchStrategy[Case], Levels], SearchStrategy[Case]],
        on: Callable[[SearchStrategy[Case], Edge], SearchStrategy[Case]],
        constraints: tuple[Constraint, ...] = (),
    ) -> Cells:
        """The cells with more axes: ``cases(drawn, levels)`` completes what its own axes draw so
        that it shows the levels of the others, and ``on(drawn, edge)`` what is drawn on an edge.
        """
        own, near = self.cases, self.edges
        if near is not None:
            met = near.cases
            near = replace(near, cases=lambda edge: on(met(edge), edge))
        return Cells(
            (*self.axes, *axes),
            lambda levels: cases(own(levels), levels),
            (*self.constraints, *constraints),
            near,
        )

    def rows(self, strength: int) -> list[Levels]:
        """Combinations of levels that together hold every feasible ``strength`` of them."""
        return [
            {axis.name: axis.levels[level] for axis, level in zip(self.axes, row, strict=True)}
            for row in covering_array(self.feasible, strength)
        ]

    def of(self, case: Case) -> dict[str, tuple[str, ...]]:
        """The levels that a case shows, in the order in which they are declared, and its edges."""
        shown = {axis.name: set(axis.of(case)) for axis in self.axes}
        levels = {
            axis.name: tuple(level for level in axis.levels if level in shown[axis.name])
            for axis in self.axes
        }
        edges = self.edges.of(case) if self.edges is not None else ()
        return {**levels, EDGE: edges} if edges else levels

    def complete(self, draw: st.DrawFn, levels: Levels) -> Levels:
        """Draw the levels that are not fixed, so that the constraints hold; simplest ones first."""
        from hypothesis import strategies as st

        place: list[int | slice] = [
            axis.levels.index(levels[axis.name]) if axis.name in levels else slice(None)
            for axis in self.axes
        ]
        for at, axis in enumerate(self.axes):
            if axis.name in levels:
                continue
            free = sum(isinstance(one, slice) for one in place[:at])
            left = np.flatnonzero(possible(self.feasible[tuple(place)], free))
            # One choice for each axis, however few levels are left: the shrinker prefers fewer.
            place[at] = int(left[draw(st.integers(0, len(axis.levels) - 1)) % len(left)])
        return {
            axis.name: axis.levels[level]
            for axis, level in zip(self.axes, place, strict=True)
            if isinstance(level, int)
        }

    def drawn(self, levels: Levels) -> SearchStrategy[Case]:
        """Cases that show ``levels``, which may fix some axes only: the others are drawn."""
        from hypothesis import strategies as st

        @st.composite
        def some(draw: st.DrawFn) -> Case:
            return draw(self.cases(self.complete(draw, levels)))

        return some()
