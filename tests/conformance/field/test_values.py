"""Values that a file lacks are such as the record draws; the mode is that of the likest draws."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from conformance.call.case import Case
from conformance.draw.plain import plainly
from conformance.field import atk
from conformance.field.as_case import case_of
from conformance.field.foreign import Call
from conformance.field.nearest import nearest
from conformance.suite import records as suite
from tests.conformance.field import samples

RECORDS = suite.records([])


def imported(name: str, case: Case, **ranges: Any) -> Case:
    """The case that comes of an object of ATK with these ranges."""
    told = samples.atk(RECORDS[name], case)
    for one in told["inputs"]:
        if isinstance(one, dict) and one["name"] in ranges:
            one["range_values"] = ranges[one["name"]]
    (row,) = atk.rows([told])
    assert isinstance(row, Call)
    return case_of(row, RECORDS, 1 << 20).case


def test_experts_that_the_record_draws_in_order_are_drawn_in_order() -> None:
    operator = RECORDS["moe_compute_expert_tokens"]
    drawn = (case for case, _ in plainly(operator.cases("bisected", "int32"), 9, 0))
    case = max(drawn, key=lambda one: one.inputs["sorted_experts"].size)
    found = imported(operator.name, case).arrays["sorted_experts"]
    assert found.size > 2
    assert (np.diff(found) >= 0).all()


def test_sorted_indices_are_numbers_of_rows() -> None:
    operator = RECORDS["moe_token_unpermute"]
    case = next(c for c, _ in plainly(operator.cases("whole", "float16"), 5, 0) if c.inputs)
    rows = imported(operator.name, case).arrays["sorted_indices"]
    assert sorted(rows.tolist()) == [*range(rows.size)]


@pytest.mark.parametrize(("ranged", "kept"), [([2, 3], (2, 3)), (4, (4, 4)), (["nan"], None)])
def test_a_small_tensor_of_data_has_the_range_of_the_file(ranged: Any, kept: Any) -> None:
    operator = RECORDS["moe_gating_top_k_softmax"]
    case = next(one.case for one in operator.examples if one.case.inputs["x"].size)
    found = imported(operator.name, case, x=ranged).arrays["x"].astype(np.float64)
    if kept is None:
        assert np.isnan(found).all()
    else:
        assert (found >= kept[0]).all()
        assert (found <= kept[1]).all()


@pytest.mark.parametrize(("number", "mode"), [(0, "whole"), (2, "first"), (-1, "without_last")])
def test_the_mode_is_that_whose_draws_a_call_resembles(number: int, mode: str) -> None:
    operator = RECORDS["moe_token_permute"]
    case = next(c for c, _ in plainly(operator.cases("whole", "float16"), 1, 0))
    attributes = {**case.attributes, "num_out_tokens": number}
    changed = replace(case, attributes=attributes)
    modes = [one.name for one in operator.modes]
    found = nearest(operator, modes, case.dtype, changed.inputs, changed.attributes)
    assert found[0].mode == mode
    assert {one.mode for one in found} == {*modes}


def test_a_mask_of_rows_is_no_routing() -> None:
    """Few draws have one of several rows, and these are alike by chance."""
    operator = RECORDS["moe_gating_top_k_softmax"]
    drawn = (case for case, _ in plainly(operator.cases("softmax_first", "float32"), 40, 0))
    case = next(c for c in drawn if "finished" in c.inputs and c.inputs["finished"].size > 4)
    found = imported(operator.name, case).arrays["finished"]
    assert found.shape == case.inputs["finished"].shape


def test_experts_are_below_what_they_are_below_in_every_draw() -> None:
    """Of bias there are as many rows as experts; no rule of the record looks at an expert's."""
    operator = RECORDS["moe_finalize_routing_v2_grad"]
    drawn = (case for case, _ in plainly(operator.cases("drop_pad", "float32"), 60, 1))
    cases = [c for c in drawn if "bias" in c.inputs and c.inputs["expert_idx"].size > 9]
    assert len(cases) > 2
    for case in cases[:5]:
        found = imported(operator.name, case)
        assert found.arrays["expert_idx"].max() < case.inputs["bias"].shape[0]
