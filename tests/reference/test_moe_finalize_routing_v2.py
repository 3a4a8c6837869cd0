"""MoeFinalizeRoutingV2 brings the experts' outputs back; its equation and terms say the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.moe_finalize_routing_v2 import formula, terms
from reference.moe_init_routing_v2 import formula as route
from reference.moe_token_unpermute import formula as unpermute
from reference.terms import Terms


@dataclass(frozen=True)
class Call:
    """One valid call on a lattice (small integers) in float64."""

    expanded_x: np.ndarray
    expanded_row_idx: np.ndarray
    optional: dict[str, np.ndarray]
    num_rows: int
    mode: int

    @property
    def source(self) -> np.ndarray:
        shape = self.expanded_x.shape
        return self.expanded_x.reshape(int(np.prod(shape[:-1])), shape[-1])

    def formula(self) -> np.ndarray:
        return formula(
            self.expanded_x,
            self.expanded_row_idx,
            **self.optional,
            num_rows=self.num_rows,
            drop_pad_mode=self.mode,
        )

    def terms(self) -> tuple[Terms, ...]:
        bias = self.optional.get("bias")
        return terms(
            self.expanded_row_idx,
            self.optional.get("scales"),
            self.optional.get("expert_idx"),
            source_rows=len(self.source),
            num_rows=self.num_rows,
            drop_pad_mode=self.mode,
            experts=None if bias is None else len(bias),
            x1="x1" in self.optional,
            x2="x2" in self.optional,
        )


@st.composite
def calls(draw: st.DrawFn) -> Call:
    """Every mode, every subset of what is optional, any indices that are legal."""
    mode = draw(st.integers(0, 3))
    tokens, top_k, hidden = (
        draw(st.integers(1, 5)),
        draw(st.integers(0, 4)),
        draw(st.integers(0, 4)),
    )
    experts, capacity, slots = draw(st.integers(1, 4)), draw(st.integers(1, 4)), tokens * top_k
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))

    def lattice(*shape: int) -> np.ndarray:
        return rng.integers(-16, 17, shape).astype(np.float64)

    if mode in (1, 3):
        expanded_x = lattice(experts, capacity, hidden)
        index = rng.integers(-1, experts * capacity, slots)
    else:
        expanded_x = lattice(draw(st.one_of(st.just(slots), st.integers(0, slots + 2))), hidden)
        index = rng.permutation(slots) if draw(st.booleans()) else rng.integers(0, slots, slots)
    optional = {
        "x1": lattice(tokens, hidden),
        "x2": lattice(tokens, hidden),
        "scales": lattice(tokens, top_k),
        "bias": lattice(experts, hidden),
    }
    there = draw(st.sets(st.sampled_from(sorted(optional))))
    optional = {name: array for name, array in optional.items() if name in there}
    if "bias" in there or draw(st.booleans()):
        optional["expert_idx"] = rng.integers(0, experts, (tokens, top_k)).astype(np.int32)
    return Call(expanded_x, index.astype(np.int32), optional, tokens, mode)


def looped(call: Call) -> list[list[float]]:
    """The equation element by element, in Python's numbers."""
    skips = [call.optional[name] for name in ("x1", "x2") if name in call.optional]
    scales, bias = call.optional.get("scales"), call.optional.get("bias")
    top_k, out = call.expanded_row_idx.size // call.num_rows, []
    for i in range(call.num_rows):
        total = [0.0] * call.expanded_x.shape[-1]
        for j in range(len(total)):
            total[j] += sum(float(x[i, j]) for x in skips)
            for k in range(top_k):
                entry = i + k * call.num_rows if call.mode in (0, 1) else i * top_k + k
                row = call.expanded_row_idx[entry]
                value = call.source[row, j] if 0 <= row < len(call.source) else 0.0
                if bias is not None:
                    value += bias[call.optional["expert_idx"][i, k], j]
                total[j] += value if scales is None else value * scales[i, k]
        out.append(total)
    return out


@given(call=calls())
def test_the_equation_is_the_loops(call: Call) -> None:
    assert call.formula().tolist() == looped(call)


