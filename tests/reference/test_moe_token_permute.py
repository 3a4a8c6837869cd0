"""MoeTokenPermute sorts copies of tokens by expert, and cuts the list as a slice does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.moe_token_permute import formula
from reference.moe_token_permute_grad import formula as gradient
from reference.moe_token_permute_with_ep import formula as with_ep


@dataclass(frozen=True)
class Call:
    """One valid call; the elements of tokens are small integers, all different."""

    tokens: np.ndarray
    indices: np.ndarray
    num_out_tokens: int = 0

    @property
    def top_k(self) -> int:
        return self.indices.size // len(self.tokens)

    def formula(self) -> dict[str, np.ndarray]:
        return formula(self.tokens, self.indices, num_out_tokens=self.num_out_tokens)


@st.composite
def calls(draw: st.DrawFn) -> Call:
    tokens, top_k = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    shape = (tokens,) if top_k == 1 and draw(st.booleans()) else (tokens, top_k)
    slots, hidden = tokens * top_k, draw(st.integers(0, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    indices = rng.integers(0, draw(st.integers(1, 6)), shape)
    return Call(
        np.arange(tokens * hidden, dtype=np.int64).reshape(tokens, hidden),
        indices.astype(draw(st.sampled_from([np.int32, np.int64]))),
        draw(st.integers(-slots - 2, slots + 2)),
    )


@given(call=calls())
def test_the_rows_are_the_tokens_of_the_slots_in_the_order_of_their_experts(call: Call) -> None:
    experts = call.indices.reshape(-1).tolist()
    in_order = sorted(range(len(experts)), key=lambda slot: (experts[slot], slot))
    outputs = replace(call, num_out_tokens=0).formula()
    rows = [call.tokens[slot // call.top_k].tolist() for slot in in_order]
    assert outputs["permute_tokens"].tolist() == rows
    assert [in_order[rank] for rank in outputs["sorted_indices"]] == list(range(len(experts)))


@given(call=calls())
def test_the_number_of_tokens_slices_the_rows_and_leaves_the_ranks(call: Call) -> None:
    whole, cut = replace(call, num_out_tokens=0).formula(), call.formula()
    kept = slice(None, call.num_out_tokens) if call.num_out_tokens else slice(None)
    np.testing.assert_array_equal(cut["permute_tokens"], whole["permute_tokens"][kept])
    np.testing.assert_array_equal(cut["sorted_indices"], whole["sorted_indices"])


@given(call=calls())
def test_it_is_the_operator_with_ep_without_a_range(call: Call) -> None:
    same = with_ep(call.tokens, call.indices, num_out_tokens=call.num_out_tokens)
    for name, array in call.formula().items():
        np.testing.assert_array_equal(array, same[name])


@given(call=calls())
def test_the_gradient_is_its_adjoint(call: Call) -> None:
    """<permute(x), g> = <x, permute_grad(g)>, also where rows are cut off."""
    outputs = call.formula()
    rows = outputs["permute_tokens"]
    g = np.random.default_rng(1).integers(-9, 10, rows.shape)
    back = gradient(g, outputs["sorted_indices"], num_topk=call.top_k)
    assert (rows * g).sum() == (call.tokens * back).sum()


@given(call=calls())
def test_the_arguments_are_left_as_they_are(call: Call) -> None:
    tokens, indices = call.tokens.copy(), call.indices.copy()
    for array in call.formula().values():
        array[...] = -1
    np.testing.assert_array_equal(call.tokens, tokens)
    np.testing.assert_array_equal(call.indices, indices)


TOKENS = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]])
EXPERTS = np.array([1, 2, 0], np.int32)


def test_rows_go_to_the_ranks_and_not_to_their_inverse() -> None:
    """Three slots whose ranks [1, 2, 0] differ from the sorted list of slots [2, 0, 1]."""
    outputs = formula(TOKENS, EXPERTS)
    assert outputs["sorted_indices"].tolist() == [1, 2, 0]
    np.testing.assert_array_equal(outputs["permute_tokens"], TOKENS[[2, 0, 1]])


def test_two_experts_of_each_token_by_hand() -> None:
    outputs = formula(TOKENS, np.array([[1, 2], [3, 1], [2, 3]]))
    assert outputs["sorted_indices"].tolist() == [0, 2, 4, 1, 3, 5]
    np.testing.assert_array_equal(outputs["permute_tokens"], TOKENS[[0, 1, 0, 2, 1, 2]])


@pytest.mark.parametrize(
    ("num_out_tokens", "rows"), [(0, 3), (1, 1), (3, 3), (4, 3), (-1, 2), (-3, 0), (-4, 0)]
)
def test_as_many_rows_are_left_as_in_a_slice(num_out_tokens: int, rows: int) -> None:
    left = formula(TOKENS, EXPERTS, num_out_tokens=num_out_tokens)["permute_tokens"]
    np.testing.assert_array_equal(left, TOKENS[[2, 0, 1]][:rows])


def test_padded_indices_name_tokens_and_are_given_back() -> None:
    indices = np.array([2, 0, 0, 1], np.int64)
    outputs = formula(TOKENS, indices, padded_mode=True, num_out_tokens=-3)
    np.testing.assert_array_equal(outputs["permute_tokens"], TOKENS[[2, 0, 0, 1]])
    assert outputs["sorted_indices"].dtype == np.int32
    assert outputs["sorted_indices"].tolist() == [2, 0, 0, 1]


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.int8, np.uint16])
def test_the_rows_have_the_dtype_of_the_tokens(dtype: Any) -> None:
    outputs = formula(TOKENS.astype(dtype), EXPERTS)
    assert outputs["permute_tokens"].dtype == np.dtype(dtype)
    assert outputs["sorted_indices"].dtype == np.int32


def test_rows_of_any_number_of_axes_are_moved_whole() -> None:
    for tokens in (np.arange(3), np.arange(12).reshape(3, 2, 2)):
        np.testing.assert_array_equal(formula(tokens, EXPERTS)["permute_tokens"], tokens[[2, 0, 1]])


def test_more_rows_than_are_moved_at_a_time_are_all_moved() -> None:
    experts = np.random.default_rng(1).permutation(9000)
    outputs = formula(np.arange(9000), experts)
    np.testing.assert_array_equal(outputs["sorted_indices"], experts)
    np.testing.assert_array_equal(outputs["permute_tokens"], np.argsort(experts))


def test_the_ends_of_the_index_dtypes_are_sorted_like_others() -> None:
    for dtype in (np.int32, np.int64):
        ends = np.iinfo(dtype)
        assert formula(TOKENS, np.array([ends.max, 0, ends.min], dtype))[
            "sorted_indices"
        ].tolist() == [2, 1, 0]


def test_no_tokens_give_no_rows_and_512_experts_of_one_give_512() -> None:
    outputs = formula(np.empty((0, 7)), np.empty((0, 2), np.int32))
    assert [array.shape for array in outputs.values()] == [(0, 7), (0,)]
    assert formula(TOKENS[:1], np.zeros((1, 512), np.int32))["permute_tokens"].shape == (512, 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"indices": EXPERTS[:2]}, r"indices.shape=\(2,\): must be \(3,\) or \(3, K\)"),
        ({"indices": EXPERTS[:, None, None]}, r"indices.shape=\(3, 1, 1\): must be \(3,\) or"),
        (
            {"indices": np.zeros((3, 513), np.int32)},
            r"indices.shape=\(3, 513\): topK must be at most 512",
        ),
        ({"tokens": np.zeros(())}, r"tokens.shape=\(\): must have an axis of tokens"),
        (
            {"padded_mode": True, "indices": EXPERTS[:, None]},
            r"indices.shape=\(3, 1\): must be 1-D with padded_mode=True",
        ),
        (
            {"padded_mode": True, "indices": np.array([0, 3])},
            r"indices\[1\]=3: must name one of 3 tokens",
        ),
        (
            {"padded_mode": True, "indices": np.array([-1, 0])},
            r"indices\[0\]=-1: must name one of 3 tokens",
        ),
    ],
)
def test_what_the_rules_exclude_is_refused(change: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"tokens": TOKENS, "indices": EXPERTS} | change
    with pytest.raises(ValueError, match=message + r".*\[aclnnMoeTokenPermute, "):
        formula(**arguments)


def test_dtypes_that_no_document_lists_are_refused() -> None:
    with pytest.raises(TypeError, match="indices: dtype int16 must be int32 or int64"):
        formula(TOKENS, EXPERTS.astype(np.int16))
    with pytest.raises(TypeError, match="tokens: dtype bool must be a real number type"):
        formula(TOKENS.astype(bool), EXPERTS)
