"""Calls of operators that select experts of groups: sizes, values, biases, factors, edges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from hypothesis import strategies as st

from cases.operators import _gating_group_limits as limits
from cases.operators._gating_group_sizes import Planted
from cases.operators._sized_calls import SizedCalls
from conformance.call.case import Case, Machine
from conformance.draw.machines import machines, seam_machines
from conformance.draw.values import SEEDS
from conformance.record.cells import Axis, Constraint
from conformance.record.derive.axes import of_sizes, of_values
from conformance.record.edges import Sizes
from conformance.values.fill import Fill

Make = Callable[..., Case]
Kind = TypeVar("Kind", bound=SizedCalls)

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


def sizes_of(case: Case) -> dict[str, int]:
    """The sizes of a call."""
    rows, experts = case.inputs["x"].shape
    groups, kept = case.attributes["group_count"], case.attributes["k_group"]
    k = case.attributes["k"]
    return {"row": rows, "group": groups, "member": experts // groups, "kept": kept, "slot": k}


def _groups_of(case: Case) -> list[str]:
    sizes = sizes_of(case)
    here = sizes["group"], sizes["kept"]
    return [level for level, one in GROUPS.items() if one == here]


def _slots_of(case: Case) -> set[str]:
    sizes = sizes_of(case)
    all_of_them, k = sizes["kept"] * sizes["member"], sizes["slot"]
    kinds = {ONE: k == 1, SOME: 1 < k < all_of_them, ALL: k == all_of_them}
    return {level for level, shown in kinds.items() if shown}


def of_number(name: str, values: Mapping[str, float]) -> Callable[[Case], list[str]]:
    """The levels of an attribute that a case shows, by their values."""

    def shown(case: Case) -> list[str]:
        return [level for level, one in values.items() if case.attributes[name] == one]

    return shown


AXES = (
    of_sizes("row", ROWS, sizes_of),
    Axis("groups", tuple(GROUPS), _groups_of),
    of_sizes("member", MEMBERS, sizes_of),
    Axis("k", (ONE, SOME, ALL), _slots_of),
    Axis(
        "score of a group",
        (PLAIN, BY_SUM),
        lambda case: {(PLAIN, BY_SUM)[case.attributes["group_select_mode"]]},
    ),
    of_values("values", FAMILIES, "x"),
    of_values("bias", BIASES, "bias", absent=BIASES[0]),
    Axis("factor", tuple(FACTORS), of_number("routed_scaling_factor", FACTORS)),
    Axis("eps", tuple(EPSES), of_number("eps", EPSES)),
    Axis("written", ("no", "yes"), lambda case: {("no", "yes")[case.attributes["out_flag"]]}),
)


def has_two(member: str, score: str) -> bool:
    """Whether a group of so few experts has two to be summed."""
    return score == PLAIN or MEMBERS[member][1] > 1


def may_be_some(groups: str, member: str, slots: str) -> bool:
    """Whether so few experts of kept groups have more than one and fewer than all selected."""
    return slots != SOME or GROUPS[groups][1] * MEMBERS[member][1] > 2


def may_be_aligned(groups: str, member: str) -> bool:
    """Whether the groups, each aligned to 32, have at most 2048 experts."""
    return limits.aligned(GROUPS[groups][0], MEMBERS[member][1]) <= limits.MOST_EXPERTS


CONSTRAINTS = (
    Constraint(("member", "score of a group"), has_two, "a group of one has no second expert"),
    Constraint(("groups", "member", "k"), may_be_some, "too few experts are kept"),
    Constraint(("groups", "member"), may_be_aligned, "more than 2048 experts of aligned groups"),
)


def grouped_gating(make: Make, kind: type[Kind]) -> Kind:
    """The calls of an operator that selects of groups; ``make`` is like `call`."""
    return kind(
        make,
        at=partial(_at, make),
        sized=partial(_sized, make),
        few=partial(_few, make),
        on_a_seam=partial(_on_a_seam, make),
        near=lambda dtype: limits.near_limits(),
        cost=lambda sizes, machine: sizes["row"] * sizes["group"] * sizes["member"],
        sizes_of=sizes_of,
        extremes=lambda mode, dtype: Planted(),
        axes=AXES,
        constraints=CONSTRAINTS,
    )


@st.composite
def _few(draw: st.DrawFn, make: Make, mode: str, dtype: str) -> Case:
    """A few rows of a few experts: a person can work them out."""
    groups, member = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    kept = draw(st.integers(1, groups))
    k, rows = draw(st.integers(1, min(kept * member, 3))), draw(st.integers(1, 3))
    sizes = {"row": rows, "group": groups, "member": member, "kept": kept, "slot": k}
    machine = draw(machines(limits.least_ub(sizes), small=True))
    return draw(_sized(make, mode, dtype, sizes, machine))


@st.composite
def _on_a_seam(draw: st.DrawFn, make: Make, mode: str, dtype: str) -> Case:
    """Groups of a sort and a little more, on a machine with the least buffer for them or more."""
    groups, member = draw(st.integers(1, 3)), draw(st.integers(33, 35))
    kept, k = draw(st.integers(1, groups)), draw(st.sampled_from([1, 2, 33]))
    rows = draw(st.integers(1, 2))
    sizes = {"row": rows, "group": groups, "member": member, "kept": kept, "slot": k}
    machine = draw(seam_machines(limits.least_ub(sizes), limits.LANE_BYTES - 1))
    return draw(_sized(make, mode, dtype, sizes, machine))


@st.composite
def _at(draw: st.DrawFn, make: Make, mode: str, dtype: str, levels: Mapping[str, str]) -> Case:
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
    return make(
        mode,
        dtype,
        sizes,
        given,
        machine=draw(machines(limits.least_ub(sizes))),
        group_select_mode=int(levels["score of a group"] == BY_SUM),
        routed_scaling_factor=FACTORS[levels["factor"]],
        eps=EPSES[levels["eps"]],
        out_flag=int(levels["written"] == "yes"),
    )


@st.composite
def _sized(
    draw: st.DrawFn,
    make: Make,
    mode: str,
    dtype: str,
    sizes: Sizes,
    machine: Machine,
) -> Case:
    given: dict[str, Any] = {"x": {"fill": Fill((draw(st.sampled_from(FAMILIES)),), draw(SEEDS))}}
    bias = draw(st.sampled_from(BIASES))
    if bias != BIASES[0]:
        given["bias"] = {"fill": Fill((bias,), draw(SEEDS), terms=sizes["member"])}
    return make(
        mode,
        dtype,
        sizes,
        given,
        machine=machine,
        group_select_mode=int(sizes["member"] > 1 and draw(st.booleans())),
        routed_scaling_factor=draw(st.sampled_from(tuple(FACTORS.values()))),
        eps=draw(st.sampled_from(tuple(EPSES.values()))),
        out_flag=int(draw(st.booleans())),
    )
