"""Nothing is promised of the experts of a row with NaN, whatever is known of the functions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cases.operators import (
    moe_gating_top_k,
    moe_gating_top_k_softmax,
    moe_gating_top_k_softmax_v2,
    moe_gating_top_k_v2,
)
from cases.operators._gating_examples import Given
from cases.operators._values import bits
from conformance.call.case import Case
from conformance.devices.function_traits import SIMULATED
from conformance.judge.calls import judge
from conformance.judge.right_answer import right_answer
from conformance.judge.verdict import OutputVerdict
from conformance.numerics.arithmetic import IEEE
from conformance.record.functions import ALL_UNKNOWN, Functions
from conformance.record.operator import Operator

NAN = float("nan")
ROWS = (3.0, NAN, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0)
"""A row with NaN, and one without."""


def of_softmax(calls: moe_gating_top_k_softmax.Calls, mode: str, dtype: str) -> Case:
    x: Given = {"x": {"values": bits(dtype, *ROWS)}}
    return calls.call((2,), 4, 2, x, dtype, mode)


def of_groups(calls: moe_gating_top_k.GroupCalls, mode: str, written: int, groups: int) -> Case:
    sizes = {"row": 2, "group": groups, "member": 4 // groups, "kept": 1, "slot": 2}
    case = calls.call(mode, sizes=sizes, bias=False, out_flag=written)
    x = replace(case.inputs["x"], fill=None, values=bits("float32", *ROWS))
    return replace(case, inputs={**case.inputs, "x": x})


CASES: dict[str, tuple[Operator, Case]] = {
    **{
        f"softmax {dtype}": (
            moe_gating_top_k_softmax.OPERATOR,
            of_softmax(moe_gating_top_k_softmax.CALLS, "", dtype),
        )
        for dtype in ("float16", "float32")
    },
    **{
        f"softmax v2 {mode}": (
            moe_gating_top_k_softmax_v2.OPERATOR,
            of_softmax(moe_gating_top_k_softmax_v2.CALLS, mode, "float32"),
        )
        for mode in ("softmax_first", "topk_first", "with_result")
    },
    **{
        f"{record.OPERATOR.name}, {mode}, {groups} groups, written {written}": (
            record.OPERATOR,
            of_groups(record.CALLS, mode, written, groups),
        )
        for record in (moe_gating_top_k, moe_gating_top_k_v2)
        for mode in ("softmax", "sigmoid", "softplus")
        for written in (0, 1)
        for groups in (1, 2)
    },
}


def accepted(name: str, ids: tuple[int, int], functions: Functions, row: int = 0) -> bool:
    """Whether a row may have these experts, beside the right ones of the other row."""
    operator, case = CASES[name]
    right = right_answer(operator, case)
    changed = right.outputs["expert_idx"].copy()
    changed[row] = ids
    seen = replace(right, outputs={**right.outputs, "expert_idx": changed})
    arithmetic = replace(IEEE, functions=functions)
    return judge(operator, case, seen, arithmetic).outputs["expert_idx"].ok


@pytest.mark.parametrize("functions", [ALL_UNKNOWN, SIMULATED], ids=["unknown", "known"])
@pytest.mark.parametrize("name", CASES)
def test_a_row_with_nan_may_have_any_experts(name: str, functions: Functions) -> None:
    for ids in ((2, 3), (3, 3), (2, 7), (-1, 0)):
        assert accepted(name, ids, functions), ids


@pytest.mark.parametrize("functions", [ALL_UNKNOWN, SIMULATED], ids=["unknown", "known"])
@pytest.mark.parametrize("name", CASES)
def test_the_row_beside_it_has_no_expert_beyond_it_and_none_twice(
    name: str, functions: Functions
) -> None:
    for ids in ((3, 3), (2, 7), (-1, 0)):
        assert not accepted(name, ids, functions, row=1), ids


WRITTEN = {
    name: case for name, case in CASES.items() if name.endswith("written 1") or "result" in name
}


def beside_nan_of_the_device(name: str, ids: tuple[int, int], bias: bool) -> OutputVerdict:
    """The verdict on experts of a row of finite scores, for one of which NaN was written.

    Nothing is known of the functions, so any number may have been written there.
    """
    operator, case = WRITTEN[name]
    result = "softmax_result" if "softmax_result" in case.outputs else "out"
    if bias:
        shift = replace(case.inputs["x"], shape=(4,), values=bits("float32", *[0.25] * 4))
        case = replace(case, inputs={**case.inputs, "bias": shift})
    right = right_answer(operator, case)
    outputs = {name: array.copy() for name, array in right.outputs.items()}
    outputs[result][1, 1] = NAN
    outputs["expert_idx"][1] = ids
    seen = replace(right, outputs=outputs)
    arithmetic = replace(IEEE, functions=ALL_UNKNOWN)
    return judge(operator, case, seen, arithmetic).outputs["expert_idx"]


@pytest.mark.parametrize(
    ("name", "bias"), [(name, bias) for name in WRITTEN for bias in (False, "groups" in name)]
)
def test_a_nan_that_is_written_for_a_finite_score_excuses_no_other_expert(
    name: str, bias: bool
) -> None:
    assert beside_nan_of_the_device(name, (0, 1), bias).ok
    for ids in ((2, 2), (0, 4), (2, 0)):
        assert not beside_nan_of_the_device(name, ids, bias).ok, ids
