"""MoeTokenPermuteWithRoutingMapGrad's equations, terms and plain loops say the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.moe_token_permute_with_routing_map_grad import (
    probs_formula,
    terms,
    tokens_formula,
)
from reference.terms import Terms
from tests.definitions.moe_token_permute_with_routing_map_grad import (
    moe_token_permute_with_routing_map_grad as loops,
)


@dataclass(frozen=True)
class Call:
    """One call as the forward operator prepares it, with lattice gradients in float64."""

    tokens: np.ndarray
    probs: np.ndarray
    indices: np.ndarray
    routing_map: np.ndarray
    attributes: dict[str, int]

    def tokens_grad(self) -> np.ndarray:
        return tokens_formula(self.tokens, self.indices, self.routing_map, **self.attributes)

    def terms(self) -> Terms:
        rows = len(self.tokens)
        return terms(self.indices, self.routing_map, source_rows=rows, **self.attributes)

    def probs_grad(self) -> np.ndarray:
        return probs_formula(self.probs, self.indices, self.routing_map, **self.attributes)


@st.composite
def calls(draw: st.DrawFn, pad: tuple[int, ...] = (0, 1)) -> Call:
    """Exactly topK experts of every token, or C rows of every expert; a map of any true value."""
    drop_and_pad = draw(st.sampled_from(pad))
    tokens, experts = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    top_k = draw(st.integers(1, experts))
    routed = np.argsort(rng.random((tokens, experts)), axis=1) < top_k
    if drop_and_pad:
        capacity = draw(st.integers(1, tokens))
        order = np.argsort(~routed.T, axis=1, kind="stable")[:, :capacity]
        indices = order.reshape(-1)
    else:
        expert_of_slot = np.nonzero(routed)[1]
        indices = np.argsort(np.argsort(expert_of_slot, kind="stable"), kind="stable")
    values = np.where(routed, rng.choice([1, 2, -1]), 0).astype(np.int8)
    return Call(
        tokens=rng.integers(-64, 65, (indices.size, draw(st.integers(1, 4)))).astype(np.float64),
        probs=rng.integers(-64, 65, indices.size).astype(np.float64),
        indices=indices.astype(np.int32),
        routing_map=routed if draw(st.booleans()) else values,
        attributes={"num_experts": experts, "tokens_num": tokens, "drop_and_pad": drop_and_pad},
    )


@given(call=calls())
def test_both_formulas_agree_with_plain_loops(call: Call) -> None:
    tokens_grad, probs_grad = loops(
        call.tokens, call.probs, call.indices, call.routing_map, **call.attributes
    )
    assert call.tokens_grad().tolist() == tokens_grad
    assert call.probs_grad().tolist() == probs_grad


@given(call=calls())
def test_terms_add_up_to_the_formula_and_name_every_row_as_often_as_its_index(call: Call) -> None:
    found = call.terms()
    found.validate(len(call.tokens))
    named = found.rows[found.rows >= 0]
    assert sorted(named.tolist()) == list(range(len(call.tokens)))
    totals = [call.tokens[token[token >= 0]].sum(axis=0).tolist() for token in found.rows]
    assert call.tokens_grad().tolist() == totals


@given(call=calls(pad=(0,)))
def test_it_is_the_adjoint_of_the_forward_operator(call: Call) -> None:
    """Tokens and probs are taken expert by expert, each expert's tokens by rising id."""
    routed = call.routing_map != 0
    ids = np.nonzero(routed.T)[1]
    assert call.indices.tolist() == np.argsort(ids, kind="stable").tolist()
    rng = np.random.default_rng(1)
    x, p = rng.integers(-9, 10, (len(routed), call.tokens.shape[1])), rng.random(routed.shape)
    assert (x[ids] * call.tokens).sum() == (x * call.tokens_grad()).sum()
    by_expert = p.T[routed.T]
    assert (by_expert * call.probs).sum() == pytest.approx((p * call.probs_grad()).sum())


def test_probs_are_scattered_expert_by_expert_not_row_by_row_of_the_map() -> None:
    routing_map = np.array([[1, 0, 1], [1, 1, 0]], np.int8)
    attributes = {"num_experts": 3, "tokens_num": 2, "drop_and_pad": 0}
    probs = np.array([1.0, 2.0, 3.0, 4.0])
    ranks = np.array([0, 3, 1, 2], np.int32)
    found = probs_formula(probs, ranks, routing_map, **attributes)
    assert found.tolist() == [[1.0, 0.0, 4.0], [2.0, 3.0, 0.0]]


