"""Calls of MoeGatingTopKBackward: scores, gradients, experts that are chosen, edges, extremes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from cases.operators._gating_groups import EPSES, FACTORS, of_number
from cases.operators._moe_gating_top_k_backward_limits import (
    FEWEST_EXPERTS,
    LEAST_UB,
    least_ub,
    near_limits,
)
from cases.operators._moe_gating_top_k_backward_sizes import Planted
from cases.operators._sized_calls import SizedCalls
from conformance.call.case import Case, Machine
from conformance.draw.machines import machines, seam_machines
from conformance.draw.values import SEEDS
from conformance.record.cells import Axis, Constraint
from conformance.record.derive.axes import of_sizes, of_values
from conformance.record.edges import Sizes
from conformance.values.fill import Fill

Make = Callable[..., Case]

ROWS = {"one": (1, 1), "few": (2, 9), "39 to 49": (39, 49), "about 100": (95, 130)}
EXPERTS = {
    "two": (2, 2),
    "3 to 9": (3, 9),
    "15 to 17": (15, 17),
    "63 to 65": (63, 65),
    "255 to 257": (255, 257),
}
ONE, EIGHTS, OTHERS, ALL = "one", "a multiple of 8", "no multiple of 8", "all"
SCORES = ("sigmoids", "eighths", "ends", "cold", "poisoned")
GRADIENTS = ("lattice", "gaussian", "scaled", "equal", "special")
"""Equal ones cancel, as each is the mean that is subtracted from it."""

ASCENDING, ANY, WITHOUT_0, ALIKE = IDS = (
    *("ascending", "any order"),
    *("without expert 0", "the same in every row"),
)
EVERY = {"x_norm": SCORES, "grad_y": GRADIENTS}
PLAIN = {"x_norm": SCORES[:2], "grad_y": GRADIENTS[:2]}
"""Families of values of which none is lost beside others."""


def sizes_of(case: Case) -> dict[str, int]:
    """Rows, experts, and how many of them have a weight."""
    rows, experts = case.inputs["x_norm"].shape
    return {"row": rows, "expert": experts, "slot": case.inputs["grad_y"].shape[1]}


def slots_of(case: Case) -> set[str]:
    """The levels of k that a case shows."""
    sizes = sizes_of(case)
    k, some = sizes["slot"], 1 < sizes["slot"] < sizes["expert"]
    kinds = {ONE: k == 1, EIGHTS: some and k % 8 == 0, OTHERS: some and k % 8 > 0}
    kinds[ALL] = k == sizes["expert"]
    return {name for name, shown in kinds.items() if shown}


def ids(pattern: str, rows: int, experts: int, k: int, seed: int) -> tuple[int, ...]:
    """Experts of each row, all different, by a pattern of `IDS`, row by row."""
    generator = np.random.default_rng(seed)
    first = int(pattern == WITHOUT_0)
    count = 1 if pattern == ALIKE else rows
    some = first + generator.random((count, experts - first)).argsort(axis=1)[:, :k]
    if pattern == ASCENDING:
        some.sort(axis=1)
    elif pattern == ANY and (np.diff(some) > 0).all():
        some = some[:, ::-1]
    return tuple(np.broadcast_to(some, (rows, k)).ravel().tolist())


def patterns_of(case: Case) -> set[str]:
    """The patterns that the experts of a case show."""
    given = case.arrays["expert_idx"]
    ascending = bool((np.diff(given) > 0).all())
    kinds = {ASCENDING: ascending, ANY: not ascending}
    kinds |= {WITHOUT_0: not (given == 0).any(), ALIKE: bool((given == given[:1]).all())}
    return {name for name, shown in kinds.items() if shown}


AXES = (
    of_sizes("row", ROWS, sizes_of),
    of_sizes("expert", EXPERTS, sizes_of),
    Axis("k", (ONE, EIGHTS, OTHERS, ALL), slots_of),
    of_values("values", SCORES, "x_norm"),
    of_values("gradients", GRADIENTS, "grad_y"),
    Axis("ids", IDS, patterns_of),
    Axis("factor", tuple(FACTORS), of_number("routed_scaling_factor", FACTORS)),
    Axis("eps", tuple(EPSES), of_number("eps", EPSES)),
)


def may_choose(experts: str, slots: str) -> bool:
    """Whether so many of so few experts can be chosen."""
    return {ONE: 2, EIGHTS: 9, OTHERS: 3, ALL: 2}[slots] <= EXPERTS[experts][1]


def may_be_of(slots: str, pattern: str) -> bool:
    """Whether so many experts can have that pattern."""
    return pattern != {ONE: ANY, ALL: WITHOUT_0}.get(slots)


CONSTRAINTS = (
    Constraint(("expert", "k"), may_choose, "more are chosen than there are"),
    Constraint(("k", "ids"), may_be_of, "one expert has one order, and all have expert 0"),
)


def gradients(make: Make) -> SizedCalls:
    """The calls of the operator; ``make`` is like `call`."""
    return SizedCalls(
        make,
        at=partial(_at, make),
        sized=partial(sized, make),
        few=partial(_few, make, drawn=machines(LEAST_UB, small=True), rows=(1, 3)),
        on_a_seam=partial(_few, make, drawn=seam_machines(LEAST_UB, 3), rows=(3, 5)),
        near=lambda dtype: near_limits(),
        cost=lambda sizes, machine: sizes["row"] * sizes["expert"],
        sizes_of=sizes_of,
        extremes=lambda mode, dtype: Planted(),
        axes=AXES,
        constraints=CONSTRAINTS,
    )


def sized(
    make: Make,
    mode: str,
    dtype: str,
    sizes: Sizes,
    machine: Machine,
    families: Mapping[str, tuple[str, ...]] = EVERY,
) -> SearchStrategy[Case]:
    """Calls of these sizes, of any values, or of those ``families`` by tensor."""
    levels = {
        "values": st.sampled_from(families["x_norm"]),
        "gradients": st.sampled_from(families["grad_y"]),
        "ids": st.sampled_from(IDS[: 3 if sizes["slot"] < sizes["expert"] else 2]),
        "factor": st.sampled_from(tuple(FACTORS)),
        "eps": st.sampled_from(tuple(EPSES)),
    }
    return st.fixed_dictionaries(levels).flatmap(
        lambda drawn: _of(make, mode, dtype, sizes, drawn, st.just(machine))
    )


@st.composite
def _few(
    draw: st.DrawFn,
    make: Make,
    mode: str,
    dtype: str,
    drawn: SearchStrategy[Machine],
    rows: tuple[int, int],
) -> Case:
    """A few rows of a few experts: a person can work them out."""
    experts = draw(st.integers(FEWEST_EXPERTS, 5))
    sizes = {"row": draw(st.integers(*rows)), "expert": experts}
    sizes["slot"] = draw(st.integers(1, min(experts, 3)))
    return draw(sized(make, mode, dtype, sizes, draw(drawn)))


@st.composite
def _at(draw: st.DrawFn, make: Make, mode: str, dtype: str, levels: Mapping[str, str]) -> Case:
    fewest, most = EXPERTS[levels["expert"]]
    kind = levels["k"]
    experts = draw(st.integers(max(fewest, {EIGHTS: 9, OTHERS: 3}.get(kind, 2)), most))
    eights = st.integers(1, min((experts - 1) // 8, 8)).map(lambda n: 8 * n)
    others = st.sampled_from([k for k in range(2, min(experts, 80)) if k % 8] or [1])
    k = {ONE: 1, ALL: experts}.get(kind) or draw(eights if kind == EIGHTS else others)
    sizes = {"row": draw(st.integers(*ROWS[levels["row"]])), "expert": experts, "slot": k}
    return draw(_of(make, mode, dtype, sizes, levels, machines(least_ub(sizes))))


@st.composite
def _of(
    draw: st.DrawFn,
    make: Make,
    mode: str,
    dtype: str,
    sizes: Sizes,
    levels: Mapping[str, str],
    drawn: SearchStrategy[Machine],
) -> Case:
    """A call of these sizes and of the levels of values, gradients, ids, factor and eps."""
    listed = ids(levels["ids"], sizes["row"], sizes["expert"], sizes["slot"], draw(SEEDS))
    given: dict[str, Any] = {
        "x_norm": {"fill": Fill((levels["values"],), draw(SEEDS))},
        "grad_y": {"fill": Fill((levels["gradients"],), draw(SEEDS), terms=sizes["slot"])},
        "expert_idx": {"values": listed},
    }
    return make(
        mode,
        dtype,
        sizes,
        given,
        machine=draw(drawn),
        renorm=draw(st.integers(0, 1)),
        routed_scaling_factor=FACTORS[levels["factor"]],
        eps=EPSES[levels["eps"]],
    )
