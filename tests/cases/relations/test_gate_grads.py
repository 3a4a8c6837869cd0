"""Relations of a gradient of weights: right answers keep each, and a device that breaks one is
told, by that one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from cases.operators.moe_gating_top_k_backward import OPERATOR
from conformance.call.case import Case
from conformance.call.observation import Observation
from conformance.judge.relate import related
from conformance.judge.right_answer import right_answer
from conformance.mutants.drawn_cases import drawn
from conformance.record.operator import Operator
from conformance.relations.axes import with_arrays

Device = Callable[[Operator, Case], Observation]
RECORDS = {OPERATOR.name: OPERATOR}
CASES = list(drawn(OPERATOR.small_cases("sigmoid", "float32"), 60, 0, "relations"))


def without_factor(operator: Operator, case: Case) -> Observation:
    attributes = {**case.attributes, "routed_scaling_factor": 1.0}
    return right_answer(operator, replace(case, attributes=attributes))


def all_as_the_last_row(operator: Operator, case: Case) -> Observation:
    x = case.arrays["x_norm"]
    return right_answer(operator, with_arrays(case, {"x_norm": np.broadcast_to(x[-1], x.shape)}))


def first_slot_twice(operator: Operator, case: Case) -> Observation:
    grad = case.arrays["grad_y"].copy()
    grad[:, -1] = grad[:, 0]
    return right_answer(operator, with_arrays(case, {"grad_y": grad}))


def expert_0_is_lost(operator: Operator, case: Case) -> Observation:
    seen = right_answer(operator, case)
    seen.outputs["out"][:, 0] = 1
    return seen


MISTAKES: dict[str, Device] = {
    "order along row": all_as_the_last_row,
    "order along expert": expert_0_is_lost,
    "further rows": all_as_the_last_row,
    "two slots exchanged": first_slot_twice,
    "a factor for gradients": without_factor,
}


def test_each_relation_has_a_mistake() -> None:
    assert MISTAKES.keys() == {one.name for one in OPERATOR.relations}


@pytest.mark.parametrize("law", MISTAKES)
def test_a_mistake_breaks_the_law_that_it_is_against(law: str) -> None:
    (relation,) = [one for one in OPERATOR.relations if one.name == law]

    def broken(device: Device) -> int:
        told = [related(relation, RECORDS, case, device)[1] for case in CASES]
        assert all(one.clause is relation.clause for one in told if not one.ok)
        return sum(not one.ok for one in told)

    assert broken(right_answer) == 0
    assert broken(MISTAKES[law]) > 0