def test_padded_rows_are_added_to_the_tokens_that_they_name() -> None:
    grad = np.array([[1.0], [2.0], [4.0], [8.0]])
    ids = np.array([0, 2, 0, 1], np.int32)
    attributes = {"num_experts": 2, "tokens_num": 3, "drop_and_pad": 1}
    assert tokens_formula(grad, ids, None, **attributes).tolist() == [[5.0], [8.0], [2.0]]
    named = terms(ids, None, source_rows=4, **attributes)
    assert named.rows.tolist() == [[0, 2], [3, -1], [1, -1]]
    probs = np.array([1.0, 2.0, 3.0, 4.0])
    no_map = np.zeros((3, 2), np.int8)
    assert probs_formula(probs, ids, no_map, **attributes).tolist() == [[1, 3], [0, 4], [2, 0]]


@dataclass(frozen=True)
class Routed:
    """A call without padding as a map has it, even or not, with the sums of each token's rows."""

    call: Call
    tokens_grad: list[list[int]]
    probs_grad: list[list[int]]


def random_map(rng: np.random.Generator) -> Routed:
    tokens, experts = (int(size) for size in rng.integers(1, (7, 6)))
    routed = rng.random((tokens, experts)) < rng.choice([0.3, 0.5, 0.95])
    by_expert = [(e, t) for e in range(experts) for t in range(tokens) if routed[t, e]]
    ranks = [rank for t in range(tokens) for rank, (_, of) in enumerate(by_expert) if of == t]
    rows, probs = rng.integers(-9, 10, (len(ranks), 2)), 1 + np.arange(len(ranks))
    tokens_grad, probs_grad = [[0, 0] for _ in range(tokens)], [[0] * experts for _ in routed]
    for row, (expert, token) in enumerate(by_expert):
        tokens_grad[token] = [
            x + int(y) for x, y in zip(tokens_grad[token], rows[row], strict=True)
        ]
        probs_grad[token][expert] = int(probs[row])
    attributes = {"num_experts": experts, "tokens_num": tokens, "drop_and_pad": 0}
    call = Call(rows, probs, np.array(ranks, np.int32), routed, attributes)
    return Routed(call, tokens_grad, probs_grad)


def test_of_every_map_each_answer_is_right_or_rejected_with_the_token_at_fault() -> None:
    """Also of an uneven one whose rows the tokens could share evenly."""
    rng = np.random.default_rng(18)
    answered = 0
    for made in [random_map(rng) for _ in range(300)]:
        call = made.call
        if np.unique(call.routing_map.sum(axis=1)).size > 1:
            message = r"routing_map\[\d+\]=\d+ experts: must be|tokens_num=\d+: must divide"
            with pytest.raises(ValueError, match=message):
                call.tokens_grad()
            with pytest.raises(ValueError, match=message):
                call.probs_grad()
            with pytest.raises(ValueError, match=message):
                call.terms()
            continue
        answered += 1
        assert call.tokens_grad().tolist() == made.tokens_grad
        assert call.probs_grad().tolist() == made.probs_grad
        summed = [call.tokens[slots].sum(axis=0).tolist() for slots in call.terms().rows]
        assert summed == made.tokens_grad
    assert answered > 50


def test_an_uneven_map_is_rejected_though_the_tokens_could_share_its_rows() -> None:
    routing_map = np.array([[1, 1, 1], [1, 0, 0]], np.int8)
    ranks = np.array([0, 2, 3, 1], np.int32)
    how = {"num_experts": 3, "tokens_num": 2, "drop_and_pad": 0}
    message = r"routing_map\[0\]=3 experts: must be 2, as of every token: 4 rows, 2 tokens \["
    with pytest.raises(ValueError, match=message):
        tokens_formula(np.ones((4, 1)), ranks, routing_map, **how)


def test_whoever_asks_without_a_map_says_so() -> None:
    """A map that is forgotten is no call without one."""
    with pytest.raises(TypeError, match="routing_map"):
        tokens_formula(np.ones((6, 1)), RANKS, **GOOD)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="routing_map"):
        terms(RANKS, source_rows=6, **GOOD)  # type: ignore[call-arg]


