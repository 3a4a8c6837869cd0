"""MoeGatingTopK: keys that may be NaN, experts and groups that are alike, an eps below 0."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cases.operators._values import bits
from cases.operators.moe_gating_top_k import CALLS, OPERATOR
from conformance.call.case import Case
from conformance.call.observation import Observation
from conformance.devices.function_traits import SIMULATED
from conformance.judge.calls import judge
from conformance.judge.right_answer import right_answer
from conformance.numerics.arithmetic import IEEE

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


ON_SIMULATOR = replace(IEEE, functions=SIMULATED)


def alike(groups: int, members: int, kept: int, k: int = 2, **attributes: Any) -> Case:
    """One row of experts that are all alike."""
    sizes = {"row": 1, "group": groups, "member": members, "kept": kept, "slot": k}
    case = CALLS.call("sigmoid", sizes=sizes, **attributes)
    values = bits("float32", *[0.25] * (groups * members))
    return replace(case, inputs={"x": replace(case.inputs["x"], fill=None, values=values)})


def with_ids(case: Case, *ids: int) -> Observation:
    """The right answer, but for the positions."""
    right = right_answer(OPERATOR, case)
    changed = np.array([ids], np.int32)
    return replace(right, outputs={**right.outputs, "expert_idx": changed})


@pytest.mark.parametrize(
    ("groups", "members", "kept", "right", "wrong"),
    [
        (2, 2, 1, (0, 1), (2, 3)),
        (8, 1, 4, (0, 1), (4, 5)),
        (3, 4, 3, (0, 1), (1, 0)),
        (1, 2048, 1, (0, 1), (0, 2)),
    ],
)
def test_of_experts_and_groups_that_are_alike_the_lower_ones_are_selected(
    groups: int, members: int, kept: int, right: tuple[int, ...], wrong: tuple[int, ...]
) -> None:
    case = alike(groups, members, kept)
    assert judge(OPERATOR, case, with_ids(case, *right), ON_SIMULATOR).ok
    assert not judge(OPERATOR, case, with_ids(case, *wrong), ON_SIMULATOR).ok


def test_an_eps_below_0_bounds_nothing() -> None:
    case = alike(1, 3, 1, eps=-0.62)
    verdict = judge(OPERATOR, case, right_answer(OPERATOR, case), ON_SIMULATOR)
    assert verdict.ok
    assert verdict.outputs["y"].unbounded == 2
    assert "y: 2 elements not bounded by what is known of the device" in verdict.headline
