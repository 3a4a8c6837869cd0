"""The record of MoeTokenUnpermuteWithRoutingMap says what its sources say, and refuses mistakes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, find, given, settings

from cases.operators._moe_token_unpermute_with_routing_map_calls import in_order
from cases.operators._moe_token_unpermute_with_routing_map_cells import MAP_SUMS, SUMS
from cases.operators.moe_token_unpermute_with_routing_map import OPERATOR, not_reached
from conformance.call.case import Case
from conformance.judge.calls import judge
from conformance.judge.right_answer import right_answer
from conformance.record.variations import with_attributes
from conformance.values.fill import Fill
from tests.cases.drawing import SHRUNK, a_case_of_every_row
from tests.definitions.moe_token_unpermute_with_routing_map import (
    moe_token_unpermute_with_routing_map as loops,
)

FEW = settings(
    max_examples=25,
    database=None,
    derandomize=True,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
OUT, PROBS = "unpermuted_tokens", "probs"


@pytest.mark.parametrize("mode", SUMS)
def test_the_formula_gives_what_plain_loops_give_in_exact_fractions(mode: str) -> None:
    @FEW
    @given(case=MAP_SUMS.cases(mode, "bfloat16", small=True))
    def holds(case: Case) -> None:
        inputs: dict[str, Any] = dict(case.arrays)
        for name in ("permuted_tokens", PROBS):
            if name in inputs:
                numbers = np.arange(inputs[name].size) % 7 - 3
                inputs[name] = numbers.reshape(inputs[name].shape) / 4
        exact = {
            name: [[Fraction(x) for x in row] for row in inputs[name].tolist()]
            for name in ("permuted_tokens", PROBS)
            if name in inputs
        }
        due = loops(**{**inputs, **exact}, **case.attributes)
        found = OPERATOR.formula(inputs, case.attributes)
        assert found.keys() == due.keys()
        for name, values in due.items():
            assert found[name].tolist() == np.array(values, np.float64).tolist()

    holds()


def unrounded(case: Case, outputs: dict[str, Any]) -> None:
    """Padded products of 16 bits are added as they are."""
    wide = OPERATOR.formula(case.widened(np.float32), case.attributes)[OUT]
    outputs[OUT][...] = wide


def by_expert(case: Case, outputs: dict[str, Any]) -> None:
    """The probs are selected expert by expert."""
    marks = case.arrays["routing_map"] != 0
    outputs["permute_probs"][...] = case.arrays[PROBS].T[marks.T]


def unsorted(case: Case, outputs: dict[str, Any]) -> None:
    """The ids are not sorted."""
    outputs["permute_token_id"][...] = case.arrays["sorted_indices"]


def unstable(case: Case, outputs: dict[str, Any]) -> None:
    """Equal ids come with their last row first."""
    ids = case.arrays["sorted_indices"]
    outputs["out_index"][...] = np.lexsort((-np.arange(ids.size), ids))


def overwritten(case: Case, outputs: dict[str, Any]) -> None:
    """A token has its last row alone."""
    ids = case.arrays["sorted_indices"]
    outputs[OUT][ids] = case.arrays["permuted_tokens"]


@pytest.mark.parametrize(
    ("mode", "mistake"),
    [
        ("padded_probs", unrounded),
        ("dropless_probs", by_expert),
        ("padded", unsorted),
        ("padded", unstable),
        ("padded", overwritten),
    ],
)
def test_a_mistake_is_refused(mode: str, mistake: Callable[..., None]) -> None:
    fill = Fill(("gaussian",), seed=3)
    case = in_order(mode, "float16", 5, 3, 8, fill=fill)
    seen = right_answer(OPERATOR, case)
    assert judge(OPERATOR, case, seen).ok
    mistake(case, seen.outputs)
    assert not judge(OPERATOR, case, seen).ok


def test_probs_of_float32_beside_bfloat16_rows_are_not_rounded_away() -> None:
    fill = Fill(("gaussian",), seed=3)
    case = in_order("padded_probs", "bfloat16", 5, 3, 8, "float32", fill=fill)
    seen = right_answer(OPERATOR, case)
    probs = case.arrays[PROBS]
    assert judge(OPERATOR, case, seen).ok
    rows = case.arrays["permuted_tokens"]
    inputs = {**case.widened(np.float32), PROBS: probs.astype(rows.dtype).astype(np.float32)}
    seen.outputs[OUT][...] = OPERATOR.formula(inputs, case.attributes)[OUT]
    assert not judge(OPERATOR, case, seen).ok


def test_rows_of_levels_have_unused_slots_tokens_without_rows_and_more_rows_than_tokens() -> None:
    drawn = [case for _, case in a_case_of_every_row(OPERATOR, "dropless_probs", "bfloat16")]
    assert any((case.arrays["sorted_indices"] == -1).any() for case in drawn)
    assert {case.inputs[PROBS].dtype for case in drawn} == {"bfloat16", "float32"}
    assert {case.attributes["restore_shape"] is None for case in drawn} == {True, False}
    padded = [case for _, case in a_case_of_every_row(OPERATOR, "padded", "bfloat16")]
    ids = [(case.arrays["sorted_indices"], case.outputs[OUT].shape[0]) for case in padded]
    assert any(rows.size > tokens for rows, tokens in ids)
    assert any(np.setdiff1d(np.arange(tokens), rows).size for rows, tokens in ids)


@pytest.mark.parametrize("mode", SUMS)
def test_a_case_shrinks_to_one_token_one_column_and_the_smallest_machine(mode: str) -> None:
    case = find(MAP_SUMS.cases(mode, "float16"), lambda case: True, settings=SHRUNK)
    assert case.outputs[OUT].shape == (1, 1)
    assert case.machine is not None
    assert (case.machine.cores, case.machine.ub_bytes) == (1, 1024)


def test_torch_npu_makes_its_result_by_restore_shape() -> None:
    case = in_order("dropless_probs", "float16", 2, 2, 8)
    assert not_reached(with_attributes(case, restore_shape=None))
    assert not_reached(with_attributes(case, restore_shape=(2, 8))) == ""