@given(call=calls())
def test_the_terms_of_all_sources_add_up_to_the_formula(call: Call) -> None:
    arrays = {**call.optional, "expanded_x": call.source}
    found, total = call.terms(), np.zeros((call.num_rows, call.source.shape[1]))
    wanted = [n for n in ("expanded_x", "bias", "x1", "x2") if n in arrays]
    assert [one.source for one in found] == wanted
    for one in found:
        one.validate(len(arrays[one.source]))
        assert one.cast is None
        factors = np.ones(one.rows.shape) if one.coefficients is None else one.coefficients
        padded = np.vstack([arrays[one.source], np.zeros((1, total.shape[1]))])
        total += (padded[one.rows] * factors[:, :, None]).sum(1)
    np.testing.assert_array_equal(total, call.formula())


@given(call=calls())
def test_neither_rows_that_no_slot_names_nor_scales_of_absent_ones_are_read(call: Call) -> None:
    without_bias = {name: array for name, array in call.optional.items() if name != "bias"}
    call = replace(call, optional=without_bias)
    canary = call.expanded_x.copy()
    rows, optional = call.terms()[0].rows, dict(call.optional)
    view = canary.reshape(call.source.shape)
    view[np.setdiff1d(np.arange(len(view)), rows)] = np.nan
    if "scales" in optional:
        optional["scales"] = np.where(rows < 0, np.nan, optional["scales"])
    seen = replace(call, expanded_x=canary, optional=optional).formula()
    np.testing.assert_array_equal(seen, call.formula())


@given(call=calls())
def test_the_arguments_are_left_as_they_are(call: Call) -> None:
    before = {name: array.copy() for name, array in call.optional.items()}
    expanded_x, index = call.expanded_x.copy(), call.expanded_row_idx.copy()
    call.formula()[...] = -7
    for one in call.terms():
        one.rows[...] = -1
        if one.coefficients is not None:
            one.coefficients[...] = -7
    np.testing.assert_array_equal(call.expanded_x, expanded_x)
    np.testing.assert_array_equal(call.expanded_row_idx, index)
    for name, array in before.items():
        np.testing.assert_array_equal(call.optional[name], array)


X = np.array([[4.0, 8.0], [16.0, 32.0], [64.0, 128.0]])
EXPERTS = np.array([[1, 2], [0, 1], [0, 1]], np.int32)
SCALES = np.array([[0.25, 0.75], [0.5, 0.5], [0.75, 0.25]])


def test_it_brings_routed_tokens_back_row_by_row_and_is_then_the_unpermute() -> None:
    """Scales of a token that add up to 1 give the token itself, in the modes of the routing."""
    routed = route(X, EXPERTS)
    rows, index = routed["expanded_x"], routed["expanded_row_idx"]
    back = formula(rows, index, scales=SCALES, num_rows=3, drop_pad_mode=2)
    np.testing.assert_array_equal(back, X)
    np.testing.assert_array_equal(back, unpermute(rows, index, SCALES))
    columns = index.reshape(3, 2).T.reshape(-1)
    np.testing.assert_array_equal(formula(rows, columns, scales=SCALES, num_rows=3), X)


def test_a_slot_beyond_the_capacity_takes_its_share_with_it() -> None:
    drop = {"expert_num": 3, "expert_capacity": 2, "drop_pad_mode": 1}
    routed = route(X, EXPERTS, **drop)
    assert routed["expanded_row_idx"].tolist() == [2, 4, 0, 3, 1, -1]
    rows, index = routed["expanded_x"], routed["expanded_row_idx"]
    back = formula(rows, index, scales=SCALES, num_rows=3, drop_pad_mode=3)
    np.testing.assert_array_equal(back, X * [[1.0], [1.0], [0.75]])


ROWS = np.array([[1.0], [2.0], [4.0], [8.0]])
INDEX = np.array([3, 0, 1, 2], np.int32)


def test_all_parts_by_hand() -> None:
    """Token 0 has slots 0 and 2, rows 3 and 1; token 1 has slots 1 and 3, rows 0 and 2."""
    out = formula(
        ROWS,
        INDEX,
        x1=np.array([[100.0], [200.0]]),
        x2=np.array([[1000.0], [2000.0]]),
        bias=np.array([[10.0], [20.0]]),
        scales=np.array([[1.0, 2.0], [3.0, -1.0]]),
        expert_idx=np.array([[0, 1], [1, 1]], np.int32),
        num_rows=2,
    )
    assert out.tolist() == [[1100 + (8 + 10) + 2 * (2 + 20)], [2200 + 3 * (1 + 20) - (4 + 20)]]


