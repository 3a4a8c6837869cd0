"""Calls of operators that select experts of groups: sizes, values, biases, factors, edges."""

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
from conformance.record.derive.axes import of_values
from conformance.record.edges import Edge, Edges
from conformance.record.size_ladders import Ladder
from conformance.values.fill import Fill

Make = Callable[..., Case]
Sizes = Mapping[str, int]
MOST_EXPERTS = 2048

ROWS = {"one": (1, 1), "few": (2, 9), "39 to 49": (39, 49)}
GROUPS = {
    "one": (1, 1),
    "2 of 4": (4, 2),
    "4 of 8": (8, 4),
    "5 of 16": (16, 5),
    "all of 4": (4, 4),
    "all but one of 8": (8, 7),
    "one of 3": (3, 1),
}
"""Groups, and how many of them are kept."""

MEMBERS = {"one": (1, 1), "few": (2, 7), "8": (8, 8), "31 to 33": (31, 33), "64": (64, 64)}
PLAIN, BY_SUM = "largest", "sum of two"
FACTORS = {"1": 1.0, "2.5": 2.5, "1 + 2^-8": 1.0 + 2.0**-8, "0": 0.0, "negative": -1.5}
EPSES = {"1e-20": 1e-20, "0": 0.0, "1e-6": 1e-6, "1": 1.0}
FAMILIES = (
    *("separated", "levels", "gaussian", "equal", "zero", "masked", "one special"),
    *("close", "wide", "offset", "vanishing"),
)
BIASES = ("absent", "shifts", "levels", "absorbs", "negative", "masked", "duels")
ONE, SOME, ALL = "one", "some", "all"


LANE_BYTES, LANES, LEAST_UB = 32, 32, 1024


