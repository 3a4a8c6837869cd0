"""MoeGatingTopKBackward derives the weights of MoeGatingTopK: equations and plain loops agree."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.moe_gating_top_k_backward import formula
from tests.definitions.moe_gating_top_k import moe_gating_top_k as forward
from tests.definitions.moe_gating_top_k_backward import moe_gating_top_k_backward as loops
from tests.reference.gating import FEW

STEP = 2.0**-20
"""Of a central difference, whose error is of the order of its square."""


def compared(x_norm: Any, grad_y: Any, expert_idx: Any, **how: float) -> Any:
    """What the formula gives, after it was held against the loops: each rounds as many times, and a
    difference of terms may cancel."""
    x, grad, ids = np.array(x_norm), np.array(grad_y), np.array(expert_idx)
    how = {"routed_scaling_factor": 1.0, "eps": 1e-20, **how}
    found = formula(x, grad, ids, **how)
    terms = how["routed_scaling_factor"] * grad
    divisor = np.take_along_axis(x, ids, 1).sum(axis=1, keepdims=True) + how["eps"]
    least = 2.0**-50 * ids.shape[1] * np.abs(terms / divisor).max(initial=0.0)
    expected = np.array(loops(x, grad, ids, **how))
    np.testing.assert_allclose(found, expected, rtol=2.0**-48, atol=least, strict=True)
    return found


@FEW
@given(data=st.data())
def test_the_equations_are_the_loops(data: st.DataObject) -> None:
    """Experts may be named twice, and scores lie outside of what a sigmoid gives."""
    rows, experts = data.draw(st.integers(1, 3)), data.draw(st.integers(2, 8))
    k = data.draw(st.integers(1, experts))

    def drawn(elements: st.SearchStrategy[Any], columns: int) -> Any:
        size = rows * columns
        listed = data.draw(st.lists(elements, min_size=size, max_size=size))
        return np.reshape(listed, (rows, columns))

    compared(
        drawn(st.integers(1, 12).map(lambda eighths: eighths / 8), experts),
        drawn(st.integers(-64, 64).map(lambda eighths: eighths / 8), k),
        drawn(st.integers(0, experts - 1), k),
        routed_scaling_factor=data.draw(st.sampled_from([1.0, 2.5, 0.0, -0.5])),
        eps=data.draw(st.sampled_from([1e-20, 0.5])),
    )


@FEW
@given(data=st.data())
def test_the_loops_are_the_derivative_of_those_of_the_weights(data: st.DataObject) -> None:
    experts = data.draw(st.integers(2, 6))
    k = data.draw(st.integers(1, experts))
    x = np.array(data.draw(st.permutations(range(experts)))) / 2 - 1
    how = {
        "routed_scaling_factor": data.draw(st.sampled_from([1.0, 2.5, -0.5])),
        "eps": data.draw(st.sampled_from([1e-20, 0.5])),
    }
    grad_y = np.array(data.draw(st.lists(st.integers(-4, 4), min_size=k, max_size=k))) / 4

    def weights(moved: Any) -> Any:
        return np.array(forward([moved.tolist()], k=k, **how)["y"][0])

    moves = np.eye(experts) * STEP
    slopes = [(weights(x + move) - weights(x - move)) @ grad_y / (2 * STEP) for move in moves]
    called = forward([x.tolist()], k=k, out_flag=True, **how)
    found = loops(called["out"], [grad_y], called["expert_idx"], **how)
    np.testing.assert_allclose(found, [slopes], rtol=0, atol=1e-8)


def test_the_gradient_by_hand() -> None:
    """Sum 1/4 + 1/4 and eps 1/2 are 1. Weights 1/4, 1/4 times 2, 6 give beta 2: 0 and 4 are left,
    of which expert 0 has 3/16 times 4. Experts 1 and 3 are not chosen."""
    how = {"routed_scaling_factor": 2.0, "eps": 0.5}
    found = compared([[0.25, 0.5, 0.25, 0.75]], [[1.0, 3.0]], [[2, 0]], **how)
    assert found.tolist() == [[0.75, 0, 0, 0]]


def test_one_of_one_has_no_gradient_without_eps() -> None:
    """Its weight is 1, whatever its score is."""
    assert compared([[0.25, 0.5]], [[3.0]], [[1]], eps=0.0).tolist() == [[0.0, 0.0]]


def test_an_expert_that_is_named_twice_has_both_gradients() -> None:
    """Sum 1/2; weights 1/2 and 1/2 times 1 and 3 give beta 2; (-1 + 1) / (1/2) is 0."""
    for eps, both in ((0.0, 0.0), (0.5, 0.1875 * 2)):
        found = compared([[0.25, 0.5]], [[1.0, 3.0]], [[0, 0]], eps=eps)
        assert found.tolist() == [[both, 0.0]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"x_norm": []}, "empty"),
        ({"x_norm": [[[1.0]]]}, "not two axes"),
        ({"x_norm": [[0.5]]}, "the last of 2"),
        ({"x_norm": [[0.5] * 2049]}, "to 2048"),
        ({"x_norm": [[0.5, math.nan]]}, "NaN"),
        ({"x_norm": [[0.5, math.inf]]}, "no number"),
        ({"x_norm": [[0.0, 0.5]], "eps": 0.0}, "is 0"),
        ({"renorm": 2}, "out of range"),
        ({"norm_type": 0}, "out of range"),
        ({"norm_type": 2}, "out of range"),
        ({"grad_y": [[1.0], [1.0]]}, "not one line"),
        ({"expert_idx": []}, "not one line"),
        ({"grad_y": [[1.0, 2.0]]}, "differ"),
        ({"expert_idx": [[0, 1]]}, "differ"),
        ({"grad_y": [[]], "expert_idx": [[]]}, "not of 1"),
        ({"grad_y": [[1.0] * 3], "expert_idx": [[0, 1, 1]]}, "to all experts"),
        ({"expert_idx": [[2]]}, "names no expert"),
        ({"expert_idx": [[-1]]}, "names no expert"),
    ],
)
def test_the_loops_refuse_what_has_no_result(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        loops(**{"x_norm": [[0.25, 0.5]], "grad_y": [[1.0]], "expert_idx": [[0]], **change})
