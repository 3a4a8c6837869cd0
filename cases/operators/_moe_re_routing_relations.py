"""MoeInitRoutingV3 before MoeReRouting: rows that each rank routed lie as if one had routed all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from cases.operators._moe_re_routing_calls import COUNTS, SCALES, SUMS
from cases.relations.routing_step import OPERATOR, SLOTS, routing
from conformance.call.case import Case
from conformance.record.clause import inferred
from conformance.record.relation import Outputs, Relation, Run, difference

MOST_RANKS, MOST_EXPERTS = 4, 512


def _of_few_ranks(case: Case) -> Case | None:
    """The case, if it has rows of few ranks."""
    ranks, experts = case.inputs[COUNTS].shape
    few = ranks <= MOST_RANKS and experts <= MOST_EXPERTS
    return case if few and case.inputs["tokens"].size else None


def _routed(case: Case, rows: Any, experts: Any) -> Case:
    """The routing of rows by number, each to one expert, with its scale."""
    scales = {"scale": case.arrays[SCALES][rows]} if SCALES in case.inputs else {}
    return routing(
        case.arrays["tokens"][rows], experts[:, None], case.inputs[COUNTS].shape[1], scales
    )


def _chain(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
    """Before it routes, a rank has rows of its experts by turns; those of one keep their order."""
    counts: Any = case.arrays[COUNTS]
    lengths = counts.ravel()
    ranks, experts = (np.repeat(one.ravel(), lengths) for one in np.indices(counts.shape))
    within = np.arange(ranks.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    rows = np.lexsort((-experts, within, ranks))
    moved = {"expanded_x": "tokens", "expanded_scale": SCALES}
    moved = {name: one for name, one in moved.items() if one in case.inputs}
    for rank in np.unique(ranks):
        sent = rows[ranks[rows] == rank]
        seen = run(_routed(case, sent, experts[sent]))
        meaning = f"before re-routing, of rank {rank}"
        for name, source in moved.items():
            due = case.arrays[source][ranks == rank].astype(seen[name].dtype)
            yield from difference(name, seen[name], due, meaning)
        yield from difference(SLOTS, seen[SLOTS], counts[rank].astype(np.int64), meaning)
    seen = run(_routed(case, rows, experts[rows]))
    found = {SUMS: seen[SLOTS], "permute_token_idx": rows[np.argsort(seen["expanded_row_idx"])]}
    found |= {f"permute_{source}": seen[name] for name, source in moved.items()}
    for name, array in found.items():
        own = outputs[name].astype(array.dtype)
        yield from difference(name, own, array, "by MoeInitRoutingV3 of all rows")


RELATION = Relation(
    "MoeInitRoutingV3 before it",
    inferred("rows of ranks that each routed lie as if one had routed all", "both equations"),
    _chain,
    _of_few_ranks,
    beside=(OPERATOR,),
)
