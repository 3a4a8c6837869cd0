"""MoeGatingTopK: infinite scores with infinite biases, which are keys that may be NaN."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from cases.operators._values import bits
from cases.operators.moe_gating_top_k import CALLS, OPERATOR
from conformance.call.case import Case
from conformance.judge.calls import judge
from conformance.judge.right_answer import right_answer

INF = math.inf


def call(x: tuple[float, ...], bias: tuple[float, ...], by_two: int) -> Case:
    """One row of two groups, one kept if ``by_two``; every expert of those is selected."""
    kept = 2 - by_two
    sizes = {"row": 1, "group": 2, "member": len(x) // 2, "kept": kept, "slot": 2 * kept}
    case = CALLS.call("softplus", sizes=sizes, group_select_mode=by_two)
    values = {"x": bits("float32", *x), "bias": bits("float32", *bias)}
    inputs = {
        name: replace(one, fill=None, values=values[name]) for name, one in case.inputs.items()
    }
    return replace(case, inputs=inputs)


@pytest.mark.parametrize("by_two", [0, 1])
@pytest.mark.parametrize(
    ("x", "bias"),
    [
        ((1.0, 2.0, INF, 3.0), (0.0, 0.0, -INF, -INF)),
        ((1.0, 2.0, 100.0, 3.0), (0.0, 0.0, -INF, -INF)),
        ((INF, 1.0, 2.0, 3.0), (0.0, -INF, -INF, -INF)),
    ],
)
def test_what_the_formula_selects_of_such_keys_is_accepted(
    x: tuple[float, ...], bias: tuple[float, ...], by_two: int
) -> None:
    case = call(x, bias, by_two)
    verdict = judge(OPERATOR, case, right_answer(OPERATOR, case))
    assert verdict.ok, verdict


def test_a_lower_key_is_refused_beside_finite_ones() -> None:
    right = call((1.0, 2.0, 3.0, 4.0), (0.0, 0.0, 0.0, 0.0), 0)
    other = call((4.0, 3.0, 2.0, 1.0), (0.0, 0.0, 0.0, 0.0), 0)
    assert not judge(OPERATOR, right, right_answer(OPERATOR, other)).ok
