"""MoeFinalizeRoutingV2Grad is the adjoint of MoeFinalizeRoutingV2, in its rows and its scales."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.moe_finalize_routing_v2 import formula as finalize
from reference.moe_finalize_routing_v2_grad import expanded_shape, formula, terms


@dataclass(frozen=True)
class Call:
    """One valid call on a lattice (small integers) in float64; no row is named twice."""

    grad_y: np.ndarray
    expanded_row_idx: np.ndarray
    expanded_x: np.ndarray
    scales: np.ndarray | None
    bias: np.ndarray | None
    expert_idx: np.ndarray
    attributes: dict[str, int]

    @property
    def top_k(self) -> int:
        return self.expanded_row_idx.size // len(self.grad_y)

    @property
    def source(self) -> np.ndarray:
        shape = self.expanded_x.shape
        return self.expanded_x.reshape(int(np.prod(shape[:-1])), shape[-1])

    def formula(self) -> dict[str, np.ndarray]:
        return formula(
            self.grad_y,
            self.expanded_row_idx,
            self.expanded_x,
            self.scales,
            self.expert_idx,
            self.bias,
            **self.attributes,
        )


@st.composite
def calls(draw: st.DrawFn) -> Call:
    """Every mode, with and without scales and bias; indices of any slots in any order."""
    tokens, top_k, hidden = (
        draw(st.integers(1, 5)),
        draw(st.integers(0, 4)),
        draw(st.integers(0, 4)),
    )
    slots, experts = tokens * top_k, draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    mode = draw(st.sampled_from(["dropless", "active", "drop_pad"]))
    attributes: dict[str, int] = {}
    index = rng.permutation(slots)
    if mode == "active":
        attributes["active_num"] = draw(st.integers(1, slots + 2))
    if mode == "drop_pad":
        capacity = draw(st.integers(1, 4))
        attributes = {"drop_pad_mode": 1, "expert_num": experts, "expert_capacity": capacity}
        attributes["active_num"] = draw(st.integers(0, 3))
        rows = rng.permutation(max(slots, experts * capacity))[:slots]
        index = np.where((rows < experts * capacity) & (rng.random(slots) < 0.8), rows, -1)

    def lattice(*shape: int) -> np.ndarray:
        return rng.integers(-16, 17, shape).astype(np.float64)

    scales = lattice(tokens, top_k) if draw(st.booleans()) else None
    return Call(
        lattice(tokens, hidden),
        index.astype(np.int32),
        lattice(*expanded_shape(slots, **attributes), hidden),
        scales,
        lattice(experts, hidden) if scales is not None and draw(st.booleans()) else None,
        rng.integers(0, experts, (tokens, top_k)).astype(np.int32),
        attributes,
    )


def looped(call: Call) -> tuple[list[list[float]], list[list[float]]]:
    """The equations slot by slot, in Python's numbers."""
    source, hidden = call.source, call.grad_y.shape[1]
    rows = [[0.0] * hidden for _ in source]
    scales = [[0.0] * call.top_k for _ in call.grad_y]
    for slot, row in enumerate(call.expanded_row_idx.tolist()):
        i, k = divmod(slot, call.top_k)
        there = 0 <= row < len(source)
        for j in range(hidden):
            grad = float(call.grad_y[i, j])
            value = source[row, j] if there else 0.0
            if call.bias is not None:
                value += call.bias[call.expert_idx[i, k], j]
            scales[i][k] += value * grad
            if there:
                rows[row][j] = grad if call.scales is None else grad * call.scales[i, k]
    return rows, scales


@given(call=calls())
def test_the_equations_are_the_loops(call: Call) -> None:
    outputs, (rows, scales) = call.formula(), looped(call)
    assert outputs["grad_expanded_x"].shape == call.expanded_x.shape
    assert outputs["grad_expanded_x"].reshape(call.source.shape).tolist() == rows
    assert ("grad_scales" in outputs) == (call.scales is not None)
    if call.scales is not None:
        assert outputs["grad_scales"].tolist() == scales


