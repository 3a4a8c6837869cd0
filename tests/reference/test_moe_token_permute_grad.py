"""The equations of MoeTokenPermuteGrad and their terms say the same, in the document's shapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.moe_token_permute_grad import formula, terms
from reference.terms import Terms
from tests.definitions.moe_token_permute_grad import moe_token_permute_grad as loops


@dataclass(frozen=True)
class Call:
    """One valid call: a lattice gradient (small integers) in float64 and its ranks."""

    gradient: np.ndarray
    ranks: np.ndarray
    attributes: dict[str, int]

    def formula(self) -> np.ndarray:
        return formula(self.gradient, self.ranks, **self.attributes)

    def terms(self) -> Terms:
        return terms(self.ranks, source_rows=len(self.gradient), **self.attributes)


@st.composite
def calls(draw: st.DrawFn, fewest_rows: int = 0) -> Call:
    """As many rows as slots, fewer or more; ranks as a router makes them or any that are legal."""
    top_k, tokens = draw(st.integers(1, 5)), draw(st.integers(0, 6))
    slots = tokens * top_k
    rows = draw(st.one_of(st.just(slots), st.integers(0, slots + 3)))
    rows = max(rows, fewest_rows)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    ranks = rng.permutation(slots)
    if draw(st.booleans()):
        ranks = rng.integers(0, max(slots, rows), slots)
    gradient = rng.integers(-64, 65, (rows, draw(st.integers(0, 4)))).astype(np.float64)
    attributes = {"num_topk": top_k, "padded_mode": draw(st.integers(0, 1))}
    return Call(gradient, ranks.astype(np.int32), attributes)


@given(call=calls(fewest_rows=1))
def test_formula_agrees_with_plain_loops(call: Call) -> None:
    assert call.formula().tolist() == loops(call.gradient, call.ranks, **call.attributes)


@given(call=calls())
def test_terms_add_up_to_the_formula(call: Call) -> None:
    found = call.terms()
    found.validate(len(call.gradient))
    assert found.source == "permuted_output_grad"
    assert found.coefficients is None
    assert found.cast is None
    top_k = call.attributes["num_topk"]
    assert found.rows.shape == (len(call.ranks) // top_k, top_k)
    added = [[call.gradient[row] for row in token if row >= 0] for token in found.rows]
    width = call.gradient.shape[1]
    assert call.formula().tolist() == [
        np.sum(rows, axis=0).tolist() if rows else [0.0] * width for rows in added
    ]


@given(call=calls())
def test_rows_that_no_slot_names_are_not_read(call: Call) -> None:
    canary = call.gradient.copy()
    canary[np.setdiff1d(np.arange(len(canary)), call.terms().rows)] = np.nan
    seen = formula(canary, call.ranks, **call.attributes)
    np.testing.assert_array_equal(seen, call.formula())


@given(call=calls())
def test_the_arguments_are_left_as_they_are(call: Call) -> None:
    gradient, ranks = call.gradient.copy(), call.ranks.copy()
    call.formula()
    call.terms().rows[...] = -1
    np.testing.assert_array_equal(call.gradient, gradient)
    np.testing.assert_array_equal(call.ranks, ranks)


def test_it_is_the_adjoint_of_the_permutation_also_with_a_dropped_tail() -> None:
    """<permute(x), g> = <x, permute_grad(g)>: ranks that are not their own inverse tell them apart
    from the list of which they are the ranks."""
    experts = np.array([[2, 0], [1, 0], [1, 2]])
    source = np.argsort(experts.reshape(-1), kind="stable")
    ranks = np.argsort(source, kind="stable").astype(np.int32)
    assert ranks.tolist() != source.tolist()
    rng = np.random.default_rng(3)
    x, g = rng.integers(-9, 10, (3, 4)), rng.integers(-9, 10, (6, 4))
    for rows in (6, 4, 1):
        permuted = x[source[:rows] // 2]
        gradient = formula(g[:rows], ranks, num_topk=2)
        assert (permuted * g[:rows]).sum() == (x * gradient).sum()


def test_slots_are_added_in_their_order() -> None:
    big = np.array([[1e8], [1.0], [-1e8]], np.float32)
    for order, total in (((0, 1, 2), 0.0), ((0, 2, 1), 1.0)):
        assert formula(big, np.array(order, np.int32), num_topk=3).tolist() == [[total]]


def test_a_rank_whose_row_was_dropped_adds_nothing() -> None:
    gradient = np.array([[1.0], [2.0]])
    ranks = np.array([3, 0, 1, 1, 2, 3], np.int32)
    assert formula(gradient, ranks, num_topk=2).tolist() == [[1.0], [4.0], [0.0]]
    assert terms(ranks, source_rows=2, num_topk=2).rows.tolist() == [[-1, 0], [1, 1], [-1, -1]]


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.uint16, np.int8])
def test_the_result_has_the_dtype_of_the_gradient(dtype: Any) -> None:
    gradient = np.array([[1], [2], [3], [4]]).astype(dtype)
    out = formula(gradient, np.array([3, 0, 1, 2], np.int32), num_topk=2)
    assert out.dtype == np.dtype(dtype)
    assert out.astype(np.float64).tolist() == [[5.0], [5.0]]


def test_empty_tensors_give_empty_results_and_no_row_gives_zeros() -> None:
    none = np.empty(0, np.int32)
    assert formula(np.empty((0, 7)), none, num_topk=4).shape == (0, 7)
    assert formula(np.zeros((6, 0)), np.arange(6, dtype=np.int32), num_topk=3).shape == (2, 0)
    assert formula(np.empty((0, 2)), np.arange(2, dtype=np.int32), num_topk=2).tolist() == [[0, 0]]


RANKS = np.arange(6, dtype=np.int32)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"num_topk": 0}, "num_topk=0: must lie in [1, 512]"),
        ({"num_topk": 513}, "num_topk=513: must lie in [1, 512]"),
        ({"num_topk": 4}, "num_topk=4: must divide the 6 slots"),
        ({"padded_mode": 2}, "padded_mode=2: must be 0 or 1"),
        ({"sorted_indices": RANKS.reshape(3, 2)}, "sorted_indices.shape=(3, 2): must be 1-D"),
        ({"sorted_indices": RANKS - 1}, "sorted_indices[0]=-1: must lie in [0, 6)"),
        ({"sorted_indices": RANKS + 1}, "sorted_indices[5]=6: must lie in [0, 6)"),
        ({"sorted_indices": RANKS + 1, "rows": 3}, "sorted_indices[5]=6: must lie in [0, 6)"),
        ({"sorted_indices": RANKS + 3, "rows": 8}, "sorted_indices[5]=8: must lie in [0, 8)"),
    ],
)
def test_both_reject_what_the_document_rules_out(change: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"num_topk": 2, "sorted_indices": RANKS, "rows": 6} | change
    rows, ranks = arguments.pop("rows"), arguments.pop("sorted_indices")
    for call in (
        lambda: formula(np.zeros((rows, 4)), ranks, **arguments),
        lambda: terms(ranks, source_rows=rows, **arguments),
    ):
        with pytest.raises(ValueError) as error:
            call()
        assert message in str(error.value)


def test_both_reject_dtypes_and_ranks_that_the_document_does_not_list() -> None:
    with pytest.raises(TypeError, match="sorted_indices: dtype int64 must be int32"):
        formula(np.zeros((6, 4)), RANKS.astype(np.int64), num_topk=2)
    with pytest.raises(TypeError, match="sorted_indices: dtype int64 must be int32"):
        terms(RANKS.astype(np.int64), source_rows=6, num_topk=2)
    with pytest.raises(TypeError, match="permuted_output_grad: dtype bool must be a real number"):
        formula(np.zeros((6, 4), bool), RANKS, num_topk=2)
    with pytest.raises(ValueError, match=r"shape=\(6, 4, 1\): must be 2-D"):
        formula(np.zeros((6, 4, 1)), RANKS, num_topk=2)
