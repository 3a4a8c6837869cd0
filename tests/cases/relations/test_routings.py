"""Relations of MoeInitRoutingV3 hold of right answers, and tell a wrong one in words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, find, settings

from conformance.call.case import Case
from conformance.judge.right_answer import right_answer
from conformance.record.relation import Outputs
from conformance.suite import records as suite

RECORD = suite.chosen(suite.records([]), ["moe_init_routing_v3"])[0]
(INVERSE,) = (one for one in RECORD.relations if one.name == "both kinds of indices")
FEW = settings(database=None, deadline=None, derandomize=True, suppress_health_check=[*HealthCheck])


def answer(case: Case) -> Outputs:
    return right_answer(RECORD, case).outputs


@pytest.mark.parametrize("kind", [0, 1])
def test_a_rank_beyond_the_slots_is_told(kind: int) -> None:
    def asked(case: Case) -> bool:
        return case.attributes["row_idx_type"] == kind and case.inputs["expert_idx"].size > 1

    case = find(RECORD.cases("dropless", "float32"), asked, settings=FEW)
    outputs = answer(case)
    assert not list(INVERSE.broken(case, outputs, answer))
    beyond = np.full_like(outputs["expanded_row_idx"], 10**6)
    wrong = {**outputs, "expanded_row_idx": beyond}
    ran = answer if kind == 0 else lambda one: {**answer(one), "expanded_row_idx": beyond}
    (told, *_) = INVERSE.broken(case, wrong if kind == 0 else outputs, ran)
    assert "expanded_row_idx has 1000000 at 0" in told
