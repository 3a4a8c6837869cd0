"""MoeGatingTopKSoftmax chooses experts and counts their rows: equations and loops agree."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from reference.moe_gating_top_k_softmax import formula
from tests.definitions.moe_gating_top_k_softmax import moe_gating_top_k_softmax as loops
from tests.reference.gating import FEW, close, marks, same, scores

ROW = [math.log(1), math.log(2), math.log(4), math.log(1)]
"""Powers 1, 2, 4, 1, whose sum is 8."""


def compared(x: NDArray[np.float64], *, k: int, finished: Any = None) -> dict[str, Any]:
    """What the formula gives, after it was held against the loops."""
    found = formula(x=x, k=k, finished=finished)
    expected = loops(x.tolist(), None if finished is None else finished.tolist(), k=k)
    same(found["expert_idx"], expected["expert_idx"])
    same(found["row_idx"], expected["row_idx"])
    close(found["y"], expected["y"], terms=x.shape[-1])
    return found


@FEW
@given(x=scores(), data=st.data())
def test_the_equations_are_the_loops(x: NDArray[np.float64], data: st.DataObject) -> None:
    finished = data.draw(marks(x))
    k = data.draw(st.integers(1, x.shape[-1]))
    found = compared(x, k=k, finished=finished)
    shapes = {name: found[name].shape for name in ("y", "expert_idx", "row_idx")}
    assert set(shapes.values()) == {(*x.shape[:-1], k)}


def test_the_call_of_the_document() -> None:
    """Each row rises by 1, so that row i is 0.1 + 4i + (0, 1, 2, 3): y has the shares of e^0 and
    e^-1 in e^0 + e^-1 + e^-2 + e^-3 = 1.5530017927759194; the elements of a row, up to 11.1, are
    rounded, and so are their differences, by 2^-50. arange(6) in 2 lines is 0 1 2 and 3 4 5."""
    found = compared(np.arange(12.0).reshape(3, 4) + 0.1, k=2)
    same(found["expert_idx"], [[3, 2]] * 3)
    same(found["row_idx"], [[0, 3], [1, 4], [2, 5]])
    np.testing.assert_allclose(
        found["y"], [[0.6439142598879724, 0.23688281808991013]] * 3, rtol=2**-48
    )


@pytest.mark.parametrize(
    ("k", "y", "experts", "places"),
    [
        (1, [4 / 8], [2], [[0], [1]]),
        (2, [4 / 8, 2 / 8], [2, 1], [[0, 2], [1, 3]]),
        (4, [4 / 8, 2 / 8, 1 / 8, 1 / 8], [2, 1, 0, 3], [[0, 2, 4, 6], [1, 3, 5, 7]]),
    ],
)
def test_shares_by_hand(k: int, y: list[float], experts: list[int], places: list[Any]) -> None:
    """Powers 4, 2, 1, 1 of experts 2, 1, 0, 3 have shares of 8; experts 0 and 3 are equal, 0 first.
    A finished row keeps its values and its places: element j of row i of two is 2j + i."""
    found = compared(np.array([ROW, ROW]), k=k, finished=np.array([False, True]))
    same(found["expert_idx"], [experts, [4] * k])
    same(found["row_idx"], places)
    np.testing.assert_allclose(found["y"], [y, y], rtol=2**-49)


def test_rows_of_all_blocks_are_counted_through() -> None:
    """Four rows in two blocks: element j of row i is 4j + i."""
    x = np.array([[ROW, ROW], [ROW, ROW]])
    found = compared(x, k=2, finished=np.array([[False, True], [False, False]]))
    same(found["row_idx"], [[[0, 4], [1, 5]], [[2, 6], [3, 7]]])
    same(found["expert_idx"], [[[2, 1], [4, 4]], [[2, 1], [2, 1]]])


def test_minus_infinity_has_no_share_and_underflow_none_either() -> None:
    """Powers 0, 1, 0, 1 and 1, 0, 0 and a third 0: equal ones in the order of experts."""
    found = compared(np.array([[-np.inf, 5.0, -np.inf, 5.0], [0.0, -900.0, -800.0, -np.inf]]), k=4)
    same(found["expert_idx"], [[1, 3, 0, 2], [0, 1, 2, 3]])
    assert found["y"].tolist() == [[0.5, 0.5, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]


def test_no_expert_at_all_is_taken_for_k_0() -> None:
    found = compared(np.array([ROW, ROW]), k=0)
    assert found["row_idx"].shape == found["y"].shape == (2, 0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"k": -1}, "k is below 0"),
        ({"k": 5}, "above the number of experts"),
        ({"x": [[0.0] * 1025], "k": 1025}, "above 1024"),
        ({"finished": [False, False]}, "another shape"),
        ({"x": [[1.0, math.nan]]}, "NaN"),
        ({"x": [[-math.inf, -math.inf]]}, "infinite"),
        ({"x": [[0.0, 1.0], [2.0]]}, "different lengths"),
    ],
)
def test_the_loops_refuse_what_has_no_result(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        loops(**{"x": [ROW], "k": 1, **change})
