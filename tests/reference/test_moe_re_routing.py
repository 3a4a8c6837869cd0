"""MoeReRouting lays rows by expert: the reference says what the plain loops say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.moe_re_routing import formula
from tests.definitions.moe_re_routing import moe_re_routing as loops

SHAPES = st.tuples(st.integers(1, 4), st.integers(1, 4))
COUNTS = SHAPES.flatmap(
    lambda shape: st.lists(
        st.lists(st.integers(0, 3), min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    )
)


def called(counts: list[list[int]], dtype: str = "int32", **how: Any) -> dict[str, Any]:
    rows = int(np.sum(counts))
    tokens = np.arange(2 * rows, dtype=np.float32).reshape(rows, 2)
    return formula(tokens, np.array(counts, dtype), np.arange(rows) / 4, **how)


@settings(max_examples=100, database=None, derandomize=True, deadline=None)
@given(COUNTS)
def test_the_reference_is_the_loops(counts: list[list[int]]) -> None:
    rows = int(np.sum(counts))
    table = [[2 * at, 2 * at + 1] for at in range(rows)]
    wanted = loops(table, counts, [at / 4 for at in range(rows)])
    found = called(counts)
    assert {name: array.tolist() for name, array in found.items()} == {
        name: one or [] for name, one in wanted.items()
    }


@pytest.mark.parametrize(
    ("counts", "idx", "sums"),
    [
        ([[2, 1], [0, 3]], [0, 1, 2, 3, 4, 5], [2, 4]),
        ([[1, 2], [2, 1]], [0, 3, 4, 1, 2, 5], [3, 3]),
        ([[1, 1, 1], [1, 1, 1]], [0, 3, 1, 4, 2, 5], [2, 2, 2]),
        ([[0, 0]], [], [0, 0]),
    ],
)
def test_rows_by_hand(counts: list[list[int]], idx: list[int], sums: list[int]) -> None:
    found = called(counts)
    assert found["permute_token_idx"].tolist() == idx
    assert found["permute_tokens"].tolist() == [[2 * at, 2 * at + 1] for at in idx]
    assert found["permute_per_token_scales"].tolist() == [at / 4 for at in idx]
    assert found["expert_token_num"].tolist() == sums


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_sums_have_the_data_type_of_the_counts_and_row_numbers_are_int32(dtype: str) -> None:
    found = called([[1, 2], [2, 1]], dtype)
    assert found["expert_token_num"].dtype == dtype
    assert found["permute_token_idx"].dtype == np.int32


@pytest.mark.parametrize(
    ("counts", "how", "told"),
    [
        ([[1, -1]], {}, r"expert_token_num_per_rank=\[\[1, -1\]\]: must be 0 or more"),
        ([[1, 2]], {"expert_token_num_type": 0}, "expert_token_num_type=0: must be 1"),
        ([[1, 2]], {"idx_type": 1}, "idx_type=1: must be 0"),
        ([1, 2], {}, r"expert_token_num_per_rank.shape=\(2,\): must have two axes"),
    ],
)
def test_what_the_document_rules_out_is_refused(counts: Any, how: Any, told: str) -> None:
    with pytest.raises(ValueError, match=rf"{told}.*MoeReRouting README"):
        called(counts, **how)


def test_counts_and_scales_of_other_rows_are_refused() -> None:
    counts, tokens = np.array([[1, 2]], np.int32), np.zeros((3, 2), np.int8)
    with pytest.raises(ValueError, match="add up to the 2 rows"):
        formula(tokens[:2], counts)
    with pytest.raises(ValueError, match=r"per_token_scales.shape=\(2,\): must be \[3\]"):
        formula(tokens, counts, np.zeros(2, np.float32))
    with pytest.raises(TypeError, match="dtype uint8 must be int32 or int64"):
        formula(tokens, counts.astype(np.uint8))
