"""The record of MoeFinalizeRoutingV2Grad says what its sources say, and its cells are drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import find, given

from cases.operators._moe_finalize_routing_v2_grad_call import MODES
from cases.operators.moe_finalize_routing_v2_grad import DTYPES, OPERATOR, cases
from conformance.call.case import Case
from conformance.devices.call import call_of
from conformance.failure.replay import Replay, load, save
from conformance.judge.agreement import check
from conformance.judge.calls import judge
from conformance.judge.legality import check_call
from conformance.judge.right_answer import right_answer
from tests.cases.drawing import FEW, FOUND, SHRUNK
from tests.slow import slow_but

CELLS = [(mode, dtype) for mode in MODES for dtype in DTYPES]


@pytest.mark.parametrize(("mode", "dtype"), slow_but(CELLS[::4], CELLS))
def test_drawn_cases_are_legal_calls_that_a_right_answer_passes(mode: str, dtype: str) -> None:
    @FEW
    @given(case=cases(mode, dtype))
    def holds(case: Case) -> None:
        check_call(case, OPERATOR)
        call_of(OPERATOR, case)
        assert ("scales" in case.inputs) == ("grad_scales" in case.outputs) == (mode != "single")
        indices = case.arrays["expanded_row_idx"]
        rows = int(np.prod(case.outputs["grad_expanded_x"].shape[:-1]))
        named = indices[(indices >= 0) & (indices < rows)]
        assert np.unique(named).size == named.size, "no row is named twice"
        assert (indices >= 0).all() or case.attributes["drop_pad_mode"] == 1
        verdict = judge(OPERATOR, case, right_answer(OPERATOR, case))
        assert verdict.ok, verdict

    holds()


def test_with_drop_pad_a_bias_has_a_row_for_each_expert() -> None:
    @FEW
    @given(case=cases("drop_pad", "float32", small=True))
    def holds(case: Case) -> None:
        if "bias" in case.inputs:
            assert case.inputs["bias"].shape[0] == case.attributes["expert_num"]

    holds()


@pytest.mark.parametrize("mode", MODES)
def test_formula_and_terms_agree(mode: str) -> None:
    @FEW
    @given(case=cases(mode, "float16", small=True))
    def holds(case: Case) -> None:
        lost = case.arrays["expanded_row_idx"]
        rows = int(np.prod(case.outputs["grad_expanded_x"].shape[:-1]))
        if "bias" not in case.inputs or ((lost >= 0) & (lost < rows)).all():
            check(OPERATOR, case, limit=10**9)

    holds()


@pytest.mark.parametrize("output", ["grad_expanded_x", "grad_scales"])
@pytest.mark.parametrize("mode", MODES[:3])
def test_a_wrong_element_is_refused(mode: str, output: str) -> None:
    case = find(
        cases(mode, "float32", small=True),
        lambda case: "bias" in case.inputs and case.inputs["scales"].size > 1,
        settings=FOUND,
    )
    seen = right_answer(OPERATOR, case)
    row = tuple(0 for _ in seen.outputs[output].shape)
    if output == "grad_expanded_x":
        named = case.arrays["expanded_row_idx"]
        row = (*np.unravel_index(int(named[named >= 0][0]), seen.outputs[output].shape[:-1]), 0)
    seen.outputs[output][row] = 12345.5
    assert not judge(OPERATOR, case, seen).ok


@pytest.mark.parametrize("mode", MODES)
def test_a_case_is_saved_and_read_back(mode: str, tmp_path: Any) -> None:
    case = find(cases(mode, "bfloat16"), lambda case: True, settings=SHRUNK)
    assert case.inputs["grad_y"].shape == (1, 1)
    save(Replay(case), tmp_path / "case.json")
    assert load(tmp_path / "case.json").case == case
