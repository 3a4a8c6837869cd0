"""Wrong answers to calls of MoeTokenUnpermuteGrad are refused, and shrink to what shows them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import find

from cases.operators._moe_token_unpermute_grad_call import graded
from cases.operators._values import bits
from cases.operators.moe_token_unpermute_grad import DTYPES, OPERATOR, cases
from conformance.call.case import Case
from conformance.judge.calls import judge
from conformance.judge.right_answer import right_answer
from tests.cases.drawing import SHRUNK


def wrong(case: Case, output: str, change: Any) -> bool:
    """Whether an answer that ``change`` spoils is refused."""
    if output not in case.outputs:
        return False
    seen = right_answer(OPERATOR, case)
    change(case, seen.outputs[output])
    return not judge(OPERATOR, case, seen).ok


def last_column_lost(case: Case, sums: Any) -> None:
    with np.errstate(all="ignore"):
        shorter = {
            name: array[:, :-1].astype(np.float32)
            if array.shape[-1:] == case.inputs["permuted_tokens"].shape[-1:] and name != "probs"
            else array
            for name, array in case.arrays.items()
            if name != "sorted_indices"
        }
        shorter["sorted_indices"] = case.arrays["sorted_indices"]
        shorter["probs"] = case.arrays["probs"].astype(np.float32)
        sums[...] = OPERATOR.formula(shorter, case.attributes)["probs_grad"]


def first_probability(case: Case, rows: Any) -> None:
    probs = case.arrays["probs"].astype(np.float32)
    inputs = {name: array.astype(np.float32) for name, array in case.arrays.items()}
    inputs["sorted_indices"] = case.arrays["sorted_indices"]
    inputs["probs"] = np.broadcast_to(probs[:, :1], probs.shape).copy()
    with np.errstate(all="ignore"):
        wrong_rows = OPERATOR.formula(inputs, case.attributes)["permuted_tokens_grad"]
    ranks = inputs["sorted_indices"]
    named = ranks[ranks < len(rows)]
    rows[named] = wrong_rows[named]


def test_a_column_that_is_not_added_shrinks_to_two() -> None:
    def lost(case: Case) -> bool:
        return case.inputs["permuted_tokens"].shape[1] > 1 and wrong(
            case, "probs_grad", last_column_lost
        )

    case = find(cases("uneven", "float32", small=True), lost, settings=SHRUNK)
    assert case.inputs["permuted_tokens"].shape[1] == 2
    assert case.inputs["sorted_indices"].size <= 2


def test_a_probability_of_another_slot_shrinks_to_one_token_of_two() -> None:
    case = find(
        cases("whole", "float32", small=True),
        lambda case: wrong(case, "permuted_tokens_grad", first_probability),
        settings=SHRUNK,
    )
    assert case.inputs["probs"].shape == (1, 2)
    assert case.inputs["permuted_tokens"].shape[1] == 1


def _by_hand(name: str) -> Case:
    return next(example.case for example in OPERATOR.examples if example.name == name)


def test_the_gradient_of_a_slot_without_a_row_is_zero_and_of_probability_zero_a_sum() -> None:
    """Ranks 0 2 and 3 1 of three rows: the third slot has none; the fourth has probability 0."""
    case = _by_hand("a slot that has no row")
    right = right_answer(OPERATOR, case)
    assert right.outputs["probs_grad"].tolist() == [[5, 17], [0, 5]]
    assert judge(OPERATOR, case, right).ok
    for slot, mistake in (((1, 0), np.nan), ((1, 0), 13), ((1, 1), 0)):
        seen = right_answer(OPERATOR, case)
        seen.outputs["probs_grad"][slot] = mistake
        assert not judge(OPERATOR, case, seen).ok


def test_a_probability_of_zero_is_a_factor_like_any_other() -> None:
    case = _by_hand("two tokens of two slots, one of probability zero")
    infinite = graded(case, bits("float32", 1, 2, np.inf, -1))
    right = right_answer(OPERATOR, infinite)
    assert np.isnan(right.outputs["permuted_tokens_grad"][1, 0])
    assert judge(OPERATOR, infinite, right).ok
    right.outputs["permuted_tokens_grad"][1, 0] = 0
    assert not judge(OPERATOR, infinite, right).ok


def test_rows_that_no_slot_names_may_hold_anything_and_named_ones_are_written() -> None:
    case = _by_hand("more rows than slots")
    seen = right_answer(OPERATOR, case)
    seen.outputs["permuted_tokens_grad"][6:] = np.nan
    assert judge(OPERATOR, case, seen).ok
    seen.outputs["permuted_tokens_grad"][5, 0] = np.nan
    assert not judge(OPERATOR, case, seen).ok


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_moved_gradient_keeps_every_bit_of_its_nans(dtype: str) -> None:
    case = _by_hand(f"every kind of pattern {dtype}")
    seen = right_answer(OPERATOR, case)
    moved = seen.outputs["permuted_tokens_grad"]
    raw = moved.view(f"u{moved.dtype.itemsize}")
    nan = tuple(np.argwhere(np.isnan(moved.astype(np.float32)))[0])
    raw[nan] ^= 1
    assert not judge(OPERATOR, case, seen).ok
