"""The record of MoeTokenPermuteWithRoutingMapGrad says what its sources say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, find, given, settings

from cases.operators._moe_token_permute_with_routing_map_grad_maps import map_of
from cases.operators._slot_sum_cases import left_to_right
from cases.operators.moe_token_permute_with_routing_map_grad import DTYPES, OPERATOR, cases, row_sum
from conformance.call.case import Case, Tensor
from conformance.failure.replay import Replay, load, save
from conformance.judge.agreement import ReferenceDisagreement, check
from conformance.judge.calls import judge
from conformance.judge.examples import judge_example
from conformance.judge.legality import IllegalCase, check_call, check_shape_and_data
from conformance.judge.right_answer import right_answer
from conformance.record.contract import Sum, Unspecified
from conformance.record.operator import AttributeParameter, Example, Rejection
from tests.cases.drawing import SHRUNK
from tests.definitions.moe_token_permute_with_routing_map_grad import (
    moe_token_permute_with_routing_map_grad as loops,
)

MODES = tuple(mode.name for mode in OPERATOR.modes)
CELLS = [(mode, dtype) for mode in MODES for dtype in DTYPES]
FIRST_FOUND = settings(
    max_examples=2000,
    database=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
FEW = settings(max_examples=25, database=None, derandomize=True, deadline=None)
EXAMPLES = {example.name: example.case for example in OPERATOR.examples}


def test_the_signature_is_that_of_the_interface() -> None:
    assert [parameter.acl_name for parameter in OPERATOR.parameters] == [
        "permutedTokenOutputGrad",
        "permutedProbsOutputGradOptional",
        "sortedIndices",
        "routingMapOptional",
        "numExperts",
        "tokensNum",
        "dropAndPad",
        "tokensGradOut",
        "probsGradOutOptional",
    ]
    types = {p.name: p.ctype for p in OPERATOR.parameters if isinstance(p, AttributeParameter)}
    assert types == {"num_experts": "int64", "tokens_num": "int64", "drop_and_pad": "bool"}
    assert [p.name for p in OPERATOR.tensors if p.optional] == [
        "permuted_probs_output_grad",
        "routing_map",
        "probs_grad",
    ]


@pytest.mark.parametrize(("mode", "dtype"), CELLS)
def test_drawn_cases_are_legal_calls_and_the_reference_agrees_with_plain_loops(
    mode: str, dtype: str
) -> None:
    @FEW
    @given(case=cases(mode, dtype))
    def check(case: Case) -> None:
        check_call(case, OPERATOR)
        grad = case.arrays["permuted_token_output_grad"]
        if grad.size > 2000:
            return
        exact = np.arange(1, grad.size + 1).reshape(grad.shape)
        inputs = {**case.arrays, "permuted_token_output_grad": exact}
        probs = None
        if "permuted_probs_output_grad" in inputs:
            probs = inputs["permuted_probs_output_grad"] = np.arange(1, len(grad) + 1)
        tokens_grad, probs_grad = loops(
            exact, probs, inputs["sorted_indices"], inputs.get("routing_map"), **case.attributes
        )
        outputs = OPERATOR.formula(inputs, case.attributes)
        assert outputs["tokens_grad"].tolist() == tokens_grad
        assert (outputs["probs_grad"].tolist() if probs is not None else None) == probs_grad

    check()


@pytest.mark.parametrize(("mode", "dtype"), CELLS)
@pytest.mark.parametrize("small", [False, True])
def test_a_right_answer_is_accepted_and_one_wrong_bit_is_refused(
    mode: str, dtype: str, small: bool
) -> None:
    @FEW
    @given(case=cases(mode, dtype, small))
    def check(case: Case) -> None:
        right = right_answer(OPERATOR, case)
        verdict = judge(OPERATOR, case, right)
        assert verdict.ok, verdict
        for name, output in right.outputs.items():
            contract = OPERATOR.contract(name, case)
            exact = not isinstance(contract, Sum) or contract.merges is not None
            if isinstance(contract, Unspecified) or not exact:
                continue
            if isinstance(contract, Sum) and np.isnan(output.reshape(-1)[-1]):
                continue
            wrong = output.copy()
            wrong.reshape(-1).view(f"u{wrong.itemsize}")[-1] ^= 1
            assert not judge(
                OPERATOR, case, replace(right, outputs={**right.outputs, name: wrong})
            ).ok

    check()


@pytest.mark.parametrize("mode", MODES)
def test_a_stored_case_is_the_same_call_with_its_map_and_its_views(
    mode: str, tmp_path: Path
) -> None:
    def shows(case: Case) -> bool:
        strided = case.outputs["tokens_grad"].strides is not None
        return strided and map_of(case) == "bool" and "permuted_probs_output_grad" in case.inputs

    case = find(cases(mode, "float32"), shows, settings=FIRST_FOUND)
    save(Replay(case), tmp_path / "case.json")
    again = load(tmp_path / "case.json").case
    check_call(again, OPERATOR)
    assert again == case
    assert again.digest == case.digest


def padded_sum(values: list[float]) -> Case:
    """One token with a row of each of as many experts, float32."""
    bits = tuple(np.array(values, np.float32).view(np.uint32).tolist())
    case = EXAMPLES["worked out, padded"]
    return replace(
        case,
        dtype="float32",
        attributes={"num_experts": len(values), "tokens_num": 1, "drop_and_pad": 1},
        inputs={
            "permuted_token_output_grad": Tensor((len(values), 1), "float32", bits),
            "sorted_indices": Tensor((len(values),), "int32", (0,) * len(values)),
        },
        outputs={"tokens_grad": Tensor((1, 1), "float32")},
    )


def test_padded_rows_of_a_token_may_be_added_in_any_order_and_unpadded_ones_in_theirs() -> None:
    """1e8, -1e8 and 1 give 1 or 0, by the order."""
    values = np.array([[1e8], [-1e8], [1.0]], np.float32)
    padded, unpadded = padded_sum([1e8, -1e8, 1.0]), row_sum("float32", values)
    for total, fine in ((1.0, True), (0.0, True), (0.5, False)):
        answer = right_answer(OPERATOR, padded)
        answer = replace(answer, outputs={"tokens_grad": np.array([[total]], np.float32)})
        assert judge(OPERATOR, padded, answer).ok == fine
        assert judge(OPERATOR, unpadded, answer).ok == (total == 1.0)


def test_unpadded_slots_are_declared_from_the_first_to_the_last() -> None:
    assert left_to_right(4) == [(0, 1), (0, 2), (0, 3)]
    contract = OPERATOR.contract("tokens_grad", EXAMPLES["hidden 0"])
    assert isinstance(contract, Unspecified)
    chosen = OPERATOR.contract("tokens_grad", row_sum("float32", np.zeros((2, 1), np.float32)))
    assert isinstance(chosen, Sum)
    assert chosen.merges is left_to_right


def test_maps_of_int8_and_bool_stand_for_the_same_result() -> None:
    results = []
    for kind in ("int8", "bool"):
        case = EXAMPLES["worked out float16 int8"]
        mask = replace(case.inputs["routing_map"], dtype=kind)
        case = replace(case, inputs={**case.inputs, "routing_map": mask})
        results.append(right_answer(OPERATOR, case).outputs["probs_grad"].tolist())
    assert results[0] == results[1] == [[1.0, 0.0, 4.0], [2.0, 3.0, 0.0]]


def test_without_the_permuted_probs_their_gradient_may_hold_anything() -> None:
    case = EXAMPLES["worked out float16 int8"]
    inputs = {k: t for k, t in case.inputs.items() if k != "permuted_probs_output_grad"}
    without = replace(case, inputs=inputs)
    check_call(without, OPERATOR)
    verdict = judge(OPERATOR, without, right_answer(OPERATOR, without))
    assert verdict.ok
    assert verdict.outputs["probs_grad"].step == "unspecified"


@pytest.mark.parametrize("mode", MODES)
def test_a_case_shrinks_to_one_token_one_column_and_the_smallest_machine(mode: str) -> None:
    smallest = find(cases(mode, "float16"), lambda case: True, settings=SHRUNK)
    assert smallest.inputs["permuted_token_output_grad"].shape == (1, 1)
    assert set(smallest.inputs) == {"permuted_token_output_grad", "sorted_indices", "routing_map"}
    assert set(smallest.outputs) == {"tokens_grad"}
    assert smallest.outputs["tokens_grad"].strides is None
    assert smallest.machine is not None
    assert (smallest.machine.cores, smallest.machine.ub_bytes) == (1, 1024)


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_meets_probs_views_and_shared_tokens(mode: str) -> None:
    def shows(case: Case) -> bool:
        indices = case.arrays["sorted_indices"]
        strided = case.outputs["tokens_grad"].strides is not None
        return {"permuted_probs_output_grad"} <= set(case.inputs) and strided and len(indices) > 4

    assert shows(find(cases(mode, "float32"), shows, settings=FIRST_FOUND))


@pytest.mark.parametrize("example", OPERATOR.examples, ids=lambda example: example.name)
def test_the_reference_gives_what_an_example_prints(example: Example) -> None:
    check_call(example.case, OPERATOR)
    verdict = judge_example(example, OPERATOR, right_answer(OPERATOR, example.case))
    assert verdict.ok, verdict


def check_fully(case: Case) -> None:
    check_call(case, OPERATOR)
    check(OPERATOR, case)


@pytest.mark.parametrize("rejection", OPERATOR.rejections, ids=lambda rejection: rejection.name)
def test_a_rejected_call_is_well_formed_and_no_call_of_the_operator(rejection: Rejection) -> None:
    check_shape_and_data(rejection.case)
    with pytest.raises((IllegalCase, ReferenceDisagreement)):
        check_fully(rejection.case)


def test_cann_checks_what_its_host_sources_check() -> None:
    unchecked = {r.name for r in OPERATOR.rejections if not r.checked_by_cann}
    assert {"tokens_grad is int32, dropless", "8 rows, 3 tokens", "topK is 513"} <= unchecked
    assert {r.status for r in OPERATOR.rejections if r.checked_by_cann} == {161001, 161002}


def test_calls_in_quarantine_stay_inside_their_tensors() -> None:
    names = {one.name: one.case for one in OPERATOR.quarantine}
    twice = names["a token twice in one expert"].arrays["sorted_indices"]
    assert twice.max() < 2
    with pytest.raises(IllegalCase, match="a token may have one row of an expert"):
        check_call(names["a token twice in one expert"], OPERATOR)
    assert names["ranks beyond the rows"].arrays["sorted_indices"].min() >= 0
