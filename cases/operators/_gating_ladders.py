"""Calls of the operators that select of a softmax whose sizes grow alone, or are a model's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from numpy.typing import NDArray

from cases.operators._gating_limits import MOST_K, least_ub
from cases.operators._sized_calls import Drawn, SizedCalls, with_room
from cases.operators._values import bits
from cases.operators._workloads import CHIP
from conformance.call.case import Case, Machine
from conformance.record.size_ladders import Ladder
from conformance.record.workload import Batch

BEST, STEP = 8.0, 64.0
"""The largest score of a token, and into how many steps each halving of the next ones is cut: any
two differ in bfloat16."""


APART = frozenset({"gaussian", "separated", "wide", "offset"})
"""Families of scores of which few are equal."""

TOLD = ("gaussian",)


def ladders(gating: SizedCalls) -> tuple[Ladder, ...]:
    """Rows, experts, and how many are selected, each grown alone.

    Of many experts several are selected: the best alone may be one that a wrong offset leaves.
    """

    def sized(*how: Any) -> SearchStrategy[Case]:
        return gating.sized(*how).map(apart)

    grown = partial(along, sized, least_ub)
    return (
        Ladder("rows", grown("row", expert=5, slot=2)),
        Ladder("experts", grown("expert", row=2, slot=5)),
        Ladder("k", grown("slot", row=2, expert=1), most=MOST_K),
    )


def along(sized: Drawn, least_ub: Callable[[int, int], int], name: str, **others: int) -> Drawn:
    """Calls in which a size is grown, and no more are selected than there are experts; a machine
    has ``least_ub`` bytes for these at least."""

    def drawn(mode: str, dtype: str, size: int, machine: Machine) -> SearchStrategy[Case]:
        sizes = {**others, name: size}
        if name == "expert":
            sizes["slot"] = min(sizes["slot"], size)
        sizes["expert"] = max(sizes["expert"], sizes["slot"])
        room = with_room(machine, least_ub(sizes["expert"], sizes["slot"]))
        return sized(mode, dtype, sizes, room)

    return drawn


def apart(case: Case) -> Case:
    """The case with scores that differ from each other: among equal ones the first is selected,
    whatever a wrong offset reads behind it, and beside a special one no other counts."""
    x = case.inputs["x"]
    if x.fill is None or APART.issuperset(x.fill.stripes):
        return case
    return replace(
        case, inputs={**case.inputs, "x": replace(x, fill=replace(x.fill, stripes=TOLD))}
    )


def scores_of(batch: Batch) -> NDArray[np.float64]:
    """Scores [tokens, experts] of which the largest are those of the experts of each token, in
    their order; the others are below 0."""
    count, k = batch.workload.experts, batch.workload.top_k
    others = np.random.default_rng(batch.seed).integers(1, 65, (batch.tokens, count))
    scores: NDArray[np.float64] = others / -16.0
    best = BEST * np.exp2(-np.arange(k) / STEP)
    np.put_along_axis(scores, batch.experts, best[None, :], axis=1)
    return scores


def by_scores(gating: SizedCalls, mode: str) -> Callable[[str, Batch], SearchStrategy[Case]]:
    """Calls of a mode in which each token selects the experts that its batch has, in their order.

    They have the tokens, experts and k of the model; no row has as many columns as a token.
    """

    def cases(dtype: str, batch: Batch) -> SearchStrategy[Case]:
        experts, k = batch.workload.experts, batch.workload.top_k
        given = {"x": {"values": bits(dtype, *scores_of(batch).ravel())}}
        return st.just(gating.make(mode, dtype, (batch.tokens,), experts, k, given, CHIP))

    return cases
