"""MoeTokenUnpermuteWithRoutingMapGrad is the adjoint of the forward operator, in rows and probs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import moe_token_unpermute_with_routing_map as forward
from reference.moe_token_permute_with_routing_map import formula as permute
from reference.moe_token_unpermute_with_routing_map_grad import formula, rows_of_probs, terms


@dataclass(frozen=True)
class Call:
    """One valid call on a lattice (small integers) in float64; no row is named twice."""

    grad: np.ndarray
    out_index: np.ndarray
    token_id: np.ndarray
    routing_map: np.ndarray
    tokens: np.ndarray
    probs: np.ndarray | None
    padded: bool

    @property
    def indices(self) -> dict[str, Any]:
        given = {"out_index": self.out_index, "permute_token_id": self.token_id}
        routing_map = None if self.probs is None else self.routing_map
        more = {"routing_map": routing_map, "probs": self.probs, "drop_and_pad": self.padded}
        return {**given, **more}

    def formula(self) -> dict[str, np.ndarray]:
        return formula(self.grad, permuted_tokens=self.tokens, **self.indices)


@st.composite
def calls(draw: st.DrawFn, full: bool = False) -> Call:
    """Tokens of some experts, unused slots at the end; or some tokens of each expert, any order.

    ``full`` ones have probs, no padding and no unused slot.
    """
    padded = not full and draw(st.booleans())
    with_probs = full or draw(st.booleans())
    tokens, experts = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    top_k = draw(st.integers(1, experts))
    routing_map = np.argsort(rng.random((tokens, experts)), axis=1) < top_k
    if padded:
        capacity = draw(st.integers(1, tokens))
        ids = np.concatenate([rng.permutation(tokens)[:capacity] for _ in range(experts)])
        out_index = rng.permutation(ids.size)
        token_id = ids[out_index]
    else:
        routing_map &= full | (rng.random(routing_map.shape) < 0.8)
        used = np.arange(top_k) < routing_map.sum(axis=1)[:, None]
        out_index = np.where(used.ravel(), rng.permutation(used.size), -1)
        token_id = np.arange(used.size) // top_k
    probs = rng.integers(-4, 5, routing_map.shape).astype(np.float64) if with_probs else None
    hidden = draw(st.integers(1, 4))
    values = [rng.integers(-64, 65, (n, hidden)) * 1.0 for n in (tokens, out_index.size)]
    lists = [one.astype(np.int32) for one in (out_index, token_id)]
    return Call(values[0], *lists, routing_map, values[1], probs, padded)


def looped(call: Call) -> tuple[list[list[float]], list[list[float]]]:
    """Both gradients entry by entry, in Python's numbers."""
    rows = [[0.0] * call.grad.shape[1] for _ in call.tokens]
    probs = [[0.0] * call.routing_map.shape[1] for _ in call.grad]
    slots = len(call.out_index)
    for q, row in enumerate(call.out_index.tolist()):
        if row < 0:
            continue
        if call.padded:
            token, expert = call.token_id[q], row // (slots // call.routing_map.shape[1])
        else:
            token, slot = divmod(q, slots // len(call.grad))
            expert = [e for e, mark in enumerate(call.routing_map[token]) if mark][slot]
        factor = 1.0 if call.probs is None else call.probs[token, expert]
        rows[row] = [g * factor for g in call.grad[token].tolist()]
        pairs = zip(call.tokens[row], call.grad[token], strict=True)
        probs[token][expert] = sum(value * g for value, g in pairs)
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
    outputs, ids = call.formula(), call.out_index
    if call.padded:
        ids = np.empty_like(call.token_id)
        ids[call.out_index] = call.token_id
    routing_map = None if call.probs is None else call.routing_map
    shape, how = call.grad.shape, {"padded_mode": call.padded}
    found = forward.formula(call.tokens, ids, routing_map, call.probs, restore_shape=shape, **how)
    product = (found["unpermuted_tokens"] * call.grad).sum()
    assert (call.tokens * outputs["permuted_tokens_grad"]).sum() == product
    if call.probs is not None:
        assert (call.probs * outputs["probs_grad"]).sum() == product


@given(call=calls())
def test_terms_say_which_weighted_row_and_which_products_each_gradient_is(call: Call) -> None:
    found, outputs = terms(source_rows=len(call.grad), **call.indices), call.formula()
    found.validate(len(call.grad))
    factors = np.ones(found.rows.shape) if found.coefficients is None else found.coefficients
    padded = np.vstack([call.grad, np.zeros((1, call.grad.shape[1]))])
    rows = (padded[found.rows] * factors[:, :, None]).sum(1)
    np.testing.assert_array_equal(rows, outputs["permuted_tokens_grad"])
    if call.probs is not None:
        named = np.vstack([call.tokens, np.zeros((1, call.grad.shape[1]))])
        sums = (named[rows_of_probs(**call.indices)] * call.grad[:, None]).sum(axis=2)
        np.testing.assert_array_equal(sums, outputs["probs_grad"])


@given(call=calls())
def test_neither_unnamed_rows_nor_probs_of_other_experts_are_read(call: Call) -> None:
    tokens = call.tokens.copy()
    tokens[np.setdiff1d(np.arange(len(tokens)), call.out_index)] = np.nan
    seen = replace(call, tokens=tokens)
    if call.probs is not None and not call.padded:
        seen = replace(seen, probs=np.where(call.routing_map, call.probs, np.nan))
    if not call.padded:
        seen = replace(seen, token_id=call.out_index)
    for name, array in call.formula().items():
        np.testing.assert_array_equal(seen.formula()[name], array)


@given(call=calls(full=True))
def test_gradients_of_full_permuted_rows_are_those_of_the_document_by_experts(call: Call) -> None:
    """The equations as they stand, with masks expert by expert, where rows lie in that order."""
    assert call.probs is not None
    token = np.nonzero(call.routing_map.T)[1]
    moved = permute(call.grad, call.routing_map, num_out_tokens=len(call.out_index))
    found = replace(call, out_index=moved["sorted_indices"]).formula()
    weights = call.probs.T[call.routing_map.T]
    due = call.grad[token] * weights[:, None]
    np.testing.assert_array_equal(found["permuted_tokens_grad"], due)
    scattered = np.zeros(call.routing_map.T.shape)
    scattered[call.routing_map.T] = (call.grad[token] * call.tokens).sum(axis=1)
    np.testing.assert_array_equal(found["probs_grad"], scattered.T)


def test_a_prob_of_zero_does_not_hide_what_is_not_finite() -> None:
    one = np.array([0], np.int32)
    given = (one, one, np.ones((1, 1), np.int8), np.ones((1, 2)), np.zeros((1, 1)))
    outputs = formula(np.array([[np.inf, 1.0]]), *given)
    np.testing.assert_array_equal(outputs["permuted_tokens_grad"], [[np.nan, 0.0]])
    np.testing.assert_array_equal(outputs["probs_grad"], [[np.inf]])


def test_sums_of_several_dtypes_are_rounded_once_and_of_one_at_every_step() -> None:
    """2^8 products of 1 and three more: bfloat16 has no 2^8 + 1, and 2^8 + 3 is a tie."""
    ones, one = np.ones((1, 2**8 + 3), ml_dtypes.bfloat16), np.array([0], np.int32)
    for dtype, due in ((ml_dtypes.bfloat16, 2**8), (np.float32, 2**8 + 3)):
        prob, marks = np.ones((1, 1), dtype), np.ones((1, 1), np.int8)
        found = formula(ones, one, one, marks, ones, prob)
        assert found["probs_grad"].dtype == dtype
        assert found["permuted_tokens_grad"].dtype == ml_dtypes.bfloat16
        assert found["probs_grad"].tolist() == [[due]]


CALL: dict[str, Any] = {
    "unpermuted_tokens_grad": np.ones((2, 3)),
    "out_index": np.array([0, 3, 1, 2], np.int32),
    "permute_token_id": np.array([0, 1, 1, 0], np.int32),
    "routing_map": np.ones((2, 2), np.int8),
    "permuted_tokens": np.ones((4, 3)),
    "probs": np.ones((2, 2)),
}
PAD: dict[str, Any] = {"drop_and_pad": True}


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"unpermuted_tokens_grad": np.ones(4)}, r"unpermuted_tokens_grad\.shape"),
        ({"out_index": np.zeros((2, 2), np.int32)}, r"out_index\.shape"),
        ({"out_index": np.array([0, 4, 1, 2], np.int32)}, r"out_index\[1\]=4"),
        ({"out_index": np.array([0, -2, 1, 2], np.int32)}, r"out_index\[1\]=-2"),
        ({"out_index": np.array([0, -1, 1, 2], np.int32), **PAD}, r"out_index\[1\]=-1"),
        ({"out_index": np.array([0, 1, 1, 2], np.int32)}, "out_index=1 twice"),
        ({"permute_token_id": np.zeros(3, np.int32)}, r"permute_token_id\.shape"),
        ({"permute_token_id": np.array([0, 1, 2, 0], np.int32), **PAD}, r"token_id\[2\]=2"),
        ({"permute_token_id": np.array([0, 1, 0, 0], np.int32), **PAD}, r"probs\[0, 0\] twice"),
        ({"probs": np.ones((3, 2))}, r"probs\.shape"),
        ({"probs": np.ones((2, 1)), "routing_map": np.ones((2, 1), np.int8)}, "topK_num=2"),
        ({"probs": np.ones((2, 3)), **PAD}, "shared evenly by 3 experts"),
        ({"probs": np.ones((2, 1)), **PAD}, "capacity=4"),
        ({"unpermuted_tokens_grad": np.ones((3, 3)), "probs": None}, "evenly by 3 tokens"),
        ({"routing_map": None}, "routing_map=None"),
        ({"routing_map": np.ones((2, 3), np.int8)}, r"routing_map\.shape"),
        ({"routing_map": np.full((2, 2), 2, np.int8)}, r"routing_map\[0, 0\]=2"),
        ({"routing_map": np.ones((2, 3), np.int8), "probs": np.ones((2, 3))}, "3 experts"),
        ({"permuted_tokens": None}, "permuted_tokens=None"),
        ({"permuted_tokens": np.ones((4, 2))}, r"permuted_tokens\.shape"),
    ],
)
def test_what_the_document_rules_out_is_rejected(changed: dict[str, Any], told: str) -> None:
    formula(**CALL)
    with pytest.raises(ValueError, match=told):
        formula(**{**CALL, **changed})


def test_dtypes_that_the_document_does_not_list_are_rejected() -> None:
    for name, dtype in (
        ("out_index", np.int64),
        ("permute_token_id", np.int64),
        ("routing_map", np.uint8),
        ("unpermuted_tokens_grad", bool),
        ("permuted_tokens", bool),
        ("probs", bool),
    ):
        with pytest.raises(TypeError, match=name):
            formula(**{**CALL, name: CALL[name].astype(dtype)})
