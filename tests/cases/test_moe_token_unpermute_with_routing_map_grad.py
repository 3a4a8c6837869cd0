"""The record of MoeTokenUnpermuteWithRoutingMapGrad says what its sources say."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, find, given, settings

from cases.operators._moe_token_unpermute_with_routing_map_grad_calls import in_order
from cases.operators._moe_token_unpermute_with_routing_map_grad_cells import MAP_SUMS, SUMS
from cases.operators.moe_token_unpermute_with_routing_map_grad import OPERATOR, not_reached
from conformance.call.case import Case
from conformance.judge.calls import judge
from conformance.judge.legality import check_call
from conformance.judge.right_answer import right_answer
from conformance.record.variations import with_attributes
from tests.cases.drawing import SHRUNK, a_case_of_every_row
from tests.definitions.moe_token_unpermute_with_routing_map_grad import (
    moe_token_unpermute_with_routing_map_grad as loops,
)

FEW = settings(
    max_examples=25,
    database=None,
    derandomize=True,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
FLOATS = ("unpermuted_tokens_grad", "permuted_tokens", "probs")


@pytest.mark.parametrize("mode", SUMS)
def test_the_formula_gives_what_plain_loops_give_in_exact_fractions(mode: str) -> None:
    @FEW
    @given(case=MAP_SUMS.cases(mode, "bfloat16", small=True))
    def holds(case: Case) -> None:
        check_call(case, OPERATOR)
        inputs: dict[str, Any] = dict(case.arrays)
        for name in FLOATS:
            if name in inputs:
                numbers = np.arange(inputs[name].size) % 7 - 3
                inputs[name] = numbers.reshape(inputs[name].shape) / 4
        exact = {
            name: [[Fraction(x) for x in row] for row in inputs[name].tolist()]
            for name in FLOATS
            if name in inputs
        }
        due = loops(**{**inputs, **exact}, **case.attributes)
        found = OPERATOR.formula(inputs, case.attributes)
        assert found.keys() == due.keys()
        for name, values in due.items():
            assert found[name].tolist() == np.array(values, np.float64).tolist()

    holds()


def unweighted(case: Case, outputs: dict[str, Any]) -> None:
    """Rows are the gradients, and no prob is multiplied."""
    tokens = case.arrays["permute_token_id"]
    outputs["permuted_tokens_grad"][case.arrays["out_index"]] = case.arrays[FLOATS[0]][tokens]


def unscattered(case: Case, outputs: dict[str, Any]) -> None:
    """Sums are not put by experts."""
    outputs["probs_grad"][...] = np.roll(outputs["probs_grad"], 1, axis=1)


def unsummed(case: Case, outputs: dict[str, Any]) -> None:
    """The last column is left out of the sums."""
    wide = case.widened(np.float32)
    wide["permuted_tokens"][:, -1] = 0
    outputs["probs_grad"][...] = OPERATOR.formula(wide, case.attributes)["probs_grad"]


def unzeroed(case: Case, outputs: dict[str, Any]) -> None:
    """Probs that no slot has get something else than 0."""
    rows = case.arrays["routing_map"] == 0
    outputs["probs_grad"][rows] = 1


@pytest.mark.parametrize("mistake", [unweighted, unscattered, unsummed])
@pytest.mark.parametrize("mode", ["dropless_probs", "padded_probs"])
def test_a_mistake_is_refused(mode: str, mistake: Callable[..., None]) -> None:
    case = in_order(mode, "float16", 5, 3, 8)
    seen = right_answer(OPERATOR, case)
    assert judge(OPERATOR, case, seen).ok
    mistake(case, seen.outputs)
    assert not judge(OPERATOR, case, seen).ok


def test_rows_of_levels_have_unused_slots_and_probs_of_which_no_slot_has_any() -> None:
    drawn = [case for _, case in a_case_of_every_row(OPERATOR, "dropless_probs", "bfloat16")]
    assert any((case.arrays["out_index"] == -1).any() for case in drawn)
    assert {case.inputs["probs"].dtype for case in drawn} == {"bfloat16", "float32"}
    case = next(case for case in drawn if not case.arrays["routing_map"].all())
    seen = right_answer(OPERATOR, case)
    assert judge(OPERATOR, case, seen).ok
    unzeroed(case, seen.outputs)
    assert not judge(OPERATOR, case, seen).ok


def test_padded_probs_are_those_of_few_experts_and_of_as_many_as_rows() -> None:
    """No expert has a token twice, so tokens that many rows name need as many experts."""
    drawn = [case for _, case in a_case_of_every_row(OPERATOR, "padded_probs", "float16")]
    capacities = {
        case.inputs["out_index"].size // case.inputs["probs"].shape[1]
        for case in drawn
        if case.inputs["out_index"].size > 1
    }
    assert min(capacities) == 1 < max(capacities)


@pytest.mark.parametrize("mode", SUMS)
def test_a_case_shrinks_to_one_token_one_column_and_the_smallest_machine(mode: str) -> None:
    case = find(MAP_SUMS.cases(mode, "float16"), lambda case: True, settings=SHRUNK)
    assert case.inputs["unpermuted_tokens_grad"].shape == (1, 1)
    assert case.machine is not None
    assert (case.machine.cores, case.machine.ub_bytes) == (1, 1024)


def test_torch_npu_has_one_data_type_and_demands_restore_shape() -> None:
    case = in_order("dropless_probs", "bfloat16", 2, 2, 8)
    assert not_reached(case) == ""
    assert not_reached(with_attributes(case, restore_shape=None))
    assert not_reached(in_order("dropless_probs", "bfloat16", 2, 2, 8, "float32"))
