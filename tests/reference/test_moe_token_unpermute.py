"""MoeTokenUnpermute weighs and adds rows; its equations and their terms say the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.moe_token_permute import formula as permute
from reference.moe_token_permute_grad import formula as plain_sum
from reference.moe_token_unpermute import formula, terms


@dataclass(frozen=True)
class Call:
    """One valid call on a lattice (small integers) in float64."""

    tokens: np.ndarray
    ranks: np.ndarray
    probs: np.ndarray | None

    @property
    def top_k(self) -> int:
        return 1 if self.probs is None else self.probs.shape[1]

    def formula(self) -> np.ndarray:
        return formula(self.tokens, self.ranks, self.probs)


@st.composite
def calls(draw: st.DrawFn, with_probs: bool | None = None) -> Call:
    """As many rows as slots, fewer or more; ranks as a router makes them or any that are legal."""
    probs = draw(st.booleans()) if with_probs is None else with_probs
    top_k = draw(st.integers(1, 5)) if probs else 1
    tokens = draw(st.integers(0, 6))
    slots = tokens * top_k
    rows = draw(st.one_of(st.just(slots), st.integers(0, slots + 3)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    ranks = rng.permutation(slots)
    if draw(st.booleans()):
        ranks = rng.integers(0, max(slots, rows, 1), slots)
    values = rng.integers(-64, 65, (rows, draw(st.integers(0, 4)))).astype(np.float64)
    weights = rng.integers(-8, 9, (tokens, top_k)).astype(np.float64)
    return Call(values, ranks.astype(np.int32), weights if probs else None)


def summed(call: Call) -> list[list[float]]:
    """The equations slot by slot, in Python's numbers; a slot whose row is not there adds none."""
    out = []
    for i in range(len(call.ranks) // call.top_k):
        total = [0.0] * call.tokens.shape[1]
        for j in range(call.top_k):
            row = call.ranks[i * call.top_k + j]
            if row < len(call.tokens):
                factor = 1.0 if call.probs is None else call.probs[i, j]
                total = [a + b * factor for a, b in zip(total, call.tokens[row], strict=True)]
        out.append(total)
    return out


@given(call=calls())
def test_the_equations_are_the_loops(call: Call) -> None:
    assert call.formula().tolist() == summed(call)


@given(call=calls())
def test_terms_add_up_to_the_formula(call: Call) -> None:
    found = terms(call.ranks, call.probs, source_rows=len(call.tokens))
    found.validate(len(call.tokens))
    assert found.source == "permuted_tokens"
    assert found.cast is None
    assert found.rows.shape == (len(call.ranks) // call.top_k, call.top_k)
    assert (found.coefficients is None) == (call.probs is None)
    factors = np.ones(found.rows.shape) if found.coefficients is None else found.coefficients
    live = np.where(found.rows >= 0, factors, 0.0)
    padded = np.vstack([call.tokens, np.zeros((1, call.tokens.shape[1]))])
    np.testing.assert_array_equal((padded[found.rows] * live[:, :, None]).sum(1), call.formula())


@given(call=calls(with_probs=True))
def test_probs_of_one_give_the_plain_sum(call: Call) -> None:
    ones = formula(call.tokens, call.ranks, np.ones_like(call.probs))
    plain = plain_sum(call.tokens, call.ranks, num_topk=call.top_k)
    np.testing.assert_array_equal(ones, plain)


@given(call=calls())
def test_neither_unnamed_rows_nor_probs_of_absent_rows_are_read(call: Call) -> None:
    canary = call.tokens.copy()
    canary[np.setdiff1d(np.arange(len(canary)), call.ranks)] = np.nan
    probs = call.probs
    if probs is not None:
        probs = np.where(call.ranks.reshape(probs.shape) >= len(canary), np.nan, probs)
    seen = replace(call, tokens=canary, probs=probs).formula()
    np.testing.assert_array_equal(seen, call.formula())


@given(call=calls())
def test_the_arguments_are_left_as_they_are(call: Call) -> None:
    tokens, ranks = call.tokens.copy(), call.ranks.copy()
    probs = None if call.probs is None else call.probs.copy()
    call.formula()[...] = -1
    found = terms(call.ranks, call.probs, source_rows=len(call.tokens))
    found.rows[...] = -1
    if found.coefficients is not None:
        found.coefficients[...] = -1
    np.testing.assert_array_equal(call.tokens, tokens)
    np.testing.assert_array_equal(call.ranks, ranks)
    if probs is not None:
        np.testing.assert_array_equal(call.probs, probs)


def test_it_brings_permuted_tokens_back_weighted_by_what_the_router_gave() -> None:
    """Probs of a token that add up to 1 give the token itself; a dropped slot takes its share."""
    experts = np.array([[2, 0], [1, 0], [1, 2]], np.int32)
    tokens = np.array([[4.0, 8.0], [16.0, 32.0], [64.0, 128.0]])
    probs = np.array([[0.25, 0.75], [0.5, 0.5], [0.75, 0.25]])
    permuted = permute(tokens, experts)
    back = formula(permuted["permute_tokens"], permuted["sorted_indices"], probs)
    np.testing.assert_array_equal(back, tokens)
    cut = permute(tokens, experts, num_out_tokens=-1)
    back = formula(cut["permute_tokens"], cut["sorted_indices"], probs)
    np.testing.assert_array_equal(back, tokens * [[1.0], [1.0], [0.75]])


def test_the_rows_of_a_token_are_weighted_by_hand() -> None:
    tokens = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0], [4.0, 40.0]])
    ranks = np.array([3, 0, 2, 1], np.int32)
    probs = np.array([[0.5, 2.0], [1.0, -1.0]])
    assert formula(tokens, ranks, probs).tolist() == [[4.0, 40.0], [1.0, 10.0]]
    assert terms(ranks, probs, source_rows=4).rows.tolist() == [[3, 0], [2, 1]]