@given(call=calls())
def test_it_is_the_adjoint_of_the_forward_operator_in_rows_and_in_scales(call: Call) -> None:
    """With slots row by row, which are the forward operator's modes 2 and 3."""
    mode = 2 + call.attributes.get("drop_pad_mode", 0)
    attributes: dict[str, Any] = {"num_rows": len(call.grad_y), "drop_pad_mode": mode}
    index, outputs = call.expanded_row_idx, call.formula()
    out = finalize(call.expanded_x, index, scales=call.scales, **attributes)
    product = (out * call.grad_y).sum()
    assert (call.expanded_x * outputs["grad_expanded_x"]).sum() == product
    if call.scales is not None:
        experts = {"bias": call.bias, "expert_idx": call.expert_idx}
        out = finalize(call.expanded_x, index, scales=call.scales, **experts, **attributes)
        assert (call.scales * outputs["grad_scales"]).sum() == (out * call.grad_y).sum()


@given(call=calls())
def test_terms_say_which_scaled_row_each_gradient_is(call: Call) -> None:
    found = terms(call.expanded_row_idx, call.scales, tokens=len(call.grad_y), **call.attributes)
    found.validate(len(call.grad_y))
    assert found.source == "grad_y"
    assert found.cast is None
    assert found.rows.shape == (len(call.source), 1)
    assert (found.coefficients is None) == (call.scales is None)
    factors = np.ones(found.rows.shape) if found.coefficients is None else found.coefficients
    padded = np.vstack([call.grad_y, np.zeros((1, call.grad_y.shape[1]))])
    rows = (padded[found.rows] * factors[:, :, None]).sum(1)
    np.testing.assert_array_equal(
        rows.reshape(call.expanded_x.shape), call.formula()["grad_expanded_x"]
    )


@given(call=calls())
def test_rows_that_no_slot_names_are_not_read(call: Call) -> None:
    canary = call.expanded_x.copy()
    view = canary.reshape(call.source.shape)
    view[np.setdiff1d(np.arange(len(view)), call.expanded_row_idx)] = np.nan
    seen = replace(call, expanded_x=canary).formula()
    for name, array in call.formula().items():
        np.testing.assert_array_equal(seen[name], array)


@given(call=calls())
def test_the_arguments_are_left_as_they_are(call: Call) -> None:
    before = {
        name: array.copy() for name, array in vars(call).items() if isinstance(array, np.ndarray)
    }
    for array in call.formula().values():
        array[...] = -7
    found = terms(call.expanded_row_idx, call.scales, tokens=len(call.grad_y), **call.attributes)
    found.rows[...] = -1
    for name, array in before.items():
        np.testing.assert_array_equal(getattr(call, name), array)


GRAD = np.array([[1.0, 2.0], [-1.0, 3.0]])
INDEX = np.array([3, 0, 2, 1], np.int32)
ROWS = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0], [4.0, 40.0]])
SCALES = np.array([[0.5, 2.0], [1.0, -1.0]])
BIAS = np.array([[1.0, 0.0], [0.0, 100.0]])
EXPERTS = np.array([[0, 1], [1, 0]], np.int32)


def test_without_scales_the_rows_of_the_gradient_are_moved() -> None:
    outputs = formula(GRAD, INDEX)
    assert outputs.keys() == {"grad_expanded_x"}
    assert outputs["grad_expanded_x"].tolist() == [[1, 2], [-1, 3], [-1, 3], [1, 2]]
    moved = formula(np.array([[-0.0]]), np.array([0], np.int32))["grad_expanded_x"]
    assert np.signbit(moved).tolist() == [[True]]


def test_with_scales_by_hand() -> None:
    outputs = formula(GRAD, INDEX, ROWS, SCALES)
    assert outputs["grad_expanded_x"].tolist() == [[2, 4], [1, -3], [-1, 3], [0.5, 1]]
    assert outputs["grad_scales"].tolist() == [[84.0, 21.0], [87.0, 58.0]]


