"""Relations of operators that finalize hold of right answers, and each is broken by a wrong one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, find, settings

from conformance.call.case import Case
from conformance.judge.right_answer import right_answer
from conformance.record.relation import Outputs, Relation
from conformance.suite import records as suite

RECORDS = {one.name: one for one in suite.operators([])}
LATER = ("moe_finalize_routing_v3", "moe_finalize_routing_v4")
NAMES = ("the other layout", "rows in place", "by MoeFinalizeRoutingV2", "by MoeFinalizeRoutingV4")
FEW = settings(database=None, deadline=None, derandomize=True, suppress_health_check=[*HealthCheck])


def answer(case: Case) -> Outputs:
    return right_answer(RECORDS[case.operator], case).outputs


ASKED = [
    (name, mode, one)
    for name in LATER
    for one in RECORDS[name].relations
    if one.name in NAMES
    for mode in one.modes[::2]
]


@pytest.mark.parametrize(
    ("operator", "mode", "relation"), ASKED, ids=[f"{n} {m} {one.name}" for n, m, one in ASKED]
)
def test_a_relation_holds_of_right_answers_and_not_of_a_wrong_one(
    operator: str, mode: str, relation: Relation
) -> None:
    drawn = RECORDS[operator].cases(mode, "float32")
    found = find(drawn, lambda one: relation.prepared(one) is not None, settings=FEW)
    case = relation.prepared(found)
    assert case is not None
    outputs = answer(case)
    assert not list(relation.broken(case, outputs, answer))
    wrong = {"out": np.asarray(outputs["out"]) + np.float32(1)}
    assert list(relation.broken(case, wrong, answer))
