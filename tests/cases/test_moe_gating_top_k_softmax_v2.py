"""MoeGatingTopKSoftmaxV2: rows with NaN, and rows that a kernel may take in pieces."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cases.operators._values import bits
from cases.operators.moe_gating_top_k_softmax_v2 import CALLS, LAST, OPERATOR, RESULT
from conformance.call.case import Case
from conformance.devices.function_traits import SIMULATED
from conformance.judge.calls import judge
from conformance.judge.right_answer import right_answer
from conformance.judge.verdict import Verdict
from conformance.numerics.arithmetic import IEEE
from conformance.record.functions import ALL_UNKNOWN, Functions

NAN = float("nan")


def answered(case: Case, functions: Functions, **outputs: np.ndarray) -> Verdict:
    """The verdict on the right answer, but for these outputs, of a device of these functions."""
    right = right_answer(OPERATOR, case)
    changed = replace(right, outputs={**right.outputs, **outputs})
    return judge(OPERATOR, case, changed, replace(IEEE, functions=functions))


def test_weights_beside_ids_beyond_a_row_with_nan_are_not_bounded() -> None:
    x = {"x": {"values": bits("float32", NAN, 1.0, 2.0, 3.0)}}
    case = CALLS.call((1,), 4, 2, x, mode=LAST)
    verdict = answered(
        case,
        SIMULATED,
        expert_idx=np.array([[1, 7]], np.int32),
        y=np.array([[0.25, 0.5]], np.float32),
    )
    assert verdict.ok
    assert verdict.outputs["y"].unbounded == 2


def test_a_long_row_is_accepted_of_unknown_functions_only_by_the_scores_that_it_writes() -> None:
    case = CALLS.call((1,), 1025, 2, mode=RESULT)
    swapped = right_answer(OPERATOR, case).outputs["expert_idx"][:, ::-1].copy()
    verdicts = answered(case, ALL_UNKNOWN), answered(case, ALL_UNKNOWN, expert_idx=swapped)
    told = [one.outputs["expert_idx"] for one in verdicts]
    assert all(one.ok for one in verdicts)
    assert [(one.rows, one.unbounded) for one in told] == [(1, 0), (0, 2)]
