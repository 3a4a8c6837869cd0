"""Calls in which a table has the experts of each row: ids, tables, cells, edges, workloads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from numpy.typing import NDArray

from cases.operators._gating_group_limits import SMALL
from cases.operators._gating_groups import ALL, GROUPS, MEMBERS, ONE, sizes_of
from cases.operators._gating_ladders import apart
from cases.operators._sized_calls import SizedCalls
from cases.operators._slot_sum_limits import CHIPS
from conformance.call.case import Case, Machine, Tensor
from conformance.draw.values import SEEDS
from conformance.record.cells import Axis, Cells, Constraint, Levels
from conformance.record.edges import STEPS, Edge, Edges, Sizes, distinct
from conformance.record.size_ladders import Ladder
from conformance.record.variations import with_attributes
from conformance.record.workload import Batch

IDS, TABLE = "input_ids", "tid2eid"
MOST_LOOKED_UP = 64
"""Experts of a row of the table, as the document limits them."""

NONE = "none"
TYPES = {
    f"{ids} in a table of {experts}": (ids, experts)
    for ids, experts in product(("int32", "int64"), repeat=2)
}
"""Data types of the ids, and of the table."""

ANY, ONE_ROW, ENDS, REPEATED = TABLES = ("any row", "one row", "its ends", "an expert twice")
"""What a table is, and which of its rows the ids name."""

KEYS = "key"


def looked_up(case: Case) -> bool:
    """Whether a table decides in a call: it has ids and a table."""
    return {IDS, TABLE} <= case.inputs.keys()


def simple(case: Case) -> bool:
    """Whether experts of a call could be looked up: all groups are kept, or each is one expert."""
    sizes = sizes_of(case)
    whole = sizes["kept"] == sizes["group"] or sizes["member"] == 1
    return whole and sizes["slot"] <= MOST_LOOKED_UP


def with_table(
    case: Case, ids: Any, table: Any, types: tuple[str, str] = ("int32", "int32")
) -> Case:
    """The call with these ids [rows] and this table [keys, k]."""
    arrays = {IDS: np.asarray(ids), TABLE: np.asarray(table)}
    tensors = {
        name: Tensor(array.shape, dtype, tuple(array.ravel().tolist()))
        for (name, array), dtype in zip(arrays.items(), types, strict=True)
    }
    return replace(case, inputs={**case.inputs, **tensors})


def drawn_table(
    case: Case, types: tuple[str, str], kind: str, seed: int, keys: int | None = None
) -> Case:
    """The call with ids and a table of that kind, which has so many rows, or a few more than x."""
    rng = np.random.default_rng(seed)
    rows, experts = case.inputs["x"].shape
    k = case.attributes["k"]
    count = 1 if kind == ONE_ROW else keys or rows + 2
    ids = rng.choice([count - 1, 0], rows) if kind == ENDS else rng.integers(0, count, rows)
    table = rng.random((count, experts)).argsort(axis=1)[:, :k]
    if kind == REPEATED:
        table[:, -1] = table[:, 0]
    elif kind in (ANY, ENDS) and rows and count > 2:
        ids[0] = 1 if kind == ANY else count - 1
    return with_table(case, ids, table, types)


def _types_of(case: Case) -> list[str]:
    if not looked_up(case):
        return [NONE]
    here = case.inputs[IDS].dtype, case.inputs[TABLE].dtype
    return [name for name, types in TYPES.items() if types == here]


def _kinds_of(case: Case) -> set[str]:
    if not looked_up(case):
        return {NONE}
    ids, table = (_numbers(case.inputs[name]) for name in (IDS, TABLE))
    last = case.inputs[TABLE].shape[0] - 1
    twice = any(len(set(row)) < len(row) for row in table.tolist())
    kinds = {ONE_ROW: last == 0, ENDS: last > 0 and set(ids.tolist()) <= {0, last}, REPEATED: twice}
    return {kind for kind, shown in kinds.items() if shown} or {ANY}


def _numbers(tensor: Tensor) -> NDArray[np.int64]:
    """The numbers of a tensor that exist."""
    return np.array(tensor.values, np.int64).reshape(tensor.held_shape)


AXES = (Axis("lookup", (NONE, *TYPES), _types_of), Axis("table", (NONE, *TABLES), _kinds_of))


def may_be_simple(groups: str, member: str, k: str, lookup: str) -> bool:
    """Whether a table may have the experts of such a row."""
    count, kept = GROUPS[groups]
    fewest = MEMBERS[member][0] * kept
    return lookup == NONE or (
        (kept == count or MEMBERS[member][1] == 1) and (k != ALL or fewest <= MOST_LOOKED_UP)
    )


def may_be_twice(groups: str, member: str, k: str, table: str) -> bool:
    """Whether a row of a table has two experts, if it is to have one twice."""
    every = GROUPS[groups][1] * MEMBERS[member][0]
    return table != REPEATED or (k != ONE and (k != ALL or every > 1))


CONSTRAINTS = (
    Constraint(("groups", "member", "k", "lookup"), may_be_simple, "a table takes no such groups"),
    Constraint(
        ("lookup", "table"), lambda lookup, table: (lookup == NONE) == (table == NONE), "no table"
    ),
    Constraint(("groups", "member", "k", "table"), may_be_twice, "one expert"),
)


@dataclass(frozen=True, eq=False)
class LookupGating(SizedCalls):
    """An operator that selects of groups, or by a table."""

    def cases(
        self, mode: str, dtype: str, small: bool = False, seam: bool = False
    ) -> SearchStrategy[Case]:
        """As `SizedCalls.cases`; of those that may have a table, most have one."""
        if not small:
            return self.cells(mode, dtype).drawn({})
        return _perhaps(super().cases(mode, dtype, small=True, seam=seam))

    def cells(self, mode: str, dtype: str) -> Cells:
        """What a run judges of a mode and data type."""
        found = super().cells(mode, dtype)
        return found.completed(*AXES, cases=_at, on=lambda cases, _: cases, constraints=CONSTRAINTS)

    def without_extremes(self, mode: str, dtype: str) -> Cells:
        """The same, but for what is extreme. Edges of groups are those of MoeGatingTopK alone."""
        found = super().without_extremes(mode, dtype)
        near = found.edges
        assert near is not None

        def on(edge: Edge) -> SearchStrategy[Case]:
            drawn = near.cases(edge)
            return _of_keys(drawn, edge.sizes[KEYS]) if KEYS in edge.sizes else _perhaps(drawn)

        whole = (edge for edge in near.declared if edge.sizes["group"] == 1)
        edges = Edges((*whole, *_edges()), _sizes_with_keys, on)
        return replace(found, edges=edges)


def _sizes_with_keys(case: Case) -> Sizes:
    return {**sizes_of(case), KEYS: case.inputs[TABLE].shape[0] if looked_up(case) else 0}


@cache
def _edges() -> tuple[Edge, ...]:
    return distinct(
        Edge(f"{limit}{step}", machine, sizes, sizes["row"] * sizes["member"])
        for machine in (SMALL, *CHIPS)
        for step, change in STEPS.items()
        for limit, sizes in _near(machine, change)
    )


def _near(machine: Machine, change: int) -> Iterator[tuple[str, Sizes]]:
    """Sizes near a limit; a table has one row of experts at least, and at most 64 of them."""
    one = {"group": 1, "kept": 1, "member": 2 * MOST_LOOKED_UP, "slot": 3, KEYS: 5}
    yield "looked up: rows = cores", {**one, "row": machine.cores + change}
    for slot in (32, MOST_LOOKED_UP):
        if slot + change <= MOST_LOOKED_UP:
            yield f"looked up: k {slot}", {**one, "row": 3, "slot": slot + change}
    yield "looked up: as many keys as rows", {**one, "row": 3, KEYS: 3 + change}


@st.composite
def _at(draw: st.DrawFn, cases: SearchStrategy[Case], levels: Levels) -> Case:
    case = draw(cases)
    if levels["lookup"] == NONE:
        return case
    return drawn_table(case, TYPES[levels["lookup"]], levels["table"], draw(SEEDS))


@st.composite
def _perhaps(draw: st.DrawFn, cases: SearchStrategy[Case]) -> Case:
    """The calls, most of which have a table if they can."""
    case = draw(cases)
    types = draw(st.sampled_from((None, *TYPES.values()))) if simple(case) else None
    if types is None:
        return case
    kinds = [kind for kind in TABLES if kind != REPEATED or case.attributes["k"] > 1]
    return drawn_table(case, types, draw(st.sampled_from(kinds)), draw(SEEDS))


@st.composite
def _of_keys(draw: st.DrawFn, cases: SearchStrategy[Case], keys: int) -> Case:
    """The calls with a table of so many rows."""
    types = draw(st.sampled_from(tuple(TYPES.values())))
    return drawn_table(draw(cases), types, ENDS, draw(SEEDS), keys)


def keys_ladder(gating: LookupGating) -> Ladder:
    """Rows of the table, grown alone."""

    def cases(mode: str, dtype: str, size: int, machine: Machine) -> SearchStrategy[Case]:
        # Two keys may have one expert in common, but hardly four in one order.
        sizes = {"row": 3, "group": 1, "member": 8, "kept": 1, "slot": 4}
        return _of_keys(gating.sized(mode, dtype, sizes, machine).map(apart), size)

    return Ladder("keys", cases)


def by_table(
    by_key: Callable[[str, Batch], SearchStrategy[Case]],
) -> Callable[[str, Batch], SearchStrategy[Case]]:
    """The calls of a batch in which a row of the table has the experts of each token."""

    def cases(dtype: str, batch: Batch) -> SearchStrategy[Case]:
        return by_key(dtype, batch).map(lambda case: looked(case, batch))

    def looked(case: Case, batch: Batch) -> Case:
        whole = with_attributes(case, k_group=1, group_count=1, group_select_mode=0)
        return with_table(whole, np.arange(batch.tokens), batch.experts, ("int64", "int32"))

    return cases