@pytest.mark.parametrize("dtype", [np.uint16, np.uint32, np.float16, ml_dtypes.bfloat16])
def test_probs_are_moved_bit_for_bit(dtype: Any) -> None:
    probs = np.array([0x7FFF, 0x8000], np.uint16)
    probs = probs.view(dtype) if np.dtype(dtype).itemsize == 2 else probs.astype(dtype)
    attributes = {"num_experts": 2, "tokens_num": 1, "drop_and_pad": 0}
    ranks = np.array([0, 1], np.int32)
    found = probs_formula(probs, ranks, np.array([[True, True]]), **attributes)
    assert found.tobytes() == probs.tobytes()


GOOD: dict[str, Any] = {"num_experts": 3, "tokens_num": 2, "drop_and_pad": 0}
RANKS = np.arange(6, dtype=np.int32)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"num_experts": 0}, "num_experts=0: must be greater than 0"),
        ({"tokens_num": -1}, "tokens_num=-1: must be greater than 0"),
        ({"drop_and_pad": 2}, "drop_and_pad=2: must be 0 or 1"),
        ({"tokens_num": 4}, "tokens_num=4: must divide the 6 rows"),
        ({"num_experts": 4, "drop_and_pad": 1}, "num_experts=4: must divide the 6 rows"),
        ({"drop_and_pad": 1}, "sorted_indices[2]=2: must lie in [0, 2) with drop_and_pad=1"),
        ({"indices": RANKS - 1}, "sorted_indices[0]=-1: must lie in [0, 6)"),
        ({"indices": RANKS + 1}, "sorted_indices[5]=6: must lie in [0, 6)"),
        ({"indices": RANKS[:4]}, "sorted_indices.shape=(4,): must be (6,)"),
        ({"rows": 1026}, "tokens_num=2: must leave at most 512 of the 1026 rows"),
    ],
)
def test_formula_and_terms_reject_what_the_document_rules_out(
    change: dict[str, Any], message: str
) -> None:
    arguments = GOOD | {"indices": RANKS, "rows": 6} | change
    rows, indices = arguments.pop("rows"), arguments.pop("indices")
    if rows != 6:
        indices = np.arange(rows, dtype=np.int32)
    for call in (
        lambda: tokens_formula(np.zeros((rows, 4)), indices, None, **arguments),
        lambda: terms(indices, None, source_rows=rows, **arguments),
    ):
        with pytest.raises(ValueError) as error:
            call()
        assert message in str(error.value)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"routing_map": np.ones((2, 3), np.uint8)}, TypeError, "uint8 must be int8 or bool"),
        ({"routing_map": np.ones((3, 2), np.int8)}, ValueError, r"\(3, 2\): must be \(2, 3\)"),
        ({"routing_map": np.eye(2, 3, dtype=bool)}, ValueError, "1 experts: must be 3"),
        ({"probs": np.zeros((6, 1))}, ValueError, r"shape=\(6, 1\): must be \(6,\)"),
        (
            {"drop_and_pad": 1, "indices": np.array([0, 0, 1, 0, 1, 0], np.int32)},
            ValueError,
            "a token may have one row of an expert",
        ),
    ],
)
def test_probs_need_a_map_that_routes_every_row(
    change: dict[str, Any], error: type[Exception], message: str
) -> None:
    arguments: dict[str, Any] = {
        **GOOD,
        "probs": np.zeros(6),
        "indices": RANKS,
        "routing_map": np.ones((2, 3), np.int8),
        **change,
    }
    ordered = [arguments.pop(name) for name in ("probs", "indices", "routing_map")]
    with pytest.raises(error, match=message):
        probs_formula(*ordered, **arguments)


def test_dtypes_and_ranks_that_the_document_does_not_list_are_rejected() -> None:
    with pytest.raises(TypeError, match="sorted_indices: dtype int64 must be int32"):
        terms(RANKS.astype(np.int64), None, source_rows=6, **GOOD)
    with pytest.raises(TypeError, match="permuted_token_output_grad: dtype bool"):
        tokens_formula(np.zeros((6, 1), bool), RANKS, None, **GOOD)
    with pytest.raises(ValueError, match=r"shape=\(6,\): must be 2-D"):
        tokens_formula(np.zeros(6), RANKS, None, **GOOD)
