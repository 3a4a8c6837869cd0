"""Extremes of an operator, as edges: sizes at the ends of their range, special values everywhere.

An extreme is an edge whose limit is no tiling's. A record names its own; a run judges a case of
each that its profile affords, and one without a case fails the run by name. Sizes of zero are no
edges but documented calls, of which every run makes all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Protocol

from hypothesis.strategies import SearchStrategy

from conformance.call.case import Case, Machine
from conformance.record.cells import Cells
from conformance.record.edges import Edge, Edges, Sizes, distinct
from conformance.values.fill import Fill
from conformance.values.special_rows import KINDS, PLANTED

MACHINE = Machine(3, 65536)
MOST_TOP_K = 512
PRIME_COLUMNS = 97
"""No multiple of 32 bytes, nor of anything, in any data type."""

FEW_SLOTS, MANY_SLOTS = 4, 31
SPARE_ROWS = 8
"""Rows that a call may have beyond twice its slots: places of two experts, and a few more."""

INDEX_COST = 8
"""Of a slot that is listed, in elements."""

JUST_ABOVE = " + 1"
"""How the limit of an edge ends that lies above it."""

CellsOf = Callable[[str, str], Cells]


@dataclass(frozen=True)
class Extreme:
    """Sizes that an edge fixes on a machine, and the input whose values are `planted`, if any.

    Its values are of a ``family``, special ones if no other is named. ``cost`` is that of the edge;
    None: it follows from the slots and columns of the sizes.
    """

    limit: str
    sizes: Sizes
    planted: str = ""
    machine: Machine = MACHINE
    cost: int | None = None
    family: str = PLANTED

    def edge(self) -> Edge:
        """The edge that it is."""
        sizes = {**self.sizes, **{_key(*values): 1 for values in self.values}}
        slots = sizes.get("top_k", 1) * sizes.get("tokens", sizes.get("rows", 3))
        cost = slots * (sizes.get("hidden", 8) + INDEX_COST) if self.cost is None else self.cost
        return Edge(self.limit, self.machine, sizes, cost, in_each=bool(self.planted))

    @property
    def values(self) -> list[tuple[str, str]]:
        """The input and the family of its values, if they are planted."""
        return [(self.planted, self.family)] if self.planted else []


class Declares(Protocol):
    """What is extreme in the calls of one mode."""

    def declared(self, near: Edges) -> Iterator[Extreme]:
        """The extremes; some may lie on the edges that are there without them."""


@dataclass(frozen=True)
class Extremes:
    """What is extreme in the calls of one mode of an operator with slots and columns.

    ``rows`` are inputs whose rows are added, moved or multiplied, ``weights`` those with a number
    for each slot, [tokens, top_k]; with each stand the sizes by which an edge has it. ``top_k`` is
    the most that a token may have, 1 where it has no other; 0: none is told of experts' rows.
    ``tokens`` are the fewest of a call; ``tiles`` is how the limits begin at which a row takes two
    tiles.
    """

    rows: Mapping[str, Sizes]
    weights: Mapping[str, Sizes] = field(default_factory=dict)
    top_k: int = MOST_TOP_K
    tokens: int = 1
    tiles: str = "two tiles"
    fixed: Sizes = field(default_factory=dict)

    def declared(self, near: Edges) -> Iterator[Extreme]:
        """The extremes of sizes, then those of values."""
        yield from self._sizes()
        few, many = (self._slots(min(self.top_k, slots)) for slots in (FEW_SLOTS, MANY_SLOTS))
        for name, how in self.rows.items():
            for sizes in (few, many):
                wide = {"hidden": len(KINDS) * (2 * max(sizes.values()) + SPARE_ROWS)}
                told = f"special values in every slot of {name}, {max(sizes.values())} rows"
                yield Extreme(told, {**self.fixed, **sizes, **wide, **how}, name)
            for edge in self._beyond_a_tile(near, how):
                told = f"special values in every column of {name}, {edge.limit}"
                sizes = {**self.fixed, **edge.sizes, **how}
                yield Extreme(told, sizes, name, edge.machine)
        for name, how in self.weights.items():
            slots = min(self.top_k, FEW_SLOTS)
            tall = {"tokens": len(KINDS) * max(slots, 1), "hidden": 3}
            tall |= {"top_k": slots} if slots else {}
            yield Extreme(f"special values in {name}", {**self.fixed, **tall, **how}, name)

    def _beyond_a_tile(self, near: Edges, how: Sizes) -> list[Edge]:
        """The cheapest edge at which a row takes two tiles."""
        return [
            edge
            for edge in near.declared
            if edge.limit.startswith(self.tiles)
            and edge.limit.endswith(JUST_ABOVE)
            and all(edge.sizes.get(name, size) == size for name, size in how.items())
        ][:1]

    def _slots(self, slots: int) -> dict[str, int]:
        """One token of so many slots, or as many tokens or rows where it has no more than one."""
        if self.top_k == 0:
            return {"tokens": FEW_SLOTS, "rows": FEW_SLOTS}
        return {"top_k": slots, "tokens": FEW_SLOTS if slots < FEW_SLOTS else self.tokens}

    def _sizes(self) -> Iterator[Extreme]:
        one: Sizes = {"tokens": self.tokens, **({"top_k": 1} if self.top_k else {"rows": 1})}
        some: Sizes = {"tokens": 3, "top_k": min(self.top_k, 3)} if self.top_k else {"rows": 6}
        yield Extreme("the fewest rows of one column", {**self.fixed, **one, "hidden": 1})
        yield Extreme("a prime number of columns", {**self.fixed, **some, "hidden": PRIME_COLUMNS})
        if self.top_k > 1:
            most: Sizes = {"tokens": self.tokens, "top_k": self.top_k}
            yield Extreme("the fewest tokens of the most slots", {**self.fixed, **most})


def with_extremes(cells: CellsOf, extremes: Declares | Callable[[str, str], Declares]) -> CellsOf:
    """The cells of a record, with the extremes of each mode and dtype among their edges."""

    @cache
    def made(mode: str, dtype: str) -> Cells:
        found = cells(mode, dtype)
        if found.edges is None:
            return found
        mine = extremes(mode, dtype) if callable(extremes) else extremes
        return replace(found, edges=_joined(found.edges, mine))

    return made


def _joined(near: Edges, mine: Declares) -> Edges:
    every = {one.limit: one for one in mine.declared(near)}
    edges = [one.edge() for one in every.values()]

    def cases(edge: Edge) -> SearchStrategy[Case]:
        extreme = every.get(edge.limit)
        if extreme is None:
            return near.cases(edge)
        drawn = near.cases(replace(edge, sizes=extreme.sizes))
        if not extreme.planted:
            return drawn
        given = drawn.filter(lambda case: extreme.planted in case.inputs)
        return given.map(partial(plant, name=extreme.planted, family=extreme.family))

    values = sorted({planted for one in every.values() for planted in one.values})

    def sizes_of(case: Case) -> Sizes:
        shown = {_key(*planted): _is_planted(case, *planted) for planted in values}
        return {**near.sizes_of(case), **shown}

    return Edges(distinct((*near.declared, *edges)), sizes_of, cases)


def plant(case: Case, name: str, family: str = PLANTED) -> Case:
    """The case with values of a family in all of one of its inputs."""
    tensor = case.inputs[name]
    fill = tensor.fill or Fill((family,), seed=0)
    grown = replace(tensor, values=None, fill=replace(fill, stripes=(family,)))
    return replace(case, inputs={**case.inputs, name: grown})


def _key(name: str, family: str) -> str:
    return f"{'special' if family == PLANTED else family} {name}"


def _is_planted(case: Case, name: str, family: str) -> int:
    tensor = case.inputs.get(name)
    return int(tensor is not None and tensor.fill is not None and tensor.fill.stripes == (family,))