def test_with_bias_by_hand() -> None:
    """The bias adds 1, 200, 300 and -1 to the products of the row with gradY."""
    outputs = formula(GRAD, INDEX, ROWS, SCALES, EXPERTS, BIAS)
    assert outputs["grad_scales"].tolist() == [[85.0, 221.0], [387.0, 57.0]]
    plain = formula(GRAD, INDEX, ROWS, SCALES)["grad_expanded_x"]
    np.testing.assert_array_equal(outputs["grad_expanded_x"], plain)


def test_active_rows_are_at_most_active_num() -> None:
    outputs = formula(GRAD, INDEX, ROWS[:2], SCALES, active_num=2)
    assert outputs["grad_expanded_x"].tolist() == [[2, 4], [1, -3]]
    assert outputs["grad_scales"].tolist() == [[0.0, 21.0], [0.0, 58.0]]
    assert formula(GRAD, INDEX, active_num=9)["grad_expanded_x"].shape == (4, 2)


def test_dropped_slots_store_nothing_and_padding_has_no_gradient() -> None:
    index = np.array([3, -1, 0, -1], np.int32)
    drop = {"drop_pad_mode": 1, "expert_num": 2, "expert_capacity": 2}
    rows = ROWS.reshape(2, 2, 2)
    outputs = formula(GRAD, index, rows, SCALES, **drop)
    assert outputs["grad_expanded_x"].tolist() == [[[-1, 3], [0, 0]], [[0, 0], [0.5, 1]]]
    assert outputs["grad_scales"].tolist() == [[84.0, 0.0], [29.0, 0.0]]
    with_bias = formula(GRAD, index, rows, SCALES, EXPERTS, BIAS, **drop)
    assert with_bias["grad_scales"].tolist() == [[85.0, 200.0], [329.0, -1.0]]
    found = terms(index, SCALES, tokens=2, **drop)
    assert found.rows.tolist() == [[1], [-1], [-1], [0]]


def test_the_gradient_of_a_dropped_scale_is_zero_beside_what_is_not_finite() -> None:
    outputs = formula(
        np.array([[np.inf]]), np.array([0, 1], np.int32), ROWS[:1, :1], SCALES[:1], active_num=1
    )
    assert outputs["grad_scales"].tolist() == [[np.inf, 0.0]]


def test_products_are_added_in_the_order_of_h_and_the_bias_before_them() -> None:
    one, prob = np.array([0], np.int32), np.ones((1, 1), np.float32)
    for row, total in (([1e8, 1.0, -1e8], 0.0), ([1e8, -1e8, 1.0], 1.0)):
        ones = np.ones((1, 3), np.float32)
        assert formula(np.array([row], np.float32), one, ones, prob)["grad_scales"] == total
    big = np.array([[1e8, -1e8]], np.float32)
    bias, expert = np.ones((1, 2), np.float32), np.zeros((1, 1), np.int32)
    ones = np.array([[1, 1]], np.float32)
    assert formula(ones, one, big, prob, expert, bias)["grad_scales"].tolist() == [[0.0]]


def test_gradients_have_the_dtypes_of_what_they_are_the_gradients_of() -> None:
    grad = GRAD.astype(ml_dtypes.bfloat16)
    outputs = formula(grad, INDEX, ROWS.astype(np.float16), SCALES.astype(np.float32))
    assert outputs["grad_expanded_x"].dtype == np.float16
    assert outputs["grad_scales"].dtype == np.float32
    assert outputs["grad_scales"].tolist() == [[84.0, 21.0], [87.0, 58.0]]
    assert formula(grad, INDEX)["grad_expanded_x"].dtype == ml_dtypes.bfloat16
    moved = formula(grad, INDEX, ROWS.astype(np.float16))["grad_expanded_x"]
    assert moved.dtype == np.float16
    assert moved.astype(float).tolist() == [[1, 2], [-1, 3], [-1, 3], [1, 2]]


