"""The record of MoeTokenPermuteWithRoutingMap says what its sources say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, find, given, settings

from cases.operators._moe_token_permute_with_routing_map_cells import capacity_of, map_of
from cases.operators._moe_token_permute_with_routing_map_maps import COLUMNS, FILLED
from cases.operators._token_permute_limits import CopyUb
from cases.operators.moe_token_permute_with_routing_map import OPERATOR, cases
from conformance.call.case import Case
from conformance.devices.call import call_of
from conformance.failure.replay import Replay, load, save
from conformance.judge.calls import judge
from conformance.judge.legality import IllegalCase, check_call, check_shape_and_data
from conformance.judge.right_answer import right_answer
from conformance.record.contract import Index, Unspecified
from conformance.record.operator import AttributeParameter, Rejection
from conformance.record.torch_binding import Binding
from reference.moe_token_permute_with_routing_map_grad import probs_formula, tokens_formula
from tests.cases.drawing import FEW, SHRUNK
from tests.definitions.moe_token_permute_with_routing_map import (
    moe_token_permute_with_routing_map as loops,
)

MODES = tuple(mode.name for mode in OPERATOR.modes)
CELLS = [(mode, dtype) for mode in MODES for dtype in OPERATOR.dtypes]
FIRST_FOUND = settings(FEW, phases=[Phase.generate], max_examples=2000)
EXAMPLES = {example.name: example.case for example in OPERATOR.examples}


def test_the_signature_is_that_of_the_interface() -> None:
    assert [parameter.acl_name for parameter in OPERATOR.parameters] == [
        "tokens",
        "routingMap",
        "probsOptional",
        "numOutTokens",
        "dropAndPad",
        "permuteTokensOut",
        "permuteProbsOutOptional",
        "sortedIndicesOut",
    ]
    types = {p.name: p.ctype for p in OPERATOR.parameters if isinstance(p, AttributeParameter)}
    assert types == {"num_out_tokens": "int64", "drop_and_pad": "bool"}
    assert [p.name for p in OPERATOR.tensors if p.optional] == ["probs", "permute_probs"]


@pytest.mark.parametrize(("mode", "dtype"), CELLS)
@pytest.mark.parametrize("small", [False, True])
def test_a_right_answer_is_accepted_and_one_wrong_bit_is_refused(
    mode: str, dtype: str, small: bool
) -> None:
    @FEW
    @given(case=cases(mode, dtype, small))
    def check(case: Case) -> None:
        check_call(case, OPERATOR)
        call_of(OPERATOR, case)
        verdict = judge(OPERATOR, case, right_answer(OPERATOR, case))
        assert verdict.ok, verdict
        for name in case.outputs:
            seen = right_answer(OPERATOR, case)
            output = seen.outputs[name].reshape(-1)
            output.view(f"u{output.itemsize}")[-1] ^= 1
            assert not judge(OPERATOR, case, seen).ok

    check()


@pytest.mark.parametrize("mode", MODES)
def test_plain_loops_over_the_document_s_equations_say_the_same(mode: str) -> None:
    @FEW
    @given(case=cases(mode, "float32", small=True))
    def check(case: Case) -> None:
        tokens = np.arange(case.inputs["tokens"].size).reshape(case.inputs["tokens"].shape)
        inputs: dict[str, Any] = {"tokens": tokens, "routing_map": case.arrays["routing_map"]}
        if "probs" in case.inputs:
            shape = case.inputs["probs"].shape
            inputs["probs"] = -1 - np.arange(case.inputs["probs"].size).reshape(shape)
        found = OPERATOR.formula(inputs, case.attributes)
        expected = loops(**inputs, **case.attributes)
        expected["permute_tokens"] = expected.pop("permuted_tokens")
        assert {name: array.tolist() for name, array in found.items()} == expected

    check()


@pytest.mark.parametrize("mode", MODES)
def test_the_gradient_of_what_is_permuted_is_that_of_the_operator_for_gradients(mode: str) -> None:
    """<permute(x), g> == <x, gradient(g)>, for tokens and for probs, in integers."""

    @FEW
    @given(case=cases(mode, "float32", small=True))
    def check(case: Case) -> None:
        routing_map = map_of(case)
        tokens, experts = routing_map.shape
        x = np.arange(1, 2 * tokens + 1).reshape(tokens, 2)
        p = np.arange(1, tokens * experts + 1).reshape(tokens, experts)
        inputs = {"tokens": x, "routing_map": case.arrays["routing_map"], "probs": p}
        out = OPERATOR.formula(inputs, case.attributes)
        rows = len(out["sorted_indices"])
        g, h = 1 + np.arange(2 * rows).reshape(rows, 2) % 7, 1 + np.arange(rows) % 5
        how = {"num_experts": experts, "tokens_num": tokens}
        how["drop_and_pad"] = case.attributes["drop_and_pad"]
        indices = out["sorted_indices"]
        back = tokens_formula(g, indices, routing_map, **how)
        assert (out["permute_tokens"] * g).sum() == (x * back).sum()
        weights = probs_formula(h, indices, routing_map, **how)
        assert (out["permute_probs"] * h).sum() == (p * weights).sum()

    check()


def test_what_is_worked_out_does_not_come_from_the_reference() -> None:
    by_hand = [one for one in OPERATOR.examples if one.name.startswith("worked out")]
    assert len(by_hand) == 12
    for one in by_hand:
        assert one.expected is not None
        assert one.expected.keys() == one.case.outputs.keys()


@pytest.mark.parametrize("mode", MODES)
def test_a_call_without_rows_or_columns_writes_nothing(mode: str) -> None:
    for name in ("numOutTokens 0", "no tokens", "no experts", "hidden 0"):
        case = EXAMPLES[f"{name}, {mode}"]
        assert case.outputs["permute_tokens"].size == 0
        for output in case.outputs:
            assert isinstance(OPERATOR.contract(output, case), Unspecified)
    assert EXAMPLES[f"hidden 0, {mode}"].outputs["sorted_indices"].size > 0
    full = EXAMPLES[f"worked out {mode} float32"]
    assert isinstance(OPERATOR.contract("sorted_indices", full), Index)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("map_dtype", ["int8", "bool"])
@pytest.mark.parametrize("probs", [False, True])
def test_every_mode_meets_both_kinds_of_map_with_and_without_probs(
    mode: str, map_dtype: str, probs: bool
) -> None:
    def shows(case: Case) -> bool:
        both = {"probs" in case.inputs, "permute_probs" in case.outputs}
        return both == {probs} and case.inputs["routing_map"].dtype == map_dtype

    assert shows(find(cases(mode, "float32"), shows, settings=FIRST_FOUND))


@pytest.mark.parametrize("mode", MODES)
def test_maps_hold_ones_and_zeros_and_unpadded_rows_as_many_ones_each(mode: str) -> None:
    @FEW
    @given(case=cases(mode, "float16"))
    def check(case: Case) -> None:
        routing_map = case.arrays["routing_map"]
        assert set(np.unique(routing_map)) <= {0, 1}
        if mode == "dropless":
            top_k = case.attributes["num_out_tokens"] // len(routing_map)
            assert set(np.count_nonzero(routing_map, axis=1)) == {top_k}
            assert 1 <= top_k <= 511

    check()


def test_padded_experts_drop_fill_up_and_have_no_tokens_or_all() -> None:
    shown = set()

    @FEW
    @given(case=cases("drop_pad", "float32", small=True))
    def collect(case: Case) -> None:
        own = map_of(case).sum(axis=0)
        tokens, capacity = len(map_of(case)), capacity_of(case)
        names = ("dropped", "padded", "none", "all", "whole")
        marks = (own > capacity, own < capacity, own == 0, own == tokens, capacity == tokens)
        shown.update(name for name, one in zip(names, marks, strict=True) if np.any(one))

    collect()
    assert shown == {"dropped", "padded", "none", "all", "whole"}
    assert {"none", "all"} <= set(COLUMNS)
    assert {"dropped", "padded", "whole"} <= set(FILLED)


@pytest.mark.parametrize("mode", MODES)
def test_a_case_shrinks_to_one_token_of_one_expert_and_the_smallest_machine(mode: str) -> None:
    case = find(cases(mode, "float16"), lambda case: True, settings=SHRUNK)
    assert case.inputs["tokens"].shape == (1, 1)
    assert case.inputs["routing_map"].shape == (1, 1)
    assert case.outputs["permute_tokens"].shape == (1, 1)
    assert case.attributes["num_out_tokens"] == 1
    assert "probs" not in case.inputs
    assert case.machine is not None
    assert (case.machine.cores, case.machine.ub_bytes) == (1, 1024)


@pytest.mark.parametrize("mode", MODES)
def test_a_seam_has_rows_of_two_tiles_or_more_to_sort_than_at_once(mode: str) -> None:
    shown = set()

    @FEW
    @given(case=cases(mode, "float32", small=True, seam=True))
    def collect(case: Case) -> None:
        assert case.machine is not None
        assert case.machine.cores == 1
        check_call(case, OPERATOR)
        tokens, hidden = case.inputs["tokens"].shape
        rows = case.outputs["permute_tokens"].shape[0]
        sorted_at_once = tokens if mode == "drop_pad" else rows
        top_k = 1 if mode == "drop_pad" else rows // tokens
        tile = CopyUb(case.machine.ub_bytes, top_k, 4, "probs" in case.inputs).columns
        shown.add("lists" if sorted_at_once > 32 else "tiles" if hidden > tile else "none")

    collect()
    assert shown == {"lists", "tiles"}


@pytest.mark.parametrize("mode", MODES)
def test_a_stored_case_is_the_same_call(mode: str, tmp_path: Path) -> None:
    def shows(case: Case) -> bool:
        return "probs" in case.inputs and case.inputs["routing_map"].dtype == "bool"

    case = find(cases(mode, "bfloat16"), shows, settings=FIRST_FOUND)
    save(Replay(case), tmp_path / "case.json")
    again = load(tmp_path / "case.json").case
    assert again == case
    assert again.digest == case.digest


@pytest.mark.parametrize("rejection", OPERATOR.rejections, ids=lambda rejection: rejection.name)
def test_a_refused_call_can_be_made(rejection: Rejection) -> None:
    check_shape_and_data(rejection.case)
    call_of(OPERATOR, rejection.case)
    assert any(tensor.size for tensor in rejection.case.outputs.values())


def test_a_refused_call_is_no_legal_one_but_for_numbers_that_the_equations_do_not_limit() -> None:
    lawful = set()
    for rejection in OPERATOR.rejections:
        try:
            check_call(rejection.case, OPERATOR)
        except IllegalCase:
            continue
        lawful.add(rejection.name)
    assert lawful == {
        "numOutTokens is 21 of 20",
        "numOutTokens is 21 of 20, padded",
        "2^24 - 1 tokens",
        "permute_probs is null",
        "probs are given, and permute_probs is null, padded",
    }


def test_cann_checks_what_its_host_sources_check_with_their_own_codes() -> None:
    unchecked = {r.name: r.status for r in OPERATOR.rejections if not r.checked_by_cann}
    assert unchecked["topK is 513"] == 561002
    assert unchecked["tokens is [3, 16], not [4, 16], dropless"] == 561002
    assert unchecked["sorted_indices is [7], not [8], dropless"] == 161002
    assert {r.status for r in OPERATOR.rejections if r.checked_by_cann} == {161001, 161002}


def test_calls_in_quarantine_can_be_made_and_stay_inside_their_tensors() -> None:
    for one in OPERATOR.quarantine:
        check_shape_and_data(one.case)
        call_of(OPERATOR, one.case)
        routing_map = map_of(one.case)
        if one.case.mode == "dropless":
            assert len(set(routing_map.sum(axis=1))) == 1
            assert one.case.outputs["sorted_indices"].size == routing_map.sum()
    assert [one.name for one in OPERATOR.quarantine] == [
        "topK is 512",
        "padded, more than 512 rows for a token",
        "bfloat16 tokens with float32 probs",
        "tokens of three axes",
    ]


@pytest.mark.parametrize("mode", MODES)
def test_torch_npu_returns_no_probabilities_that_are_not_given(mode: str) -> None:
    bound = OPERATOR.torch_npu
    assert isinstance(bound, Binding)
    assert bound.unreached is not None
    case = EXAMPLES[f"room for probabilities that are not given, {mode}"]
    assert bound.unreached(case) == "torch_npu returns no permute_probs without probs"
