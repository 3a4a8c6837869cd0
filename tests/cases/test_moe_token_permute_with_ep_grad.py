"""The record of MoeTokenPermuteWithEpGrad says what its sources say, and its cells are drawn."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import find, given

from cases.operators.moe_token_permute_with_ep_grad import DTYPES, MODES, OPERATOR, cases
from conformance.call.case import Case
from conformance.devices.call import call_of
from conformance.judge.agreement import check
from conformance.judge.calls import judge
from conformance.judge.legality import check_call
from conformance.judge.right_answer import right_answer
from tests.cases.drawing import FEW, SHRUNK
from tests.definitions.moe_token_permute_with_ep_grad import moe_token_permute_with_ep_grad as loops
from tests.slow import slow_but

CELLS = [(mode, dtype) for mode in MODES for dtype in DTYPES]
GRAD, PROBS = "permuted_tokens_output_grad", "permuted_probs_output_grad"


@pytest.mark.parametrize(("mode", "dtype"), slow_but(CELLS[::4], CELLS))
def test_drawn_cases_are_legal_calls_that_a_right_answer_passes(mode: str, dtype: str) -> None:
    @FEW
    @given(case=cases(mode, dtype))
    def holds(case: Case) -> None:
        check_call(case, OPERATOR)
        call_of(OPERATOR, case)
        assert (PROBS in case.inputs) == ("probs_grad" in case.outputs)
        verdict = judge(OPERATOR, case, right_answer(OPERATOR, case))
        assert verdict.ok, verdict

    holds()


@pytest.mark.parametrize("mode", MODES)
def test_the_range_lies_where_its_mode_says(mode: str) -> None:
    @FEW
    @given(case=cases(mode, "float16"))
    def holds(case: Case) -> None:
        slots = case.inputs["sorted_indices"].size
        start, end = case.attributes["rank_range"]
        assert end - start == min(case.inputs[GRAD].shape[0], slots)
        before, behind = start, slots - end
        lies = {
            "full": before == behind == 0,
            "head": before == 0,
            "tail": behind == 0,
            "middle": before in (behind, behind + 1),
        }
        assert lies[mode]
        assert case.arrays["sorted_indices"].max(initial=0) < slots

    holds()


@pytest.mark.parametrize("mode", MODES)
def test_formula_and_terms_agree_and_so_do_plain_loops_in_exact_fractions(mode: str) -> None:
    @FEW
    @given(case=cases(mode, "float16", small=True))
    def holds(case: Case) -> None:
        check(OPERATOR, case, limit=10**9)
        tensor = case.inputs[GRAD]
        rows = np.arange(1, 1 + tensor.size, dtype=np.float64).reshape(tensor.shape)
        probs = np.arange(1, 1 + tensor.shape[0], dtype=np.float64)
        ranks = case.arrays["sorted_indices"]
        exact = loops(
            [[Fraction(x) for x in row] for row in rows.tolist()],
            ranks,
            [Fraction(p) for p in probs.tolist()],
            **case.attributes,
        )
        inputs = {GRAD: rows, "sorted_indices": ranks, PROBS: probs}
        found = OPERATOR.formula(inputs, case.attributes)
        for name, wanted in zip(("out", "probs_grad"), exact, strict=True):
            assert found[name].tolist() == [[float(x) for x in row] for row in wanted]

    holds()


def test_the_examples_worked_by_hand_are_calls_of_one_router() -> None:
    by_hand = [e.case for e in OPERATOR.examples if "ranks of a router" in e.name]
    assert [case.attributes["rank_range"] for case in by_hand] == [(0, 6), (0, 4), (2, 6), (1, 5)]
    for case in by_hand:
        assert case.arrays["sorted_indices"].tolist() == [4, 0, 2, 1, 3, 5]


def rows_from_the_start(case: Case) -> bool:
    """Whether rows that begin at the range's first rank are refused, as the document indexes."""
    start, end = case.attributes["rank_range"]
    seen = right_answer(OPERATOR, case)
    rows = case.inputs[GRAD].shape[0]
    ranks = case.arrays["sorted_indices"].astype(np.int64)
    there = (ranks >= start) & (ranks < end)
    shifted = np.where(there, (ranks - start + 1) % rows + start, ranks).astype(np.int32)
    wrong = OPERATOR.formula(
        {GRAD: case.arrays[GRAD].astype(np.float32), "sorted_indices": shifted}, case.attributes
    )
    seen.outputs["out"][...] = wrong["out"]
    return not judge(OPERATOR, case, seen).ok


@pytest.mark.parametrize("mode", ["full", "middle"])
def test_rows_of_the_next_rank_shrink_to_a_handful(mode: str) -> None:
    case = find(cases(mode, "float32", small=True), rows_from_the_start, settings=SHRUNK)
    assert case.inputs["sorted_indices"].size <= 4
    assert case.outputs["out"].shape[1] == 1


def not_zeroed(case: Case) -> bool:
    """Whether a probability's gradient outside the range that is not zero is refused."""
    if "probs_grad" not in case.outputs:
        return False
    seen = right_answer(OPERATOR, case)
    start, end = case.attributes["rank_range"]
    ranks = case.arrays["sorted_indices"].reshape(seen.outputs["probs_grad"].shape)
    seen.outputs["probs_grad"][(ranks < start) | (ranks >= end)] = 1
    return not judge(OPERATOR, case, seen).ok


@pytest.mark.parametrize("mode", ["head", "middle"])
def test_probabilities_outside_the_range_are_zero(mode: str) -> None:
    case = find(cases(mode, "bfloat16", small=True), not_zeroed, settings=SHRUNK)
    assert case.inputs["sorted_indices"].size <= 4


@pytest.mark.parametrize("mode", MODES)
def test_a_case_shrinks_to_one_token_one_column_and_the_smallest_machine(mode: str) -> None:
    case = find(cases(mode, "float16"), lambda case: True, settings=SHRUNK)
    assert case.outputs["out"].shape == (1, 1)
    assert case.machine is not None
    assert (case.machine.cores, case.machine.ub_bytes) == (1, 1024)