def test_the_layout_of_the_slots_is_that_of_the_mode() -> None:
    assert formula(ROWS, INDEX, num_rows=2).tolist() == [[8 + 2], [1 + 4]]
    assert formula(ROWS, INDEX, num_rows=2, drop_pad_mode=2).tolist() == [[8 + 1], [2 + 4]]


def test_a_dropped_slot_keeps_the_bias_of_its_expert_and_nothing_without_bias() -> None:
    dropped = np.array([-1, 0], np.int32)
    scales, experts = np.array([[2.0, 1.0]]), np.array([[1, 0]], np.int32)
    with_bias = {"bias": np.array([[10.0], [20.0]]), "expert_idx": experts}
    rows = ROWS[:, None]
    alone = formula(rows, dropped, scales=scales, num_rows=1, drop_pad_mode=1)
    assert alone.tolist() == [[1.0]]
    both = formula(rows, dropped, scales=scales, **with_bias, num_rows=1, drop_pad_mode=1)
    assert both.tolist() == [[2 * 20 + (1 + 10)]]


def test_a_scale_of_zero_does_not_hide_what_is_not_finite() -> None:
    rows = np.array([[np.inf, np.nan, 1.0]])
    out = formula(rows, np.array([0], np.int32), scales=np.zeros((1, 1)), num_rows=1)
    np.testing.assert_array_equal(out, [[np.nan, np.nan, 0.0]])


def test_skips_come_first_and_slots_in_their_order() -> None:
    big = np.array([[1e8], [-1e8]], np.float32)
    one = np.ones((1, 1), np.float32)
    index = np.array([0, 1], np.int32)
    assert formula(big, index, x1=one, num_rows=1).tolist() == [[0.0]]
    assert formula(big, index, x1=-big[:1], x2=one, num_rows=1).tolist() == [[-1e8]]
    both = formula(np.vstack([big, one]), np.array([0, 1, 2], np.int32), num_rows=1)
    assert both.tolist() == [[1.0]]


def test_the_bias_is_added_before_the_scale() -> None:
    """(1e8 + 1) * 2 - 2e8 in float32 is 0, and would be 2 if both were scaled first."""
    out = formula(
        np.array([[1e8]], np.float32),
        np.array([0], np.int32),
        x1=np.array([[-2e8]], np.float32),
        bias=np.ones((1, 1), np.float32),
        scales=np.full((1, 1), 2, np.float32),
        expert_idx=np.zeros((1, 1), np.int32),
        num_rows=1,
    )
    assert out.tolist() == [[0.0]]


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.int16])
def test_the_result_has_the_dtype_of_the_rows(dtype: Any) -> None:
    out = formula(ROWS.astype(dtype), INDEX, scales=np.full((2, 2), 2.0), num_rows=2)
    assert out.dtype == np.dtype(dtype)
    assert out.astype(float).tolist() == [[20.0], [10.0]]


def test_several_dtypes_are_rounded_once() -> None:
    """2^11 + 1 + 1 is 2^11 in float16 step by step, and 2^11 + 2 at once."""
    rows = np.array([[2**11], [1], [1]], np.float16)
    index = np.arange(3, dtype=np.int32)
    assert formula(rows, index, num_rows=1).tolist() == [[2**11]]
    scales = np.ones((1, 3), np.float32)
    assert formula(rows, index, scales=scales, num_rows=1).tolist() == [[2**11 + 2]]


