"""MoeTokenUnpermuteWithEpGrad is the gradient of MoeTokenUnpermuteWithEp on a range of ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.moe_token_unpermute_grad import formula as without_range
from reference.moe_token_unpermute_with_ep import formula as forward
from reference.moe_token_unpermute_with_ep_grad import formula, resolved, rows_of, terms, window
from tests.definitions.moe_token_unpermute_with_ep_grad import (
    moe_token_unpermute_with_ep_grad as loops,
)


@dataclass(frozen=True)
class Call:
    """One valid call on a lattice (small integers) in float64; all ranks of a router are there."""

    grad: np.ndarray
    ranks: np.ndarray
    tokens: np.ndarray | None
    probs: np.ndarray | None
    rank_range: tuple[int, int] | None

    @property
    def top_k(self) -> int:
        return self.ranks.size // len(self.grad)

    @property
    def ends(self) -> tuple[int, int]:
        return window(self.ranks.size, self.rank_range)

    @property
    def rows(self) -> int:
        return self.ends[1] - self.ends[0] if self.tokens is None else len(self.tokens)

    @property
    def attributes(self) -> dict[str, Any]:
        return {"topk_num": self.top_k, "rank_range": self.rank_range}

    def formula(self) -> dict[str, np.ndarray]:
        return formula(self.grad, self.ranks, self.tokens, self.probs, **self.attributes)


@st.composite
def calls(draw: st.DrawFn, with_probs: bool | None = None) -> Call:
    """A range of any kind, and its rows or more of them, which must not be read."""
    weighted = draw(st.booleans()) if with_probs is None else with_probs
    tokens, top_k = draw(st.integers(1, 6)), draw(st.integers(1, 4)) if weighted else 1
    slots, hidden = tokens * top_k, draw(st.integers(1, 4))
    start = draw(st.integers(0, slots))
    end = draw(st.integers(start, slots))
    ends = (start - slots * (start < slots and draw(st.booleans())), end + (end == slots) * 3)
    ranged = ends if draw(st.integers(0, 3)) else None
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kept = end - start if ranged else slots
    values = rng.integers(-64, 65, (kept + draw(st.integers(0, 3)), hidden)).astype(np.float64)
    values[kept:] = np.nan
    probs = rng.integers(-8, 9, (tokens, top_k)).astype(np.float64)
    given_tokens = values if weighted or draw(st.booleans()) else None
    grad = rng.integers(-64, 65, (tokens, hidden)).astype(np.float64)
    ranks = rng.permutation(slots).astype(np.int32)
    return Call(grad, ranks, given_tokens, probs if weighted else None, ranged)


@given(call=calls())
def test_the_equations_are_the_loops(call: Call) -> None:
    found = call.formula()
    due = loops(call.grad, call.ranks, call.tokens, call.probs, **call.attributes)
    assert found["permuted_tokens_grad"].tolist() == due[0]
    assert ("probs_grad" in found) == (due[1] is not None)
    if due[1] is not None:
        assert found["probs_grad"].tolist() == due[1]


@given(call=calls(with_probs=True))
def test_it_is_the_gradient_of_the_forward_operator(call: Call) -> None:
    """<forward(x, p), g> is <x, its gradient> for given p, and <p, its gradient> for given x."""
    assert call.tokens is not None
    assert call.probs is not None
    kept = call.ends[1] - call.ends[0]
    x = call.tokens[:kept]
    out = forward(x, call.ranks, call.probs, num_topk=call.top_k, rank_range=call.ends)
    found = call.formula()
    product = (out * call.grad).sum()
    assert (x * found["permuted_tokens_grad"][:kept]).sum() == product
    assert (call.probs * found["probs_grad"]).sum() == product


@given(call=calls())
def test_terms_add_up_to_the_formula(call: Call) -> None:
    found = terms(call.ranks, call.probs, source_rows=call.rows, **call.attributes)
    found.validate(len(call.grad))
    assert found.source == "unpermuted_tokens_grad"
    assert found.rows.shape == (call.rows, 1)
    factors = 1 if found.coefficients is None else found.coefficients
    padded = np.vstack([call.grad, np.zeros((1, call.grad.shape[1]))])
    due = call.formula()["permuted_tokens_grad"]
    np.testing.assert_array_equal(padded[found.rows[:, 0]] * factors, due)


@given(call=calls())
def test_without_a_range_it_is_the_gradient_of_the_plain_operator(call: Call) -> None:
    slots = call.ranks.size
    tokens = np.arange(slots * call.grad.shape[1], dtype=float).reshape(slots, -1)
    how: dict[str, Any] = {"topk_num": call.top_k}
    found = formula(call.grad, call.ranks, tokens, call.probs, **how)
    due = without_range(call.grad, call.ranks, tokens, call.probs)
    full = formula(call.grad, call.ranks, tokens, call.probs, **how, rank_range=(0, slots))
    for name, array in due.items():
        np.testing.assert_array_equal(found[name], array)
        np.testing.assert_array_equal(full[name], array)


@given(call=calls(with_probs=True), cut=st.integers(0, 24))
def test_two_ranges_side_by_side_make_that_of_both(call: Call, cut: int) -> None:
    slots = call.ranks.size
    cut, tokens = min(cut, slots), np.arange(2.0 * slots).reshape(slots, 2)
    grad = np.arange(2.0 * len(call.grad)).reshape(-1, 2)
    whole, head, tail = (
        formula(grad, call.ranks, tokens[s:e], call.probs, topk_num=call.top_k, rank_range=(s, e))
        for s, e in ((0, slots), (0, cut), (cut, slots))
    )
    rows = [part["permuted_tokens_grad"] for part in (head, tail)]
    np.testing.assert_array_equal(np.concatenate(rows), whole["permuted_tokens_grad"])
    np.testing.assert_array_equal(head["probs_grad"] + tail["probs_grad"], whole["probs_grad"])


@given(call=calls())
def test_the_arguments_are_left_as_they_are(call: Call) -> None:
    kept = [None if one is None else one.copy() for one in (call.grad, call.tokens, call.probs)]
    for array in call.formula().values():
        array[...] = -1
    terms(call.ranks, call.probs, source_rows=call.rows, **call.attributes).rows[...] = -1
    for one, was in zip((call.grad, call.tokens, call.probs), kept, strict=True):
        if one is not None:
            np.testing.assert_array_equal(one, was)


@pytest.mark.parametrize(
    ("rank_range", "due"),
    [
        (None, (0, 6)),
        ((1, 5), (1, 5)),
        ((-5, -1), (1, 5)),
        ((1, -1), (1, 5)),
        ((-9, 3), (0, 3)),
        ((2, 9), (2, 6)),
        ((7, 9), (6, 6)),
        ((-1, -1), (5, 5)),
        ((-9, -8), (0, 0)),
        ((-(2**40), 2**40), (0, 6)),
    ],
)
def test_bounds_below_zero_count_from_the_slots_and_are_then_held_to_them(
    rank_range: tuple[int, int] | None, due: tuple[int, int]
) -> None:
    assert resolved(6, rank_range) == window(6, rank_range) == due


def test_a_range_that_ends_before_it_begins_is_refused() -> None:
    assert resolved(6, (4, 2)) == (4, 2)
    with pytest.raises(ValueError, match="must not end before it begins"):
        window(6, (4, 2))


RANKS = np.array([0, 2, 3, 1], np.int32)
TOKENS = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])
GRAD = np.array([[1.0, 2.0], [3.0, -1.0]])
PROBS = np.array([[0.5, 0.25], [0.75, 0.0]])


def test_ranks_in_the_middle_by_hand() -> None:
    """Ranks 1 and 2 are slots 3 and 1; slots 0 and 2 have no row."""
    how: dict[str, Any] = {"topk_num": 2, "rank_range": (1, 3)}
    found = formula(GRAD, RANKS, TOKENS[1:3], PROBS, **how)
    assert found["permuted_tokens_grad"].tolist() == [[0, 0], [0.25, 0.5]]
    assert found["probs_grad"].tolist() == [[0, 17], [0, 5]]
    assert rows_of(RANKS, (1, 3)).tolist() == [-1, 1, -1, 0]
    rows = terms(RANKS, PROBS, source_rows=3, **how).rows
    assert rows.tolist() == [[1], [0], [-1]]


def test_the_call_of_the_document_by_hand() -> None:
    ones = np.ones((3, 2), np.float32)
    ranks = np.array([0, 1, 2], np.int32)
    found = formula(ones[:1], ranks, ones, np.ones((1, 3), np.float32), topk_num=3)
    assert found["permuted_tokens_grad"].tolist() == [[1, 1]] * 3
    assert found["probs_grad"].tolist() == [[2, 2, 2]]


def test_without_probs_rows_are_moved_and_tokens_may_be_left_out() -> None:
    bits = np.array([[0x7F81], [0x8000]], np.uint16).view(ml_dtypes.bfloat16)
    ranks = np.array([1, 0], np.int32)
    found = formula(bits, ranks, topk_num=1, rank_range=(1, 2))["permuted_tokens_grad"]
    assert found.view(np.uint16).tolist() == [[0x7F81]]
    given_rows = np.zeros((2, 1), ml_dtypes.bfloat16)
    both = formula(bits, ranks, given_rows, topk_num=1)["permuted_tokens_grad"]
    assert both.view(np.uint16).tolist() == [[0x8000], [0x7F81]]


def test_a_prob_of_zero_is_a_factor_like_any_other() -> None:
    grad = np.array([[np.inf, 1.0]])
    found = formula(grad, np.array([0], np.int32), np.ones((1, 2)), np.zeros((1, 1)), topk_num=1)
    np.testing.assert_array_equal(found["permuted_tokens_grad"], [[np.nan, 0.0]])


GOOD: dict[str, Any] = {"topk_num": 2, "rank_range": (1, 3), "ranks": RANKS, "rows": 2}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"topk_num": 0}, "topk_num=0: must lie in [1, 512]"),
        ({"topk_num": 513}, "topk_num=513: must lie in [1, 512]"),
        ({"topk_num": 3}, "topk_num=3: must be 2, the columns of probs"),
        ({"probs": None}, "topk_num=2: must be 1, the columns of probs, 1 without"),
        ({"probs": PROBS[:1]}, "probs.shape=(1, 2): must be 2-D"),
        ({"padded_mode": True}, "padded_mode=True: must be False"),
        ({"rank_range": (3, 1)}, "rank_range=(3, 1): must not end before it begins"),
        ({"rank_range": (-1, -3)}, "rank_range=(-1, -3): must not end before it begins"),
        ({"rows": 1}, "source_rows=1: must be at least 2, the ranks of the range"),
        ({"rank_range": None}, "source_rows=2: must be at least 4, the ranks of the range"),
        ({"ranks": RANKS.reshape(2, 2)}, "sorted_indices.shape=(2, 2): must be 1-D"),
        ({"ranks": RANKS - 1}, "sorted_indices[0]=-1: must lie in [0, 4)"),
        ({"ranks": RANKS + 1}, "sorted_indices[2]=4: must lie in [0, 4)"),
        ({"ranks": np.array([0, 1, 1, 2], np.int32)}, "sorted_indices=0 twice: a row may be"),
    ],
)
def test_both_reject_what_the_document_rules_out(change: dict[str, Any], message: str) -> None:
    arguments = {"probs": PROBS, **GOOD, **change}
    rows, ranks = arguments.pop("rows"), arguments.pop("ranks")
    for call in (
        lambda: formula(GRAD, ranks, TOKENS[:rows], **arguments),
        lambda: terms(ranks, source_rows=rows, **arguments),
    ):
        with pytest.raises(ValueError) as error:
            call()
        assert message in str(error.value)
        assert "[aclnnMoeTokenUnpermuteWithEpGrad, " in str(error.value)


def test_dtypes_and_shapes_that_the_document_does_not_list_are_rejected() -> None:
    how: dict[str, Any] = {"topk_num": 2, "rank_range": (1, 3)}
    with pytest.raises(TypeError, match="sorted_indices: dtype int64 must be int32"):
        terms(RANKS.astype(np.int64), PROBS, source_rows=2, **how)
    with pytest.raises(TypeError, match="unpermuted_tokens_grad: dtype bool must be a real"):
        formula(GRAD.astype(bool), RANKS, TOKENS, PROBS, **how)
    with pytest.raises(TypeError, match="permuted_tokens: dtype bool must be a real"):
        formula(GRAD, RANKS, TOKENS.astype(bool), PROBS, **how)
    with pytest.raises(ValueError, match=r"permuted_tokens.shape=\(8,\): must be 2-D"):
        formula(GRAD, RANKS, TOKENS.reshape(-1), PROBS, **how)
    with pytest.raises(ValueError, match="permuted_tokens=None: must be given with probs"):
        formula(GRAD, RANKS, None, PROBS, **how)
    with pytest.raises(ValueError, match=r"unpermuted_tokens_grad.shape=.*: must be \(2, 2\)"):
        formula(GRAD[:1], RANKS, TOKENS, PROBS, **how)
