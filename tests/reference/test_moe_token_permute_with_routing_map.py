"""MoeTokenPermuteWithRoutingMap gives each expert the tokens of its column of the map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.moe_token_permute import formula as permute
from reference.moe_token_permute_with_routing_map import formula
from reference.moe_token_permute_with_routing_map_grad import probs_formula, tokens_formula


@dataclass(frozen=True)
class Call:
    """One valid call; the elements of tokens and probs are small integers, all different."""

    tokens: np.ndarray
    routing_map: np.ndarray
    probs: np.ndarray | None
    num_out_tokens: int
    drop_and_pad: bool

    def formula(self) -> dict[str, np.ndarray]:
        return formula(
            self.tokens,
            self.routing_map,
            self.probs,
            num_out_tokens=self.num_out_tokens,
            drop_and_pad=self.drop_and_pad,
        )


@st.composite
def calls(draw: st.DrawFn, drop_and_pad: bool) -> Call:
    """Exactly topK experts of every token, or any map with a capacity; and a remainder."""
    tokens, experts, hidden = (
        draw(st.integers(1, 6)),
        draw(st.integers(1, 5)),
        draw(st.integers(0, 3)),
    )
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if drop_and_pad:
        routed = rng.random((tokens, experts)) < rng.random()
        rows = experts * draw(st.integers(0, tokens)) + draw(st.integers(0, experts - 1))
    else:
        top_k = draw(st.integers(0, experts))
        routed = np.argsort(rng.random((tokens, experts)), axis=1) < top_k
        rows = tokens * top_k + draw(st.integers(0, tokens - 1))
    probs = 100 + np.arange(tokens * experts, dtype=np.int64).reshape(tokens, experts)
    return Call(
        np.arange(tokens * hidden, dtype=np.int64).reshape(tokens, hidden),
        routed if draw(st.booleans()) else routed.astype(np.int8),
        probs if draw(st.booleans()) else None,
        rows,
        drop_and_pad,
    )


@given(call=calls(drop_and_pad=False))
def test_the_rows_are_those_of_the_map_column_by_column(call: Call) -> None:
    tokens, experts = call.routing_map.shape
    pairs = [(e, t) for e in range(experts) for t in range(tokens) if call.routing_map[t, e]]
    outputs = call.formula()
    assert outputs["permute_tokens"].tolist() == [call.tokens[t].tolist() for _, t in pairs]
    assert ("permute_probs" in outputs) == (call.probs is not None)
    if call.probs is not None:
        assert outputs["permute_probs"].tolist() == [call.probs[t, e] for e, t in pairs]
    top_k = len(pairs) // tokens
    assert [pairs[row][1] for row in outputs["sorted_indices"]] == [
        i // top_k for i in range(len(pairs))
    ]


@given(call=calls(drop_and_pad=False))
def test_it_is_the_operator_of_the_list_of_experts(call: Call) -> None:
    """The same experts as indices, rising in each token, give the same rows and ranks."""
    tokens = len(call.tokens)
    indices = np.nonzero(call.routing_map)[1].reshape(tokens, -1)
    same = permute(call.tokens, indices)
    outputs = call.formula()
    for name, array in same.items():
        np.testing.assert_array_equal(outputs[name], array)


@given(call=calls(drop_and_pad=True))
def test_an_expert_takes_its_tokens_first_and_then_others_up_to_its_capacity(call: Call) -> None:
    tokens, experts = call.routing_map.shape
    capacity = call.num_out_tokens // experts
    chosen = []
    for expert in range(experts):
        column = call.routing_map[:, expert].tolist()
        given_first = [t for t in range(tokens) if column[t]]
        others = [t for t in range(tokens) if not column[t]]
        chosen += [(expert, token) for token in (given_first + others)[:capacity]]
    outputs = call.formula()
    assert outputs["sorted_indices"].dtype == np.int32
    assert outputs["sorted_indices"].tolist() == [t for _, t in chosen]
    assert outputs["permute_tokens"].tolist() == [call.tokens[t].tolist() for _, t in chosen]
    if call.probs is not None:
        assert outputs["permute_probs"].tolist() == [call.probs[t, e] for e, t in chosen]


@given(call=st.booleans().flatmap(calls))
def test_the_gradient_is_its_adjoint(call: Call) -> None:
    """<permute(x), g> = <x, gradient(g)>, for tokens and for probs."""
    outputs = call.formula()
    rows, ranks = outputs["permute_tokens"], outputs["sorted_indices"]
    g = np.random.default_rng(1).integers(-9, 10, rows.shape)
    tokens, experts = call.routing_map.shape
    attributes = {"num_experts": experts, "tokens_num": tokens, "drop_and_pad": call.drop_and_pad}
    back = tokens_formula(g, ranks, call.routing_map, **attributes)
    assert (rows * g).sum() == (call.tokens * back).sum()
    if call.probs is not None:
        g = np.random.default_rng(2).integers(-9, 10, len(rows))
        back = probs_formula(g, ranks, call.routing_map, **attributes)
        assert (outputs["permute_probs"] * g).sum() == (call.probs * back).sum()


@given(call=st.booleans().flatmap(calls))
def test_the_arguments_are_left_as_they_are(call: Call) -> None:
    tokens, routing_map = call.tokens.copy(), call.routing_map.copy()
    for array in call.formula().values():
        array[...] = -1
    np.testing.assert_array_equal(call.tokens, tokens)
    np.testing.assert_array_equal(call.routing_map, routing_map)


TOKENS = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]])
MAP = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1]], np.int8)
PROBS = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]])


def test_two_experts_of_each_token_by_hand() -> None:
    outputs = formula(TOKENS, MAP, PROBS, num_out_tokens=6)
    np.testing.assert_array_equal(outputs["permute_tokens"], TOKENS[[0, 1, 1, 2, 0, 2]])
    assert outputs["permute_probs"].tolist() == [0.1, 0.4, 0.5, 0.8, 0.3, 0.9]
    assert outputs["sorted_indices"].tolist() == [0, 4, 1, 2, 3, 5]


def test_a_capacity_by_hand() -> None:
    """Capacity 1 drops the second token of each expert."""
    outputs = formula(TOKENS, MAP, PROBS, num_out_tokens=5, drop_and_pad=True)
    assert outputs["sorted_indices"].tolist() == [0, 1, 0]
    np.testing.assert_array_equal(outputs["permute_tokens"], TOKENS[[0, 1, 0]])
    assert outputs["permute_probs"].tolist() == [0.1, 0.5, 0.3]


def test_the_map_is_sorted_downwards_and_an_expert_without_tokens_is_filled_up() -> None:
    last = np.array([[False, False], [False, False], [True, False]])
    outputs = formula(TOKENS, last, PROBS[:, :2], num_out_tokens=4, drop_and_pad=True)
    assert outputs["sorted_indices"].tolist() == [2, 0, 0, 1]
    assert outputs["permute_probs"].tolist() == [0.7, 0.1, 0.2, 0.5]


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.uint16])
@pytest.mark.parametrize("drop_and_pad", [False, True])
def test_results_have_the_dtype_of_what_is_moved(dtype: Any, drop_and_pad: bool) -> None:
    attributes = {"num_out_tokens": 6, "drop_and_pad": drop_and_pad}
    outputs = formula(TOKENS.astype(dtype), MAP, PROBS.astype(np.float16), **attributes)
    assert outputs["permute_tokens"].dtype == np.dtype(dtype)
    assert outputs["permute_probs"].dtype == np.float16
    assert outputs["sorted_indices"].dtype == np.int32


@pytest.mark.parametrize("drop_and_pad", [False, True])
def test_rows_of_any_number_of_axes_are_moved_whole(drop_and_pad: bool) -> None:
    attributes = {"num_out_tokens": 6, "drop_and_pad": drop_and_pad}
    for tokens in (np.arange(3), np.arange(12).reshape(3, 2, 2)):
        moved = formula(tokens, MAP, **attributes)["permute_tokens"]
        np.testing.assert_array_equal(moved, tokens[[0, 1, 1, 2, 0, 2]])


def test_511_experts_of_a_token_are_the_most() -> None:
    wide = np.ones((1, 512), np.int8)
    wide[0, 7] = 0
    assert len(formula(TOKENS[:1], wide, num_out_tokens=511)["permute_tokens"]) == 511
    with pytest.raises(ValueError, match="num_out_tokens=512: must leave a token fewer than 512"):
        formula(TOKENS[:1], np.ones((1, 512), np.int8), num_out_tokens=512)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"num_out_tokens": -1}, r"num_out_tokens=-1: must be at least 0"),
        ({"num_out_tokens": 5}, r"routing_map\[0\]=2 experts: must give it 1 = num_out_tokens //"),
        ({"num_out_tokens": 9}, r"routing_map\[0\]=2 experts: must give it 3 = num_out_tokens //"),
        (
            {"routing_map": np.array([[1, 1, 0], [1, 0, 0], [1, 1, 1]], np.int8)},
            r"routing_map\[1\]=1 experts: must give it 2",
        ),
        ({"routing_map": 2 * MAP}, r"routing_map\[0, 0\]=2: must be 0 or 1"),
        ({"routing_map": -MAP, "drop_and_pad": True}, r"routing_map\[0, 0\]=-1: must be 0 or 1"),
        ({"routing_map": MAP[:2]}, r"routing_map.shape=\(2, 3\): must be \(3, experts\)"),
        ({"routing_map": MAP[0]}, r"routing_map.shape=\(3,\): must be \(3, experts\)"),
        ({"routing_map": MAP[:, :0]}, r"routing_map.shape=\(3, 0\): must be \(3, experts\), neith"),
        ({"probs": PROBS[:, :2]}, r"probs.shape=\(3, 2\): must be that of routing_map, \(3, 3\)"),
        ({"tokens": np.zeros(())}, r"tokens.shape=\(\): must have an axis of tokens"),
        (
            {"num_out_tokens": 12, "drop_and_pad": True},
            r"num_out_tokens=12: must leave an expert at most the 3 tokens",
        ),
    ],
)
def test_what_the_rules_exclude_is_refused(change: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {
        "tokens": TOKENS,
        "routing_map": MAP,
        "probs": PROBS,
        "num_out_tokens": 6,
        **change,
    }
    with pytest.raises(ValueError, match=message + r".*\[MoeTokenPermuteWithRoutingMap, "):
        formula(**arguments)


def test_dtypes_that_the_document_does_not_list_are_refused() -> None:
    with pytest.raises(TypeError, match="routing_map: dtype uint8 must be int8 or bool"):
        formula(TOKENS, MAP.astype(np.uint8), num_out_tokens=6)
    with pytest.raises(TypeError, match="tokens: dtype bool must be a real number type"):
        formula(TOKENS.astype(bool), MAP, num_out_tokens=6)
    with pytest.raises(TypeError, match="probs: dtype complex128 must be a real number type"):
        formula(TOKENS, MAP, PROBS.astype(complex), num_out_tokens=6)
