"""MoeInitRoutingQuantV2 routes as the second version does, and quantises as the third does."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.init_routing import COUNT, CUMSUM, DYNAMIC, STATIC
from reference.moe_init_routing_quant_v2 import formula
from reference.moe_init_routing_v2 import formula as moved

EXPERTS = np.array([[1, 2], [0, 1], [0, 2]], np.int32)
X = np.array([[0.1] * 4, [0.2] * 4, [0.3] * 4], np.float32)
COUNTS, BEFORE = "expert_tokens_count_or_cumsum", "expert_tokens_before_capacity"
PLACES: dict[str, Any] = {"drop_pad_mode": 1, "expert_num": 3}


def one(value: float) -> Any:
    return np.array([value], np.float32)


def test_the_call_of_the_document_s_program_by_hand() -> None:
    """0.1, 0.2 and 0.3 times 0.3452, plus 1.8369, are 1.871, 1.906 and 1.940."""
    outputs = formula(
        X,
        EXPERTS,
        one(0.3452),
        one(1.8369),
        expert_capacity=2,
        expert_tokens_before_capacity_flag=True,
        **PLACES,
    )
    assert outputs["expanded_x"].tolist() == [[[2] * 4] * 2] * 3
    assert outputs["expanded_x"].dtype == np.int8
    assert outputs["expanded_row_idx"].tolist() == [2, 4, 0, 3, 1, 5]
    assert outputs[BEFORE].tolist() == [2, 2, 2]
    assert outputs.keys() == {"expanded_x", "expanded_row_idx", BEFORE}


ROWS = np.array([[127, 0.5, -1.5, 2.5], [0, 0, 0, 0], [-254, 1, 3, 127]])
EACH = np.array([[1], [0], [1]], np.int32)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32])
def test_a_row_is_divided_by_its_largest_magnitude(dtype: Any) -> None:
    outputs = formula(ROWS.astype(dtype), EACH, quant_mode=DYNAMIC)
    assert outputs["expanded_x"].tolist() == [[0, 0, 0, 0], [127, 0, -2, 2], [-127, 0, 2, 64]]
    assert outputs["dynamic_quant_scale"].tolist() == [0, 1, 2]
    assert outputs["dynamic_quant_scale"].dtype == np.float32


def test_factors_are_those_of_the_expert_or_of_all() -> None:
    x = np.array([[1, 2], [4, 127], [1, 2]], np.float32)
    factors = np.array([[2, 1], [127, 1]], np.float32)
    outputs = formula(x, EACH, factors, expert_num=2, quant_mode=DYNAMIC)
    assert outputs["expanded_x"].tolist() == [[8, 127], [127, 2], [127, 2]]
    for_all = formula(x, EACH, factors[:1], quant_mode=DYNAMIC)
    assert for_all["expanded_x"].tolist() == [[8, 127], [127, 127], [127, 127]]


def test_rows_of_drop_pad_without_a_slot_are_zero_and_so_are_their_scales() -> None:
    places: dict[str, Any] = {**PLACES, "expert_capacity": 3}
    static = formula(ROWS, EACH, one(0.5), one(3.25), **places)
    zeros = [[0] * 4]
    due = [[[3] * 4, *zeros * 2], [[67, 4, 2, 4], [-124, 4, 5, 67], *zeros], zeros * 3]
    assert static["expanded_x"].tolist() == due
    assert static["expanded_row_idx"].tolist() == [3, 0, 4]
    dynamic = formula(ROWS, EACH, quant_mode=DYNAMIC, **places)
    assert dynamic["dynamic_quant_scale"].tolist() == [0, 0, 0, 1, 2, 0, 0, 0, 0]


@given(
    st.integers(0, 2**32 - 1).map(np.random.default_rng),
    st.integers(0, 15),
    st.integers(0, 1),
    st.sampled_from((0, CUMSUM, COUNT)),
    st.booleans(),
    st.sampled_from((STATIC, DYNAMIC)),
)
def test_ranks_and_counts_are_those_of_the_second_version(
    generator: np.random.Generator,
    active_num: int,
    drop_pad_mode: int,
    flag: int,
    before: bool,
    mode: int,
) -> None:
    x = generator.integers(-300, 300, (4, 2)).astype(np.float32)
    experts = generator.integers(0, 3, (4, 3)).astype(np.int32)
    how: dict[str, Any] = {"active_num": active_num, "expert_num": 3, "expert_capacity": 2}
    how |= {"drop_pad_mode": drop_pad_mode}
    how |= {f"{COUNTS}_flag": flag, f"{BEFORE}_flag": before}
    old = moved(x, experts, **how)
    scale: Any = (one(1), one(0)) if mode == STATIC else ()
    new = formula(x, experts, *scale, quant_mode=mode, **how)
    rows, found = old.pop("expanded_x"), new.pop("expanded_x")
    assert new.pop("dynamic_quant_scale", None) is None or mode == DYNAMIC
    assert {name: one.tolist() for name, one in old.items()} == {
        name: one.tolist() for name, one in new.items()
    }
    assert mode == DYNAMIC or found.tolist() == np.clip(rows, -128, 127).tolist()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"active_num": -1}, r"active_num=-1: must be at least 0"),
        ({"drop_pad_mode": 2}, r"drop_pad_mode=2: must be 0 or 1"),
        ({"drop_pad_mode": 1, "expert_num": 0}, r"expert_num=0: must be greater than 0"),
        ({"drop_pad_mode": 1}, r"expert_capacity=0: must be greater than 0"),
        ({"drop_pad_mode": 1, "expert_capacity": 4}, r"expert_capacity=4: must be at most the 3"),
        ({f"{COUNTS}_flag": 3}, rf"{COUNTS}_flag=3: must be 0, 1 or 2"),
        ({"quant_mode": -1}, r"quant_mode=-1: must be 0 or 1"),
        ({"scale": None}, r"scale or offset=None: must be given"),
        ({"offset": one(1)[:0]}, r"offset.shape=\(0,\): must be \(1,\)"),
        ({"quant_mode": DYNAMIC}, r"scale.shape=\(1,\): must be one of"),
        ({"quant_mode": DYNAMIC, "scale": X, "expert_num": 3}, r"expert_idx=3: must lie in \[0, 3"),
        ({"expert_idx": EXPERTS - 1}, r"expert_idx=-1: must be at least 0"),
        ({f"{COUNTS}_flag": 1}, r"expert_idx\[slot 1\]=3: must lie in \[0, 3\)"),
    ],
)
def test_what_the_rules_exclude_is_refused(change: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"x": X, "expert_idx": EXPERTS + 1, "expert_num": 3}
    arguments |= {"scale": one(1), "offset": one(0), **change}
    with pytest.raises(ValueError, match=message + r".*\[aclnnMoeInitRoutingQuantV2, "):
        formula(**arguments)


def test_integers_are_not_quantised() -> None:
    with pytest.raises(TypeError, match="x: dtype int8 must be a float"):
        formula(X.astype(np.int8), EXPERTS, quant_mode=DYNAMIC)
