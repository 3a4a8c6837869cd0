"""MoeInitRoutingQuant has the sort of MoeInitRouting, and rows times a scale, plus an offset."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from reference.moe_init_routing import formula as moved
from reference.moe_init_routing_quant import formula

X = np.array([[0.1] * 4, [0.2] * 4, [0.3] * 4], np.float32)
ROWS = np.array([[0, 3], [1, 4], [2, 5]], np.int32)
EXPERTS = np.array([[1, 2], [0, 1], [0, 2]], np.int32)


def test_the_call_of_the_document_s_program_by_hand() -> None:
    outputs = formula(X, ROWS, EXPERTS, active_num=3, scale=1.0, offset=1.0)
    assert outputs["expanded_x"].tolist() == [[1] * 4] * 6
    assert outputs["expanded_x"].dtype == np.int8
    assert outputs["expanded_row_idx"].tolist() == [2, 0, 1, 4, 3, 5]
    assert outputs["expanded_expert_idx"].tolist() == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32])
@pytest.mark.parametrize("active_num", [0, 1, 2, 3, 9])
def test_the_moved_rows_are_scaled_rounded_and_held_to_int8(dtype, active_num) -> None:
    x = np.array([[1, -3], [20, -21], [500, -500]]).astype(dtype)
    how = {"active_num": active_num}
    due = moved(x, ROWS, EXPERTS, **how)
    outputs = formula(x, ROWS, EXPERTS, **how, scale=0.5, offset=-0.25)
    listed = {1: 0, -3: -2, 20: 10, -21: -11, 500: 127, -500: -128}
    rows = [[listed[int(value)] for value in row] for row in due.pop("expanded_x")]
    assert outputs.pop("expanded_x").tolist() == rows
    for name, array in due.items():
        np.testing.assert_array_equal(outputs[name], array)


def test_attributes_are_rounded_to_float32() -> None:
    """1 + 2^-30 becomes 1, and so its product with 0.5 is halfway between 0 and 1: the even one."""
    half = np.full((3, 1), 0.5, np.float32)
    outputs = formula(half, ROWS, EXPERTS, active_num=1, scale=1 + 2.0**-30, offset=2.0**-200)
    assert outputs["expanded_x"].tolist() == [[0], [0]]


def test_integers_are_not_quantised() -> None:
    with pytest.raises(TypeError, match="x: dtype int8 must be a float"):
        formula(X.astype(np.int8), ROWS, EXPERTS, active_num=1, scale=1.0, offset=0.0)
