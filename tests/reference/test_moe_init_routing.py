"""MoeInitRouting sorts pairs of an expert and a row, and copies the tokens that the rows name."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.moe_finalize_routing_v2 import formula as finalize
from reference.moe_init_routing import formula
from reference.moe_init_routing_v2 import formula as second

X = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]], np.float32)
ROWS = np.array([[0, 3], [1, 4], [2, 5]], np.int32)
EXPERTS = np.array([[1, 2], [0, 1], [0, 2]], np.int32)


@st.composite
def calls(draw: st.DrawFn, *, in_columns: bool, least: int = 0) -> dict[str, Any]:
    """Arguments whose row_idx counts the slots column by column, or is any permutation."""
    tokens, top_k = draw(st.integers(least, 6)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = np.arange(tokens * top_k, dtype=np.int32).reshape(top_k, tokens).T
    if not in_columns:
        rows = rng.permutation(rows.reshape(-1)).reshape(tokens, top_k)
    return {
        "x": rng.integers(-9, 10, (tokens, draw(st.integers(0, 3)))),
        "row_idx": rows,
        "expert_idx": rng.integers(-2, 3, (tokens, top_k)).astype(np.int32),
        "active_num": draw(st.integers(0, tokens + 1)),
    }


@given(call=st.booleans().flatmap(lambda columns: calls(in_columns=columns)))
def test_pairs_of_an_expert_and_a_row_are_sorted_by_the_expert(call: dict[str, Any]) -> None:
    before = {name: np.copy(value) for name, value in call.items()}
    outputs, tokens = formula(**call), len(call["x"])
    experts, rows = call["expert_idx"].reshape(-1).tolist(), call["row_idx"].reshape(-1).tolist()
    pairs = sorted(zip(experts, rows, strict=True), key=lambda pair: pair[0])
    assert outputs["expanded_expert_idx"].tolist() == [expert for expert, _ in pairs]
    assert outputs["expanded_row_idx"][[row for _, row in pairs]].tolist() == [*range(len(pairs))]
    kept = pairs[: min(tokens, call["active_num"]) * call["row_idx"].shape[1]]
    assert outputs["expanded_x"].tolist() == [call["x"][row % tokens].tolist() for _, row in kept]
    for array in outputs.values():
        array[...] = -1
    for name, value in before.items():
        np.testing.assert_array_equal(call[name], value)


@given(call=calls(in_columns=True))
def test_rows_counted_column_by_column_give_the_second_version(call: dict[str, Any]) -> None:
    """That version counts slots row by row: its ranks are the transpose of these."""
    outputs, (tokens, top_k) = formula(**call), call["row_idx"].shape
    other = second(call["x"], call["expert_idx"])
    kept = min(tokens, call["active_num"]) * top_k
    np.testing.assert_array_equal(outputs["expanded_x"], other["expanded_x"][:kept])
    ranks = outputs["expanded_row_idx"].reshape(top_k, tokens).T
    np.testing.assert_array_equal(ranks.reshape(-1), other["expanded_row_idx"])


@given(call=calls(in_columns=True, least=1))
def test_finalize_routing_adds_the_copies_of_a_token_again(call: dict[str, Any]) -> None:
    outputs, (tokens, top_k) = formula(**{**call, "active_num": 6}), call["row_idx"].shape
    rows = outputs["expanded_x"].astype(np.float64)
    scales = np.ones((tokens, top_k))
    back = finalize(rows, outputs["expanded_row_idx"], scales=scales, num_rows=tokens)
    np.testing.assert_array_equal(back, top_k * call["x"])


def test_the_example_of_the_document_by_hand() -> None:
    """Sorted pairs (0, 1), (0, 2), (1, 0), (1, 4), (2, 3), (2, 5): tokens 1, 2, 0, 1, 0, 2."""
    outputs = formula(X, ROWS, EXPERTS, active_num=3)
    np.testing.assert_array_equal(outputs["expanded_x"], X[[1, 2, 0, 1, 0, 2]])
    assert outputs["expanded_row_idx"].tolist() == [2, 0, 1, 4, 3, 5]
    assert outputs["expanded_expert_idx"].tolist() == [0, 0, 1, 1, 2, 2]


def test_active_num_counts_tokens_by_hand() -> None:
    whole = formula(X, ROWS, EXPERTS, active_num=9)
    for active_num in range(4):
        outputs = formula(X, ROWS, EXPERTS, active_num=active_num)
        rows = [1, 2, 0, 1, 0, 2][: 2 * active_num]
        np.testing.assert_array_equal(outputs["expanded_x"], X[rows])
        np.testing.assert_array_equal(outputs["expanded_row_idx"], whole["expanded_row_idx"])
        assert outputs["expanded_expert_idx"].tolist() == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.uint16])
def test_rows_have_the_dtype_of_x_and_indices_are_int32(dtype: Any) -> None:
    outputs = formula(X.astype(dtype), ROWS, EXPERTS, active_num=1)
    assert outputs["expanded_x"].dtype == np.dtype(dtype)
    assert outputs["expanded_row_idx"].dtype == np.int32
    assert outputs["expanded_expert_idx"].dtype == np.int32


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"active_num": -1}, r"active_num=-1: must be at least 0"),
        ({"x": X[:, 0]}, r"x.shape=\(3,\): must be 2-D"),
        ({"x": X[:2]}, r"expert_idx.shape=\(3, 2\): must have the 2 rows of x"),
        ({"row_idx": ROWS.T}, r"row_idx.shape=\(2, 3\): must be \(3, 2\), as expert_idx"),
        ({"row_idx": ROWS % 5}, r"row_idx=\[..., 0, ...\]: must have each number from 0 to 5 once"),
        ({"row_idx": ROWS + 1}, r"row_idx=\[..., 1, ...\]: must have each number from 0 to 5 once"),
    ],
)
def test_what_the_rules_exclude_is_rejected(change: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"x": X, "row_idx": ROWS, "expert_idx": EXPERTS, "active_num": 3}
    with pytest.raises(ValueError, match=message + r".*\[aclnnMoeInitRouting, "):
        formula(**arguments | change)


def test_dtypes_that_the_document_does_not_list_are_rejected() -> None:
    with pytest.raises(TypeError, match="row_idx: dtype int64 must be int32"):
        formula(X, ROWS.astype(np.int64), EXPERTS, active_num=3)
    with pytest.raises(TypeError, match="expert_idx: dtype int16 must be int32"):
        formula(X, ROWS, EXPERTS.astype(np.int16), active_num=3)
