"""MoeTokenPermuteWithEp: the equations agree with plain loops wherever the document speaks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.moe_token_permute_with_ep import assigned, formula, window
from reference.permutation import ranks
from tests.definitions.moe_token_permute_with_ep import moe_token_permute_with_ep as loops


@dataclass(frozen=True)
class Call:
    """One valid call; tokens and probs are small integers, all different."""

    tokens: np.ndarray
    indices: np.ndarray
    probs: np.ndarray | None
    attributes: dict[str, Any]

    def formula(self) -> dict[str, np.ndarray]:
        return formula(self.tokens, self.indices, self.probs, **self.attributes)

    def loops(self) -> dict[str, list[Any]]:
        return loops(self.tokens, self.indices, self.probs, **self.attributes)


@st.composite
def calls(draw: st.DrawFn) -> Call:
    """Calls of which the document says everything: a range of ranks, or a number of tokens."""
    tokens, hidden, top_k = (
        draw(st.integers(1, 6)),
        draw(st.integers(0, 4)),
        draw(st.integers(1, 4)),
    )
    shape = (tokens,) if top_k == 1 and draw(st.booleans()) else (tokens, top_k)
    slots = tokens * top_k
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    few = draw(st.integers(1, 5))
    indices = rng.integers(-few, few, shape).astype(draw(st.sampled_from([np.int32, np.int64])))
    attributes: dict[str, Any] = {}
    if draw(st.booleans()):
        start = draw(st.integers(0, slots - 1))
        attributes["rank_range"] = (start, draw(st.integers(start + 1, slots)))
        attributes["num_out_tokens"] = draw(st.integers(-2, slots + 2))
    else:
        attributes["num_out_tokens"] = draw(st.integers(1, slots))
    return Call(
        np.arange(tokens * hidden, dtype=np.int64).reshape(tokens, hidden),
        indices,
        100 + np.arange(slots, dtype=np.int64).reshape(shape) if draw(st.booleans()) else None,
        attributes,
    )


@given(call=calls())
def test_the_equations_are_the_loops(call: Call) -> None:
    assert {name: array.tolist() for name, array in call.formula().items()} == call.loops()


@given(call=calls())
def test_ranks_put_the_indices_in_order_and_keep_that_of_equal_ones(call: Call) -> None:
    rank, flat = ranks(call.indices), call.indices.reshape(-1)
    assert rank.dtype == np.int32
    assert sorted(rank.tolist()) == list(range(flat.size))
    order = np.empty_like(rank)
    order[rank] = np.arange(flat.size)
    ordered = list(zip(flat[order].tolist(), order.tolist(), strict=True))
    assert ordered == sorted(ordered)


@given(call=calls())
def test_the_slices_of_a_partition_make_up_the_whole(call: Call) -> None:
    slots = call.indices.size
    whole = replace(call, attributes={"rank_range": (0, slots)}).formula()
    for cut in range(1, slots):
        head = replace(call, attributes={"rank_range": (0, cut)}).formula()
        tail = replace(call, attributes={"rank_range": (cut, slots)}).formula()
        for name in whole:
            if name == "sorted_indices":
                np.testing.assert_array_equal(head[name], whole[name])
                np.testing.assert_array_equal(tail[name], whole[name])
            else:
                np.testing.assert_array_equal(np.concatenate([head[name], tail[name]]), whole[name])


@given(call=calls())
def test_the_arguments_are_left_as_they_are(call: Call) -> None:
    tokens, indices = call.tokens.copy(), call.indices.copy()
    for array in call.formula().values():
        array[...] = -1
    np.testing.assert_array_equal(call.tokens, tokens)
    np.testing.assert_array_equal(call.indices, indices)


TOKENS = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]])
EXPERTS = np.array([[1, 2], [3, 1], [2, 3]], np.int32)
PROBS = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])


def test_a_range_in_the_middle_by_hand() -> None:
    outputs = formula(TOKENS, EXPERTS, PROBS, rank_range=(1, 5), num_out_tokens=6)
    assert outputs["sorted_indices"].tolist() == [0, 2, 4, 1, 3, 5]
    np.testing.assert_array_equal(outputs["permute_tokens"], TOKENS[[1, 0, 2, 1]])
    assert outputs["permute_probs"].tolist() == [0.4, 0.2, 0.5, 0.3]


def test_sorted_indices_are_ranks_and_not_their_inverse() -> None:
    assert ranks(np.array([2, 0, 1])).tolist() == [2, 0, 1]
    assert ranks(np.array([1, 2, 0])).tolist() == [1, 2, 0]
    assert np.argsort(np.array([1, 2, 0])).tolist() == [2, 0, 1]


@pytest.mark.parametrize("bounds", [(0, 0), (3, 3), (6, 6)])
def test_an_empty_range_selects_everything_where_the_equations_select_nothing(
    bounds: tuple[int, int],
) -> None:
    everything = formula(TOKENS, EXPERTS, PROBS, rank_range=(0, 6))
    outputs = formula(TOKENS, EXPERTS, PROBS, rank_range=bounds)
    for name, array in everything.items():
        np.testing.assert_array_equal(outputs[name], array)
    assert loops(TOKENS, EXPERTS, PROBS, rank_range=bounds)["permute_tokens"] == []


def test_a_range_that_ends_before_it_begins_leaves_rows_that_no_equation_assigns() -> None:
    start, rows = window(6, (4, 1))
    assert (start, rows, assigned(6, start, rows)) == (4, 3, 2)
    outputs = formula(TOKENS, EXPERTS, PROBS, rank_range=(4, 1))
    np.testing.assert_array_equal(outputs["permute_tokens"][:2], TOKENS[[1, 2]])
    assert outputs["permute_probs"].tolist() == [0.3, 0.6, 0.0]
    assert (window(6, (6, 2)), assigned(6, *window(6, (6, 2)))) == ((6, 2), 0)
    assert window(6, (6, 0)) == (6, 0)


@pytest.mark.parametrize(
    ("num_out_tokens", "rows"), [(0, 6), (1, 1), (6, 6), (9, 6), (-1, 5), (-6, 0), (-7, 0)]
)
def test_the_number_of_tokens_without_a_range(num_out_tokens: int, rows: int) -> None:
    assert window(6, None, num_out_tokens) == (0, rows)
    outputs = formula(TOKENS, EXPERTS, PROBS, num_out_tokens=num_out_tokens)
    whole = formula(TOKENS, EXPERTS, PROBS)
    np.testing.assert_array_equal(outputs["permute_tokens"], whole["permute_tokens"][:rows])
    np.testing.assert_array_equal(outputs["permute_probs"], whole["permute_probs"][:rows])
    np.testing.assert_array_equal(outputs["sorted_indices"], whole["sorted_indices"])


def test_padded_indices_name_tokens() -> None:
    indices = np.array([2, 0, 0, 1], np.int64)
    outputs = formula(TOKENS, indices, padded_mode=True, rank_range=(7, 9), num_out_tokens=-3)
    assert {k: v.tolist() for k, v in outputs.items()} == loops(TOKENS, indices, padded_mode=True)
    assert outputs["sorted_indices"].dtype == np.int32
    with_probs = formula(TOKENS, indices, PROBS, padded_mode=True)
    assert with_probs["permute_probs"].tolist() == [0.5, 0.1, 0.2, 0.4]


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.uint16])
def test_the_results_have_the_dtype_of_what_is_moved(dtype: Any) -> None:
    outputs = formula(TOKENS.astype(dtype), EXPERTS, PROBS.astype(dtype), rank_range=(2, 4))
    assert outputs["permute_tokens"].dtype == outputs["permute_probs"].dtype == np.dtype(dtype)
    assert outputs["sorted_indices"].dtype == np.int32


def test_rows_of_several_axes_are_moved_whole() -> None:
    tokens = np.arange(12).reshape(3, 2, 2)
    outputs = formula(tokens, np.array([5, -1, 5]), rank_range=(1, 3))
    np.testing.assert_array_equal(outputs["permute_tokens"], tokens[[0, 2]])


def test_no_tokens_give_no_rows() -> None:
    outputs = formula(np.empty((0, 7)), np.empty((0, 2), np.int32), np.empty((0, 2)))
    assert [array.shape for array in outputs.values()] == [(0, 7), (0,), (0,)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rank_range": (-1, 3)}, r"rank_range=\(-1, 3\): must be two numbers from 0 to 6"),
        ({"rank_range": (3, -1)}, r"rank_range=\(3, -1\): must be two numbers from 0 to 6"),
        ({"rank_range": (0, 7)}, r"rank_range=\(0, 7\): must be two numbers from 0 to 6"),
        ({"rank_range": (7, 7)}, r"rank_range=\(7, 7\): must be two numbers from 0 to 6"),
        ({"indices": EXPERTS[:2]}, r"indices.shape=\(2, 2\): must be \(3,\) or \(3, K\)"),
        ({"indices": EXPERTS[:, :, None]}, r"indices.shape=\(3, 2, 1\): must be \(3,\) or"),
        ({"probs": PROBS[:, 0]}, r"probs.shape=\(3,\): must be that of indices, \(3, 2\)"),
        ({"tokens": np.zeros(())}, r"tokens.shape=\(\): must have an axis of tokens"),
        ({"padded_mode": True}, r"indices.shape=\(3, 2\): must be 1-D with padded_mode=True"),
        (
            {"padded_mode": True, "indices": np.array([0, 3])},
            r"indices\[1\]=3: must name one of 3 tokens",
        ),
        (
            {"padded_mode": True, "indices": np.array([-1, 0])},
            r"indices\[0\]=-1: must name one of 3 tokens",
        ),
        (
            {"padded_mode": True, "indices": np.array([0, 1, 2])},
            r"probs.shape=\(3, 2\): must be \[3, experts\], experts a divisor of 3 rows",
        ),
    ],
)
def test_what_the_rules_exclude_is_refused(change: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"tokens": TOKENS, "indices": EXPERTS, "probs": PROBS} | change
    with pytest.raises(ValueError, match=message + r".*\[aclnnMoeTokenPermuteWithEp, "):
        formula(**arguments)


def test_a_padded_index_beyond_int32_is_refused_though_there_is_such_a_token() -> None:
    tokens = np.zeros((2**31 + 2, 1), np.uint8)  # of which one page is touched
    assert formula(tokens, np.array([2**31 - 1]), padded_mode=True)["sorted_indices"] == 2**31 - 1
    with pytest.raises(ValueError, match=r"indices\[1\]=2147483648: must fit the int32"):
        formula(tokens, np.array([0, 2**31]), padded_mode=True)


def test_dtypes_that_no_document_lists_are_refused() -> None:
    with pytest.raises(TypeError, match="indices: dtype int16 must be int32 or int64"):
        formula(TOKENS, EXPERTS.astype(np.int16))
    with pytest.raises(TypeError, match="tokens: dtype bool must be a real number type"):
        formula(TOKENS.astype(bool), EXPERTS)
    with pytest.raises(TypeError, match="probs: dtype complex128 must be a real number type"):
        formula(TOKENS, EXPERTS, PROBS.astype(complex))
