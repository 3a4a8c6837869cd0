"""The record of MoeTokenUnpermuteWithEpGrad says what its sources say, and its cells are drawn."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import find, given

from cases.operators._moe_token_unpermute_with_ep_grad_call import DTYPES, MODES, window
from cases.operators.moe_token_unpermute_with_ep_grad import OPERATOR, cases
from conformance.call.case import Case
from conformance.devices.call import call_of
from conformance.judge.agreement import check
from conformance.judge.calls import judge
from conformance.judge.legality import check_call
from conformance.judge.right_answer import right_answer
from tests.cases.drawing import FEW, SHRUNK
from tests.definitions.moe_token_unpermute_with_ep_grad import (
    moe_token_unpermute_with_ep_grad as loops,
)
from tests.slow import slow_but

CELLS = [(mode, dtype) for mode in MODES for dtype in DTYPES]
TOKENS, GRAD = "permuted_tokens", "unpermuted_tokens_grad"
INDICES, PROBS = "sorted_indices", "probs"


@pytest.mark.parametrize(("mode", "dtype"), slow_but(CELLS[::4], CELLS))
def test_drawn_cases_are_legal_calls_that_a_right_answer_passes(mode: str, dtype: str) -> None:
    @FEW
    @given(case=cases(mode, dtype))
    def holds(case: Case) -> None:
        check_call(case, OPERATOR)
        call_of(OPERATOR, case)
        assert (case.attributes["rank_range"] is None) == (mode == "no_range")
        assert (PROBS in case.inputs) == ("probs_grad" in case.outputs)
        assert PROBS in case.inputs or case.attributes["topk_num"] == 1
        ranks = case.arrays[INDICES]
        assert np.unique(ranks).size == ranks.size, "no row is named twice"
        verdict = judge(OPERATOR, case, right_answer(OPERATOR, case))
        assert verdict.ok, verdict

    holds()


@pytest.mark.parametrize("mode", MODES)
def test_formula_and_terms_agree_and_so_do_plain_loops_in_exact_fractions(mode: str) -> None:
    @FEW
    @given(case=cases(mode, "float16", small=True))
    def holds(case: Case) -> None:
        check(OPERATOR, case, limit=10**9)

        def numbers(name: str) -> Any:
            tensor = case.inputs[name]
            return (np.arange(tensor.size, dtype=np.float64) % 13 - 6).reshape(tensor.shape) / 4

        inputs = {name: numbers(name) for name in case.inputs if name != INDICES}
        exact = {
            name: [[Fraction(x) for x in row] for row in array.tolist()]
            for name, array in inputs.items()
        }
        due = loops(
            exact[GRAD],
            case.arrays[INDICES],
            exact.get(TOKENS),
            exact.get(PROBS),
            topk_num=case.attributes["topk_num"],
            rank_range=case.attributes["rank_range"],
        )
        inputs[INDICES] = case.arrays[INDICES]
        found = OPERATOR.formula(inputs, case.attributes)
        for name, wanted in zip(("permuted_tokens_grad", "probs_grad"), due, strict=True):
            if wanted is not None:
                assert found[name].tolist() == [[float(x) for x in row] for row in wanted]

    holds()


def test_the_first_example_is_the_call_of_the_document() -> None:
    case = OPERATOR.examples[0].case
    assert case.arrays[INDICES].tolist() == [0, 1, 2]
    assert {name: case.arrays[name].tolist() for name in (TOKENS, GRAD, PROBS)} == {
        TOKENS: [[1, 1]] * 3,
        GRAD: [[1, 1]],
        PROBS: [[1, 1, 1]],
    }
    assert (case.attributes["topk_num"], case.attributes["rank_range"]) == (3, None)


def not_zeroed(case: Case) -> bool:
    """Whether a probability's gradient outside the range that is not zero is refused."""
    if PROBS not in case.inputs:
        return False
    seen = right_answer(OPERATOR, case)
    start, end = window(case)
    ranks = case.arrays[INDICES].reshape(seen.outputs["probs_grad"].shape)
    seen.outputs["probs_grad"][(ranks < start) | (ranks >= end)] = 1
    return not judge(OPERATOR, case, seen).ok


def row_of_the_next(case: Case) -> bool:
    """Whether rows that begin one later are refused."""
    seen = right_answer(OPERATOR, case)
    rows = seen.outputs["permuted_tokens_grad"]
    rows[...] = np.roll(rows, 1, axis=0)
    return not judge(OPERATOR, case, seen).ok


@pytest.mark.parametrize("mistake", [not_zeroed, row_of_the_next])
@pytest.mark.parametrize("mode", ["head", "middle"])
def test_a_mistake_of_the_range_shrinks_to_a_handful(
    mode: str, mistake: Callable[[Case], bool]
) -> None:
    case = find(cases(mode, "bfloat16", small=True), mistake, settings=SHRUNK)
    assert case.inputs[INDICES].size <= 4


@pytest.mark.parametrize("mode", MODES)
def test_a_case_shrinks_to_one_token_one_column_and_the_smallest_machine(mode: str) -> None:
    case = find(cases(mode, "float16"), lambda case: True, settings=SHRUNK)
    assert case.inputs[GRAD].shape == (1, 1)
    assert case.machine is not None
    assert (case.machine.cores, case.machine.ub_bytes) == (1, 1024)