def least_ub(sizes: Sizes) -> int:
    """The least bytes of a buffer in which our kernel selects in a call of these sizes: groups have
    whole sorts each if some are left out, and have more than one expert."""
    groups, members = sizes["group"], sizes["member"]
    if sizes["kept"] == groups or members == 1:
        groups, members = 1, groups * members
    return max(LEAST_UB, LANE_BYTES * groups * -(-members // LANES) * LANES)


def sizes_of(case: Case) -> dict[str, int]:
    """The sizes of a call."""
    rows, experts = case.inputs["x"].shape
    groups, kept = case.attributes["group_count"], case.attributes["k_group"]
    k = case.attributes["k"]
    return {"row": rows, "group": groups, "member": experts // groups, "kept": kept, "slot": k}


def _spans(name: str, spans: Mapping[str, tuple[int, int]]) -> Callable[[Case], list[str]]:
    def shown(case: Case) -> list[str]:
        size = sizes_of(case)[name]
        return [level for level, (least, most) in spans.items() if least <= size <= most]

    return shown


def _groups_of(case: Case) -> list[str]:
    sizes = sizes_of(case)
    here = sizes["group"], sizes["kept"]
    return [level for level, one in GROUPS.items() if one == here]


def _slots_of(case: Case) -> set[str]:
    sizes = sizes_of(case)
    all_of_them, k = sizes["kept"] * sizes["member"], sizes["slot"]
    kinds = {ONE: k == 1, SOME: 1 < k < all_of_them, ALL: k == all_of_them}
    return {level for level, shown in kinds.items() if shown}


def _number(name: str, values: Mapping[str, float]) -> Callable[[Case], list[str]]:
    def shown(case: Case) -> list[str]:
        return [level for level, one in values.items() if case.attributes[name] == one]

    return shown


AXES = (
    Axis("row", tuple(ROWS), _spans("row", ROWS)),
    Axis("groups", tuple(GROUPS), _groups_of),
    Axis("member", tuple(MEMBERS), _spans("member", MEMBERS)),
    Axis("k", (ONE, SOME, ALL), _slots_of),
    Axis(
        "score of a group",
        (PLAIN, BY_SUM),
        lambda case: {(PLAIN, BY_SUM)[case.attributes["group_select_mode"]]},
    ),
    of_values("values", FAMILIES, "x"),
    of_values("bias", BIASES, "bias", absent=BIASES[0]),
    Axis("factor", tuple(FACTORS), _number("routed_scaling_factor", FACTORS)),
    Axis("eps", tuple(EPSES), _number("eps", EPSES)),
    Axis("written", ("no", "yes"), lambda case: {("no", "yes")[case.attributes["out_flag"]]}),
)


def has_two(member: str, score: str) -> bool:
    """Whether a group of so few experts has two to be summed."""
    return score == PLAIN or MEMBERS[member][1] > 1


def may_be_some(groups: str, member: str, slots: str) -> bool:
    """Whether so few experts of kept groups have more than one and fewer than all selected."""
    return slots != SOME or GROUPS[groups][1] * MEMBERS[member][1] > 2


def aligned(groups: str, member: str) -> bool:
    """Whether the groups, each aligned to 32, have at most 2048 experts."""
    return GROUPS[groups][0] * -(-MEMBERS[member][1] // 32) * 32 <= MOST_EXPERTS


CONSTRAINTS = (
    Constraint(("member", "score of a group"), has_two, "a group of one has no second expert"),
    Constraint(("groups", "member", "k"), may_be_some, "too few experts are kept"),
    Constraint(("groups", "member"), aligned, "more than 2048 experts of aligned groups"),
)


@dataclass(frozen=True)
class GroupedGating:
    """An operator that selects of groups: ``make(mode, dtype, sizes, given, machine=...,
    **attributes)`` is its call. ``least_ub(sizes)`` are the bytes that a machine must have."""

    make: Make
    least_ub: Callable[[Sizes], int]

    def cells(self, mode: str, dtype: str) -> Cells:
        """What a run judges of a mode and data type."""
        edges = Edges(
            EDGES, sizes_of, lambda edge: _sized(self, mode, dtype, edge.sizes, edge.machine)
        )
        return Cells(AXES, lambda levels: _at(self, mode, dtype, levels), CONSTRAINTS, edges)

    def sized(self, mode: str, dtype: str, sizes: Sizes, machine: Machine) -> SearchStrategy[Case]:
        """Calls of these sizes, of any values."""
        return _sized(self, mode, dtype, sizes, machine)


@st.composite
def _at(
    draw: st.DrawFn, gating: GroupedGating, mode: str, dtype: str, levels: Mapping[str, str]
) -> Case:
    groups, kept = GROUPS[levels["groups"]]
    fewest, most = MEMBERS[levels["member"]]
    if levels["score of a group"] == BY_SUM:
        fewest = max(fewest, 2)
    if levels["k"] == SOME:
        fewest = max(fewest, -(-3 // kept))
    member = draw(st.integers(fewest, most))
    every = kept * member
    k = {ONE: 1, ALL: every}.get(levels["k"]) or draw(st.integers(2, min(every - 1, 40)))
    sizes = {
        "row": draw(st.integers(*ROWS[levels["row"]])),
        "group": groups,
        "member": member,
        "kept": kept,
        "slot": k,
    }
    given: dict[str, Any] = {"x": {"fill": Fill((levels["values"],), draw(SEEDS))}}
    if levels["bias"] != BIASES[0]:
        given["bias"] = {"fill": Fill((levels["bias"],), draw(SEEDS), terms=member)}
    return gating.make(
        mode,
        dtype,
        sizes,
        given,
        draw(machines(gating.least_ub(sizes))),
        group_select_mode=int(levels["score of a group"] == BY_SUM),
        routed_scaling_factor=FACTORS[levels["factor"]],
        eps=EPSES[levels["eps"]],
        out_flag=int(levels["written"] == "yes"),
    )


@st.composite
def _sized(
    draw: st.DrawFn,
    gating: GroupedGating,
    mode: str,
    dtype: str,
    sizes: Sizes,
    machine: Machine,
) -> Case:
    given: dict[str, Any] = {"x": {"fill": Fill((draw(st.sampled_from(FAMILIES)),), draw(SEEDS))}}
    bias = draw(st.sampled_from(BIASES))
    if bias != BIASES[0]:
        given["bias"] = {"fill": Fill((bias,), draw(SEEDS), terms=sizes["member"])}
    return gating.make(
        mode,
        dtype,
        sizes,
        given,
        machine,
        group_select_mode=int(sizes["member"] > 1 and draw(st.booleans())),
        routed_scaling_factor=draw(st.sampled_from(tuple(FACTORS.values()))),
        eps=draw(st.sampled_from(tuple(EPSES.values()))),
        out_flag=int(draw(st.booleans())),
    )


FULL = Machine(48, 196352)
SEAMS = (
    ("one expert", 3, 1, 1, 1, 1),
    ("8 of 256 experts in 4 of 8 groups", 49, 8, 32, 4, 8),
    ("32 of 256 experts in 4 of 8 groups", 3, 8, 32, 4, 32),
    ("33 of 256 experts in 4 of 8 groups", 3, 8, 32, 4, 33),
    ("8 of 384 experts", 3, 1, 384, 1, 8),
    ("groups of 31", 3, 8, 31, 3, 9),
    ("groups of 33", 3, 8, 33, 5, 9),
    ("2048 experts", 2, 1, 2048, 1, 8),
    ("64 groups of 32", 2, 64, 32, 17, 8),
    ("all of 2047 experts", 1, 1, 2047, 1, 2047),
    ("more than 1024 rows", 1025, 2, 4, 1, 2),
)
EDGES = tuple(
    Edge(
        limit,
        FULL,
        {"row": rows, "group": groups, "member": member, "kept": kept, "slot": k},
        rows * groups * member,
    )
    for limit, rows, groups, member, kept, k in SEAMS
)


def ladders(gating: GroupedGating) -> tuple[Ladder, ...]:
    """Rows and experts, each grown alone."""

    def along(name: str, others: Sizes) -> Callable[..., SearchStrategy[Case]]:
        def cases(mode: str, dtype: str, size: int, machine: Machine) -> SearchStrategy[Case]:
            sizes = {**others, name: size}
            least = gating.least_ub(sizes)
            ub_bytes = max(machine.ub_bytes, -(-least // 32) * 32)
            return gating.sized(mode, dtype, sizes, Machine(machine.cores, ub_bytes))

        return cases

    one = {"group": 1, "kept": 1, "slot": 1}
    return (
        Ladder("rows", along("row", {"group": 2, "member": 4, "kept": 1, "slot": 2}), cheap=2**13),
        Ladder("experts", along("member", {**one, "row": 2}), most=MOST_EXPERTS),
    )
