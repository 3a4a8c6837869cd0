"""MoeFinalizeRoutingV4 by hand: k without scales, and experts that have no rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from reference import moe_finalize_routing_v2 as of_rows
from reference.moe_finalize_routing_v3 import formula as without_k
from reference.moe_finalize_routing_v4 import formula, terms, without_rows
from reference.terms import stacked

X = np.array([[1.0], [2], [4], [8]])
ROWS = np.array([3, 0, 1, 2], np.int32)
EXPERTS = np.array([[0, 3], [1, 2]], np.int32)
"""Expert 1 is zero, 2 a copy, 3 the second of two constant ones, of which 4 is unused."""

RANGES: dict[str, Any] = {
    "zero_expert_range": (1, 2),
    "copy_expert_range": (2, 3),
    "constant_expert_range": (3, 5),
}
GIVEN: dict[str, Any] = {
    "expert_idx": EXPERTS,
    "x": np.array([[10.0], [20]]),
    "alpha1": np.array([[2.0], [7]]),
    "alpha2": np.array([[0.5], [7]]),
    "v": np.array([[100.0], [7]]),
    **RANGES,
}


@pytest.mark.parametrize(("mode", "out"), [(0, [10, 5]), (2, [9, 6])])
def test_slots_are_counted_by_k_where_there_are_no_scales(mode: int, out: list[float]) -> None:
    assert formula(X, ROWS, drop_pad_mode=mode, k=2).tolist() == [[one] for one in out]


def test_each_kind_of_expert_adds_what_the_document_says() -> None:
    found = formula(X, ROWS, drop_pad_mode=2, k=2, **GIVEN)
    assert found.tolist() == [[8 + 2 * 10 + 0.5 * 100], [20]]
    scales, bias = np.array([[1.0, 2], [3, 4]]), np.arange(5.0).reshape(-1, 1) + 1
    weighed = formula(X, ROWS, drop_pad_mode=2, scales=scales, bias=bias, **GIVEN)
    assert weighed.tolist() == [[(8 + 1) + 2 * (70 + 4)], [4 * (20 + 3)]]


def test_a_dropped_slot_of_such_an_expert_still_adds() -> None:
    dropped = np.array([3, -1, -1, -1], np.int32)
    found = formula(X[None], dropped, drop_pad_mode=3, k=2, **GIVEN)
    assert found.tolist() == [[8 + 70], [20]]


@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("kinds", [(), tuple(RANGES)[:1], tuple(RANGES)[:2], tuple(RANGES)])
def test_terms_add_up_to_the_formula(kinds: tuple[str, ...], scaled: bool) -> None:
    rng = np.random.default_rng(1)
    shapes = {"rows": (6, 3), "x": (3, 3), "alpha1": (2, 3), "alpha2": (2, 3), "v": (2, 3)}
    held = {name: rng.integers(-8, 8, shape).astype(float) for name, shape in shapes.items()}
    held["bias"] = rng.integers(-8, 8, (5, 3)).astype(float)
    experts = np.array([[0, 3], [1, 2], [4, 2]], np.int32)
    scales = rng.integers(1, 8, (3, 2)).astype(float) if scaled else None
    ranks, rows = np.array([5, 0, 1, 2, 4, 3], np.int32), held.pop("rows")
    tensors = {name: one for name, one in held.items() if name != "bias"}
    ranges = {name: RANGES[name] for name in kinds}
    instead = without_rows(experts, (3, 2), **ranges, **tensors)
    how: dict[str, Any] = {"drop_pad_mode": 2, "num_rows": 3, "source_rows": 6, "experts": 5}
    parts = terms(ranks, scales, experts, instead=instead, **how)
    sources = {**held, "expanded_x": rows}
    heights = [sources[one.source].size // (one.columns or 3) for one in parts]
    joined = stacked(parts, heights)
    flat = np.concatenate(
        [sources[name].reshape(-1, joined.columns or 3) for name in joined.sources]
    )
    weights = 1.0 if joined.coefficients is None else joined.coefficients[..., None]
    due = (np.where(joined.rows[..., None] < 0, 0, flat[joined.rows]) * weights).sum(axis=1)
    given = {**held, "scales": scales, "expert_idx": experts, **ranges}
    found = formula(rows, ranks, drop_pad_mode=2, k=2, **given)
    np.testing.assert_array_equal(found, due.reshape(3, 3))


def test_without_ranges_it_is_v2_and_v3_is_it_with_k_1() -> None:
    scales = np.array([[1.0, 2], [3, 4]])
    due = of_rows.formula(X, ROWS, scales=scales, num_rows=2, drop_pad_mode=0)
    for k in (-1, 0, 1, 2):
        np.testing.assert_array_equal(formula(X, ROWS, scales=scales, k=k), due)
    given = {"expanded_x": X, "expanded_row_idx": ROWS, "drop_pad_mode": 2}
    np.testing.assert_array_equal(without_k(**given), formula(**given))


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"k": 0}, "k=0"),
        ({"k": 3, "scales": np.ones((2, 2))}, "k=3"),
        ({"k": 2, **GIVEN, "x": None}, "x=None"),
        ({"k": 2, **GIVEN, "v": np.ones((1, 1))}, "v.shape"),
        ({"k": 2, **GIVEN, "expert_idx": None}, "expert_idx=None"),
        ({"k": 2, **GIVEN, "zero_expert_range": (1, 1)}, "zeroExpertRange"),
        ({"k": 2, **GIVEN, "zero_expert_range": (1, 3)}, "must not overlap"),
    ],
)
def test_what_the_document_rules_out_is_refused(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        formula(X, ROWS, drop_pad_mode=2, **wrong)
