"""Calls of an operator that are drawn by their sizes: any, small ones, on a seam, on edges."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from hypothesis.strategies import SearchStrategy

from cases.operators._extremes import CellsOf, Declares, with_extremes
from conformance.call.case import Case, Machine
from conformance.draw.machines import STEP_BYTES
from conformance.record.cells import Axis, Cells, Constraint
from conformance.record.edges import Edge, Edges, Sizes, distinct

Drawn = Callable[..., SearchStrategy[Case]]
Near = Iterable[tuple[str, Machine, Sizes]]


@dataclass(frozen=True, eq=False)
class SizedCalls:
    """What draws the calls of an operator. Each takes a mode and a data type first.

    * ``make``: a call.
    * ``at``: calls that show these levels of the ``axes``.
    * ``sized``: calls of these sizes on a machine, of any values.
    * ``few``: calls that a person can work out; ``on_a_seam``: those on the seam of a machine.
    * ``near``: sizes near the limits of a data type, by limit and machine; ``cost`` is that of an
      edge by its sizes and machine.
    * ``sizes_of``: the sizes of a call.
    * ``extremes``: what is extreme in a mode and data type.
    """

    make: Callable[..., Case]
    at: Drawn
    sized: Drawn
    few: Drawn
    on_a_seam: Drawn
    near: Callable[[str], Near]
    cost: Callable[[Sizes, Machine], int]
    sizes_of: Callable[[Case], Sizes]
    extremes: Callable[[str, str], Declares]
    axes: tuple[Axis, ...]
    constraints: tuple[Constraint, ...]

    def cases(
        self, mode: str, dtype: str, small: bool = False, seam: bool = False
    ) -> SearchStrategy[Case]:
        """Any calls; small ones; those on a seam."""
        if seam:
            return self.on_a_seam(mode, dtype)
        return self.few(mode, dtype) if small else self.cells(mode, dtype).drawn({})

    def cells(self, mode: str, dtype: str) -> Cells:
        """What a run judges of a mode and data type."""
        return self._with_extremes(mode, dtype)

    def without_extremes(self, mode: str, dtype: str) -> Cells:
        """The same, but for what is extreme."""
        declared = (
            Edge(limit, machine, sizes, self.cost(sizes, machine))
            for limit, machine, sizes in self.near(dtype)
        )
        edges = Edges(
            distinct(declared),
            self.sizes_of,
            lambda edge: self.sized(mode, dtype, edge.sizes, edge.machine),
        )
        return Cells(
            self.axes, lambda levels: self.at(mode, dtype, levels), self.constraints, edges
        )

    @cached_property
    def _with_extremes(self) -> CellsOf:
        return with_extremes(self.without_extremes, self.extremes)


def with_room(machine: Machine, ub_bytes: int) -> Machine:
    """The machine with so much buffer at least."""
    least = -(-ub_bytes // STEP_BYTES) * STEP_BYTES
    return Machine(machine.cores, max(machine.ub_bytes, least))
