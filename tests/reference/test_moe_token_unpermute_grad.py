"""MoeTokenUnpermuteGrad is the adjoint of MoeTokenUnpermute, in its rows and in its probs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.moe_token_unpermute import formula as unpermute
from reference.moe_token_unpermute_grad import formula, terms


@dataclass(frozen=True)
class Call:
    """One valid call on a lattice (small integers) in float64; no row is named twice."""

    tokens: np.ndarray
    grad: np.ndarray
    ranks: np.ndarray
    probs: np.ndarray | None

    @property
    def top_k(self) -> int:
        return 1 if self.probs is None else self.probs.shape[1]

    def formula(self) -> dict[str, np.ndarray]:
        return formula(self.grad, self.ranks, self.tokens, self.probs)


@st.composite
def calls(draw: st.DrawFn, with_probs: bool | None = None) -> Call:
    """As many rows as slots, fewer or more; ranks in any order, or any different rows."""
    probs = draw(st.booleans()) if with_probs is None else with_probs
    top_k = draw(st.integers(1, 4)) if probs else 1
    tokens, hidden = draw(st.integers(0, 6)), draw(st.integers(0, 4))
    slots = tokens * top_k
    rows = draw(st.one_of(st.just(slots), st.integers(0, slots + 3)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    ranks = rng.permutation(max(slots, rows))[:slots]
    return Call(
        rng.integers(-64, 65, (rows, hidden)).astype(np.float64),
        rng.integers(-64, 65, (tokens, hidden)).astype(np.float64),
        ranks.astype(np.int32),
        rng.integers(-8, 9, (tokens, top_k)).astype(np.float64) if probs else None,
    )


def looped(call: Call) -> tuple[list[list[float]], list[list[float]]]:
    """Both gradients slot by slot, in Python's numbers."""
    rows = [[0.0] * call.tokens.shape[1] for _ in call.tokens]
    probs = [[0.0] * call.top_k for _ in call.grad]
    for slot, row in enumerate(call.ranks.tolist()):
        if row < len(rows):
            i, j = divmod(slot, call.top_k)
            factor = 1.0 if call.probs is None else call.probs[i, j]
            rows[row] = [g * factor for g in call.grad[i].tolist()]
            probs[i][j] = sum(a * b for a, b in zip(call.tokens[row], call.grad[i], strict=True))
    return rows, probs


@given(call=calls())
def test_the_equations_are_the_loops(call: Call) -> None:
    outputs, (rows, probs) = call.formula(), looped(call)
    assert outputs["permuted_tokens_grad"].tolist() == rows
    assert ("probs_grad" in outputs) == (call.probs is not None)
    if call.probs is not None:
        assert outputs["probs_grad"].tolist() == probs


@given(call=calls())
def test_it_is_the_adjoint_of_the_forward_operator_in_rows_and_in_probs(call: Call) -> None:
    """<unpermute(t, p), g> = <t, d t> = <p, d p>: the operator is linear in either."""
    outputs = call.formula()
    product = (unpermute(call.tokens, call.ranks, call.probs) * call.grad).sum()
    assert (call.tokens * outputs["permuted_tokens_grad"]).sum() == product
    if call.probs is not None:
        assert (call.probs * outputs["probs_grad"]).sum() == product


@given(call=calls())
def test_terms_say_which_weighted_row_each_gradient_is(call: Call) -> None:
    found = terms(call.ranks, call.probs, source_rows=len(call.tokens))
    found.validate(len(call.grad))
    assert found.source == "unpermuted_tokens_grad"
    assert found.cast is None
    assert found.rows.shape == (len(call.tokens), 1)
    assert (found.coefficients is None) == (call.probs is None)
    factors = np.ones(found.rows.shape) if found.coefficients is None else found.coefficients
    padded = np.vstack([call.grad, np.zeros((1, call.grad.shape[1]))])
    rows = (padded[found.rows] * factors[:, :, None]).sum(1)
    np.testing.assert_array_equal(rows, call.formula()["permuted_tokens_grad"])


@given(call=calls())
def test_rows_that_no_slot_names_and_probs_of_absent_rows_are_not_read(call: Call) -> None:
    canary = call.tokens.copy()
    canary[np.setdiff1d(np.arange(len(canary)), call.ranks)] = np.nan
    probs = call.probs
    if probs is not None:
        probs = np.where(call.ranks.reshape(probs.shape) >= len(canary), np.nan, probs)
    seen = replace(call, tokens=canary, probs=probs).formula()
    for name, array in call.formula().items():
        np.testing.assert_array_equal(seen[name], array)


