"""The record of MoeTokenUnpermuteGrad says what its sources say, and its cells are drawn."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import find, given
from hypothesis import strategies as st

from cases.operators._moe_token_unpermute_grad_call import MODES, call, weighted
from cases.operators._values import bits
from cases.operators.moe_token_unpermute_grad import DTYPES, OPERATOR, cases
from conformance.call.case import Case
from conformance.call.observation import Observation, Outcome
from conformance.devices.call import call_of
from conformance.draw.values import SEEDS
from conformance.judge.agreement import check
from conformance.judge.calls import judge
from conformance.judge.legality import check_call, check_shape_and_data
from conformance.judge.quarantined import observe_quarantined
from conformance.judge.right_answer import right_answer
from conformance.values.fill import Fill
from tests.cases.drawing import FEW, SHRUNK, drawn_once
from tests.definitions.moe_token_unpermute_grad import moe_token_unpermute_grad as loops

CELLS = [(mode, dtype) for mode in MODES for dtype in DTYPES]


@pytest.mark.parametrize(("mode", "dtype"), CELLS)
def test_drawn_cases_are_legal_calls_that_a_right_answer_passes(mode: str, dtype: str) -> None:
    @FEW
    @given(case=cases(mode, dtype))
    def holds(case: Case) -> None:
        check_call(case, OPERATOR)
        call_of(OPERATOR, case)
        assert ("probs" in case.inputs) == ("probs_grad" in case.outputs) == (mode != "single")
        ranks = case.arrays["sorted_indices"]
        assert np.unique(ranks).size == ranks.size, "no row is named twice"
        verdict = judge(OPERATOR, case, right_answer(OPERATOR, case))
        assert verdict.ok, verdict

    holds()


@pytest.mark.parametrize("mode", MODES)
def test_formula_and_terms_agree_and_so_do_plain_loops_in_exact_fractions(mode: str) -> None:
    @FEW
    @given(case=cases(mode, "float16", small=True))
    def holds(case: Case) -> None:
        check(OPERATOR, case, limit=10**9)

        def numbers(name: str) -> Any:
            tensor = case.inputs[name]
            return (np.arange(tensor.size, dtype=np.float64) % 13 - 6).reshape(tensor.shape) / 4

        inputs = {name: numbers(name) for name in case.inputs if name != "sorted_indices"}
        exact = loops(
            *(
                None
                if inputs.get(name) is None
                else [[Fraction(x) for x in row] for row in inputs[name].tolist()]
                for name in ("permuted_tokens", "unpermuted_tokens_grad")
            ),
            case.arrays["sorted_indices"],
            *(
                [[[Fraction(x) for x in row] for row in inputs["probs"].tolist()]]
                if "probs" in inputs
                else []
            ),
        )
        inputs["sorted_indices"] = case.arrays["sorted_indices"]
        found = OPERATOR.formula(inputs, case.attributes)
        for name, wanted in zip(("permuted_tokens_grad", "probs_grad"), exact, strict=True):
            if wanted is not None:
                assert found[name].tolist() == [[float(x) for x in row] for row in wanted]

    holds()


@pytest.mark.parametrize("doubtful", OPERATOR.quarantine, ids=lambda doubtful: doubtful.name)
def test_a_call_in_quarantine_can_be_made_and_is_never_held_against_a_device(doubtful: Any) -> None:
    check_shape_and_data(doubtful.case)
    call_of(OPERATOR, doubtful.case)
    seen = {
        name: np.zeros(tensor.shape, tensor.dtype) for name, tensor in doubtful.case.outputs.items()
    }
    observed = Observation(Outcome.COMPLETED, outputs=seen, unwritten=dict.fromkeys(seen, 0))
    assert observe_quarantined(doubtful, OPERATOR, observed).ok


@pytest.mark.parametrize("mode", MODES)
def test_a_case_shrinks_to_one_token_one_column_and_the_smallest_machine(mode: str) -> None:
    case = find(cases(mode, "float16"), lambda case: True, settings=SHRUNK)
    assert case.inputs["unpermuted_tokens_grad"].shape == (1, 1)
    assert case.machine is not None
    assert (case.machine.cores, case.machine.ub_bytes) == (1, 1024)


@pytest.mark.parametrize(
    ("dtype", "probs_dtype", "top_k", "hidden"),
    [
        ("float32", "float32", 8, 5248),
        ("float32", "float32", 512, 4992),
        ("float16", "float16", 8, 7936),
        ("bfloat16", "bfloat16", 512, 7680),
        ("float16", "float32", 8, 7680),
        ("bfloat16", "float32", 512, 7424),
        ("float32", None, 1, 3064),
        ("float16", None, 1, 6128),
    ],
)
def test_the_longest_rows_of_the_vendor_s_kernel_are_edges_of_their_pair_of_dtypes(
    dtype: str, probs_dtype: str | None, top_k: int, hidden: int
) -> None:
    assert OPERATOR.cells is not None
    edges = OPERATOR.cells("uneven" if probs_dtype else "single", dtype).edges
    assert edges is not None
    for change in (-1, 0, 1):
        sizes = {"top_k": top_k, "hidden": hidden + change}.items()
        cases = (
            drawn_once(edges.cases(edge), 1)
            for edge in edges.declared
            if sizes <= edge.sizes.items() and "vendor" in edge.limit
        )
        met = next(case for case in cases if _probs_dtype(case) == probs_dtype)
        assert met.inputs["permuted_tokens"].shape[1] == hidden + change


def _probs_dtype(case: Case) -> str | None:
    return case.inputs["probs"].dtype if "probs" in case.inputs else None


@pytest.mark.parametrize("mode", ["whole", "uneven"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_products_of_lattices_have_one_sum_in_every_order(mode: str, dtype: str) -> None:
    lattice = st.builds(Fill, stripes=st.just(("lattice",)), seed=SEEDS, terms=st.just(2**20))
    rows = st.builds(Fill, stripes=st.just(("lattice",)), seed=SEEDS)

    @FEW
    @given(case=cases(mode, dtype), tokens=rows, grad=lattice, probs=lattice)
    def holds(case: Case, tokens: Fill, grad: Fill, probs: Fill) -> None:
        filled = {
            **case.inputs,
            "permuted_tokens": replace(case.inputs["permuted_tokens"], fill=tokens),
        }
        case = weighted(replace(case, inputs=filled), case.inputs["probs"].dtype, probs, grad)
        found = judge(OPERATOR, case, right_answer(OPERATOR, case)).outputs["probs_grad"]
        assert found.exact == found.elements

    holds()


@pytest.mark.parametrize(("grad", "accepted"), [(1.0, False), (float("inf"), True)])
def test_zeros_times_a_gradient_that_is_not_finite_may_be_what_a_dropped_slot_has(
    grad: float, accepted: bool
) -> None:
    one = bits("float32", 1)
    case = call("uneven", "float32", source=(1, 1), indices=(0, 1), top_k=2, values=one)
    case = weighted(case, "float32", one + one, bits("float32", grad))
    seen = right_answer(OPERATOR, case)
    seen.outputs["probs_grad"][0, 1] = np.nan
    assert judge(OPERATOR, case, seen).ok == accepted
    seen.outputs["probs_grad"][0, 0] = 12345.5
    assert not judge(OPERATOR, case, seen).ok, "the slot that has a row"
