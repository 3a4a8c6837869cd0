"""The data types that a run judges of a mode share its rows: the data type is an axis more.

Every ``strength`` levels that go together are judged in one of the data types, and every fewer of
them in each. A data type that is judged alone has all rows of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from conformance.draw.profiles import Profile
from conformance.record.cells import EDGE, Cells, Levels
from conformance.record.covering import Feasible, compact, covering_array
from conformance.record.edges import Edge
from conformance.record.operator import Operator

DTYPE = "dtype"
"""The axis of the data types, the first one."""


@dataclass(frozen=True)
class Shared:
    """The discrete cells of the data types of a mode whose axes and levels are the same ones."""

    of_each: Mapping[str, Cells]

    @property
    def dtype(self) -> str:
        """The data types in words."""
        return ", ".join(self.of_each)

    @property
    def axes(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
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
    def _alike(self) -> dict[str, list[str]]:
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

        Of those that cost no more than it affords, data types with the same ones take turns.
        """
        edges = self.of_each[dtype].edges
        if edges is None:
            return ()
        alike = self._alike[dtype]
        turn = alike.index(dtype)
        return tuple(
            edge
            for number, edge in enumerate(edges.within(profile.edge_cost))
            if profile.each_edge_dtype or edge.in_each or number % len(alike) == turn
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

    def feasible_in(self, dtypes: Collection[str]) -> Feasible:
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

    def rows(self, strength: int) -> dict[str, list[Levels]]:
        """The rows of each data type: together they hold every feasible ``strength`` levels."""
        (first, *_) = self.of_each
        found: dict[str, list[Levels]] = {dtype: [] for dtype in self.of_each}
        for row in covering_array(self.feasible, strength):
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
    """
    found: dict[object, dict[str, Cells]] = {}
    dated = {one.dtype for one in operator.dated}
    for dtype in dtypes:
        if operator.cells is not None:
            cells = operator.cells(mode, dtype)
            alone = dtype if dtype in dated else ""
            found.setdefault((_axes(cells), alone), {})[dtype] = cells
    return [Shared(of_each) for of_each in found.values()]


def _axes(cells: Cells) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((axis.name, axis.levels) for axis in cells.axes)
