"""MoeTokenUnpermuteWithEp adds the weighted rows of a range of ranks, as its document's sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.moe_token_permute_with_ep import formula as permute
from reference.moe_token_permute_with_ep_grad import formula as plain_sum
from reference.moe_token_unpermute import formula as without_range
from reference.moe_token_unpermute import terms as terms_without_range
from reference.moe_token_unpermute_with_ep import formula, terms
from tests.definitions.moe_token_unpermute_with_ep import moe_token_unpermute_with_ep as loops


@dataclass(frozen=True)
class Call:
    """One valid call with a range, on a lattice (small integers) in float64."""

    tokens: np.ndarray
    ranks: np.ndarray
    probs: np.ndarray | None
    num_topk: int
    rank_range: tuple[int, int]

    @property
    def attributes(self) -> dict[str, Any]:
        return {"num_topk": self.num_topk, "rank_range": self.rank_range}

    def formula(self) -> np.ndarray:
        return formula(self.tokens, self.ranks, self.probs, **self.attributes)


@st.composite
def calls(draw: st.DrawFn) -> Call:
    """Ranks of a router or any that are legal; rows beyond the range that must not be read."""
    tokens, top_k = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    slots = tokens * top_k
    start, end = draw(st.integers(-2, slots)), draw(st.integers(0, slots + 2))
    rows = max(1, end - start) + draw(st.integers(0, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    ranks = rng.permutation(slots) if draw(st.booleans()) else rng.integers(0, slots, slots)
    values = rng.integers(-64, 65, (rows, draw(st.integers(1, 4)))).astype(np.float64)
    values[max(0, end - start) :] = np.nan
    probs = rng.integers(-8, 9, (tokens, top_k)).astype(np.float64)
    weights = probs if draw(st.booleans()) else None
    return Call(values, ranks.astype(np.int32), weights, top_k, (start, end))


@given(call=calls())
def test_the_equations_are_the_loops(call: Call) -> None:
    expected = loops(call.tokens, call.ranks, call.probs, **call.attributes)
    assert call.formula().tolist() == expected


@given(call=calls())
def test_terms_add_up_to_the_formula(call: Call) -> None:
    found = terms(call.ranks, call.probs, source_rows=len(call.tokens), **call.attributes)
    found.validate(max(0, call.rank_range[1] - call.rank_range[0]))
    assert found.source == "permuted_tokens"
    assert found.cast is None
    assert found.rows.shape == (call.ranks.size // call.num_topk, call.num_topk)
    assert (found.coefficients is None) == (call.probs is None)
    factors = np.ones(found.rows.shape) if found.coefficients is None else found.coefficients
    padded = np.nan_to_num(np.vstack([call.tokens, np.zeros((1, call.tokens.shape[1]))]))
    live = np.where(found.rows >= 0, factors, 0.0)
    np.testing.assert_array_equal((padded[found.rows] * live[:, :, None]).sum(1), call.formula())


@given(call=calls())
def test_probs_of_one_are_as_good_as_none(call: Call) -> None:
    shape = call.ranks.size // call.num_topk, call.num_topk
    bare, ones = (
        formula(call.tokens, call.ranks, probs, **call.attributes)
        for probs in (None, np.ones(shape))
    )
    np.testing.assert_array_equal(ones, bare)


@given(call=calls())
def test_without_probs_it_is_the_sum_of_the_gradient_of_the_permutation(call: Call) -> None:
    slots = call.ranks.size
    start, end = (min(max(bound, 0), slots) for bound in call.rank_range)
    rows = call.tokens[start - call.rank_range[0] :] if end > start else call.tokens
    attributes = {"num_topk": call.num_topk, "rank_range": (start, end)}
    due = plain_sum(rows, call.ranks, **attributes)["token_grad"]
    np.testing.assert_array_equal(formula(call.tokens, call.ranks, **call.attributes), due)


@given(call=calls(), cut=st.integers(0, 24))
def test_two_ranges_side_by_side_add_up_to_that_of_both(call: Call, cut: int) -> None:
    slots = call.ranks.size
    cut, rows = min(cut, slots), np.arange(2.0 * slots).reshape(slots, 2)
    whole, head, tail = (
        formula(rows[s:e], call.ranks, call.probs, num_topk=call.num_topk, rank_range=(s, e))
        for s, e in ((0, slots), (0, cut), (cut, slots))
    )
    np.testing.assert_array_equal(head + tail, whole)
    if call.probs is not None:
        np.testing.assert_array_equal(whole, without_range(rows, call.ranks, call.probs))


@pytest.mark.parametrize("num_topk", [0, 1, 2, 513, -1])
def test_without_a_range_it_is_the_plain_operator_and_num_topk_is_ignored(num_topk: int) -> None:
    for probs, ranks in ((PROBS, RANKS), (None, RANKS)):
        found = formula(TOKENS, ranks, probs, num_topk=num_topk)
        np.testing.assert_array_equal(found, without_range(TOKENS, ranks, probs))
        of_terms = terms(ranks, probs, source_rows=4, num_topk=num_topk)
        due = terms_without_range(ranks, probs, source_rows=4)
        assert of_terms.rows.tolist() == due.rows.tolist()


@given(call=calls())
def test_the_arguments_are_left_as_they_are(call: Call) -> None:
    tokens, ranks = call.tokens.copy(), call.ranks.copy()
    probs = None if call.probs is None else call.probs.copy()
    call.formula()[...] = -1
    found = terms(call.ranks, call.probs, source_rows=len(tokens), **call.attributes)
    for array in (found.rows, found.coefficients):
        if array is not None:
            array[...] = -1
    np.testing.assert_array_equal(call.tokens, tokens)
    np.testing.assert_array_equal(call.ranks, ranks)
    if probs is not None:
        np.testing.assert_array_equal(call.probs, probs)


def test_it_brings_back_the_share_of_each_token_that_lies_in_the_range() -> None:
    """Probs of a token that add up to 1 give the token itself; each range gives its share."""
    experts = np.array([[2, 0], [1, 0], [1, 2]], np.int32)
    tokens = np.array([[4.0, 8.0], [16.0, 32.0], [64.0, 128.0]])
    probs = np.array([[0.25, 0.75], [0.5, 0.5], [0.75, 0.25]])
    shares = {(0, 6): [1, 1, 1], (0, 2): [0.75, 0.5, 0], (2, 4): [0, 0.5, 0.75]}
    for ends, share in shares.items():
        permuted = permute(tokens, experts, rank_range=ends)
        back = formula(
            permuted["permute_tokens"],
            permuted["sorted_indices"],
            probs,
            num_topk=2,
            rank_range=ends,
        )
        np.testing.assert_array_equal(back, tokens * np.array(share)[:, None])


RANKS = np.array([2, 0, 4, 1, 5, 3], np.int32)
TOKENS = np.array([[2.0, 2.0], [1.0, 1.0], [3.0, 3.0], [2.0, 2.0]])
PROBS = np.array([[0.5, 4.0], [-1.0, 2.0], [8.0, 0.25]])


def test_the_sample_of_the_document_by_hand() -> None:
    """Ranks 1 to 4 are rows 0 to 3: slots 3, 0, 5 and 2 have them."""
    how: dict[str, Any] = {"num_topk": 2, "rank_range": (1, 5)}
    assert formula(TOKENS, RANKS, np.ones((3, 2)), **how).tolist() == [[1, 1], [4, 4], [3, 3]]
    weighted = formula(TOKENS, RANKS, PROBS, **how)
    assert weighted.tolist() == [[0.5, 0.5], [-2 + 4, -2 + 4], [0.75, 0.75]]
    found = terms(RANKS, PROBS, source_rows=4, **how)
    assert found.rows.tolist() == [[1, -1], [3, 0], [-1, 2]]


@pytest.mark.parametrize("rank_range", [(0, 0), (3, 3), (6, 6), (4, 2), (6, -9), (6, 9), (-3, 0)])
def test_a_range_without_ranks_of_slots_gives_zeros(rank_range: tuple[int, int]) -> None:
    out = formula(TOKENS, RANKS, PROBS, num_topk=2, rank_range=rank_range)
    assert out.tolist() == [[0, 0]] * 3
    assert not np.signbit(out).any()
    assert np.all(terms(RANKS, PROBS, source_rows=4, num_topk=2, rank_range=rank_range).rows == -1)


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_a_prob_of_zero_leaves_out_what_is_not_finite(zero: float) -> None:
    tokens, ranks = np.array([[np.inf, np.nan]]), np.array([0, 1], np.int32)
    how: dict[str, Any] = {"num_topk": 2, "rank_range": (0, 1)}
    probs = np.array([[zero, 5.0]])
    np.testing.assert_array_equal(formula(tokens, ranks, probs, **how), [[0.0, 0.0]])
    assert terms(ranks, probs, source_rows=1, **how).rows.tolist() == [[-1, -1]]


def test_slots_are_added_in_their_order() -> None:
    big = np.array([[1e8], [1.0], [-1e8]], np.float32)
    for order, total in (((0, 1, 2), 0.0), ((0, 2, 1), 1.0)):
        ranks = np.array(order, np.int32)
        assert formula(big, ranks, num_topk=3, rank_range=(0, 3)).tolist() == [[total]]


def test_two_dtypes_are_computed_exactly_and_rounded_once() -> None:
    tokens = np.array([[1.0], [2.0**-8]], ml_dtypes.bfloat16)
    probs = np.array([[1.0, 1.0 + 2.0**-20]], np.float32)
    ranks = np.array([0, 1], np.int32)
    out = formula(tokens, ranks, probs, num_topk=2, rank_range=(0, 2))
    assert out.dtype == np.dtype(ml_dtypes.bfloat16)
    # A tie but for the last bits of the product: it is rounded away from the even number.
    assert out.astype(float).tolist() == [[1.0 + 2.0**-7]]


GOOD: dict[str, Any] = {"num_topk": 2, "rank_range": (1, 5), "ranks": RANKS, "rows": 4}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"num_topk": 0}, "num_topk=0: must lie in [1, 512]"),
        ({"num_topk": 513}, "num_topk=513: must lie in [1, 512]"),
        ({"num_topk": 4}, "num_topk=4: must divide the 6 slots"),
        ({"num_topk": 3, "probs": PROBS}, "probs.shape=(3, 2): must have 3 columns"),
        ({"probs": PROBS[:2]}, "probs.shape=(2, 2): must be 2-D"),
        ({"padded_mode": True}, "padded_mode=True: must be False"),
        ({"rows": 3}, "source_rows=3: must be at least 4, the ranks of the range"),
        ({"ranks": RANKS.reshape(3, 2)}, "sorted_indices.shape=(3, 2): must be 1-D"),
        ({"ranks": RANKS - 1}, "sorted_indices[1]=-1: must lie in [0, 6)"),
        ({"ranks": RANKS + 1, "rows": 9}, "sorted_indices[4]=6: must lie in [0, 6)"),
    ],
)
def test_both_reject_what_the_document_rules_out(change: dict[str, Any], message: str) -> None:
    arguments = GOOD | change
    rows, ranks = arguments.pop("rows"), arguments.pop("ranks")
    for call in (
        lambda: formula(np.zeros((rows, 4)), ranks, **arguments),
        lambda: terms(ranks, source_rows=rows, **arguments),
    ):
        with pytest.raises(ValueError) as error:
            call()
        assert message in str(error.value)
        assert "[aclnnMoeTokenUnpermuteWithEp, " in str(error.value)


def test_dtypes_and_shapes_that_the_document_does_not_list_are_rejected() -> None:
    how: dict[str, Any] = {"num_topk": 2, "rank_range": (1, 5)}
    with pytest.raises(TypeError, match="sorted_indices: dtype int64 must be int32"):
        terms(RANKS.astype(np.int64), source_rows=4, **how)
    with pytest.raises(TypeError, match="permuted_tokens: dtype bool must be a real"):
        formula(TOKENS.astype(bool), RANKS, **how)
    with pytest.raises(TypeError, match="probs: dtype bool must be a real"):
        formula(TOKENS, RANKS, PROBS.astype(bool), **how)
    with pytest.raises(ValueError, match=r"permuted_tokens.shape=\(8,\): must be 2-D"):
        formula(TOKENS.reshape(-1), RANKS, **how)
    with pytest.raises(ValueError, match="padded_mode=True: must be False"):
        formula(TOKENS, RANKS, padded_mode=True)
