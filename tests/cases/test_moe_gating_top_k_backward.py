"""MoeGatingTopKBackward: what its cases hold, and what the judge refuses on these."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cases.operators._moe_gating_top_k_backward_calls import IDS, ids
from cases.operators.moe_gating_top_k_backward import OPERATOR
from conformance.call.case import Case
from conformance.devices.function_traits import SIMULATED
from conformance.judge.calls import judge
from conformance.judge.right_answer import right_answer
from conformance.mutants.drawn_cases import drawn
from conformance.numerics.arithmetic import IEEE
from conformance.relations.axes import with_arrays

ON_SIMULATOR = replace(IEEE, functions=SIMULATED)


def refused(case: Case, other: Case) -> bool:
    """Whether the right answer to another call is refused for a call."""
    verdict = judge(OPERATOR, case, right_answer(OPERATOR, other), ON_SIMULATOR)
    return not verdict.ok


def with_levels(levels: dict[str, str]) -> list[Case]:
    """Cases that show these levels."""
    return list(drawn(OPERATOR.cells("sigmoid", "float32").drawn(levels), 8, 0, str(levels)))


@pytest.mark.parametrize("dtype", OPERATOR.dtypes)
def test_the_formula_is_accepted_in_every_family(dtype: str) -> None:
    for case in drawn(OPERATOR.cases("sigmoid", dtype), 15, 0, "accepted"):
        assert not refused(case, case)


def test_experts_of_a_row_are_different_and_are_of_their_pattern() -> None:
    for pattern in IDS:
        listed = np.reshape(ids(pattern, 40, 9, 4, seed=1), (40, 4))
        assert all(len(set(row)) == 4 and {*row} <= {*range(9)} for row in listed.tolist())
        assert (listed == 0).any() or pattern in ("without expert 0", "the same in every row")
        assert (listed == listed[0]).all() == (pattern == "the same in every row")


def test_a_special_score_of_expert_0_must_not_reach_rows_without_it() -> None:
    """Padding slots with expert 0, and masking its score by a factor of 0, makes NaN of a row."""
    levels = {"values": "poisoned", "ids": "without expert 0", "k": "no multiple of 8"}
    for case in with_levels(levels):
        lost = right_answer(OPERATOR, case)
        special = ~np.isfinite(case.arrays["x_norm"][:, :1])
        assert special.any()
        lost.outputs["out"][...] = np.where(special, np.nan, lost.outputs["out"])
        assert not judge(OPERATOR, case, lost, ON_SIMULATOR).ok


def test_an_eps_of_the_size_of_a_sum_must_not_be_lost() -> None:
    levels = {"values": "cold", "eps": "1e-20", "factor": "1", "gradients": "gaussian"}
    for case in with_levels(levels):
        lost = replace(case, attributes={**case.attributes, "eps": 0.0})
        assert refused(case, lost)


def test_gradients_that_cancel_are_not_taken_for_those_that_are_not_reduced() -> None:
    """Without the mean, equal gradients stay what they are; with it they are nearly 0."""
    levels = {"gradients": "equal", "values": "sigmoids", "eps": "1e-20", "factor": "1"}
    for case in with_levels({**levels, "k": "all"}):
        x, grad = case.arrays["x_norm"], case.arrays["grad_y"]
        wrong = right_answer(OPERATOR, case)
        wrong.outputs["out"][...] = x * (1 - x) * grad[:, :1] / x.sum(axis=1, keepdims=True)
        assert not judge(OPERATOR, case, wrong, ON_SIMULATOR).ok


def test_an_expert_twice_is_not_bounded_and_a_lost_one_is_refused() -> None:
    (twice,) = [one.case for one in OPERATOR.quarantine if one.name == "an expert twice"]
    assert not refused(twice, with_arrays(twice, {"grad_y": twice.arrays["grad_y"]}))
    page = next(one.case for one in OPERATOR.examples if one.name == "the page's call")
    moved = page.arrays["expert_idx"].copy()
    moved[0, 0] += 1
    assert refused(page, with_arrays(page, {"expert_idx": moved}))
