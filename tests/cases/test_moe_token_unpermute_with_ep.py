"""The record of MoeTokenUnpermuteWithEp says what its sources say, and its cells are drawn."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import find, given

from cases.operators.moe_token_unpermute_with_ep import DTYPES, MODES, OPERATOR, cases
from conformance.call.case import Case
from conformance.devices.call import call_of
from conformance.judge.agreement import check
from conformance.judge.calls import judge
from conformance.judge.legality import check_call
from conformance.judge.right_answer import right_answer
from tests.cases.drawing import FEW, SHRUNK
from tests.definitions.moe_token_unpermute_with_ep import moe_token_unpermute_with_ep as loops
from tests.slow import slow_but

CELLS = [(mode, dtype) for mode in MODES for dtype in DTYPES]
TOKENS, INDICES, PROBS = "permuted_tokens", "sorted_indices", "probs"


@pytest.mark.parametrize(("mode", "dtype"), slow_but(CELLS[::4], CELLS))
def test_drawn_cases_are_legal_calls_that_a_right_answer_passes(mode: str, dtype: str) -> None:
    @FEW
    @given(case=cases(mode, dtype))
    def holds(case: Case) -> None:
        check_call(case, OPERATOR)
        call_of(OPERATOR, case)
        assert (case.attributes["rank_range"] is None) == (mode == "no_range")
        verdict = judge(OPERATOR, case, right_answer(OPERATOR, case))
        assert verdict.ok, verdict

    holds()


@pytest.mark.parametrize("mode", MODES)
def test_formula_and_terms_agree_and_so_do_plain_loops_in_exact_fractions(mode: str) -> None:
    @FEW
    @given(case=cases(mode, "float16", small=True))
    def holds(case: Case) -> None:
        check(OPERATOR, case, limit=10**9)
        tensor, inputs = case.inputs[TOKENS], {INDICES: case.arrays[INDICES]}
        rows = np.arange(1, 1 + tensor.size, dtype=np.float64).reshape(tensor.shape)
        inputs[TOKENS], probs = rows, None
        if PROBS in case.inputs:
            shape = case.inputs[PROBS].shape
            inputs[PROBS] = (np.arange(np.prod(shape)) % 5 - 2).reshape(shape) / 4
            probs = [[Fraction(p) for p in row] for row in inputs[PROBS].tolist()]
        exact = loops(
            [[Fraction(x) for x in row] for row in rows.tolist()],
            inputs[INDICES],
            probs,
            num_topk=case.attributes["num_topk"],
            rank_range=case.attributes["rank_range"],
        )
        found = OPERATOR.formula(inputs, case.attributes)["out"]
        assert found.tolist() == [[float(x) for x in row] for row in exact]

    holds()


def test_the_first_example_is_the_call_of_the_document() -> None:
    case = OPERATOR.examples[0].case
    assert case.arrays[TOKENS].tolist() == [[2, 2], [1, 1], [3, 3], [2, 2]]
    assert case.arrays[INDICES].tolist() == [2, 0, 4, 1, 5, 3]
    assert case.arrays[PROBS].tolist() == [[1, 1]] * 3
    assert (case.attributes["num_topk"], case.attributes["rank_range"]) == (2, (1, 5))


def answered(case: Case, **changed: Any) -> bool:
    """Whether the answer to a call with other arguments is refused."""
    seen = right_answer(OPERATOR, case)
    names = {name: changed.get(name, array) for name, array in case.arrays.items()}
    inputs = {n: a.astype(np.float32) if n != INDICES else a for n, a in names.items()}
    attributes = {name: changed.get(name, value) for name, value in case.attributes.items()}
    with np.errstate(all="ignore"):
        seen.outputs["out"][...] = OPERATOR.formula(inputs, attributes)["out"]
    return not judge(OPERATOR, case, seen).ok


def beyond_the_end(case: Case) -> bool:
    """Were the rank at which the range ends one of it."""
    start, end = case.attributes["rank_range"]
    return len(case.arrays[TOKENS]) > end - start and answered(case, rank_range=(start, end + 1))


def before_the_start(case: Case) -> bool:
    """Were the range's first rank left out, with rows that begin at the next."""
    start, end = case.attributes["rank_range"]
    return end > start and answered(case, rank_range=(start + 1, end))


def by_valid_slots(case: Case) -> bool:
    """Were probabilities those of the slots in the range, one after the other."""
    if PROBS not in case.inputs:
        return False
    start, end = case.attributes["rank_range"]
    ranks, probs = case.arrays[INDICES].reshape(-1), case.arrays[PROBS].copy()
    inside = (ranks >= start) & (ranks < end)
    probs.reshape(-1)[inside] = probs.reshape(-1)[: np.count_nonzero(inside)]
    return answered(case, probs=probs)


@pytest.mark.parametrize("mistake", [before_the_start, by_valid_slots])
@pytest.mark.parametrize("mode", ["head", "middle"])
def test_a_mistake_of_the_range_shrinks_to_a_handful(
    mode: str, mistake: Callable[[Case], bool]
) -> None:
    case = find(cases(mode, "float32", small=True), mistake, settings=SHRUNK)
    assert case.inputs[INDICES].size <= 6
    assert case.outputs["out"].shape[1] == 1


def test_a_rank_behind_the_end_is_told_by_a_call_with_a_row_for_it() -> None:
    named = [e for e in OPERATOR.examples if e.name.startswith("ranks with a row behind")]
    assert [one.case.dtype for one in named] == list(DTYPES)
    for one in named:
        assert beyond_the_end(one.case)


def test_a_probability_that_is_multiplied_where_it_is_0_is_refused() -> None:
    example = next(e for e in OPERATOR.examples if "probability zero" in e.name)
    seen = right_answer(OPERATOR, example.case)
    seen.outputs["out"][...] = np.nan
    assert not judge(OPERATOR, example.case, seen).ok


@pytest.mark.parametrize("mode", MODES)
def test_a_case_shrinks_to_one_token_one_column_and_the_smallest_machine(mode: str) -> None:
    case = find(cases(mode, "float16"), lambda case: True, settings=SHRUNK)
    assert case.outputs["out"].shape == (1, 1)
    assert case.machine is not None
    assert (case.machine.cores, case.machine.ub_bytes) == (1, 1024)