@given(call=calls())
def test_the_arguments_are_left_as_they_are(call: Call) -> None:
    before = replace(call, tokens=call.tokens.copy(), grad=call.grad.copy())
    ranks, probs = call.ranks.copy(), None if call.probs is None else call.probs.copy()
    for array in call.formula().values():
        array[...] = -1
    terms(call.ranks, call.probs, source_rows=len(call.tokens)).rows[...] = -1
    np.testing.assert_array_equal(call.tokens, before.tokens)
    np.testing.assert_array_equal(call.grad, before.grad)
    np.testing.assert_array_equal(call.ranks, ranks)
    if probs is not None:
        np.testing.assert_array_equal(call.probs, probs)


TOKENS = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0], [4.0, 40.0]])
GRAD = np.array([[1.0, 2.0], [-1.0, 3.0]])
RANKS = np.array([3, 0, 2, 1], np.int32)
PROBS = np.array([[0.5, 2.0], [1.0, -1.0]])


def test_both_gradients_by_hand() -> None:
    outputs = formula(GRAD, RANKS, TOKENS, PROBS)
    assert outputs["permuted_tokens_grad"].tolist() == [[2, 4], [1, -3], [-1, 3], [0.5, 1]]
    assert outputs["probs_grad"].tolist() == [[84.0, 21.0], [87.0, 58.0]]


def test_a_dropped_row_gets_no_gradient_and_gives_its_prob_none() -> None:
    outputs = formula(GRAD, RANKS, TOKENS[:2], PROBS)
    assert outputs["permuted_tokens_grad"].tolist() == [[2, 4], [1, -3]]
    assert outputs["probs_grad"].tolist() == [[0.0, 21.0], [0.0, 58.0]]


def test_a_row_that_no_slot_names_has_no_gradient() -> None:
    outputs = formula(GRAD, RANKS[:2], TOKENS)
    assert outputs["permuted_tokens_grad"].tolist() == [[-1, 3], [0, 0], [0, 0], [1, 2]]
    assert terms(RANKS[:2], source_rows=4).rows.tolist() == [[1], [-1], [-1], [0]]


def test_without_probs_tokens_may_be_left_out_and_each_slot_has_a_row() -> None:
    outputs = formula(GRAD, RANKS[:2] % 2)
    given = formula(GRAD, RANKS[:2] % 2, TOKENS[:2].astype(GRAD.dtype))
    np.testing.assert_array_equal(outputs["permuted_tokens_grad"], given["permuted_tokens_grad"])
    assert outputs["permuted_tokens_grad"].dtype == GRAD.dtype


def test_with_probs_tokens_are_not_left_out() -> None:
    with pytest.raises(ValueError, match="permuted_tokens=None: must be given with probs"):
        formula(GRAD, RANKS, None, PROBS)


def test_without_probs_rows_are_moved_with_their_signs() -> None:
    moved = formula(np.array([[-0.0, 1.0]]), np.array([0], np.int32), TOKENS[:1])
    assert np.signbit(moved["permuted_tokens_grad"]).tolist() == [[True, False]]


def test_a_prob_of_zero_does_not_hide_what_is_not_finite() -> None:
    grad, one = np.array([[np.inf, 1.0]]), np.array([0], np.int32)
    outputs = formula(grad, one, TOKENS[:1], np.zeros((1, 1)))
    np.testing.assert_array_equal(outputs["permuted_tokens_grad"], [[np.nan, 0.0]])
    np.testing.assert_array_equal(outputs["probs_grad"], [[np.inf]])


def test_products_are_added_in_the_order_of_the_hidden_axis() -> None:
    one, prob = np.array([0], np.int32), np.ones((1, 1), np.float32)
    for row, total in (([1e8, 1.0, -1e8], 0.0), ([1e8, -1e8, 1.0], 1.0)):
        grads = np.array([row], np.float32)
        outputs = formula(grads, one, np.ones((1, 3), np.float32), prob)
        assert outputs["probs_grad"].tolist() == [[total]]


def test_gradients_have_the_dtypes_of_what_they_are_the_gradients_of() -> None:
    outputs = formula(
        GRAD.astype(ml_dtypes.bfloat16), RANKS, TOKENS.astype(np.float16), PROBS.astype(np.float32)
    )
    assert outputs["permuted_tokens_grad"].dtype == np.float16
    assert outputs["probs_grad"].dtype == np.float32
    assert outputs["probs_grad"].tolist() == [[84.0, 21.0], [87.0, 58.0]]
    moved = formula(GRAD, RANKS[:2], TOKENS.astype(np.float16))
    assert moved["permuted_tokens_grad"].dtype == np.float16


