"""The equation of MoeInitRoutingV2Grad and its terms say the same, in the document's shapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.moe_init_routing_v2_grad import formula, terms
from reference.terms import Terms


@dataclass(frozen=True)
class Call:
    """One valid call: a lattice gradient (small integers) in float64 and its routing."""

    grad_expanded_x: np.ndarray
    expanded_row_idx: np.ndarray
    attributes: dict[str, int]

    @property
    def source(self) -> np.ndarray:
        shape = self.grad_expanded_x.shape
        return self.grad_expanded_x.reshape(int(np.prod(shape[:-1])), shape[-1])

    def formula(self) -> np.ndarray:
        return formula(self.grad_expanded_x, self.expanded_row_idx, **self.attributes)

    def terms(self) -> Terms:
        rows = len(self.source)
        return terms(self.expanded_row_idx, source_rows=rows, **self.attributes)


@st.composite
def calls(draw: st.DrawFn, modes: tuple[str, ...] = ("dropless", "active", "drop_pad")) -> Call:
    """Routings as the forward operator makes them, and for one in two any indices it may hold."""
    mode = draw(st.sampled_from(modes))
    top_k, tokens = draw(st.integers(1, 5)), draw(st.integers(0, 6))
    hidden = draw(st.integers(0, 4))
    slots = tokens * top_k
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    attributes = {"top_k": top_k}
    shape: tuple[int, ...] = (slots, hidden)
    lowest, end = 0, slots
    if mode == "active":
        attributes["active_num"] = draw(st.integers(1, slots + 2))
        shape = (attributes["active_num"], hidden)
    if mode == "drop_pad":
        experts, capacity = draw(st.integers(1, 4)), draw(st.integers(1, 4))
        attributes["drop_pad_mode"] = 1
        if draw(st.booleans()):
            attributes["active_num"] = draw(st.integers(1, 20))
        shape, lowest, end = (experts, capacity, hidden), -1, experts * capacity
    if mode != "drop_pad" and draw(st.booleans()):
        expanded_row_idx = rng.permutation(slots)
    else:
        expanded_row_idx = rng.integers(lowest, max(end, 1), slots)
    gradient = rng.integers(-64, 65, shape).astype(np.float64)
    return Call(gradient, expanded_row_idx.astype(np.int32), attributes)


def summed(call: Call) -> list[list[int]]:
    """What the terms add, in Python integers."""
    result = []
    for rows in call.terms().rows:
        live = [row for row in rows.tolist() if row >= 0]
        source = call.source
        result.append([sum(int(source[r, h]) for r in live) for h in range(source.shape[1])])
    return result


@given(call=calls())
def test_formula_and_terms_agree_on_lattice_inputs(call: Call) -> None:
    grad_x = call.formula()
    assert grad_x.dtype == np.float64
    assert grad_x.tolist() == summed(call)


@given(call=calls())
def test_the_equation_holds_in_integers_as_in_floats(call: Call) -> None:
    whole = Call(call.grad_expanded_x.astype(np.int64), call.expanded_row_idx, call.attributes)
    assert whole.formula().dtype == np.int64
    np.testing.assert_array_equal(whole.formula(), call.formula())


@given(call=calls())
def test_terms_lie_inside_the_source_one_row_per_token(call: Call) -> None:
    found = call.terms()
    found.validate(len(call.source))
    assert found.source == "grad_expanded_x"
    assert found.rows.shape == (
        len(call.expanded_row_idx) // call.attributes["top_k"],
        call.attributes["top_k"],
    )
    assert found.coefficients is None
    assert found.cast is None


@given(call=calls())
def test_rows_that_no_slot_names_are_not_read(call: Call) -> None:
    clean = call.formula()
    rows = call.terms().rows
    canary = call.source.copy()
    canary[np.setdiff1d(np.arange(len(canary)), rows)] = np.nan
    gradient = canary.reshape(call.grad_expanded_x.shape)
    np.testing.assert_array_equal(
        Call(gradient, call.expanded_row_idx, call.attributes).formula(), clean
    )


@given(call=calls())
def test_the_arguments_are_left_as_they_are(call: Call) -> None:
    gradient, slots = call.grad_expanded_x.copy(), call.expanded_row_idx.copy()
    call.formula()
    call.terms().rows[...] = -1
    np.testing.assert_array_equal(call.grad_expanded_x, gradient)
    np.testing.assert_array_equal(call.expanded_row_idx, slots)


def test_a_dropless_token_gets_the_sum_of_its_top_k_rows() -> None:
    gradient = np.array([[1.0, 10.0], [2.0, 20.0], [4.0, 40.0], [8.0, 80.0]])
    slots = np.array([2, 0, 3, 1], np.int32)
    np.testing.assert_array_equal(
        formula(gradient, slots, top_k=2), [[4.0 + 1.0, 50.0], [8.0 + 2.0, 100.0]]
    )
    np.testing.assert_array_equal(terms(slots, source_rows=4, top_k=2).rows, [[2, 0], [3, 1]])


def test_an_active_token_gets_only_the_first_active_num_rows() -> None:
    gradient = np.array([[1.0], [2.0], [4.0]])
    slots = np.array([2, 0, 3, 1, 5, 4], np.int32)
    attributes = {"top_k": 2, "active_num": 3}
    np.testing.assert_array_equal(formula(gradient, slots, **attributes), [[5.0], [2.0], [0.0]])
    found = terms(slots, source_rows=3, **attributes)
    np.testing.assert_array_equal(found.rows, [[2, 0], [-1, 1], [-1, -1]])
    np.testing.assert_array_equal(found.live, [2, 1, 0])


def test_a_drop_pad_token_gets_the_rows_of_the_flattened_experts_and_nothing_for_minus_one() -> (
    None
):
    gradient = np.array([[[1.0], [np.nan]], [[4.0], [8.0]]])
    slots = np.array([0, -1, 3, 2, -1, -1], np.int32)
    attributes = {"top_k": 2, "drop_pad_mode": 1}
    np.testing.assert_array_equal(formula(gradient, slots, **attributes), [[1.0], [12.0], [0.0]])
    found = terms(slots, source_rows=4, **attributes)
    np.testing.assert_array_equal(found.rows, [[0, -1], [3, 2], [-1, -1]])


def test_a_row_named_twice_is_added_twice() -> None:
    gradient = np.array([[3.0], [5.0]])
    slots = np.array([1, 1], np.int32)
    assert formula(gradient, slots, top_k=2).tolist() == [[10.0]]
    assert terms(slots, source_rows=2, top_k=2).live.tolist() == [2]


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.uint16, np.int8])
def test_the_result_has_the_dtype_of_the_gradient(dtype: Any) -> None:
    gradient = np.array([[1], [2], [3], [4]]).astype(dtype)
    grad_x = formula(gradient, np.array([3, 0, 1, 2], np.int32), top_k=2)
    assert grad_x.dtype == np.dtype(dtype)
    assert grad_x.astype(np.float64).tolist() == [[5.0], [5.0]]


def test_infinities_and_nans_of_named_rows_go_into_the_sum() -> None:
    gradient = np.array([[np.inf], [-np.inf], [np.nan], [1.0], [np.inf], [2.0]])
    slots = np.arange(6, dtype=np.int32)
    np.testing.assert_array_equal(formula(gradient, slots, top_k=2), [[np.nan], [np.nan], [np.inf]])


def test_empty_tensors_give_empty_results() -> None:
    none = np.empty(0, np.int32)
    assert formula(np.empty((0, 7)), none, top_k=4).shape == (0, 7)
    assert formula(np.zeros((6, 0)), np.arange(6, dtype=np.int32), top_k=3).shape == (2, 0)
    assert formula(np.empty((2, 0, 5)), none, top_k=1, drop_pad_mode=1).shape == (0, 5)
    all_dropped = np.full(4, -1, np.int32)
    zeros = formula(np.empty((2, 0, 5)), all_dropped, top_k=2, drop_pad_mode=1)
    np.testing.assert_array_equal(zeros, np.zeros((2, 5)))


SLOTS = np.arange(6, dtype=np.int32)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"top_k": 0}, "top_k=0: must be greater than 0"),
        ({"top_k": -1}, "top_k=-1: must be greater than 0"),
        ({"top_k": 4}, "top_k=4: must divide the 6 slots"),
        ({"drop_pad_mode": 2}, "drop_pad_mode=2: must be 0 or 1"),
        ({"drop_pad_mode": -1}, "drop_pad_mode=-1: must be 0 or 1"),
        ({"active_num": -1}, "active_num=-1: must be at least 0"),
        ({"expanded_row_idx": SLOTS.reshape(3, 2)}, "expanded_row_idx.shape=(3, 2): must be 1-D"),
        ({"rows": 5}, "source_rows=5: must be 6"),
        ({"expanded_row_idx": SLOTS + 1}, "expanded_row_idx[5]=6: must lie in [0, 6)"),
        ({"expanded_row_idx": SLOTS - 1}, "expanded_row_idx[0]=-1: must lie in [0, 6)"),
        (
            {"expanded_row_idx": SLOTS - 1, "active_num": 6},
            "expanded_row_idx[0]=-1: must lie in [0, 6)",
        ),
        (
            {"expanded_row_idx": SLOTS + 1, "active_num": 3, "rows": 3},
            "expanded_row_idx[5]=6: must lie in [0, 6)",
        ),
    ],
)
def test_both_reject_what_the_document_rules_out(change: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"top_k": 2, "expanded_row_idx": SLOTS, "rows": 6} | change
    rows, slots = arguments.pop("rows"), arguments.pop("expanded_row_idx")
    for call in (
        lambda: formula(np.zeros((rows, 4)), slots, **arguments),
        lambda: terms(slots, source_rows=rows, **arguments),
    ):
        with pytest.raises(ValueError) as error:
            call()
        assert message in str(error.value)
        assert "[aclnnMoeInitRoutingV2Grad" in str(error.value)


def test_both_reject_drop_pad_rows_beyond_the_experts() -> None:
    beyond = np.array([0, 1, 2, 3, -1, 5], np.int32)
    message = r"expanded_row_idx\[5\]=5: must lie in \[-1, 4\) with drop_pad_mode=1, active_num=0"
    with pytest.raises(ValueError, match=message):
        formula(np.zeros((2, 2, 3)), beyond, top_k=2, drop_pad_mode=1)
    with pytest.raises(ValueError, match=message):
        terms(beyond, source_rows=4, top_k=2, drop_pad_mode=1)


def test_both_reject_active_num_that_is_not_the_size_of_axis_0() -> None:
    with pytest.raises(ValueError, match=r"grad_expanded_x.shape=\(4, 3\): axis 0 must equal acti"):
        formula(np.zeros((4, 3)), SLOTS, top_k=2, active_num=5)
    with pytest.raises(ValueError, match="source_rows=4: must be active_num=5"):
        terms(SLOTS, source_rows=4, top_k=2, active_num=5)


def test_drop_pad_ignores_active_num() -> None:
    gradient = np.arange(12.0).reshape(2, 2, 3)
    slots = np.array([0, -1, 3, 2, -1, -1], np.int32)
    plain, ignored = (
        formula(gradient, slots, top_k=2, drop_pad_mode=1, active_num=n) for n in (0, 5)
    )
    np.testing.assert_array_equal(plain, ignored)
    rows = terms(slots, source_rows=4, top_k=2, drop_pad_mode=1, active_num=5).rows
    np.testing.assert_array_equal(rows, [[0, -1], [3, 2], [-1, -1]])


def test_formula_rejects_a_rank_that_is_not_the_mode_s() -> None:
    with pytest.raises(ValueError, match=r"shape=\(6, 1, 4\): must be 2-D \[rows, H\] with drop_"):
        formula(np.zeros((6, 1, 4)), SLOTS, top_k=2)
    with pytest.raises(ValueError, match=r"shape=\(6, 4\): must be 3-D \[E, C, H\] with drop_pad"):
        formula(np.zeros((6, 4)), SLOTS, top_k=2, drop_pad_mode=1)
    with pytest.raises(ValueError, match=r"grad_expanded_x.shape=\(\)"):
        formula(np.zeros(()), SLOTS, top_k=2, active_num=1)


def test_both_reject_dtypes_that_the_document_does_not_list() -> None:
    with pytest.raises(TypeError, match="expanded_row_idx: dtype int64 must be int32"):
        formula(np.zeros((6, 4)), SLOTS.astype(np.int64), top_k=2)
    with pytest.raises(TypeError, match="expanded_row_idx: dtype int64 must be int32"):
        terms(SLOTS.astype(np.int64), source_rows=6, top_k=2)
    with pytest.raises(TypeError, match="grad_expanded_x: dtype bool must be a real number type"):
        formula(np.zeros((6, 4), bool), SLOTS, top_k=2)
