"""Calls of the operators that select of a softmax: sizes, values, finished rows, extremes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from hypothesis import strategies as st

from cases.operators import _gating_limits as limits
from cases.operators._extremes import MACHINE, Extreme
from cases.operators._extremes import PRIME_COLUMNS as PRIME
from cases.operators._sized_calls import SizedCalls
from cases.operators._token_permute_limits import KEY_BYTES, SORTED_AT_ONCE
from conformance.call.case import Case, Machine
from conformance.draw.machines import STEP_BYTES, machines, seam_machines
from conformance.draw.values import SEEDS
from conformance.record.cells import Axis, Constraint
from conformance.record.derive.axes import of_sizes, of_values
from conformance.record.derive.calls import Fields, Sizes, call
from conformance.record.edges import Edges
from conformance.record.signature import Signature
from conformance.values.fill import Fill
from conformance.values.special_rows import KINDS

Make = Callable[..., Case]
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
MASKED_ROWS = 12
"""As many as smoke can afford in two pieces."""

ONE, FEW, MANY, ALL = "one", "2 to 8", "more than 8", "all"
ABSENT, NONE, SOME, EVERY = "absent", "none", "some", "all"
TWO, THREE = "two axes", "three axes"


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


SEAM = Machine(3, KEY_BYTES * limits.least_lanes(1))
"""Rows of more than two sorts are taken in pieces there."""

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


def softmax_call(
    signature: Signature,
    mode: str,
    dtype: str,
    rows: tuple[int, ...],
    experts: int,
    k: int,
    given: Fields,
    machine: Machine | None = None,
) -> Case:
    """The call of a signature with x of [*rows, experts]."""
    sizes: Sizes = {"row": rows, "expert": experts, "slot": k}
    return call(signature, mode, dtype, sizes, given, machine=machine)


def gating(make: Make) -> SizedCalls:
    """The calls of an operator that selects of a softmax; ``make`` is like `softmax_call`."""
    return SizedCalls(
        make,
        at=partial(_at, make),
        sized=partial(_sized, make),
        few=partial(_few, make),
        on_a_seam=partial(_on_a_seam, make),
        near=lambda dtype: limits.near_limits(),
        cost=lambda sizes, machine: sizes["row"] * sizes["expert"],
        sizes_of=sizes_of,
        extremes=lambda mode, dtype: Planted(),
        axes=AXES,
        constraints=CONSTRAINTS,
    )


@dataclass(frozen=True)
class Planted:
    """What is extreme in these calls: x is one row of one expert, k is 1024, special values are in
    every place of x, and no more than a few experts are left of a row in two pieces."""

    def declared(self, near: Edges) -> Iterator[Extreme]:
        """The extremes of sizes, then those of values: of rows whose experts are all selected, and
        of rows in two pieces. There are so many rows that each column has each special value."""
        yield extreme("the fewest rows of one column", 1, 1, 1)
        yield extreme("a prime number of columns", 3, PRIME, 5)
        yield extreme("the fewest rows of the most slots", 1, limits.MOST_K + 1, limits.MOST_K)
        for experts in (2, 4, 9):
            told = f"special values in every slot of x, {experts} experts"
            yield extreme(told, len(KINDS) * experts, experts, experts, "x")
        told = "special values in every column of x, rows in two pieces"
        experts = limits.piece(SEAM.ub_bytes, 1) + 1
        yield extreme(told, len(KINDS) * experts, experts, 4, "x", SEAM)
        told = "few experts of x left, rows in two pieces"
        yield replace(extreme(told, MASKED_ROWS, experts, 4, "x", SEAM), family="masked")


def extreme(
    limit: str, rows: int, experts: int, k: int, planted: str = "", machine: Machine = MACHINE
) -> Extreme:
    """The extreme of so many rows, experts and selected ones."""
    sizes = {"row": rows, "expert": experts, "slot": k}
    return Extreme(limit, sizes, planted, machine, rows * experts)


@st.composite
def _few(draw: st.DrawFn, make: Make, mode: str, dtype: str) -> Case:
    """A few rows of a few experts: a person can work them out."""
    experts = draw(st.integers(1, 6))
    k, rows = draw(st.integers(1, min(experts, 3))), draw(st.integers(1, 3))
    extents = draw(st.sampled_from([(rows,), (1, rows), (rows, 1)]))
    given: dict[str, Any] = {"x": {"fill": Fill((draw(st.sampled_from(FAMILIES)),), draw(SEEDS))}}
    finished = draw(st.sampled_from([None, *range(rows + 1)]))
    if finished is not None:
        given["finished"] = {"values": _spread(rows, finished)}
    machine = draw(machines(limits.least_ub(experts, k), small=True))
    return make(mode, dtype, extents, experts, k, given, machine)


@st.composite
def _on_a_seam(draw: st.DrawFn, make: Make, mode: str, dtype: str) -> Case:
    """A row of two pieces on a machine with the least buffer for them, or a little more."""
    k = draw(st.sampled_from([1, 2, SORTED_AT_ONCE]))
    ub, most_steps = KEY_BYTES * limits.least_lanes(k), KEY_BYTES * SORTED_AT_ONCE // STEP_BYTES - 1
    experts = draw(st.integers(limits.piece(ub, k) + 1, limits.two_pieces(ub, k) + 1))
    fill = Fill((draw(st.sampled_from(FAMILIES)),), draw(SEEDS))
    machine = draw(seam_machines(ub, most_steps))
    rows = draw(st.integers(1, 2))
    return make(mode, dtype, (rows,), experts, k, {"x": {"fill": fill}}, machine)


@st.composite
def _at(draw: st.DrawFn, make: Make, mode: str, dtype: str, levels: Mapping[str, str]) -> Case:
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
    machine = draw(machines(limits.least_ub(experts, k)))
    return make(mode, dtype, extents, experts, k, given, machine)


def _experts(levels: Mapping[str, str]) -> tuple[int, int]:
    fewest, most = EXPERTS[levels["expert"]]
    fewest = max(fewest, {FEW: 2, MANY: 9}.get(levels["k"], 1))
    return fewest, min(most, limits.MOST_K) if levels["k"] == ALL else most


def _slots(level: str, experts: int) -> tuple[int, int]:
    """The fewest and the most that may be selected."""
    least = {ONE: 1, FEW: 2, MANY: 9, ALL: experts}[level]
    most = {ONE: 1, FEW: 8, MANY: 80, ALL: experts}[level]
    return least, min(most, experts, limits.MOST_K)


def _spread(rows: int, count: int) -> tuple[int, ...]:
    """So many finished rows, as far apart as may be."""
    return tuple(int((row + 1) * count // rows > row * count // rows) for row in range(rows))


@st.composite
def _sized(
    draw: st.DrawFn,
    make: Make,
    mode: str,
    dtype: str,
    sizes: Mapping[str, int],
    machine: Machine,
) -> Case:
    family = draw(st.sampled_from(FAMILIES))
    given: dict[str, Any] = {"x": {"fill": Fill((family,), draw(SEEDS))}}
    return make(mode, dtype, (sizes["row"],), sizes["expert"], sizes["slot"], given, machine)