DROP: dict[str, Any] = {"drop_pad_mode": 1, "expert_num": 2, "expert_capacity": 2}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"drop_pad_mode": 2}, "drop_pad_mode=2: must be 0 or 1"),
        ({"active_num": -1}, "active_num=-1: must be at least 0"),
        ({"expert_num": -1}, "expert_num=-1: must be at least 0"),
        ({"expert_capacity": -1}, "expert_capacity=-1: must be at least 0"),
        ({**DROP, "expert_num": 0}, "expert_num=0: must be greater than 0 with drop_pad_mode=1"),
        ({**DROP, "expert_capacity": 0}, "expert_capacity=0: must be greater than 0 with"),
        ({"index": INDEX.reshape(2, 2)}, "expanded_row_idx.shape=(2, 2): must be 1-D"),
        ({"index": INDEX[1:]}, "the rows of grad_y=2: must be greater than 0 and divide the 3"),
        ({"index": INDEX - 1}, "expanded_row_idx[1]=-1: must lie in [0, 4) without Drop/Pad"),
        ({"index": INDEX + 1}, "expanded_row_idx[0]=4: must lie in [0, 4) without Drop/Pad"),
        ({"index": INDEX - 2, **DROP}, "expanded_row_idx[1]=-2: must lie in [-1, 4) with Drop/"),
        ({"index": INDEX + 1, **DROP}, "expanded_row_idx[0]=4: must lie in [-1, 4) with Drop/Pad"),
        ({"index": INDEX // 2}, "expanded_row_idx=0 twice: a row may be named by one slot"),
        ({"scales": np.ones((2, 3))}, "scales.shape=(2, 3): must be [2, 2]"),
    ],
)
def test_both_reject_what_the_document_rules_out(change: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"index": INDEX, "scales": SCALES} | change
    index, scales = arguments.pop("index"), arguments.pop("scales")
    rows = ROWS.reshape(2, 2, 2) if "drop_pad_mode" in change else ROWS
    for call in (
        lambda: formula(GRAD, index, rows, scales, **arguments),
        lambda: terms(index, scales, tokens=2, **arguments),
    ):
        with pytest.raises(ValueError) as error:
            call()
        assert message in str(error.value)
        assert "[MoeFinalizeRoutingV2Grad, " in str(error.value)


def test_inputs_that_do_not_fit_one_another_are_rejected() -> None:
    with pytest.raises(ValueError, match="expanded_x=None: must be there: grad_scales is a sum"):
        formula(GRAD, INDEX, None, SCALES)
    with pytest.raises(ValueError, match=r"expanded_x.shape=\(3, 2\): must be \[4, 2\]"):
        formula(GRAD, INDEX, ROWS[:3], SCALES)
    with pytest.raises(ValueError, match=r"expanded_x.shape=\(4, 2\): must be \[2, 2, 2\]"):
        formula(GRAD, INDEX, ROWS, **DROP)
    with pytest.raises(ValueError, match="expert_idx=None: must be there: bias has one row for"):
        formula(GRAD, INDEX, ROWS, SCALES, None, BIAS)
    with pytest.raises(ValueError, match=r"expert_idx\[0, 1\]=2: must lie in \[0, 2\)"):
        formula(GRAD, INDEX, ROWS, SCALES, 2 * EXPERTS, BIAS)
    with pytest.raises(ValueError, match=r"bias.shape=\(2, 1\): must be \[E, 2\]"):
        formula(GRAD, INDEX, ROWS, SCALES, EXPERTS, BIAS[:, :1])
    with pytest.raises(ValueError, match=r"grad_y.shape=\(4,\): must be \[R, H\]"):
        formula(GRAD.reshape(-1), INDEX)
    with pytest.raises(ValueError, match="the rows of grad_y=0: must be greater than 0"):
        formula(GRAD[:0], INDEX[:0])


def test_dtypes_that_the_document_does_not_list_are_rejected() -> None:
    with pytest.raises(TypeError, match="expanded_row_idx: dtype int64 must be int32"):
        terms(INDEX.astype(np.int64), tokens=2)
    with pytest.raises(TypeError, match="grad_y: dtype bool must be a real number type"):
        formula(GRAD.astype(bool), INDEX)
    with pytest.raises(TypeError, match="expanded_x: dtype bool must be a real number type"):
        formula(GRAD, INDEX, ROWS.astype(bool))
    with pytest.raises(TypeError, match="scales: dtype bool must be a real number type"):
        formula(GRAD, INDEX, ROWS, SCALES.astype(bool))
