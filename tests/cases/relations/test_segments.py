"""Relations of segments: a right operator keeps each, and each finds a mistake of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from conformance.call.case import Case
from conformance.suite import records as suite
from tests.cases.drawing import one_of_each

RECORDS = suite.records([])
OPERATOR = RECORDS["moe_re_routing"]
LAWS = {one.name: one for one in OPERATOR.relations}
Outputs = dict[str, Any]


def right(case: Case) -> Outputs:
    return dict(RECORDS[case.operator].formula(case.arrays, case.attributes))


def unmoved(case: Case, found: Outputs) -> Outputs:
    return {**found, "permute_tokens": case.arrays["tokens"]}


def last_rank_first(case: Case, found: Outputs) -> Outputs:
    """Ranks of an expert in falling order: another permutation, by which all rows lie."""
    counts: Any = case.arrays["expert_token_num_per_rank"]
    ranks, experts = counts.shape
    keys = np.arange(experts)[None, :] * ranks - np.arange(ranks)[:, None]
    idx = np.argsort(np.repeat(keys.ravel(), counts.ravel()), kind="stable").astype(np.int32)
    return {**found, "permute_token_idx": idx, "permute_tokens": case.arrays["tokens"][idx]}


def sums_of_the_first_rank(case: Case, found: Outputs) -> Outputs:
    return {**found, "expert_token_num": case.arrays["expert_token_num_per_rank"][0]}


def int64_unmoved(case: Case, found: Outputs) -> Outputs:
    wide = case.arrays["expert_token_num_per_rank"].dtype == np.int64
    return unmoved(case, found) if wide else found


def bytes_unmoved(case: Case, found: Outputs) -> Outputs:
    return unmoved(case, found) if case.dtype == "int8" else found


def routed_in_falling_order(case: Case, found: Outputs) -> Outputs:
    """A mistake of the other operator: all rows lie in the order of falling experts."""
    if case.operator == OPERATOR.name:
        return found
    falling = -np.asarray(case.arrays["expert_idx"], np.int64).ravel()
    return {**found, "expanded_x": case.arrays["x"][np.argsort(falling, kind="stable")]}


FOUND: Mapping[str, Callable[[Case, Outputs], Outputs]] = {
    "rows by their numbers": unmoved,
    "there and back": last_rank_first,
    "one rank, or one expert": sums_of_the_first_rank,
    "counts of another data type": int64_unmoved,
    "rows as bytes": bytes_unmoved,
    "MoeInitRoutingV3 before it": routed_in_falling_order,
}
LEVELS = {"rank": "few", "expert": "few", "hidden": "few", "longest": "tens", "segments": "any"}


def told(name: str, wrong: Callable[[Case, Outputs], Outputs]) -> list[str]:
    """What a law says of calls of 2 to 4 ranks and experts, of an operator with a mistake."""
    assert OPERATOR.cells is not None
    cases = OPERATOR.cells("scaled", "float16").drawn({**LEVELS, "counts": "int32"})
    return [
        str(line)
        for case in one_of_each([cases] * 3)
        for line in LAWS[name].broken(case, wrong(case, right(case)), lambda c: wrong(c, right(c)))
    ]


@pytest.mark.parametrize("name", FOUND)
def test_a_law_holds_and_finds_its_mistake(name: str) -> None:
    assert told(name, lambda case, found: found) == []
    assert told(name, FOUND[name])
