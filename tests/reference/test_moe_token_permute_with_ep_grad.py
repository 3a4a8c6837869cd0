"""MoeTokenPermuteWithEpGrad is the adjoint of MoeTokenPermuteWithEp on a range of ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.moe_token_permute_grad import formula as without_range
from reference.moe_token_permute_with_ep import formula as permute
from reference.moe_token_permute_with_ep_grad import formula, terms


@dataclass(frozen=True)
class Call:
    """One valid call with a range, on a lattice (small integers) in float64."""

    experts: np.ndarray
    grad: np.ndarray
    ranks: np.ndarray
    probs: np.ndarray | None
    rank_range: tuple[int, int]

    @property
    def attributes(self) -> dict[str, Any]:
        return {"num_topk": self.experts.shape[1], "rank_range": self.rank_range}

    def formula(self) -> dict[str, np.ndarray]:
        return formula(self.grad, self.ranks, self.probs, **self.attributes)


@st.composite
def calls(draw: st.DrawFn) -> Call:
    """Ranks of a router, and the rows of the range, or more that must not be read."""
    tokens, top_k = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    slots = tokens * top_k
    start = draw(st.integers(0, slots - 1))
    end = draw(st.integers(start + 1, slots))
    rows = end - start + draw(st.integers(0, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    experts = rng.integers(0, draw(st.integers(1, 5)), (tokens, top_k))
    grad = rng.integers(-64, 65, (rows, draw(st.integers(0, 4)))).astype(np.float64)
    probs = rng.integers(-64, 65, rows).astype(np.float64) if draw(st.booleans()) else None
    for array in (grad, probs):
        if array is not None:
            array[end - start :] = np.nan
    ranks = permute(np.zeros((tokens, 0)), experts)["sorted_indices"]
    return Call(experts, grad, ranks, probs, (start, end))


@given(call=calls())
def test_it_is_the_adjoint_of_the_forward_operator(call: Call) -> None:
    """<permute(x), g> = <x, gradient(g)>, for tokens and for probs."""
    rng = np.random.default_rng(1)
    x = rng.integers(-9, 10, (len(call.experts), call.grad.shape[1]))
    p = rng.integers(-9, 10, call.experts.shape)
    forward = permute(x, call.experts, p, rank_range=call.rank_range)
    outputs, rows = call.formula(), len(forward["permute_tokens"])
    product = (forward["permute_tokens"] * call.grad[:rows]).sum()
    assert (x * outputs["token_grad"]).sum() == product
    assert ("probs_grad" in outputs) == (call.probs is not None)
    if call.probs is not None:
        product = (forward["permute_probs"] * call.probs[:rows]).sum()
        assert (p * outputs["probs_grad"]).sum() == product


@given(call=calls())
def test_terms_add_up_to_the_formula(call: Call) -> None:
    found = terms(call.ranks, source_rows=len(call.grad), **call.attributes)
    found.validate(call.rank_range[1] - call.rank_range[0])
    assert found.source == "permuted_tokens_output_grad"
    assert found.coefficients is None
    assert found.cast is None
    assert found.rows.shape == call.experts.shape
    padded = np.vstack([call.grad, np.zeros((1, call.grad.shape[1]))])
    np.testing.assert_array_equal(padded[found.rows].sum(1), call.formula()["token_grad"])


@given(call=calls())
def test_the_slices_of_a_partition_add_up_to_the_whole(call: Call) -> None:
    """The gradients of two ranges that touch add up to that of both; one may be empty."""
    slots, top_k = call.ranks.size, call.attributes["num_topk"]
    g = np.arange(slots * 2.0).reshape(slots, 2)
    p = np.arange(1.0, slots + 1)
    whole = formula(g, call.ranks, p, num_topk=top_k, rank_range=(0, slots))
    for cut in range(slots + 1):
        head = formula(g[:cut], call.ranks, p[:cut], num_topk=top_k, rank_range=(0, cut))
        tail = formula(g[cut:], call.ranks, p[cut:], num_topk=top_k, rank_range=(cut, slots))
        for name, array in whole.items():
            np.testing.assert_array_equal(head[name] + tail[name], array)


@given(call=calls())
def test_without_a_range_it_is_the_gradient_of_the_plain_operator_and_probs_are_ignored(
    call: Call,
) -> None:
    top_k = call.attributes["num_topk"]
    outputs = formula(call.grad, call.ranks, np.empty((5, 5)), num_topk=top_k)
    assert outputs.keys() == {"token_grad"}
    plain = without_range(call.grad, call.ranks, num_topk=top_k)
    np.testing.assert_array_equal(outputs["token_grad"], plain)
    found = terms(call.ranks, source_rows=len(call.grad), num_topk=top_k)
    assert found.source == "permuted_tokens_output_grad"
    padded = np.vstack([call.grad, np.zeros((1, call.grad.shape[1]))])
    np.testing.assert_array_equal(padded[found.rows].sum(1), plain)


@given(call=calls())
def test_the_arguments_are_left_as_they_are(call: Call) -> None:
    grad, ranks = call.grad.copy(), call.ranks.copy()
    for array in call.formula().values():
        array[...] = -1
    terms(call.ranks, source_rows=len(grad), **call.attributes).rows[...] = -1
    terms(call.ranks, source_rows=len(grad), num_topk=call.attributes["num_topk"]).rows[...] = -1
    np.testing.assert_array_equal(call.grad, grad)
    np.testing.assert_array_equal(call.ranks, ranks)


RANKS = np.array([0, 2, 4, 1, 3, 5], np.int32)
GRAD = np.array([[1.0, 10.0], [2.0, 20.0], [4.0, 40.0], [8.0, 80.0]])
PROBS = np.array([0.1, 0.2, 0.3, 0.4])


def test_a_range_in_the_middle_by_hand() -> None:
    """Ranks 1 to 4 are rows 0 to 3: those of slots 3, 1, 4 and 2."""
    outputs = formula(GRAD, RANKS, PROBS, num_topk=2, rank_range=(1, 5))
    assert outputs["token_grad"].tolist() == [[2, 20], [8 + 1, 90], [4, 40]]
    assert outputs["probs_grad"].tolist() == [[0.0, 0.2], [0.4, 0.1], [0.3, 0.0]]
    found = terms(RANKS, source_rows=4, num_topk=2, rank_range=(1, 5))
    assert found.rows.tolist() == [[-1, 1], [3, 0], [2, -1]]


@pytest.mark.parametrize("rank_range", [(0, 0), (3, 3), (6, 6), (4, 2), (6, 0)])
def test_a_range_that_does_not_end_behind_its_start_selects_nothing(
    rank_range: tuple[int, int],
) -> None:
    outputs = formula(GRAD, RANKS, PROBS, num_topk=2, rank_range=rank_range)
    assert outputs["token_grad"].tolist() == [[0, 0]] * 3
    assert outputs["probs_grad"].tolist() == [[0, 0]] * 3
    assert np.all(terms(RANKS, source_rows=0, num_topk=2, rank_range=rank_range).rows == -1)


def test_slots_are_added_in_their_order() -> None:
    big = np.array([[1e8], [1.0], [-1e8]], np.float32)
    for order, total in (((0, 1, 2), 0.0), ((0, 2, 1), 1.0)):
        ranks = np.array(order, np.int32)
        outputs = formula(big, ranks, num_topk=3, rank_range=(0, 3))
        assert outputs["token_grad"].tolist() == [[total]]


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.uint16])
def test_each_gradient_has_the_dtype_of_the_gradient_that_it_comes_from(dtype: Any) -> None:
    probs = np.array([1, 2, 3, 4], np.int8)
    outputs = formula(GRAD.astype(dtype), RANKS, probs, num_topk=2, rank_range=(1, 5))
    assert outputs["token_grad"].dtype == np.dtype(dtype)
    assert outputs["token_grad"].astype(float).tolist() == [[2, 20], [9, 90], [4, 40]]
    assert outputs["probs_grad"].dtype == np.int8


def test_probs_are_moved_bit_for_bit() -> None:
    bits = np.array([0x7F81, 0x8000], np.uint16).view(ml_dtypes.bfloat16)
    ranks = np.array([1, 0], np.int32)
    moved = formula(np.zeros((2, 1)), ranks, bits, num_topk=1, rank_range=(0, 2))["probs_grad"]
    assert moved.view(np.uint16).tolist() == [[0x8000], [0x7F81]]


GOOD: dict[str, Any] = {"num_topk": 2, "rank_range": (1, 5), "ranks": RANKS, "rows": 4}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"num_topk": 0}, "num_topk=0: must lie in [1, 512]"),
        ({"num_topk": 513}, "num_topk=513: must lie in [1, 512]"),
        ({"num_topk": 4}, "num_topk=4: must divide the 6 slots"),
        ({"padded_mode": True}, "padded_mode=True: must be False"),
        ({"padded_mode": True, "rank_range": None}, "padded_mode=True: must be False"),
        ({"rank_range": (-1, 3)}, "rank_range=(-1, 3): must be two numbers from 0 to 6"),
        ({"rank_range": (3, 7)}, "rank_range=(3, 7): must be two numbers from 0 to 6"),
        ({"rank_range": (9, 3)}, "rank_range=(9, 3): must be two numbers from 0 to 6"),
        ({"rank_range": (4, -2)}, "rank_range=(4, -2): must be two numbers from 0 to 6"),
        ({"rows": 3}, "source_rows=3: must be at least 4, the ranks of the range"),
        ({"ranks": RANKS.reshape(3, 2)}, "sorted_indices.shape=(3, 2): must be 1-D"),
        ({"ranks": RANKS - 1}, "sorted_indices[0]=-1: must lie in [0, 6)"),
        ({"ranks": RANKS + 1, "rows": 9}, "sorted_indices[5]=6: must lie in [0, 6)"),
    ],
)
def test_both_reject_what_the_document_rules_out(change: dict[str, Any], message: str) -> None:
    arguments = GOOD | change
    rows, ranks = arguments.pop("rows"), arguments.pop("ranks")
    for call in (
        lambda: formula(np.zeros((rows, 4)), ranks, **arguments),
        lambda: terms(ranks, source_rows=rows, **arguments),
    ):
        with pytest.raises(ValueError) as error:
            call()
        assert message in str(error.value)
        assert "[aclnnMoeTokenPermuteWithEpGrad, " in str(error.value)


def test_dtypes_and_shapes_that_the_document_does_not_list_are_rejected() -> None:
    attributes: dict[str, Any] = {"num_topk": 2, "rank_range": (1, 5)}
    with pytest.raises(TypeError, match="sorted_indices: dtype int64 must be int32"):
        terms(RANKS.astype(np.int64), source_rows=4, **attributes)
    with pytest.raises(TypeError, match="permuted_tokens_output_grad: dtype bool must be a real"):
        formula(GRAD.astype(bool), RANKS, **attributes)
    with pytest.raises(TypeError, match="permuted_probs_output_grad: dtype bool must be a real"):
        formula(GRAD, RANKS, PROBS.astype(bool), **attributes)
    with pytest.raises(ValueError, match=r"permuted_tokens_output_grad.shape=\(8,\): must be 2-D"):
        formula(GRAD.reshape(-1), RANKS, **attributes)
    for probs in (PROBS[:3], PROBS[:, None]):
        with pytest.raises(
            ValueError, match=r"probs_output_grad.shape=.*: must be 1-D, 4 at least"
        ):
            formula(GRAD, RANKS, probs, **attributes)
