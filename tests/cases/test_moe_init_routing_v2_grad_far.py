"""Far cases of MoeInitRoutingV2Grad are legal calls, lie beyond the edges, and cost little."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases.operators._moe_init_routing_v2_grad_cases import SUM
from cases.operators._slot_sum_cases import far_cases
from cases.operators.moe_init_routing_v2_grad import DTYPES, OPERATOR, cases
from conformance.call.case import Case
from conformance.failure.replay import Replay, load, save
from conformance.judge.agreement import check
from conformance.judge.legality import check_call

FAR_EXAMPLES = [e for e in OPERATOR.examples if e.case.inputs["grad_expanded_x"].rows]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("small", [False, True])
def test_far_cases_are_legal_and_formula_and_terms_agree_on_them(dtype: str, small: bool) -> None:
    @settings(max_examples=25, database=None, derandomize=True, deadline=None)
    @given(case=far_cases(SUM, "drop_pad", dtype, small, grouped=True))
    def holds(case: Case) -> None:
        source, indices = case.inputs["grad_expanded_x"], case.inputs["expanded_row_idx"]
        assert source.held_size <= 20_000
        assert not small or (indices.size <= 8 and source.shape[-1] <= 64)
        assert source.size > 2**31
        assert indices.values is not None
        assert max(indices.values) * source.shape[-1] >= 2**31
        check_call(case, OPERATOR)
        check(OPERATOR, case, limit=10**9)

    holds()


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_has_calls_with_rows_on_both_sides_of_both_edges(dtype: str) -> None:
    offsets = []
    for example in (e for e in FAR_EXAMPLES if e.case.dtype == dtype):
        source = example.case.inputs["grad_expanded_x"]
        assert source.rows is not None
        offsets.append([row * source.shape[-1] for row in source.rows])
    assert offsets == [[2**31 - 8, 2**31], [2**32 - 8, 2**32]]


def test_only_the_mode_whose_rows_no_index_tensor_bounds_has_far_cases() -> None:
    @settings(max_examples=40, database=None, derandomize=True, deadline=None)
    @given(case=st.sampled_from(["dropless", "active"]).flatmap(draw_near))
    def near(case: Case) -> None:
        assert case.inputs["grad_expanded_x"].rows is None

    near()


def draw_near(mode: str) -> st.SearchStrategy[Case]:
    return cases(mode, "float16")


def test_a_far_case_is_replayed_from_a_small_file(tmp_path: Path) -> None:
    case = FAR_EXAMPLES[0].case
    save(Replay(case), tmp_path / "case.json")
    assert (tmp_path / "case.json").stat().st_size < 4000
    again = load(tmp_path / "case.json").case
    assert again.digest == case.digest
    assert np.array_equal(again.arrays["expanded_row_idx"], case.arrays["expanded_row_idx"])
