"""Cells of MoeTokenPermuteGrad: what is asked for is drawn, is legal, and shrinks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from cases.operators._slot_sum_cases import far_cases
from cases.operators.moe_token_permute_grad import DTYPES, MODES, OPERATOR, SUM
from conformance.call.case import Case
from conformance.judge.agreement import check
from conformance.judge.legality import check_call
from tests.cases.drawing import smallest


@pytest.mark.parametrize("mode", MODES)
def test_a_case_shrinks_to_one_token_one_column_one_stripe_and_the_smallest_machine(
    mode: str,
) -> None:
    case = smallest(OPERATOR, mode, "float32")
    gradient = case.inputs["permuted_output_grad"]
    assert case.outputs["out"].shape == (1, 1)
    assert gradient.fill is not None
    assert gradient.fill.stripes == ("lattice",)
    assert case.machine is not None
    assert (case.machine.cores, case.machine.ub_bytes) == (1, 1024)


@pytest.mark.parametrize(
    ("levels", "tokens", "hidden"),
    [
        ({"boundary": "tokens = cores + 1"}, 2, 1),
        ({"cores": "many", "boundary": "tokens = cores"}, 40, 1),
        ({"boundary": "hidden = 32 bytes - 1"}, 1, 7),
        ({"boundary": "hidden = 4 vendor buffers + 1"}, 1, 9217),
        ({"boundary": "hidden = two vendor pieces + 1", "slots": "1"}, 1, 31745),
        ({"boundary": "hidden = two vendor pieces", "slots": "2-3"}, 1, 31744),
        ({"routing": "one row", "slots": "512", "boundary": "tokens = cores"}, 1, 1),
    ],
)
def test_a_boundary_shrinks_to_its_smallest_sizes(
    levels: dict[str, str], tokens: int, hidden: int
) -> None:
    case = smallest(OPERATOR, "whole", "float32", **levels)
    assert case.outputs["out"].shape == (tokens, hidden)


@pytest.mark.parametrize("slots", ["1", "2-3", "4-7"])
def test_every_tuple_of_a_small_scope_stands_in_one_launch(slots: str) -> None:
    case = smallest(OPERATOR, "uneven", "float32", routing="every tuple", slots=slots)
    indices, top_k = case.arrays["sorted_indices"], case.attributes["num_topk"]
    values = len(set(indices.tolist()))
    tuples = {tuple(token) for token in indices.reshape(-1, top_k).tolist()}
    assert len(tuples) == values**top_k == indices.size // top_k
    assert values >= 2


def test_where_all_slots_drop_their_ranks_lie_below_the_number_of_slots() -> None:
    case = smallest(OPERATOR, "uneven", "float32", dropped="all", slots="1")
    indices = case.arrays["sorted_indices"]
    rows = case.inputs["permuted_output_grad"].shape[0]
    assert (rows <= indices).all()
    assert indices.max() < indices.size


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("small", [False, True])
def test_far_cases_are_legal_and_formula_and_terms_agree_on_them(dtype: str, small: bool) -> None:
    @settings(max_examples=15, database=None, derandomize=True, deadline=None)
    @given(case=far_cases(SUM, "uneven", dtype, small))
    def holds(case: Case) -> None:
        source, indices = case.inputs["permuted_output_grad"], case.inputs["sorted_indices"]
        assert source.size > 2**31
        assert indices.values is not None
        assert max(indices.values) * source.shape[-1] >= 2**31
        assert not small or (indices.size <= 8 and source.shape[-1] <= 64)
        check_call(case, OPERATOR)
        check(OPERATOR, case, limit=10**9)

    holds()


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_has_calls_with_rows_on_both_sides_of_both_edges(dtype: str) -> None:
    offsets = [
        np.array(example.case.inputs["sorted_indices"].values) * 8
        for example in OPERATOR.examples
        if example.case.dtype == dtype and example.case.inputs["permuted_output_grad"].rows
    ]
    for (low, high), edge in zip(offsets, (2**31, 2**32), strict=True):
        assert low < edge <= high
