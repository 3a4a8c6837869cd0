"""The record of MoeTokenUnpermute says what its sources say, and its cells are drawn."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import find, given

from cases.operators.moe_token_unpermute import DTYPES, MODES, OPERATOR, cases
from conformance.call.case import Case
from conformance.devices.call import call_of
from conformance.judge.agreement import check
from conformance.judge.calls import judge
from conformance.judge.legality import check_call
from conformance.judge.right_answer import right_answer
from reference.floats import widen
from tests.cases.drawing import FEW, SHRUNK
from tests.definitions.moe_token_unpermute import moe_token_unpermute as loops

CELLS = [(mode, dtype) for mode in MODES for dtype in DTYPES]


@pytest.mark.parametrize(("mode", "dtype"), CELLS)
def test_drawn_cases_are_legal_calls_that_a_right_answer_passes(mode: str, dtype: str) -> None:
    @FEW
    @given(case=cases(mode, dtype))
    def holds(case: Case) -> None:
        check_call(case, OPERATOR)
        call_of(OPERATOR, case)
        assert ("probs" in case.inputs) == (mode != "single")
        if case.inputs["permuted_tokens"].rows is None:
            verdict = judge(OPERATOR, case, right_answer(OPERATOR, case))
            assert verdict.ok, verdict

    holds()


@pytest.mark.parametrize("mode", MODES)
def test_formula_and_terms_agree_and_so_do_plain_loops_in_exact_fractions(mode: str) -> None:
    @FEW
    @given(case=cases(mode, "float16", small=True))
    def holds(case: Case) -> None:
        if case.inputs["permuted_tokens"].rows is not None:
            return
        check(OPERATOR, case, limit=10**9)
        rows = np.arange(1, 1 + case.inputs["permuted_tokens"].size, dtype=np.float64)
        rows = rows.reshape(case.inputs["permuted_tokens"].shape)
        inputs = {"permuted_tokens": rows, "sorted_indices": case.arrays["sorted_indices"]}
        probs = None
        if mode != "single":
            inputs["probs"] = (np.arange(case.inputs["probs"].size, dtype=np.float64) % 5 - 2) / 4
            inputs["probs"] = inputs["probs"].reshape(case.inputs["probs"].shape)
            probs = [[Fraction(p) for p in row] for row in inputs["probs"].tolist()]
        exact = loops(
            [[Fraction(x) for x in r] for r in rows.tolist()], inputs["sorted_indices"], probs
        )
        found = OPERATOR.formula(inputs, case.attributes)["out"]
        assert found.tolist() == [[float(x) for x in row] for row in exact]

    holds()


def test_a_probability_that_is_multiplied_where_it_is_0_is_refused() -> None:
    example = next(e for e in OPERATOR.examples if "probability zero" in e.name)
    seen = right_answer(OPERATOR, example.case)
    seen.outputs["out"][...] = np.nan
    assert not judge(OPERATOR, example.case, seen).ok


def wrong_probability(case: Case) -> bool:
    """Were every slot given the probability of its token's first one."""
    if case.inputs["probs"].shape[1] < 2:
        return False
    seen = right_answer(OPERATOR, case)
    probs = case.arrays["probs"]
    with np.errstate(all="ignore"):
        inputs = {
            **{
                name: widen(array, np.float32) if array.dtype.kind not in "iu" else array
                for name, array in case.arrays.items()
            },
        }
        inputs["probs"] = np.broadcast_to(inputs["probs"][:, :1], probs.shape).copy()
        seen.outputs["out"][...] = OPERATOR.formula(inputs, case.attributes)["out"]
    return not judge(OPERATOR, case, seen).ok


def test_a_probability_of_another_slot_shrinks_to_one_token_of_two() -> None:
    case = find(cases("whole", "float32", small=True), wrong_probability, settings=SHRUNK)
    assert case.outputs["out"].shape == (1, 1)
    assert case.inputs["probs"].shape == (1, 2)


@pytest.mark.parametrize("mode", MODES)
def test_a_case_shrinks_to_one_token_one_column_and_the_smallest_machine(mode: str) -> None:
    case = find(cases(mode, "float16"), lambda case: True, settings=SHRUNK)
    assert case.outputs["out"].shape == (1, 1)
    assert case.machine is not None
    assert (case.machine.cores, case.machine.ub_bytes) == (1, 1024)