def test_sums_of_several_dtypes_are_rounded_once_and_of_one_at_every_step() -> None:
    """2^11 products of 1 and a last one of 1: float16 has no 2^11 + 1."""
    ones = np.ones((1, 2**11 + 3))
    one = np.array([0], np.int32)
    half = ones.astype(np.float16)
    narrow = formula(half, one, half, np.ones((1, 1), np.float16))["probs_grad"]
    assert narrow.tolist() == [[2**11]]
    wide = formula(half, one, half, np.ones((1, 1), np.float32))["probs_grad"]
    assert wide.tolist() == [[2**11 + 3]]


def test_empty_tensors_give_empty_results() -> None:
    none = np.empty(0, np.int32)
    outputs = formula(np.empty((0, 7)), none, np.empty((0, 7)), np.empty((0, 4)))
    assert [array.shape for array in outputs.values()] == [(0, 7), (0, 4)]
    dropped = formula(GRAD, RANKS, np.empty((0, 2)), PROBS)
    assert dropped["permuted_tokens_grad"].shape == (0, 2)
    assert dropped["probs_grad"].tolist() == [[0.0, 0.0], [0.0, 0.0]]
    narrow = formula(np.empty((2, 0)), RANKS, np.empty((4, 0)), PROBS)
    assert narrow["probs_grad"].tolist() == [[0.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"padded_mode": True}, "padded_mode=True: must be False"),
        ({"probs": np.ones(4)}, "probs.shape=(4,): must be 2-D [tokens, topK]"),
        ({"probs": np.ones((2, 3))}, "probs.shape=(2, 3): must be 2-D [tokens, topK], one prob"),
        ({"probs": np.ones((2, 0)), "ranks": RANKS[:0]}, "topK must lie in [1, 512]"),
        ({"ranks": RANKS.reshape(2, 2)}, "sorted_indices.shape=(2, 2): must be 1-D"),
        ({"ranks": RANKS - 1}, "sorted_indices[1]=-1: must lie in [0, 4)"),
        ({"ranks": RANKS + 1}, "sorted_indices[0]=4: must lie in [0, 4)"),
        ({"ranks": RANKS // 2}, "sorted_indices=0 twice: a row may be named by one slot"),
    ],
)
def test_both_reject_what_the_document_rules_out(change: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"probs": PROBS, "ranks": RANKS} | change
    ranks, probs = arguments.pop("ranks"), arguments.pop("probs")
    for call in (
        lambda: formula(GRAD, ranks, TOKENS, probs, **arguments),
        lambda: terms(ranks, probs, source_rows=4, **arguments),
    ):
        with pytest.raises(ValueError) as error:
            call()
        assert message in str(error.value)
        assert "[aclnnMoeTokenUnpermuteGrad, " in str(error.value)


def test_two_slots_may_name_a_row_that_is_not_there() -> None:
    both = np.array([3, 0, 3, 1], np.int32)
    assert formula(GRAD, both, TOKENS[:2], PROBS)["probs_grad"].tolist() == [[0, 21], [0, 58]]


def test_dtypes_and_shapes_that_the_document_does_not_list_are_rejected() -> None:
    with pytest.raises(TypeError, match="sorted_indices: dtype int64 must be int32"):
        terms(RANKS.astype(np.int64), source_rows=4)
    with pytest.raises(TypeError, match="permuted_tokens: dtype bool must be a real number"):
        formula(GRAD, RANKS, TOKENS.astype(bool), PROBS)
    with pytest.raises(TypeError, match="unpermuted_tokens_grad: dtype bool must be a real"):
        formula(GRAD.astype(bool), RANKS, TOKENS, PROBS)
    with pytest.raises(TypeError, match="probs: dtype bool must be a real number"):
        formula(GRAD, RANKS, TOKENS, PROBS.astype(bool))
    with pytest.raises(ValueError, match=r"permuted_tokens.shape=\(8,\): must be 2-D"):
        formula(GRAD, RANKS, TOKENS.reshape(-1), PROBS)
    with pytest.raises(ValueError, match=r"unpermuted_tokens_grad.shape=\(2, 2\): must be \(4, 2"):
        formula(GRAD, RANKS, TOKENS)
    with pytest.raises(ValueError, match=r"unpermuted_tokens_grad.shape=\(2, 1\): must be \(2, 2"):
        formula(GRAD[:, :1], RANKS, TOKENS, PROBS)