def test_without_probs_rows_are_moved_and_nothing_is_added() -> None:
    tokens = np.array([[-0.0], [7.0]])
    out = formula(tokens, np.array([1, 0, 2], np.int32))
    assert out.tolist() == [[7.0], [0.0], [0.0]]
    assert np.signbit(out[:, 0]).tolist() == [False, True, False]


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_a_prob_of_zero_leaves_out_what_is_not_finite(zero: float) -> None:
    tokens = np.array([[np.inf, np.nan, 1.0]])
    ranks, probs = np.array([0, 1], np.int32), np.array([[zero, 5.0]])
    np.testing.assert_array_equal(formula(tokens, ranks, probs), [[0.0, 0.0, 0.0]])
    assert terms(ranks, probs, source_rows=1).rows.tolist() == [[-1, -1]]


def test_slots_are_added_in_their_order() -> None:
    big = np.array([[1e8], [1.0], [-1e8]], np.float32)
    ones = np.ones((1, 3), np.float32)
    for order, total in (((0, 1, 2), 0.0), ((0, 2, 1), 1.0)):
        assert formula(big, np.array(order, np.int32), ones).tolist() == [[total]]


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.int16])
def test_one_dtype_of_both_is_that_of_the_arithmetic(dtype: Any) -> None:
    tokens = np.array([[1], [2], [3], [4]]).astype(dtype)
    out = formula(tokens, np.array([3, 0, 1, 2], np.int32), np.full((2, 2), 2).astype(dtype))
    assert out.dtype == np.dtype(dtype)
    assert out.astype(np.float64).tolist() == [[10.0], [10.0]]


