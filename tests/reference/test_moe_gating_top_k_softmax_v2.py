"""MoeGatingTopKSoftmaxV2 chooses the k likeliest experts: equations and plain loops agree."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from reference.moe_gating_top_k_softmax_v2 import formula
from tests.definitions.moe_gating_top_k_softmax_v2 import moe_gating_top_k_softmax_v2 as loops
from tests.reference.gating import FEW, close, marks, same, scores

ROWS = np.array([[math.log(1), math.log(2), math.log(4), math.log(1)]])
"""Powers 1, 2, 4, 1, whose sum is 8."""


def compared(x: NDArray[np.float64], *, k: int, renorm: int, finished: Any) -> dict[str, Any]:
    """What the formula gives, after it was held against the loops."""
    found = formula(x=x, k=k, renorm=renorm, finished=finished)
    listed = None if finished is None else finished.tolist()
    flag = {"output_softmax_result_flag": True}
    expected = loops(x.tolist(), listed, k=k, renorm=renorm, **flag)
    same(found["expert_idx"], expected["expert_idx"])
    close(found["y"], expected["y"], terms=x.shape[-1])
    assert (expected["softmax_result"] is None) == (renorm == 1)
    if renorm == 0:
        close(found["softmax_result"], expected["softmax_result"], terms=x.shape[-1])
    return found


@FEW
@given(x=scores(), renorm=st.sampled_from([0, 1]), data=st.data())
def test_the_equations_are_the_loops(
    x: NDArray[np.float64], renorm: int, data: st.DataObject
) -> None:
    finished = data.draw(marks(x))
    k = data.draw(st.integers(1, x.shape[-1]))
    found = compared(x, k=k, renorm=renorm, finished=finished)
    assert found["y"].shape == found["expert_idx"].shape == (*x.shape[:-1], k)


def test_the_call_of_the_document() -> None:
    """Each row rises by 1, so that row i is 0.1 + 4i + (0, 1, 2, 3): y has the shares of e^0 and
    e^-1 in e^0 + e^-1 + e^-2 + e^-3 = 1.5530017927759194; the elements of a row, up to 11.1, are
    rounded, and so are their differences, by 2^-50."""
    x = np.arange(12.0).reshape(3, 4) + 0.1
    found = compared(x, k=2, renorm=0, finished=None)
    same(found["expert_idx"], [[3, 2]] * 3)
    np.testing.assert_allclose(
        found["y"], [[0.6439142598879724, 0.23688281808991013]] * 3, rtol=2**-48
    )
    np.testing.assert_allclose(
        found["softmax_result"],
        [[0.03205860328008499, 0.08714431874203257, 0.23688281808991013, 0.6439142598879724]] * 3,
        rtol=2**-48,
    )


@pytest.mark.parametrize(
    ("k", "renorm", "y", "experts"),
    [
        (1, 0, [4 / 8], [2]),
        (2, 0, [4 / 8, 2 / 8], [2, 1]),
        (4, 0, [4 / 8, 2 / 8, 1 / 8, 1 / 8], [2, 1, 0, 3]),
        (1, 1, [1.0], [2]),
        (2, 1, [4 / 6, 2 / 6], [2, 1]),
        (3, 1, [4 / 7, 2 / 7, 1 / 7], [2, 1, 0]),
    ],
)
def test_shares_by_hand(k: int, renorm: int, y: list[float], experts: list[int]) -> None:
    """Powers 4, 2, 1, 1 of experts 2, 1, 0, 3 have shares of all 8 in the first order, and of the
    sum of those chosen (4 + 2, 4 + 2 + 1) in the second one; experts 0 and 3 are equal, 0 first."""
    found = compared(ROWS, k=k, renorm=renorm, finished=None)
    same(found["expert_idx"], [experts])
    np.testing.assert_allclose(found["y"], [y], rtol=2**-49)


@pytest.mark.parametrize("renorm", [0, 1])
def test_a_finished_row_has_the_number_of_experts_and_its_values(renorm: int) -> None:
    x, finished = np.vstack([ROWS, ROWS]), np.array([True, False])
    found = compared(x, k=2, renorm=renorm, finished=finished)
    same(found["expert_idx"], [[4, 4], [2, 1]])
    np.testing.assert_array_equal(found["y"][0], found["y"][1])


def test_marks_of_three_axes_have_two() -> None:
    x = np.stack([np.vstack([ROWS, -ROWS]), np.vstack([-ROWS, ROWS])])
    found = compared(x, k=1, renorm=0, finished=np.array([[False, True], [False, False]]))
    same(found["expert_idx"], [[[2], [4]], [[0], [2]]])


@pytest.mark.parametrize(("renorm", "expert"), [(0, 1), (1, 2)])
def test_scores_that_underflow_are_equal_in_the_softmax_alone(renorm: int, expert: int) -> None:
    """e^-900 and e^-800 are both 0 in float64: topK of the softmax takes the lower expert."""
    found = compared(np.array([[0.0, -900.0, -800.0]]), k=2, renorm=renorm, finished=None)
    same(found["expert_idx"], [[0, expert]])
    assert found["y"].tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize("renorm", [0, 1])
def test_minus_infinity_has_no_share(renorm: int) -> None:
    """Powers 0, 1, 0, 1: expert 1 before 3, then 0 before 2."""
    x = np.array([[-np.inf, 5.0, -np.inf, 5.0]])
    found = compared(x, k=4, renorm=renorm, finished=None)
    same(found["expert_idx"], [[1, 3, 0, 2]])
    assert found["y"].tolist() == [[0.5, 0.5, 0.0, 0.0]]


@pytest.mark.parametrize("renorm", [0, 1])
def test_no_expert_at_all_is_taken_for_k_0(renorm: int) -> None:
    found = compared(ROWS, k=0, renorm=renorm, finished=np.array([True]))
    assert found["expert_idx"].shape == found["y"].shape == (1, 0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"k": -1}, "k is below 0"),
        ({"k": 5}, "above the number of experts"),
        ({"x": [[0.0] * 1025], "k": 1025}, "above 1024"),
        ({"renorm": 2}, "neither 0 nor 1"),
        ({"renorm": -1}, "neither 0 nor 1"),
        ({"finished": [False, False]}, "another shape"),
        ({"x": [[1.0, math.nan]]}, "NaN"),
        ({"x": [[-math.inf, -math.inf]]}, "infinite"),
        ({"x": [[math.inf, 0.0]]}, "infinite"),
        ({"x": [[0.0, 1.0], [2.0]]}, "different lengths"),
    ],
)
def test_the_loops_refuse_what_has_no_result(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        loops(**{"x": ROWS.tolist(), "k": 1, **change})
