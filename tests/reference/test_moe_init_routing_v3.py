"""MoeInitRoutingV3 keeps the slots of some experts, and quantises their rows."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.init_routing import DYNAMIC, STATIC
from reference.moe_init_routing_v2 import formula as version_two
from reference.moe_init_routing_v3 import (
    COUNT,
    CUMSUM,
    KEY_VALUE,
    SCATTER,
    formula,
)

X = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]], np.float32)
EXPERTS = np.array([[1, 2, 0, 3], [0, 2, 1, 3], [0, 1, 3, 2]], np.int32)
COUNTS = "expert_tokens_count_or_cumsum"
GENERATORS = st.integers(0, 2**32 - 1).map(np.random.default_rng)


def test_the_document_s_call_by_hand() -> None:
    outputs = formula(
        X,
        EXPERTS,
        active_num=12,
        expert_num=256,
        expert_tokens_num_type=COUNT,
        expert_tokens_num_flag=True,
        active_expert_range=(0, 4),
        row_idx_type=SCATTER,
    )
    assert outputs["expanded_row_idx"].tolist() == [2, 4, 8, 0, 6, 9, 1, 5, 11, 3, 7, 10]
    assert outputs[COUNTS].tolist() == [3, 3, 3, 3]
    np.testing.assert_array_equal(outputs["expanded_x"], X[[0, 1, 2] * 4])
    assert "expanded_scale" not in outputs


FOREIGN = np.array([[-1, 2], [2, 0]], np.int32)


@pytest.mark.parametrize(
    ("type_", "counts"),
    [(CUMSUM, [2]), (COUNT, [2]), (KEY_VALUE, [[2, 2], [0, 0], [0, 0], [0, 0]])],
)
def test_slots_outside_of_the_range_have_no_row_and_no_count(type_: int, counts: Any) -> None:
    outputs = formula(
        X[:2],
        FOREIGN,
        np.array([5, 6], np.float32),
        expert_num=4,
        active_expert_range=(2, 3),
        expert_tokens_num_type=type_,
        expert_tokens_num_flag=True,
    )
    assert outputs["expanded_row_idx"].tolist() == [-1, 0, 1, -1]
    assert (outputs[COUNTS].tolist(), outputs[COUNTS].dtype.name) == (counts, "int64")
    np.testing.assert_array_equal(outputs["expanded_x"][:2], X[[0, 1]])
    assert outputs["expanded_scale"][:2].tolist() == [5, 6]


@given(GENERATORS, st.integers(0, 15), st.integers(0, 1))
def test_all_experts_without_quantisation_are_the_second_version(
    generator: np.random.Generator, active_num: int, drop_pad_mode: int
) -> None:
    x = generator.integers(0, 99, (4, 2)).astype(np.float32)
    experts = generator.integers(0, 3, (4, 3)).astype(np.int32)
    how: dict[str, Any] = {"active_num": active_num, "expert_num": 3, "expert_capacity": 2}
    how["drop_pad_mode"] = drop_pad_mode
    before, flag = "expert_tokens_before_capacity", f"{COUNTS}_flag"
    old = version_two(
        x, experts, **how, **({f"{before}_flag": True} if drop_pad_mode else {flag: 2})
    )
    counted: dict[str, Any] = {"expert_tokens_num_type": COUNT, "expert_tokens_num_flag": True}
    new = formula(x, experts, **how, **counted)
    old[COUNTS] = old.pop(before if drop_pad_mode else COUNTS)
    assert {name: one.tolist() for name, one in old.items()} == {
        name: one.tolist() for name, one in new.items()
    }


@given(GENERATORS, st.integers(1, 13))
def test_scattered_indices_are_the_slots_of_the_rows(
    generator: np.random.Generator, active_num: int
) -> None:
    experts = generator.integers(-1, 6, (4, 3)).astype(np.int32)
    x = np.arange(4, dtype=np.float32)[:, np.newaxis]
    how: dict[str, Any] = {"active_num": active_num, "expert_num": 5, "active_expert_range": (1, 4)}
    ranks = formula(x, experts, **how)["expanded_row_idx"]
    scattered = formula(x, experts, **how, row_idx_type=SCATTER)
    inside = np.flatnonzero(ranks >= 0)
    np.testing.assert_array_equal(scattered["expanded_row_idx"][ranks[inside]], inside)
    chosen = experts.reshape(-1)[scattered["expanded_row_idx"][: inside.size]]
    assert (np.diff(chosen) >= 0).all()


ROWS = np.array([[127, 0.5, -1.5, 2.5], [0, 0, 0, 0], [-254, 1, 3, 127]])
ONE: dict[str, Any] = {"expert_num": 2, "active_expert_range": (0, 2)}
EACH = np.array([[1], [0], [1]], np.int32)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32])
def test_a_row_is_divided_by_its_largest_magnitude(dtype: Any) -> None:
    outputs = formula(ROWS.astype(dtype), EACH, quant_mode=DYNAMIC, **ONE)
    assert outputs["expanded_x"].tolist() == [[0, 0, 0, 0], [127, 0, -2, 2], [-127, 0, 2, 64]]
    assert outputs["expanded_x"].dtype == np.int8
    assert outputs["expanded_scale"].tolist() == [0, 1, 2]


def test_factors_are_those_of_the_expert_or_of_all() -> None:
    x = np.array([[1, 2], [0, 0], [1, 2]], np.float32)
    factors = np.array([[9, 9], [127, 1]], np.float32)
    outputs = formula(x, EACH, factors, quant_mode=DYNAMIC, **ONE)
    assert outputs["expanded_x"].tolist() == [[0, 0], [127, 2], [127, 2]]
    for_all = formula(x, EACH, factors[1:], quant_mode=DYNAMIC, **ONE)
    assert for_all["expanded_x"].tolist() == outputs["expanded_x"].tolist()


def test_one_scale_and_offset_are_rounded_in_turn_and_do_not_reach_empty_rows() -> None:
    x = np.array([[1.5, -300], [2.5, 3], [4, 300]], np.float32)
    one, two = (np.array([value], np.float32) for value in (1, 2))
    how: dict[str, Any] = {"expert_capacity": 1, "expert_num": 3, "drop_pad_mode": 1}
    outputs = formula(x, EACH, one, two, quant_mode=STATIC, **how)
    assert outputs["expanded_x"].tolist() == [[[4, 5]], [[4, -128]], [[0, 0]]]
    assert "expanded_scale" not in outputs


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"active_num": -2}, r"active_num=-2: must be at least -1"),
        ({"drop_pad_mode": 2}, r"drop_pad_mode=2: must be one of \(0, 1\)"),
        ({"expert_num": 0}, r"active_expert_range=\(0, 0\): must rise"),
        ({"active_expert_range": (0, 5)}, r"active_expert_range=\(0, 5\): .* in \[0, 4\]"),
        ({"expert_num": 10241}, r"active_expert_range=\(0, 10241\): must end at 10240"),
        ({"drop_pad_mode": 1, "expert_capacity": 3}, r"expert_capacity=3: must be above 0 and"),
        (
            {"drop_pad_mode": 1, "expert_capacity": 1, "row_idx_type": 1},
            r"drop_pad_mode=1: must be 1, with row_idx_type=0",
        ),
        (
            {"drop_pad_mode": 1, "expert_capacity": 1, "expert_tokens_num_flag": True},
            r"expert_tokens_num_type=0: must be 1 with drop_pad_mode=1",
        ),
        ({"quant_mode": STATIC}, r"scale or offset=None: must be given"),
        ({"quant_mode": DYNAMIC, "scale": X}, r"scale.shape=\(3, 2\): must be one of"),
        ({"scale": X}, r"scale.shape=\(3, 2\): must be \(3,\)"),
        ({"expert_idx": EXPERTS - 1}, r"expert_idx=-1: must be at least 0 with all experts"),
    ],
)
def test_what_the_rules_exclude_is_refused(change: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"x": X, "expert_idx": EXPERTS, "expert_num": 4} | change
    with pytest.raises(ValueError, match=message + r".*\[aclnnMoeInitRoutingV3, "):
        formula(**arguments)


def test_bytes_are_moved_and_never_quantised() -> None:
    moved = formula(X.astype(np.int8), EACH, expert_num=2)["expanded_x"]
    assert (moved.dtype.name, moved.tolist()) == ("int8", [[2, 20], [1, 10], [3, 30]])
    with pytest.raises(TypeError, match="x: dtype int8 must be a float"):
        formula(X.astype(np.int8), EACH, expert_num=2, quant_mode=DYNAMIC)
