"""Relations of MoeInitRoutingV2: those of sorts, and what places and counts have in common."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.operators._moe_init_routing_v2_call import (
    BEFORE,
    BEFORE_FLAG,
    COUNTS,
    COUNTS_FLAG,
    NAME,
    SIGNATURE,
)
from cases.relations.copy_adjoints import adjoint_of_copies, ranked, round_trip
from cases.relations.slot_sorts import INIT, MAP, PERMUTE, Ranked, same_ranks, sorter
from cases.relations.slot_sums import INIT_GRAD
from cases.relations.sorts import SOURCE, Sorted, of_sorts
from conformance.call.case import Case
from conformance.record.clause import inferred
from conformance.record.relation import Outputs, Relation, Run, difference
from conformance.relations.axes import Axes
from conformance.relations.symmetries import symmetry

UNPADDED = ("dropless", "active")


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
    padded = case.attributes["drop_pad_mode"] == 1
    name, flag = (BEFORE, BEFORE_FLAG) if padded else (COUNTS, COUNTS_FLAG)
    if not case.attributes[flag] or name not in outputs:
        return
    counts = np.bincount(experts, minlength=outputs[name].size)
    summed = not padded and case.attributes[flag] == 1
    due = (np.cumsum(counts) if summed else counts).astype(np.int32)
    yield from difference(name, outputs[name], due, "the slots of every expert make it")


def _kept_of_experts(case: Case, ranked: Ranked) -> dict[str, NDArray[Any]]:
    """A rank's distance from the first of its expert is the place there, if there is so much."""
    keys = np.asarray(case.arrays["expert_idx"], np.int64).ravel()
    experts, capacity, hidden = case.outputs["expanded_x"].shape
    counts = np.bincount(keys, minlength=experts)
    ranks = ranked.ranks.ravel()
    distances = ranks - (np.cumsum(counts) - counts)[keys]
    places = np.where(distances < capacity, keys * capacity + distances, -1)
    rows = np.zeros((experts * capacity, hidden), ranked.rows.dtype)
    rows[places[places >= 0]] = ranked.rows[ranks[places >= 0]]
    shaped = rows.reshape(experts, capacity, hidden)
    return {"expanded_row_idx": places.astype(np.int32), "expanded_x": shaped}


def _sums_of_counts(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
    """The same call, asked for what it was not asked: counts for sums, or sums for counts."""
    flag = case.attributes[COUNTS_FLAG]
    if COUNTS not in outputs or flag == 0:
        return
    seen = run(replace(case, attributes={**case.attributes, COUNTS_FLAG: 3 - flag}))[COUNTS]
    counts, sums = (seen, outputs[COUNTS]) if flag == 1 else (outputs[COUNTS], seen)
    due = np.cumsum(counts, dtype=np.int32)
    yield from difference("the cumulative sums", sums, due, "by the counts of a second call")


SORTED = Sorted(
    axes=Axes.of(SIGNATURE),
    keys=lambda case: case.arrays["expert_idx"],
    ranks="expanded_row_idx",
    rows=("x", "expanded_x"),
)
SORTER = sorter(NAME, SORTED)
PLACER = replace(SORTER, kept=_kept_of_experts)
NAMES = ranked("expanded_row_idx", "expanded_x", "x")


def _law(name: str, text: str, broken: object, modes: tuple[str, ...]) -> Relation:
    clause = inferred(text, SOURCE)
    return Relation(name, clause, broken, None, modes)  # type: ignore[arg-type]


RELATIONS = (
    *of_sorts(SORTED, UNPADDED),
    symmetry(Axes.of(SIGNATURE.of_mode("drop_pad")), "hidden", modes=("drop_pad",)),
    _law("places of experts", "each expert has its first slots", _misplaced, ("drop_pad",)),
    _law("counts of slots", "counts are those of slots", _miscounted, ()),
    _law("sums of counts", "cumulative sums are those of counts", _sums_of_counts, UNPADDED),
    same_ranks(SORTER, PERMUTE, UNPADDED),
    same_ranks(SORTER, MAP, UNPADDED),
    adjoint_of_copies("x", "expanded_x", NAMES, INIT_GRAD),
    round_trip("x", "expanded_x", NAMES),
    same_ranks(PLACER, INIT, ("drop_pad",), "places of a call that drops nothing"),
)
