"""The record of MoeTokenPermuteGrad says what its sources say, and its cases are calls."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, find, given, settings

from cases.operators._slot_sum_cases import left_to_right, near_cases, row_sum
from cases.operators.moe_token_permute_grad import DTYPES, MODES, OPERATOR, SUM, call, cases
from conformance.call.case import Case
from conformance.judge.agreement import ReferenceDisagreement, check
from conformance.judge.calls import judge
from conformance.judge.examples import judge_example
from conformance.judge.legality import IllegalCase, check_call, check_shape_and_data
from conformance.judge.right_answer import right_answer
from conformance.record.operator import Example, Rejection, Support
from tests.cases.drawing import SHRUNK
from tests.definitions.moe_token_permute_grad import moe_token_permute_grad as loops

FIRST_FOUND = settings(
    database=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
FEW = settings(max_examples=25, database=None, derandomize=True, deadline=None)
CELLS = [(mode, dtype) for mode in MODES for dtype in DTYPES]


def test_the_signature_is_that_of_the_interface() -> None:
    names = [parameter.acl_name for parameter in OPERATOR.parameters]
    assert names == ["permutedOutputGrad", "sortedIndices", "numTopk", "paddedMode", "out"]
    assert OPERATOR.parameters[3].ctype == "bool"  # type: ignore[union-attr]


@pytest.mark.parametrize("slots", [1, 2, 3, 17, 512])
def test_the_declared_order_goes_from_the_first_slot_to_the_last(slots: int) -> None:
    total: list[str] = [f"x{slot}" for slot in range(slots)]
    for into, source in left_to_right(slots):
        total[into] = f"({total[into]}+{total[source]})"
    expected = "x0"
    for slot in range(1, slots):
        expected = f"({expected}+x{slot})"
    assert total[0] == expected


@pytest.mark.parametrize(("mode", "dtype"), CELLS)
def test_drawn_cases_are_legal_calls_and_the_reference_agrees_with_plain_loops(
    mode: str, dtype: str
) -> None:
    @FEW
    @given(case=near_cases(SUM, mode, dtype))
    def check(case: Case) -> None:
        check_call(case, OPERATOR)
        indices, grad = case.arrays["sorted_indices"], case.arrays["permuted_output_grad"]
        assert (mode == "whole") <= (len(grad) == len(indices))
        assert case.attributes["padded_mode"] == (mode == "padded")
        if grad.size > 2000:
            return
        exact = np.arange(1, grad.size + 1).reshape(grad.shape)
        inputs = {"permuted_output_grad": exact, "sorted_indices": indices}
        out = OPERATOR.formula(inputs, case.attributes)["out"]
        assert out.tolist() == loops(exact, indices, **case.attributes)

    check()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("small", [False, True])
def test_a_right_answer_is_accepted_and_a_wrong_one_refused(dtype: str, small: bool) -> None:
    @FEW
    @given(case=near_cases(SUM, "uneven", dtype, small))
    def check(case: Case) -> None:
        right = right_answer(OPERATOR, case)
        verdict = judge(OPERATOR, case, right)
        assert verdict.ok, verdict
        wrong = right.outputs["out"].copy()
        pattern = wrong.reshape(-1).view(f"u{wrong.itemsize}")
        pattern[-1] ^= 1
        if not np.isnan(right.outputs["out"].reshape(-1)[-1]):
            assert not judge(OPERATOR, case, replace(right, outputs={"out": wrong})).ok

    check()


def test_another_order_of_the_sum_is_refused_as_the_order_is_promised() -> None:
    values = np.array([[1e8], [-1e8], [1.0]], np.float32)
    case = row_sum(call, "whole", "float32", values)
    right = right_answer(OPERATOR, case)
    assert right.outputs["out"].tolist() == [[1.0]]
    assert judge(OPERATOR, case, right).ok
    last = np.array([[0.0]], np.float32)
    verdict = judge(OPERATOR, case, replace(right, outputs={"out": last}))
    assert not verdict.ok
    assert "not added in the promised order" in verdict.headline


def test_a_case_shrinks_to_one_token_one_column_and_the_smallest_machine() -> None:
    for mode in MODES:
        smallest = find(cases(mode, "float16"), lambda case: True, settings=SHRUNK)
        assert smallest.inputs["permuted_output_grad"].shape == (1, 1)
        assert smallest.inputs["sorted_indices"].values == (0,)
        assert smallest.machine is not None
        assert (smallest.machine.cores, smallest.machine.ub_bytes) == (1, 1024)


@pytest.mark.parametrize("fewer", [True, False])
def test_uneven_calls_have_fewer_rows_than_indices_or_more(fewer: bool) -> None:
    def shows(case: Case) -> bool:
        rows = case.inputs["permuted_output_grad"].shape[0]
        slots = case.inputs["sorted_indices"].size
        return rows > 1 and (rows < slots if fewer else rows > slots)

    assert shows(find(near_cases(SUM, "uneven", "float32"), shows, settings=FIRST_FOUND))


@pytest.mark.parametrize("example", OPERATOR.examples, ids=lambda example: example.name)
def test_the_reference_gives_what_an_example_prints(example: Example) -> None:
    check_call(example.case, OPERATOR)
    verdict = judge_example(example, OPERATOR, right_answer(OPERATOR, example.case))
    assert verdict.ok, verdict


def test_a_router_s_list_is_no_list_of_sources_nor_its_own_inverse() -> None:
    """A kernel that takes one for the other gives another result."""
    ranks = OPERATOR.examples[1].case.arrays["sorted_indices"]
    assert ranks[ranks].tolist() != list(range(6))
    sources = np.argsort(ranks)
    assert sources.tolist() != ranks.tolist()
    experts = np.array([2, 0, 1, 0, 1, 2])
    assert np.argsort(np.argsort(experts, kind="stable")).tolist() == ranks.tolist()


def check_fully(case: Case) -> None:
    check_call(case, OPERATOR)
    check(OPERATOR, case)


@pytest.mark.parametrize("rejection", OPERATOR.rejections, ids=lambda rejection: rejection.name)
def test_a_rejected_call_is_well_formed_and_no_call_of_the_operator(
    rejection: Rejection,
) -> None:
    check_shape_and_data(rejection.case)
    with pytest.raises((IllegalCase, ReferenceDisagreement, ValueError)):
        check_fully(rejection.case)


def test_cann_checks_no_more_than_nulls_and_dtypes() -> None:
    unchecked = {r.status for r in OPERATOR.rejections if not r.checked_by_cann}
    checked = {r.status for r in OPERATOR.rejections if r.checked_by_cann}
    assert (unchecked, checked) == ({561002}, {161001, 161002})


def test_every_product_says_what_padded_mode_does_there() -> None:
    padded = {t.product: (t.support, t.status) for t in OPERATOR.targets if "padded" in t.modes}
    assert padded == {
        "Ascend910B": (Support.IGNORED, None),
        "Ascend910_93": (Support.IGNORED, None),
        "Ascend910_95": (Support.REJECTED, 161002),
    }


def test_more_slots_than_documented_are_observed_and_not_asserted() -> None:
    (over,) = OPERATOR.quarantine
    assert over.case.attributes["num_topk"] == 513
    check_shape_and_data(over.case)
    assert all(r.case.attributes["num_topk"] != 513 for r in OPERATOR.rejections)


def test_a_padded_call_is_the_same_as_one_without() -> None:
    plain = call("whole", "float32", source=(4, 3), indices=(3, 0, 2, 1), top_k=2)
    padded = replace(plain, mode="padded", attributes={"num_topk": 2, "padded_mode": 1})
    sums = [OPERATOR.formula(one.arrays, one.attributes)["out"] for one in (plain, padded)]
    np.testing.assert_array_equal(*sums)
