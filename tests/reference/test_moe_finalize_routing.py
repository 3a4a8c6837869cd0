"""MoeFinalizeRouting by hand, beside MoeFinalizeRoutingV2, and what it does not take."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from reference import moe_finalize_routing_v2 as v2
from reference.moe_finalize_routing import formula, terms

X = np.array([[1.0], [2], [4], [8]])
GIVEN: dict[str, Any] = {
    "x1": np.array([[1000.0], [2000]]),
    "bias": np.array([[10.0], [20], [40]]),
    "scales": np.array([[1.0, 2], [3, 4]]),
    "expanded_row_idx": np.array([3, 0, 1, 2], np.int32),
    "expert_idx": np.array([[0, 2], [1, 0]], np.int32),
}


def test_slots_lie_column_by_column_and_a_bias_is_scaled() -> None:
    first = 1000 + 1 * (8 + 10) + 2 * (2 + 40)
    second = 2000 + 3 * (1 + 20) + 4 * (4 + 10)
    assert formula(X, **GIVEN)["out"].tolist() == [[first], [second]]
    x2 = np.array([[0.5], [0.25]])
    assert formula(X, **GIVEN, x2=x2)["out"].tolist() == [[first + 0.5], [second + 0.25]]


def test_it_is_the_first_mode_of_the_second_version() -> None:
    given = {name: one for name, one in GIVEN.items() if name != "expanded_row_idx"}
    other = v2.formula(X, GIVEN["expanded_row_idx"], **given, num_rows=2, drop_pad_mode=0)
    assert formula(X, **GIVEN)["out"].tolist() == other.tolist()


def test_terms_add_up_to_the_formula() -> None:
    given = {name: GIVEN[name] for name in ("scales", "expanded_row_idx", "expert_idx")}
    held, total = {"expanded_x": X, **GIVEN}, np.zeros((2, 1))
    for part in terms(**given, source_rows=4, experts=3):
        factors = 1 if part.coefficients is None else part.coefficients[..., None]
        total += (held[part.source][part.rows] * factors).sum(axis=1)
    assert total.tolist() == formula(X, **GIVEN)["out"].tolist()


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        ({"expanded_row_idx": np.array([3, -1, 1, 2], np.int32)}, r"must lie in \[0, 4\)"),
        ({"expanded_row_idx": np.array([3, 4, 1, 2], np.int32)}, r"must lie in \[0, 4\)"),
        ({"bias": np.ones((1, 1))}, "must be at least 2, of which a token selects"),
        ({"scales": np.ones((2, 1))}, "must be 2, of the slots"),
        ({"scales": np.ones(4)}, "must be 2-D"),
    ],
)
def test_what_the_second_version_takes_is_refused(changed: dict[str, Any], rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        formula(X, **{**GIVEN, **changed})
