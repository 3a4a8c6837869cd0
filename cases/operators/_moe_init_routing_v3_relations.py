"""Relations of MoeInitRoutingV3: MoeInitRoutingV2 beside it, ranges that add up to all experts, the
two kinds of row indices and of counts, and what scales, signs and powers of two do to int8.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from cases.operators._moe_init_routing_v2_call import BEFORE
from cases.operators._moe_init_routing_v2_call import SIGNATURE as V2
from cases.operators._moe_init_routing_v3_call import (
    BASES,
    COUNTS,
    FLAG,
    FLOATS,
    KINDS,
    MODES,
    RANGE,
    SIGNATURE,
    TYPE,
)
from cases.relations.quantised import SOURCE, in_second_version, of_factors
from conformance.call.case import Case, Tensor
from conformance.record.clause import inferred
from conformance.record.relation import Outputs, Relation, Run, difference
from conformance.record.variations import with_attributes
from conformance.relations.axes import Axes
from conformance.relations.symmetries import symmetry

Given = Callable[[Case], Case | None] | None
Broken = Callable[[Case, Outputs, Run], Iterable[str]]
DYNAMIC = tuple(mode for mode in MODES if mode.endswith("_dynamic"))
SCATTER = 1
"""The rowIdxType of slots by rank."""


def _of_both_versions(case: Case) -> Case | None:
    """The case, if MoeInitRoutingV2 can be asked the same: of all experts, for ranks of slots."""
    every = tuple(case.attributes[RANGE] or ()) == (0, case.attributes["expert_num"])
    ranked = case.attributes["row_idx_type"] != SCATTER
    return case if every and ranked and case.outputs[COUNTS].size else None


def _second_version(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
    """MoeInitRoutingV2 has the same rows, ranks and counts of all experts."""
    asked = case.attributes
    padded = asked["drop_pad_mode"] == 1
    kind = {KINDS["cumsum"]: "cumsum", KINDS["count"]: "count"}.get((asked[TYPE], asked[FLAG]))
    counts = "absent" if kind is None else "before" if padded else kind
    seen = run(in_second_version(case, case.mode, counts))
    by = "by MoeInitRoutingV2"
    for name, due in seen.items():
        own = COUNTS if name == BEFORE else name
        yield from difference(own, outputs[own], due.astype(outputs[own].dtype), by)


def _ranged(case: Case, start: int, end: int) -> Case:
    """The same call with another range of experts, whose counts are of each."""
    counts = {COUNTS: Tensor((end - start,), "int64")}
    changed = replace(case, outputs={**case.outputs, **counts})
    asked = {RANGE: (start, end), TYPE: KINDS["count"][0], FLAG: 1, "row_idx_type": 0}
    return with_attributes(changed, **asked)


def _of_two_experts(case: Case) -> Case | None:
    """The case, if its range has two experts or more."""
    start, end = case.attributes[RANGE] or (0, 0)
    return case if end - start > 1 else None


def _in_two(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
    """Two ranges side by side have the rows and counts of both, one after the other."""
    start, end = case.attributes[RANGE]
    middle = (start + end) // 2
    whole, low, high = (
        run(_ranged(case, *ends)) for ends in ((start, end), (start, middle), (middle, end))
    )
    counts = np.concatenate([low[COUNTS], high[COUNTS]])
    yield from difference(COUNTS, whole[COUNTS], counts, "by both halves of the range")
    below, above = (np.asarray(one["expanded_row_idx"], np.int64) for one in (low, high))
    first = int(np.count_nonzero(below >= 0))
    ranks = np.where(above >= 0, above + first, below).astype(np.int32)
    name = "expanded_row_idx"
    yield from difference(name, whole[name], ranks, "by both halves of the range")
    for name in (one for one in ("expanded_x", "expanded_scale") if one in outputs):
        rows = np.concatenate([low[name][:first], high[name]])[: len(whole[name])]
        yield from difference(name, whole[name], rows, "by both halves of the range")


def _inverse(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
    """Slots by rank are the inverse of ranks by slot."""
    kind = case.attributes["row_idx_type"]
    other = run(with_attributes(case, row_idx_type=1 - kind))["expanded_row_idx"]
    own = outputs["expanded_row_idx"]
    slots, found = (own, other) if kind == SCATTER else (other, own)
    ranks = np.asarray(found, np.int64)
    for at in np.flatnonzero(ranks >= slots.size)[:1].tolist():
        yield f"expanded_row_idx has {ranks[at]} at {at}, and must be below {slots.size}"
    inside = np.flatnonzero((ranks >= 0) & (ranks < slots.size))
    due = np.zeros(slots.shape, np.int32)
    due[ranks[inside]] = inside
    yield from difference("slots by rank", slots, due, "by the ranks of a second call")


def _kinds_of_counts(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
    """Sums are those of counts, and pairs are the counts of experts with slots."""
    kind = KINDS["cumsum" if case.attributes[TYPE] == KINDS["pairs"][0] else "pairs"][0]
    if case.attributes[FLAG] == 0 or case.attributes[RANGE] is None:
        return
    start, end = case.attributes[RANGE]
    experts = case.attributes["expert_num"]
    counts = run(_ranged(case, start, end))[COUNTS]
    shape = (experts, 2) if kind == KINDS["pairs"][0] else (end - start,)
    asked = replace(case, outputs={**case.outputs, COUNTS: Tensor(shape, "int64")})
    pairs = np.zeros((experts, 2), np.int64)
    busy = np.flatnonzero(counts)
    pairs[: busy.size] = np.stack([start + busy, counts[busy]], axis=1)
    due = pairs if kind == KINDS["pairs"][0] else np.cumsum(counts)
    seen = run(with_attributes(asked, **{TYPE: kind}))[COUNTS]
    yield from difference(COUNTS, seen, due, "by the counts of a second call")


def _experts(case: Case) -> int:
    """How many experts the range of a call has."""
    start, end = case.attributes[RANGE] or (0, case.attributes["expert_num"])
    return int(end - start)


def _law(
    name: str, text: str, broken: Broken, *modes: str, given: Given = None, beside: str = ""
) -> Relation:
    others = (beside,) if beside else ()
    return Relation(name, inferred(text, SOURCE), broken, given, modes, beside=others)


UNPADDED = BASES[:2]
RELATIONS = (
    symmetry(Axes.of(SIGNATURE), "hidden", modes=UNPADDED),
    replace(
        _law(
            "rows of MoeInitRoutingV2",
            "both versions agree",
            _second_version,
            *BASES,
            given=_of_both_versions,
            beside=V2.operator,
        ),
        dtypes=FLOATS,  # MoeInitRoutingV2 takes no bytes
    ),
    _law(
        "halves of a range",
        "ranges side by side add up",
        _in_two,
        "dropless",
        given=_of_two_experts,
    ),
    _law("both kinds of indices", "one is the inverse of the other", _inverse, *UNPADDED),
    _law("all kinds of counts", "sums and pairs are those of counts", _kinds_of_counts, *UNPADDED),
    *of_factors(SIGNATURE, "expanded_scale", _experts, DYNAMIC),
)
