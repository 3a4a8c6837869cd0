"""MoeInitRoutingV2 gives each expert its tokens, and its gradient takes them back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.init_routing import COUNT, CUMSUM
from reference.moe_init_routing_v2 import formula
from reference.moe_init_routing_v2_grad import formula as gradient
from reference.moe_token_permute import formula as permute


@dataclass(frozen=True)
class Call:
    """One valid call; the elements of x are small integers from 1 on, all different."""

    x: np.ndarray
    expert_idx: np.ndarray
    attributes: dict[str, Any]

    def formula(self) -> dict[str, np.ndarray]:
        return formula(self.x, self.expert_idx, **self.attributes)


@st.composite
def calls(draw: st.DrawFn, mode: str) -> Call:
    tokens, top_k = draw(st.integers(2, 6)), draw(st.integers(1, 4))
    experts, hidden = draw(st.integers(1, 5)), draw(st.integers(0, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    attributes: dict[str, Any] = {"expert_num": experts}
    if mode == "drop_pad":
        attributes["drop_pad_mode"] = 1
        attributes["expert_capacity"] = draw(st.integers(1, tokens - 1))
        attributes["active_num"] = draw(st.integers(0, 3))
    else:
        attributes["expert_capacity"] = draw(st.integers(0, 9))
    attributes["expert_tokens_count_or_cumsum_flag"] = draw(st.sampled_from([0, CUMSUM, COUNT]))
    attributes["expert_tokens_before_capacity_flag"] = draw(st.booleans())
    if mode == "active":
        attributes["active_num"] = draw(st.integers(1, tokens * top_k + 2))
    x = 1 + np.arange(tokens * hidden, dtype=np.int64).reshape(tokens, hidden)
    return Call(x, rng.integers(0, experts, (tokens, top_k)).astype(np.int32), attributes)


def in_order(expert_idx: np.ndarray) -> list[int]:
    """The slots, expert by expert, those of one expert in their order."""
    experts = expert_idx.reshape(-1).tolist()
    return sorted(range(len(experts)), key=lambda slot: (experts[slot], slot))


@given(call=calls("dropless"))
def test_without_drop_every_slot_has_its_row_at_its_rank(call: Call) -> None:
    outputs, slots = call.formula(), in_order(call.expert_idx)
    top_k = call.expert_idx.shape[1]
    assert outputs["expanded_x"].tolist() == [call.x[slot // top_k].tolist() for slot in slots]
    assert [slots[row] for row in outputs["expanded_row_idx"]] == list(range(len(slots)))
    same = permute(call.x, call.expert_idx)
    np.testing.assert_array_equal(outputs["expanded_x"], same["permute_tokens"])
    np.testing.assert_array_equal(outputs["expanded_row_idx"], same["sorted_indices"])


@given(call=calls("dropless"))
def test_experts_are_counted_as_the_flag_says(call: Call) -> None:
    flag = call.attributes["expert_tokens_count_or_cumsum_flag"]
    outputs = call.formula()
    assert ("expert_tokens_count_or_cumsum" in outputs) == (flag != 0)
    assert "expert_tokens_before_capacity" not in outputs
    if flag:
        chosen = call.expert_idx.reshape(-1).tolist()
        counts = [chosen.count(expert) for expert in range(call.attributes["expert_num"])]
        wanted = [sum(counts[: e + 1]) for e in range(len(counts))] if flag == CUMSUM else counts
        assert outputs["expert_tokens_count_or_cumsum"].dtype == np.int32
        assert outputs["expert_tokens_count_or_cumsum"].tolist() == wanted


@given(call=calls("active"))
def test_active_mode_leaves_the_first_rows_and_all_ranks(call: Call) -> None:
    outputs = call.formula()
    whole = Call(call.x, call.expert_idx, {**call.attributes, "active_num": 0}).formula()
    rows = call.attributes["active_num"]
    np.testing.assert_array_equal(outputs["expanded_x"], whole["expanded_x"][:rows])
    for name in outputs.keys() - {"expanded_x"}:
        np.testing.assert_array_equal(outputs[name], whole[name])


@given(call=calls("drop_pad"))
def test_an_expert_takes_its_first_slots_and_zeros_fill_the_rest(call: Call) -> None:
    experts, capacity = call.attributes["expert_num"], call.attributes["expert_capacity"]
    top_k, hidden = call.expert_idx.shape[1], call.x.shape[1]
    chosen = call.expert_idx.reshape(-1).tolist()
    rows = np.zeros((experts, capacity, hidden), np.int64)
    index = [-1] * len(chosen)
    for expert in range(experts):
        slots = [slot for slot, choice in enumerate(chosen) if choice == expert][:capacity]
        for place, slot in enumerate(slots):
            rows[expert, place] = call.x[slot // top_k]
            index[slot] = expert * capacity + place
    outputs = call.formula()
    np.testing.assert_array_equal(outputs["expanded_x"], rows)
    assert outputs["expanded_row_idx"].tolist() == index
    flag = call.attributes["expert_tokens_before_capacity_flag"]
    assert ("expert_tokens_before_capacity" in outputs) == flag
    assert "expert_tokens_count_or_cumsum" not in outputs
    if flag:
        before = outputs["expert_tokens_before_capacity"]
        assert before.dtype == np.int32
        assert before.tolist() == [chosen.count(expert) for expert in range(experts)]


@given(call=st.sampled_from(["dropless", "active", "drop_pad"]).flatmap(calls))
def test_the_gradient_is_its_adjoint(call: Call) -> None:
    """<route(x), g> = <x, gradient(g)> in every mode: both documents mean the same slots."""
    outputs = call.formula()
    rows, top_k = outputs["expanded_x"], call.expert_idx.shape[1]
    g = np.random.default_rng(1).integers(-9, 10, rows.shape)
    mode = call.attributes.get("drop_pad_mode", 0)
    active = len(rows) if mode == 0 and call.attributes.get("active_num", 0) else 0
    back = gradient(
        g, outputs["expanded_row_idx"], top_k=top_k, drop_pad_mode=mode, active_num=active
    )
    assert (rows * g).sum() == (call.x * back).sum()


@given(call=st.sampled_from(["dropless", "active", "drop_pad"]).flatmap(calls))
def test_the_arguments_are_left_as_they_are(call: Call) -> None:
    x, expert_idx = call.x.copy(), call.expert_idx.copy()
    for array in call.formula().values():
        array[...] = -1
    np.testing.assert_array_equal(call.x, x)
    np.testing.assert_array_equal(call.expert_idx, expert_idx)


X = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]])
EXPERTS = np.array([[1, 2], [0, 1], [0, 1]], np.int32)


def test_the_row_of_a_slot_is_that_of_its_token_by_hand() -> None:
    """Sorted slots 2, 4, 0, 3, 5, 1: tokens 1, 2, 0, 1, 2, 0, where % numRows gives 2, 1, 0..."""
    outputs = formula(X, EXPERTS, expert_num=3, expert_tokens_count_or_cumsum_flag=CUMSUM)
    np.testing.assert_array_equal(outputs["expanded_x"], X[[1, 2, 0, 1, 2, 0]])
    assert outputs["expanded_row_idx"].tolist() == [2, 5, 0, 3, 1, 4]
    assert outputs["expert_tokens_count_or_cumsum"].tolist() == [2, 5, 6]


def test_active_rows_by_hand() -> None:
    outputs = formula(X, EXPERTS, active_num=4)
    np.testing.assert_array_equal(outputs["expanded_x"], X[[1, 2, 0, 1]])
    assert outputs["expanded_row_idx"].tolist() == [2, 5, 0, 3, 1, 4]
    assert len(formula(X, EXPERTS, active_num=7)["expanded_x"]) == 6


def test_capacity_drops_the_third_slot_of_an_expert_and_pads_the_last_one_by_hand() -> None:
    outputs = formula(
        X,
        EXPERTS,
        expert_num=4,
        expert_capacity=2,
        drop_pad_mode=1,
        expert_tokens_before_capacity_flag=True,
    )
    zero = [0.0, 0.0]
    assert outputs["expanded_x"].tolist() == [
        [[2.0, 20.0], [3.0, 30.0]],
        [[1.0, 10.0], [2.0, 20.0]],
        [[1.0, 10.0], zero],
        [zero, zero],
    ]
    assert outputs["expanded_row_idx"].tolist() == [2, 4, 0, 3, 1, -1]
    assert outputs["expert_tokens_before_capacity"].tolist() == [2, 3, 1, 0]


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.uint16])
@pytest.mark.parametrize("mode", [0, 1])
def test_rows_have_the_dtype_of_x_and_indices_are_int32(dtype: Any, mode: int) -> None:
    attributes = {"expert_num": 3, "expert_capacity": 2, "drop_pad_mode": mode}
    outputs = formula(X.astype(dtype), EXPERTS, **attributes)
    assert outputs["expanded_x"].dtype == np.dtype(dtype)
    assert outputs["expanded_row_idx"].dtype == np.int32


def test_experts_need_no_number_where_none_is_counted() -> None:
    beyond = np.array([[7, -2], [0, 7], [-2, 0]], np.int32)
    assert formula(X, beyond)["expanded_row_idx"].tolist() == [4, 0, 2, 5, 1, 3]
    assert formula(X[:0], EXPERTS[:0])["expanded_x"].shape == (0, 2)


DROP: dict[str, Any] = {"drop_pad_mode": 1, "expert_num": 3, "expert_capacity": 2}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"drop_pad_mode": 2}, r"drop_pad_mode=2: must be 0 or 1"),
        ({"active_num": -1}, r"active_num=-1: must be at least 0"),
        ({"expert_capacity": -1}, r"expert_capacity=-1: must be at least 0"),
        ({"expert_num": -1}, r"expert_num=-1: must be at least 0"),
        ({**DROP, "expert_num": 0}, r"expert_num=0: must be greater than 0 with drop_pad_mode=1"),
        ({**DROP, "expert_capacity": 0}, r"expert_capacity=0: must be greater than 0 with"),
        ({**DROP, "expert_capacity": 3}, r"expert_capacity=3: must be less than the 3 rows of x"),
        ({**DROP, "expert_num": 2}, r"expert_idx\[slot 1\]=2: must lie in \[0, 2\)"),
        (
            {"expert_idx": EXPERTS - 1, "expert_num": 3, "expert_tokens_count_or_cumsum_flag": 2},
            r"expert_idx\[slot 2\]=-1: must lie in \[0, 3\)",
        ),
        (
            {"expert_tokens_count_or_cumsum_flag": 3},
            r"expert_tokens_count_or_cumsum_flag=3: must be 0, 1 or 2",
        ),
        ({"x": X[:, :, None]}, r"x.shape=\(3, 2, 1\): must be 2-D"),
        ({"expert_idx": EXPERTS[:, 0]}, r"expert_idx.shape=\(3,\): must be 2-D"),
        ({"expert_idx": EXPERTS[:2]}, r"expert_idx.shape=\(2, 2\): must have the 3 rows of x"),
    ],
)
def test_what_the_rules_exclude_is_refused(change: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"x": X, "expert_idx": EXPERTS} | change
    with pytest.raises(ValueError, match=message + r".*\[MoeInitRoutingV2, "):
        formula(**arguments)


def test_dtypes_that_the_document_does_not_list_are_refused() -> None:
    with pytest.raises(TypeError, match="expert_idx: dtype int64 must be int32"):
        formula(X, EXPERTS.astype(np.int64))
    with pytest.raises(TypeError, match="x: dtype bool must be a real number type"):
        formula(X.astype(bool), EXPERTS)
