"""MoeTokenUnpermuteWithRoutingMap's equations and terms, slot by slot and row by row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import moe_token_unpermute
from reference.moe_token_permute_with_routing_map import formula as permute
from reference.moe_token_unpermute_with_routing_map import formula, terms


@dataclass(frozen=True)
class Call:
    """One valid call on a lattice (small integers) in float64."""

    tokens: np.ndarray
    indices: np.ndarray
    routing_map: np.ndarray
    probs: np.ndarray | None
    padded: bool

    @property
    def given(self) -> dict[str, Any]:
        shape = (len(self.routing_map), self.tokens.shape[1])
        routing_map = None if self.probs is None else self.routing_map
        return {
            "sorted_indices": self.indices,
            "routing_map": routing_map,
            "probs": self.probs,
            "padded_mode": self.padded,
            "restore_shape": shape,
        }

    def formula(self) -> dict[str, np.ndarray]:
        return formula(self.tokens, **self.given)


@st.composite
def calls(draw: st.DrawFn, padded: bool | None = None, with_probs: bool | None = None) -> Call:
    """topK_num slots of each token, some of them -1; or as many rows of each expert, any tokens."""
    padded = draw(st.booleans()) if padded is None else padded
    with_probs = draw(st.booleans()) if with_probs is None else with_probs
    tokens, experts = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    top_k = draw(st.integers(1, experts))
    routing_map = np.argsort(rng.random((tokens, experts)), axis=1) < top_k
    if padded:
        indices = rng.integers(0, tokens, experts * draw(st.integers(1, 3)))
    else:
        indices = rng.permutation(tokens * top_k)
        indices[rng.random(indices.size) < 0.2] = -1
    probs = rng.integers(-4, 5, routing_map.shape).astype(np.float64) if with_probs else None
    values = rng.integers(-64, 65, (indices.size, draw(st.integers(1, 4)))).astype(np.float64)
    return Call(values, indices.astype(np.int32), routing_map, probs, padded)


def factors_of(call: Call) -> list[float]:
    """The factor of every slot, or row, one after the other."""
    experts = call.routing_map.shape[1]
    if call.probs is None:
        return [1.0] * len(call.indices)
    if call.padded:
        capacity = len(call.indices) // experts
        return [call.probs[token, q // capacity] for q, token in enumerate(call.indices)]
    marks = enumerate(call.routing_map)
    return [call.probs[i, e] for i, row in marks for e in range(experts) if row[e]]


def summed(call: Call) -> list[list[float]]:
    tokens = len(call.routing_map)
    top_k = len(call.indices) // tokens
    out = [[0.0] * call.tokens.shape[1] for _ in range(tokens)]
    for q, (index, factor) in enumerate(zip(call.indices, factors_of(call), strict=True)):
        token, row = (index, q) if call.padded else (q // top_k, index)
        if row >= 0:
            added = zip(out[token], call.tokens[row], strict=True)
            out[token] = [total + value * factor for total, value in added]
    return out


@given(call=calls())
def test_the_equations_are_the_loops(call: Call) -> None:
    found = call.formula()
    assert found["unpermuted_tokens"].tolist() == summed(call)
    if call.probs is not None:
        assert found["permute_probs"].tolist() == factors_of(call)
    outputs = {"unpermuted_tokens"} | ({"permute_probs"} if call.probs is not None else set())
    outputs |= {"out_index", "permute_token_id"} if call.padded else set()
    assert found.keys() == outputs


@given(call=calls())
def test_terms_add_up_to_the_formula(call: Call) -> None:
    found = terms(source_rows=len(call.tokens), **call.given)
    found.validate(len(call.tokens))
    factors = np.ones(found.rows.shape) if found.coefficients is None else found.coefficients
    live = np.where(found.rows >= 0, factors, 0.0)
    rows = np.vstack([call.tokens, np.zeros((1, call.tokens.shape[1]))])[found.rows]
    total = (rows * live[:, :, None]).sum(axis=1)
    np.testing.assert_array_equal(total, call.formula()["unpermuted_tokens"])


@given(call=calls(padded=True))
def test_entries_are_sorted_by_token_and_equal_ones_keep_their_order(call: Call) -> None:
    found = call.formula()
    due = sorted((token, q) for q, token in enumerate(call.indices.tolist()))
    pairs = zip(found["permute_token_id"].tolist(), found["out_index"].tolist(), strict=True)
    assert list(pairs) == due
    assert {found[name].dtype.name for name in ("permute_token_id", "out_index")} == {"int32"}


@given(call=calls(padded=False, with_probs=True))
def test_of_full_rows_it_is_the_sum_without_a_map_of_the_selected_probs(call: Call) -> None:
    assert call.probs is not None
    selected = call.probs[call.routing_map].reshape(len(call.probs), -1)
    ranks = np.where(call.indices < 0, 0, call.indices).astype(np.int32)
    selected = np.where(call.indices.reshape(selected.shape) < 0, 0, selected)
    plain = moe_token_unpermute.formula(call.tokens, ranks, selected)
    np.testing.assert_array_equal(plain, call.formula()["unpermuted_tokens"])


def test_it_brings_back_what_the_forward_operator_permuted() -> None:
    routing_map = np.array([[1, 0, 1], [1, 1, 0]], np.int8)
    probs = np.array([[0.25, 9.0, 0.75], [0.5, 0.5, 9.0]])
    tokens = np.array([[4.0, 8.0], [16.0, 32.0]])
    moved = permute(tokens, routing_map, probs, num_out_tokens=4)
    rows, indices = moved["permute_tokens"], moved["sorted_indices"]
    found = formula(rows, indices, routing_map, probs)
    assert found["unpermuted_tokens"].tolist() == tokens.tolist()
    assert found["permute_probs"].tolist() == [0.25, 0.75, 0.5, 0.5]
    padded = permute(tokens, routing_map, probs, num_out_tokens=6, drop_and_pad=True)
    rows, indices = padded["permute_tokens"], padded["sorted_indices"]
    found = formula(rows, indices, routing_map, probs, padded_mode=True)
    assert found["permute_probs"].tolist() == padded["permute_probs"].tolist()
    assert found["unpermuted_tokens"].tolist() == (tokens * [[10.0], [10.0]]).tolist()


def test_a_short_row_keeps_its_own_probs_and_those_after_it_keep_theirs() -> None:
    routing_map = np.array([[0, 0, 1], [1, 1, 0]], np.int8)
    probs = np.array([[7.0, 7.0, 2.0], [3.0, 5.0, 7.0]])
    rows, indices = np.ones((4, 1)), np.array([2, -1, 0, 1], np.int32)
    found = formula(rows, indices, routing_map, probs)
    assert found["unpermuted_tokens"].tolist() == [[2.0], [8.0]]
    assert found["permute_probs"].tolist() == [2.0, 0.0, 3.0, 5.0]


def test_a_prob_of_zero_leaves_a_row_out_but_not_a_padded_one() -> None:
    rows, indices = np.array([[np.inf], [3.0]]), np.array([0, 1], np.int32)
    probs = np.array([[0.0, 2.0]])
    found = formula(rows, indices, np.ones((1, 2), np.int8), probs)
    assert found["unpermuted_tokens"].tolist() == [[6.0]]
    ids = np.zeros(2, np.int32)
    found = formula(rows, ids, probs=probs, padded_mode=True)
    assert np.isnan(found["unpermuted_tokens"]).all()


def test_padded_products_are_rounded_to_the_tokens_dtype_and_to_none_of_two() -> None:
    """The square of 1 + 2^-7 has a last bit that bfloat16 has not."""
    rows = np.array([[1 + 2**-7], [-1 - 2**-6]], ml_dtypes.bfloat16)
    both, weights = np.zeros(2, np.int32), np.array([[1 + 2**-7, 1.0]])
    for dtype, due in ((ml_dtypes.bfloat16, 0.0), (np.float32, 2**-14)):
        found = formula(rows, both, probs=weights.astype(dtype), padded_mode=True)
        assert float(found["unpermuted_tokens"][0, 0]) == due
    cast = terms(both, probs=weights, source_rows=2, padded_mode=True, product="bfloat16")
    assert cast.cast == "bfloat16"


CALL = {
    "permuted_tokens": np.ones((4, 2)),
    "sorted_indices": np.array([0, 1, 1, 0], np.int32),
    "routing_map": np.ones((2, 2), np.int8),
    "probs": np.ones((2, 2)),
    "padded_mode": False,
}


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"permuted_tokens": np.ones(4)}, r"permuted_tokens\.shape"),
        ({"sorted_indices": np.zeros(3, np.int32)}, r"sorted_indices\.shape"),
        ({"probs": np.ones(4)}, r"probs\.shape"),
        ({"probs": None}, "restore_shape"),
        ({"probs": None, "restore_shape": (3, 2)}, "shared evenly by 3 tokens"),
        ({"probs": np.ones((2, 3)), "padded_mode": True}, "shared evenly by 3 experts"),
        ({"probs": None, "restore_shape": (0, 2)}, "shared evenly by 0 tokens"),
        ({"routing_map": None}, "routing_map=None"),
        ({"routing_map": np.ones((2, 3), np.int8)}, r"routing_map\.shape"),
        ({"routing_map": np.full((2, 2), 2, np.int8)}, r"routing_map\[0, 0\]=2"),
        ({"routing_map": np.ones((2, 3), np.int8), "probs": np.ones((2, 3))}, "3 experts"),
        ({"sorted_indices": np.array([0, 1, 2, 0], np.int32), "padded_mode": True}, r"\[2\]=2"),
        ({"sorted_indices": np.array([0, 1, -1, 0], np.int32), "padded_mode": True}, r"\[2\]=-1"),
    ],
)
def test_what_the_document_rules_out_is_rejected(changed: dict[str, Any], told: str) -> None:
    formula(**CALL)
    with pytest.raises(ValueError, match=told):
        formula(**{**CALL, **changed})


def test_a_token_has_512_slots_at_most() -> None:
    for top_k in (512, 513):
        given = {
            "permuted_tokens": np.ones((top_k, 1)),
            "sorted_indices": np.arange(top_k, dtype=np.int32),
            "restore_shape": (1, 1),
        }
        if top_k == 512:
            assert formula(**given)["unpermuted_tokens"].tolist() == [[512.0]]
        else:
            with pytest.raises(ValueError, match="topK_num=513"):
                formula(**given)


def test_dtypes_that_the_document_does_not_list_are_rejected() -> None:
    for name, dtype in (("sorted_indices", np.int64), ("routing_map", np.uint8)):
        with pytest.raises(TypeError, match=name):
            formula(**{**CALL, name: CALL[name].astype(dtype)})


@given(call=calls())
def test_neither_unnamed_rows_nor_probs_of_other_experts_are_read(call: Call) -> None:
    if call.padded:
        return
    tokens = call.tokens.copy()
    tokens[np.setdiff1d(np.arange(len(tokens)), call.indices)] = np.nan
    probs = None if call.probs is None else np.where(call.routing_map, call.probs, np.nan)
    seen = replace(call, tokens=tokens, probs=probs).formula()
    np.testing.assert_array_equal(seen["unpermuted_tokens"], call.formula()["unpermuted_tokens"])
