"""Laws of MoeComputeExpertTokens: parts of the entries add up, and V3 of MoeInitRouting agrees."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from cases.operators._moe_compute_expert_tokens_calls import ENTRIES, MOST_EXPERTS
from cases.relations.routing_step import OPERATOR, SLOTS, routing
from conformance.call.case import Case, Tensor
from conformance.record.clause import inferred
from conformance.record.relation import Outputs, Relation, Run, difference
from conformance.relations.axes import shuffled

SOURCE = "both equations"
MOST_ROUTED = 3000


def _of(case: Case, ids: Any, experts: int) -> Case:
    """The call of other entries, and of so many experts."""
    given = Tensor(ids.shape, case.dtype, tuple(ids.tolist()))
    out = replace(case.outputs["out"], shape=(experts,))
    return replace(
        case,
        attributes={"num_experts": experts},
        inputs={ENTRIES: given},
        outputs={"out": out},
    )


def _told(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
    ids: Any = case.arrays[ENTRIES]
    due = np.bincount(ids, minlength=case.attributes["num_experts"])
    counts = np.diff(outputs["out"], prepend=np.int32(0)).astype(np.int64)
    yield from difference("out", counts, due, "how often each expert is there", where="steps of")


def _parted(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
    ids, experts = case.arrays[ENTRIES], case.attributes["num_experts"]
    parts = (ids[: ids.size // 3], ids[ids.size // 3 :])
    seen: Any = [run(_of(case, part, experts))["out"] for part in parts]
    yield from difference("out", outputs["out"], sum(seen), "of a third and of the rest")


def _moved(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
    ids: Any = case.arrays[ENTRIES]
    seen = run(_of(case, ids + 1, case.attributes["num_experts"] + 1))["out"]
    due = np.concatenate([np.zeros(1, np.int32), outputs["out"]])
    yield from difference("out", seen, due, "behind an expert without entries")


def _routed(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
    """Of tokens with one slot and one column."""
    slots, experts = case.arrays[ENTRIES], case.attributes["num_experts"]
    x = np.ones((slots.size, 1), np.float16)
    ids = slots[shuffled(slots.size)][:, None]
    seen = run(routing(x, ids, experts, {}, "cumsum"))[SLOTS]
    yield from difference("out", outputs["out"].astype(seen.dtype), seen, "by MoeInitRoutingV3")


RELATIONS = (
    Relation(
        "steps are counts",
        inferred("an expert adds as many as it has entries", SOURCE),
        _told,
    ),
    Relation(
        "parts add up",
        inferred("the results of two parts of the entries add up", SOURCE),
        _parted,
        lambda case: case if case.inputs[ENTRIES].size > 2 else None,
    ),
    Relation(
        "one expert more",
        inferred("an expert without entries ahead of all has 0, and changes no other", SOURCE),
        _moved,
        lambda case: case if case.attributes["num_experts"] < MOST_EXPERTS else None,
    ),
    Relation(
        "MoeInitRoutingV3 counts alike",
        inferred("V3 adds up the slots of each expert, which come in any order", SOURCE),
        _routed,
        lambda case: case if 0 < case.inputs[ENTRIES].size <= MOST_ROUTED else None,
        beside=(OPERATOR,),
    ),
)
