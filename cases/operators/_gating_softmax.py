"""Calls of the operators that select of a softmax: sizes, values, finished rows, edges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.call.case import Case, Machine
from conformance.draw.machines import machines
from conformance.draw.values import SEEDS
from conformance.record.cells import Axis, Cells, Constraint
from conformance.record.derive.axes import of_sizes, of_values
from conformance.record.edges import Edge, Edges
from conformance.record.size_ladders import Ladder
from conformance.values.fill import Fill

Make = Callable[..., Case]
MOST_K = 1024
ROWS = {"one": (1, 1), "few": (2, 9), "39 to 49": (39, 49), "about 100": (95, 130)}
EXPERTS = {
    "one": (1, 1),
    "2 to 8": (2, 8),
    "9 to 30": (9, 30),
    "31 to 33": (31, 33),
    "63 to 65": (63, 65),
    "255 to 257": (255, 257),
    "1000 to 1030": (1000, 1030),
}
FAMILIES = (
    *("separated", "levels", "gaussian", "equal", "masked", "one special"),
    *("close", "wide", "offset", "vanishing"),
)
LANE_BYTES, LANES, LEAST_UB = 24, 32, 1024
"""Our tiling: bytes of a key in the buffer, keys of one sort, and the least buffer at all."""

ONE, FEW, MANY, ALL = "one", "2 to 8", "more than 8", "all"
ABSENT, NONE, SOME, EVERY = "absent", "none", "some", "all"
TWO, THREE = "two axes", "three axes"


def least_ub(experts: int, k: int) -> int:
    """The least bytes of a buffer in which our kernel selects k of so many experts."""
    lanes = min(-(-experts // LANES), -(-k // LANES) + 1) * LANES
    return max(LEAST_UB, LANE_BYTES * lanes)


def sizes_of(case: Case) -> dict[str, int]:
    """Rows, experts, and how many are selected."""
    x = case.inputs["x"]
    rows = x.size // x.shape[-1] if x.size else 0
    return {"row": rows, "expert": x.shape[-1], "slot": case.attributes["k"]}


def slots_of(case: Case) -> set[str]:
    """The levels of k that a case shows."""
    experts, k = sizes_of(case)["expert"], case.attributes["k"]
    kinds = {ONE: k == 1, FEW: 1 < k <= 8, MANY: k > 8, ALL: k == experts}
    return {name for name, shown in kinds.items() if shown}


def finished_of(case: Case) -> set[str]:
    """Which rows of a case are finished."""
    finished = case.arrays.get("finished")
    if finished is None:
        return {ABSENT}
    return {EVERY if finished.all() else SOME if finished.any() else NONE}


def may_select(experts: str, slots: str) -> bool:
    """Whether a row of so many experts can have so many selected."""
    return {ONE: 1, FEW: 2, MANY: 9, ALL: 1}[slots] <= EXPERTS[experts][1]


def may_finish(rows: str, finished: str) -> bool:
    """Whether so many rows can be finished in part."""
    return finished != SOME or ROWS[rows][1] > 1


AXES = (
    of_sizes("row", ROWS, sizes_of),
    of_sizes("expert", EXPERTS, sizes_of),
    Axis("k", (ONE, FEW, MANY, ALL), slots_of),
    of_values("values", FAMILIES, "x"),
    Axis("finished", (ABSENT, NONE, SOME, EVERY), finished_of),
    Axis("rank", (TWO, THREE), lambda case: {THREE if len(case.inputs["x"].shape) == 3 else TWO}),
)
CONSTRAINTS = (
    Constraint(("expert", "k"), may_select, "more are selected than there are"),
    Constraint(("row", "finished"), may_finish, "one row cannot be finished in part"),
)


@dataclass(frozen=True)
class Gating:
    """An operator that selects of a softmax: ``make(mode, dtype, sizes, given, machine=...)`` is
    its call. ``least_ub(experts, k)`` are the bytes that a machine must have."""

    make: Make
    least_ub: Callable[[int, int], int]

    def cells(self, mode: str, dtype: str) -> Cells:
        """What a run judges of a mode and data type."""
        edges = Edges(
            EDGES, sizes_of, lambda edge: self.sized(mode, dtype, edge.sizes, edge.machine)
        )
        return Cells(AXES, lambda levels: self.at(mode, dtype, levels), CONSTRAINTS, edges)

    def at(self, mode: str, dtype: str, levels: Mapping[str, str]) -> SearchStrategy[Case]:
        """Calls that show these levels."""
        return _at(self, mode, dtype, levels)

    def sized(
        self, mode: str, dtype: str, sizes: Mapping[str, int], machine: Machine
    ) -> SearchStrategy[Case]:
        """Calls of these sizes, of any values."""
        return _sized(self, mode, dtype, sizes, machine)


@st.composite
def _at(draw: st.DrawFn, gating: Gating, mode: str, dtype: str, levels: Mapping[str, str]) -> Case:
    experts = draw(st.integers(*_experts(levels)))
    k = draw(st.integers(*_slots(levels["k"], experts)))
    fewest, most = ROWS[levels["row"]]
    rows = draw(st.integers(max(fewest, 2) if levels["finished"] == SOME else fewest, most))
    extents: tuple[int, ...] = (rows,)
    if levels["rank"] == THREE:
        first = draw(st.sampled_from([n for n in range(1, rows + 1) if rows % n == 0]))
        extents = (first, rows // first)
    given: dict[str, Any] = {"x": {"fill": Fill((levels["values"],), draw(SEEDS))}}
    if levels["finished"] != ABSENT:
        some = levels["finished"] == SOME
        count = draw(st.integers(1, rows - 1)) if some else rows * (levels["finished"] == EVERY)
        given["finished"] = {"values": _spread(rows, count)}
    machine = draw(machines(gating.least_ub(experts, k)))
    return gating.make(mode, dtype, extents, experts, k, given, machine)


def _experts(levels: Mapping[str, str]) -> tuple[int, int]:
    fewest, most = EXPERTS[levels["expert"]]
    fewest = max(fewest, {FEW: 2, MANY: 9}.get(levels["k"], 1))
    return fewest, min(most, MOST_K) if levels["k"] == ALL else most


def _slots(level: str, experts: int) -> tuple[int, int]:
    """The fewest and the most that may be selected."""
    least = {ONE: 1, FEW: 2, MANY: 9, ALL: experts}[level]
    most = {ONE: 1, FEW: 8, MANY: 80, ALL: experts}[level]
    return least, min(most, experts, MOST_K)


def _spread(rows: int, count: int) -> tuple[int, ...]:
    """So many finished rows, as far apart as may be."""
    return tuple(int((row + 1) * count // rows > row * count // rows) for row in range(rows))


@st.composite
def _sized(
    draw: st.DrawFn,
    gating: Gating,
    mode: str,
    dtype: str,
    sizes: Mapping[str, int],
    machine: Machine,
) -> Case:
    family = draw(st.sampled_from(FAMILIES))
    given: dict[str, Any] = {"x": {"fill": Fill((family,), draw(SEEDS))}}
    return gating.make(mode, dtype, (sizes["row"],), sizes["expert"], sizes["slot"], given, machine)


FULL = Machine(48, 196352)
EDGES = tuple(
    Edge(limit, machine, {"row": rows, "expert": experts, "slot": k}, rows * experts)
    for limit, machine, rows, experts, k in (
        ("8 of 8 experts", FULL, 3, 8, 8),
        ("8 of 1024 experts", FULL, 49, 1024, 8),
        ("9 of 1024 experts", FULL, 2, 1024, 9),
        ("8 of 1032 experts", FULL, 2, 1032, 8),
        ("32 of 256 experts", FULL, 3, 256, 32),
        ("33 of 256 experts", FULL, 3, 256, 33),
        ("most that are selected", FULL, 1, 1025, 1024),
        ("all of 1024 experts", FULL, 2, 1024, 1024),
        ("longest rows in one piece", FULL, 2, 8160, 8),
        ("rows in chunks", FULL, 2, 8161, 8),
        ("more than 1024 rows", FULL, 1025, 16, 2),
    )
)


def ladders(gating: Gating) -> tuple[Ladder, ...]:
    """Rows, experts, and how many are selected, each grown alone."""

    def along(name: str, others: Mapping[str, int]) -> Callable[..., SearchStrategy[Case]]:
        def cases(mode: str, dtype: str, size: int, machine: Machine) -> SearchStrategy[Case]:
            sizes = {**others, name: size}
            sizes["expert"] = max(sizes["expert"], sizes["slot"])
            least = gating.least_ub(sizes["expert"], sizes["slot"])
            ub_bytes = max(machine.ub_bytes, -(-least // 32) * 32)
            return gating.sized(mode, dtype, sizes, Machine(machine.cores, ub_bytes))

        return cases

    return (
        Ladder("rows", along("row", {"expert": 5, "slot": 2}), cheap=2**13),
        Ladder("experts", along("expert", {"row": 2, "slot": 1}), least=1, most=2**14, cheap=2**12),
        Ladder("k", along("slot", {"row": 2, "expert": 1}), most=MOST_K),
    )
