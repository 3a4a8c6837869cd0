"""The record of MoeInitRoutingQuant accepts rows in float32 and in halves, and no mistakes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from cases.operators.moe_init_routing_quant import OPERATOR
from conformance.call.case import Case
from conformance.judge.calls import judge
from conformance.judge.legality import check_call
from conformance.judge.right_answer import right_answer
from reference.moe_init_routing import formula as moved
from tests.cases.drawing import FEW, a_case_of_every_row
from tests.definitions.moe_init_routing_quant import moe_init_routing_quant as loops

MODES = tuple(mode.name for mode in OPERATOR.modes)
Computed = Callable[[Any, Any, Any], Any]


@pytest.mark.parametrize("mode", MODES)
def test_plain_loops_over_the_document_s_equations_say_the_same(mode: str) -> None:
    @FEW
    @given(case=OPERATOR.cases(mode, "float32", small=True))  # type: ignore[call-arg]
    def check(case: Case) -> None:
        found = OPERATOR.formula(case.arrays, case.attributes)
        expected = loops(**case.arrays, **case.attributes)
        assert {name: array.tolist() for name, array in found.items()} == expected

    check()


def in_float32(rows: Any, scale: Any, offset: Any) -> Any:
    return np.rint(rows * scale + offset)


def in_halves(rows: Any, scale: Any, offset: Any) -> Any:
    return np.rint(rows.astype(np.float16) * np.float16(scale) + np.float16(offset))


def truncated(rows: Any, scale: Any, offset: Any) -> Any:
    return np.trunc(rows * scale + offset)


def attributes_in_the_other_order(rows: Any, scale: Any, offset: Any) -> Any:
    return np.rint(rows * offset + scale)


def divided(rows: Any, scale: Any, offset: Any) -> Any:
    return np.rint(rows / scale + offset)


def to_other_ends(rows: Any, scale: Any, offset: Any) -> Any:
    return np.clip(in_float32(rows, scale, offset), -127, 127)


def accepted(case: Case, computed: Computed) -> bool:
    """Whether rows that are computed so are, beside right ranks and experts."""
    seen = right_answer(OPERATOR, case)
    given = {name: case.attributes[name] for name in ("scale", "offset")}
    rows = moved(**case.arrays, active_num=case.attributes["active_num"])["expanded_x"]
    numbers = (np.float32(one) for one in given.values())
    values = computed(rows.astype(np.float32), *numbers)
    seen.outputs["expanded_x"][...] = np.clip(values, -128, 127)
    return judge(OPERATOR, case, seen).ok


@pytest.mark.parametrize(
    ("mode", "dtype"), [("dropless", "float16"), ("active", "bfloat16"), ("active", "float32")]
)
def test_both_precisions_are_right_and_each_mistake_is_met_by_a_case_of_the_rows_of_levels(
    mode: str, dtype: str
) -> None:
    missed = {truncated, attributes_in_the_other_order, divided, to_other_ends}
    for _, case in a_case_of_every_row(OPERATOR, mode, dtype):
        check_call(case, OPERATOR)
        assert accepted(case, in_float32)
        assert accepted(case, in_halves)
        missed = {one for one in missed if accepted(case, one)}
    assert not missed
