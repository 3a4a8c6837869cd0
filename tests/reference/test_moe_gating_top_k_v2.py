"""MoeGatingTopKV2 looks experts up by id: equations and plain loops agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.moe_gating_top_k import formula as by_key
from reference.moe_gating_top_k_v2 import formula
from tests.definitions.moe_gating_top_k_v2 import moe_gating_top_k_v2 as loops
from tests.reference.gating import FEW, LATTICE, close, same
from tests.reference.test_moe_gating_top_k import PLAIN, SHARES

TABLE, IDS = np.array([[10, 42], [33, 127], [5, 88]]), np.array([0, 2, 1])
"""Of the document's example."""


def compared(x: Any, ids: Any, table: Any, bias: Any = None, **how: Any) -> dict[str, Any]:
    """What the formula gives, after it was held against the loops."""
    given_ = {"bias": bias, "input_ids": ids, "tid2eid": table, "k": table.shape[1]}
    every = {**PLAIN, **how}
    found, expected = formula(x, **given_, **every), loops(x, out_flag=True, **given_, **every)
    same(found["expert_idx"], expected["expert_idx"])
    terms = x.shape[1] + table.shape[1] + 8
    for name in ("y", "out"):
        close(found[name], expected[name], terms=terms)
    return found


@st.composite
def calls(draw: st.DrawFn) -> dict[str, Any]:
    rows, experts, keys = (draw(st.integers(1, most)) for most in (4, 6, 5))
    k = draw(st.integers(1, experts))
    listed = st.lists(LATTICE, min_size=rows * experts, max_size=rows * experts)
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    return {
        "x": np.array(draw(listed)).reshape(rows, experts),
        "ids": rng.integers(0, keys, rows),
        "table": rng.integers(0, experts, (keys, k)),
        "bias": draw(st.none() | st.just(np.linspace(-1, 1, experts))),
        "norm_type": draw(st.sampled_from([0, 1, 2])),
        "renorm": draw(st.sampled_from([0, 1])),
        "routed_scaling_factor": draw(st.sampled_from([1.0, 2.5])),
        "eps": draw(st.sampled_from([1e-20, 1.0])),
    }


@FEW
@given(call=calls())
def test_the_equations_are_the_loops(call: dict[str, Any]) -> None:
    compared(**call)


def test_the_call_of_the_document() -> None:
    found = compared(np.random.default_rng(1).uniform(0, 10, (3, 256)), IDS, TABLE, np.ones(256))
    same(found["expert_idx"], [[10, 42], [5, 88], [33, 127]])


@pytest.mark.parametrize(
    ("how", "y"),
    [
        ({"norm_type": 1, "eps": 0.25, "routed_scaling_factor": 2.5}, [3 / 2, 1 / 2]),
        ({"norm_type": 0}, [9 / 22, 1 / 22]),
        ({"norm_type": 0, "renorm": 1}, [9 / 10, 1 / 10]),
    ],
)
def test_weights_by_hand(how: dict[str, Any], y: list[float]) -> None:
    """Sigmoids 3/4 and 1/4 over 1 + 1/4, times 5/2; powers 3 and 1/3 of 3, 1/3, 1 and 3."""
    found = compared(SHARES, np.array([1]), np.array([[2, 2], [0, 1]]), **how)
    np.testing.assert_allclose(found["y"], [y], rtol=2**-49)


def test_a_bias_has_no_effect_and_an_expert_may_be_named_twice() -> None:
    table = np.array([[1, 1, 0]])
    with_bias = compared(SHARES, np.array([0]), table, np.array([9.0, 0.0, 9.0, 9.0]))
    without = compared(SHARES, np.array([0]), table)
    np.testing.assert_allclose(without["y"], [[0.2, 0.2, 0.6]], rtol=2**-49)
    assert with_bias["y"].tobytes() == without["y"].tobytes()


@pytest.mark.parametrize("name", ["input_ids", "tid2eid"])
def test_one_of_the_two_alone_changes_nothing(name: str) -> None:
    alone = {name: {"input_ids": np.array([1]), "tid2eid": TABLE[:, :1]}[name]}
    found, due = formula(SHARES, k=1, **alone, **PLAIN), by_key(SHARES, k=1, **PLAIN)
    assert {one: array.tobytes() for one, array in found.items()} == {
        one: array.tobytes() for one, array in due.items()
    }
    same(loops(SHARES, k=1, **alone, **PLAIN)["expert_idx"], due["expert_idx"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"input_ids": [3]}, "no row"),
        ({"input_ids": [-1]}, "no row"),
        ({"input_ids": [0, 0]}, "another length"),
        ({"tid2eid": [[0]]}, "another length"),
        ({"tid2eid": [[0, 4]]}, "no expert"),
        ({"group_count": 2}, "left out"),
        ({"x": [[0.0] * 65], "k": 65, "tid2eid": [[0] * 65]}, "above 64"),
    ],
)
def test_the_loops_refuse_what_has_no_result(change: dict[str, Any], message: str) -> None:
    right = {"x": SHARES.tolist(), "k": 2, "input_ids": [0], "tid2eid": [[0, 1]]}
    with pytest.raises(ValueError, match=message):
        loops(**{**right, **change})