GOOD: dict[str, Any] = {
    "index": INDEX,
    "scales": np.ones((2, 2)),
    "expert_idx": np.array([[0, 1], [1, 0]], np.int32),
    "num_rows": 2,
    "drop_pad_mode": 0,
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"drop_pad_mode": 4}, "drop_pad_mode=4: must lie in [0, 3]"),
        ({"drop_pad_mode": -1}, "drop_pad_mode=-1: must lie in [0, 3]"),
        ({"num_rows": 0}, "num_rows=0: must be greater than 0 and divide the 4 slots"),
        ({"num_rows": 3}, "num_rows=3: must be greater than 0 and divide the 4 slots"),
        ({"index": INDEX.reshape(2, 2)}, "expanded_row_idx.shape=(2, 2): must be 1-D"),
        ({"index": INDEX - 1}, "expanded_row_idx[1]=-1: must lie in [0, 4) without Drop/Pad"),
        ({"index": INDEX + 1}, "expanded_row_idx[0]=4: must lie in [0, 4) without Drop/Pad"),
        (
            {"index": INDEX - 2, "drop_pad_mode": 2},
            "expanded_row_idx[1]=-2: must lie in [0, 4) without Drop/Pad",
        ),
        (
            {"index": INDEX - 2, "drop_pad_mode": 1},
            "expanded_row_idx[1]=-2: must lie in [-1, 4) with Drop/Pad",
        ),
        (
            {"index": INDEX + 1, "drop_pad_mode": 3},
            "expanded_row_idx[0]=4: must lie in [-1, 4) with Drop/Pad",
        ),
        ({"scales": np.ones((2, 3))}, "scales.shape=(2, 3): must be [2, 2]"),
        ({"scales": np.ones(4)}, "scales.shape=(4,): must be [2, 2]"),
        ({"expert_idx": None}, "expert_idx=None: must be there"),
        ({"expert_idx": GOOD["expert_idx"][:1]}, "expert_idx.shape=(1, 2): must be (2, 2)"),
        ({"expert_idx": GOOD["expert_idx"] + 1}, "expert_idx[0, 1]=2: must lie in [0, 2)"),
        ({"expert_idx": GOOD["expert_idx"] - 1}, "expert_idx[0, 0]=-1: must lie in [0, 2)"),
    ],
)
def test_both_reject_what_the_documents_rule_out(change: dict[str, Any], message: str) -> None:
    arguments = GOOD | change
    index, scales = arguments.pop("index"), arguments.pop("scales")
    expert_idx = arguments.pop("expert_idx")
    rows = ROWS[:, None] if arguments["drop_pad_mode"] in (1, 3) else ROWS
    given_all = {"bias": np.ones((2, 1)), "scales": scales, "expert_idx": expert_idx}
    for call in (
        lambda: formula(rows, index, **given_all, **arguments),
        lambda: terms(index, scales, expert_idx, source_rows=4, experts=2, **arguments),
    ):
        with pytest.raises(ValueError) as error:
            call()
        assert message in str(error.value)
        assert "[MoeFinalizeRoutingV2, " in str(error.value)


def test_dtypes_and_shapes_that_the_documents_do_not_list_are_rejected() -> None:
    with pytest.raises(TypeError, match="expanded_row_idx: dtype int64 must be int32"):
        terms(INDEX.astype(np.int64), source_rows=4, num_rows=2)
    with pytest.raises(ValueError, match=r"expanded_row_idx\[1\]=-1: .* without Drop/Pad"):
        terms(INDEX - 1, source_rows=4, num_rows=2)
    with pytest.raises(TypeError, match="expanded_x: dtype bool must be a real number type"):
        formula(ROWS.astype(bool), INDEX, num_rows=2)
    experts = np.zeros((2, 2), np.int64)
    with pytest.raises(TypeError, match="expert_idx: dtype int64 must be int32"):
        formula(ROWS, INDEX, bias=np.ones((1, 1)), expert_idx=experts, num_rows=2)
    for name in ("x1", "x2"):
        with pytest.raises(TypeError, match=f"{name}: dtype bool must be a real number type"):
            formula(ROWS, INDEX, **{name: np.ones((2, 1), bool)}, num_rows=2)
        with pytest.raises(ValueError, match=rf"{name}.shape=\(4, 1\): must be \[2, 1\]"):
            formula(ROWS, INDEX, **{name: ROWS}, num_rows=2)
    with pytest.raises(ValueError, match=r"bias.shape=\(2, 3\): must be \[E, 1\]"):
        formula(ROWS, INDEX, bias=np.ones((2, 3)), expert_idx=experts, num_rows=2)
    for mode, rows, wanted in ((1, ROWS, r"\[E, C, H\]"), (2, ROWS[:, None], r"\[rows, H\]")):
        with pytest.raises(ValueError, match=r"expanded_x.shape=\(.*\): must be " + wanted):
            formula(rows, INDEX, num_rows=2, drop_pad_mode=mode)
