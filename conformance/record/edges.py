"""Edges: sizes just below, at and just above which a kernel changes its path, on one machine each.

A level of a discrete cell is judged together with levels of every other axis, so there can be few
of them and none may be dear. An edge goes together with nothing in particular: what else its cases
hold is drawn. So a record can declare each limit of a tiling for every chip, and a run judges at
least one case of each, if it is not too dear for the profile (conformance/draw/profiles.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from conformance.call.case import Machine

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from conformance.call.case import Case

Sizes = Mapping[str, int]
STEPS = {" - 1": -1, "": 0, " + 1": 1}
"""Where a limit is met: just below, at it, just above."""


@dataclass(frozen=True)
class Edge:
    """Sizes by name, those that the edge fixes, on a machine; ``limit`` says what lies there.

    ``cost`` is about how many elements and keys one case reads, moves, adds and sorts. Data types
    with the same edges take turns, but not ``in_each``: there, values matter beside the sizes.
    """

    limit: str
    machine: Machine
    sizes: Sizes
    cost: int
    in_each: bool = False

    @property
    def name(self) -> str:
        """The limit and the machine in words; unique among the edges of a cell."""
        machine = self.machine
        return f"{self.limit} on {machine.cores} cores with {machine.ub_bytes} B"


@dataclass(frozen=True)
class Edges:
    """The edges of an operator's mode and dtype.

    ``sizes_of(case)`` has every size that an edge may fix; ``cases(edge)`` draws cases on an edge.
    """

    declared: tuple[Edge, ...]
    sizes_of: Callable[[Case], Sizes]
    cases: Callable[[Edge], SearchStrategy[Case]]

    def within(self, cost: int) -> tuple[Edge, ...]:
        """The edges that are judged where a case may cost so much."""
        return tuple(edge for edge in self.declared if edge.cost <= cost)

    def of(self, case: Case) -> tuple[str, ...]:
        """The names of the edges on which a case lies."""
        if case.machine is None:
            return ()
        near = self._by_machine.get((case.machine.cores, case.machine.ub_bytes), ())
        if not near:
            return ()
        sizes = self.sizes_of(case)
        return tuple(edge.name for edge in near if edge.sizes.items() <= sizes.items())

    @cached_property
    def _by_machine(self) -> dict[tuple[int, int], list[Edge]]:
        found: dict[tuple[int, int], list[Edge]] = {}
        for edge in self.declared:
            found.setdefault((edge.machine.cores, edge.machine.ub_bytes), []).append(edge)
        return found


def distinct(edges: Iterable[Edge]) -> tuple[Edge, ...]:
    """The edges, of those with the same sizes on a machine the first one; cheapest ones first."""
    found: dict[object, Edge] = {}
    for edge in edges:
        found.setdefault((edge.machine, frozenset(edge.sizes.items())), edge)
    return tuple(sorted(found.values(), key=lambda edge: (edge.cost, edge.name)))