def test_products_are_rounded_in_one_dtype_and_not_with_two() -> None:
    """(1 + 2^-6)^2 - 1 loses 2^-12 where its square is rounded to bfloat16."""
    tokens = np.array([[1 + 2**-6], [-1]]).astype(ml_dtypes.bfloat16)
    ranks, probs = np.array([0, 1], np.int32), np.array([[1 + 2**-6, 1]])
    narrow = formula(tokens, ranks, probs.astype(ml_dtypes.bfloat16))
    assert narrow.astype(float).tolist() == [[2**-5]]
    wide = formula(tokens, ranks, probs.astype(np.float32))
    assert wide.dtype == ml_dtypes.bfloat16
    assert wide.astype(float).tolist() == [[2**-5 + 2**-12]]


def test_the_sum_of_two_dtypes_is_rounded_once() -> None:
    """1 + 2^-8 + 2^-40 lies above a tie of bfloat16, which float32 would have made it first."""
    tokens = np.array([[1.0], [1.0], [1.0]]).astype(ml_dtypes.bfloat16)
    probs = np.array([[1.0, 2**-8, 2**-40]], np.float32)
    out = formula(tokens, np.arange(3, dtype=np.int32), probs)
    assert out.astype(float).tolist() == [[1 + 2**-7]]


def test_empty_tensors_give_empty_results_and_no_row_gives_zeros() -> None:
    none = np.empty(0, np.int32)
    assert formula(np.empty((0, 7)), none, np.empty((0, 4))).shape == (0, 7)
    assert formula(np.zeros((6, 0)), np.arange(6, dtype=np.int32), np.ones((2, 3))).shape == (2, 0)
    assert formula(np.empty((0, 2)), np.arange(2, dtype=np.int32)).tolist() == [[0, 0], [0, 0]]


RANKS = np.arange(6, dtype=np.int32)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"padded_mode": True}, "padded_mode=True: must be False"),
        ({"probs": np.ones(6)}, "probs.shape=(6,): must be 2-D [tokens, topK]"),
        ({"probs": np.ones((3, 3))}, "probs.shape=(3, 3): must be 2-D [tokens, topK], one prob"),
        (
            {"probs": np.ones((1, 513)), "ranks": np.arange(513, dtype=np.int32)},
            "probs.shape=(1, 513): topK must lie in [1, 512]",
        ),
        (
            {"probs": np.ones((3, 0)), "ranks": RANKS[:0]},
            "probs.shape=(3, 0): topK must lie in [1, 512]",
        ),
        ({"ranks": RANKS.reshape(3, 2)}, "sorted_indices.shape=(3, 2): must be 1-D"),
        ({"ranks": RANKS - 1}, "sorted_indices[0]=-1: must lie in [0, 6)"),
        ({"ranks": RANKS + 1}, "sorted_indices[5]=6: must lie in [0, 6)"),
        ({"ranks": RANKS + 3, "rows": 8}, "sorted_indices[5]=8: must lie in [0, 8)"),
    ],
)
def test_both_reject_what_the_document_rules_out(change: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"probs": np.ones((3, 2)), "ranks": RANKS, "rows": 6} | change
    rows, ranks, probs = (arguments.pop(name) for name in ("rows", "ranks", "probs"))
    for call in (
        lambda: formula(np.zeros((rows, 4)), ranks, probs, **arguments),
        lambda: terms(ranks, probs, source_rows=rows, **arguments),
    ):
        with pytest.raises(ValueError) as error:
            call()
        assert message in str(error.value)
        assert "[aclnnMoeTokenUnpermute, " in str(error.value)


def test_dtypes_and_ranks_that_the_document_does_not_list_are_rejected() -> None:
    with pytest.raises(TypeError, match="sorted_indices: dtype int64 must be int32"):
        terms(RANKS.astype(np.int64), source_rows=6)
    with pytest.raises(TypeError, match="permuted_tokens: dtype bool must be a real number"):
        formula(np.zeros((6, 4), bool), RANKS)
    with pytest.raises(TypeError, match="probs: dtype complex128 must be a real number"):
        formula(np.zeros((6, 4)), RANKS, np.ones((3, 2), complex))
    with pytest.raises(ValueError, match=r"permuted_tokens.shape=\(6,\): must be 2-D"):
        formula(np.zeros(6), RANKS)
