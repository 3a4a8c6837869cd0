"""Relations of MoeInitRoutingV2: those of sorts, and what places and counts have in common."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from cases.operators._moe_init_routing_v2_call import (
    BEFORE,
    BEFORE_FLAG,
    COUNTS,
    COUNTS_FLAG,
)
from cases.relations.sorts import SOURCE, Sorted, of_sorts
from conformance.case import Case
from conformance.operator import Clause, SourceClass
from conformance.relations.axes import Axes
from conformance.relations.relation import Outputs, Relation, Run, difference
from conformance.relations.symmetries import symmetry

ROWS = {"x": ("token", "hidden"), "expanded_x": ("row", "hidden")}
PLACES = {"x": ("token", "hidden"), "expanded_x": ("expert", "place", "hidden")}


def _misplaced(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
    """Every expert has its first slots in order, one in each place, and zeros behind them."""
    experts = np.asarray(case.arrays["expert_idx"], np.int64).reshape(-1)
    places = np.asarray(outputs["expanded_row_idx"], np.int64)
    rows = np.ascontiguousarray(outputs["expanded_x"])
    capacity = rows.shape[1]
    due = np.zeros((rows.shape[0] * capacity, rows.shape[2]), rows.dtype)
    for expert in np.unique(experts).tolist():
        slots = np.flatnonzero(experts == expert)
        kept = slots[:capacity]
        if (places[kept] != expert * capacity + np.arange(kept.size)).any():
            yield f"slots {kept[:5].tolist()} of expert {expert} are in {places[kept[:5]].tolist()}"
        if (places[slots[capacity:]] != -1).any():
            yield f"a slot of expert {expert} beyond its capacity {capacity} has a place"
        top_k = case.inputs["expert_idx"].shape[1]
        due[expert * capacity : expert * capacity + kept.size] = case.arrays["x"][kept // top_k]
    yield from difference(
        "expanded_x", rows.reshape(due.shape), due, "by the experts' slots in order it is"
    )


def _miscounted(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
    """Counts are those of the slots; cumulative sums are the sums of counts."""
    experts = np.asarray(case.arrays["expert_idx"], np.int64).reshape(-1)
    wanted = {COUNTS: case.attributes[COUNTS_FLAG], BEFORE: case.attributes[BEFORE_FLAG]}
    for name, flag in wanted.items():
        if not flag or name not in outputs:
            continue
        counts = np.bincount(experts, minlength=outputs[name].size)
        summed = name == COUNTS and flag == 1
        due = (np.cumsum(counts) if summed else counts).astype(np.int32)
        yield from difference(name, outputs[name], due, "the slots of every expert make it")


def _law(name: str, text: str, broken: object, modes: tuple[str, ...]) -> Relation:
    clause = Clause(text, SOURCE, SourceClass.INFERRED)
    return Relation(name, clause, broken, None, modes)  # type: ignore[arg-type]


RELATIONS = (
    *of_sorts(
        Sorted(
            axes=Axes(ROWS),
            keys=lambda case: case.arrays["expert_idx"],
            ranks="expanded_row_idx",
            rows=("x", "expanded_x"),
            window=lambda case: (0, case.outputs["expanded_x"].shape[0]),
        ),
        ("dropless", "active"),
    ),
    symmetry(Axes(PLACES), "hidden", modes=("drop_pad",)),
    _law("places of experts", "each expert has its first slots", _misplaced, ("drop_pad",)),
    _law("counts of slots", "counts are those of slots", _miscounted, ()),
)
