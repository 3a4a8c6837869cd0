"""The record of MoeFinalizeRoutingV2 says what its sources say, and its cells are drawn."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import find, given

from cases.operators._finalize_record import cases as record_cases
from cases.operators._finalize_signature import DTYPES, MODES
from cases.operators.moe_finalize_routing_v2 import ONE, OPERATOR
from conformance.call.case import Case
from conformance.devices.call import call_of
from conformance.judge.agreement import check
from conformance.judge.calls import judge
from conformance.judge.legality import check_call, check_shape_and_data
from conformance.judge.right_answer import right_answer
from reference.floats import widen
from tests.cases.drawing import FEW, FOUND, SHRUNK
from tests.definitions.moe_finalize_routing_v2 import moe_finalize_routing_v2 as loops
from tests.slow import slow_but

cases, small = OPERATOR.cases, partial(record_cases, ONE, small=True)
CELLS = [(mode, dtype) for mode in MODES for dtype in DTYPES]
FLOATS = ("expanded_x", "x1", "x2", "bias", "scales")
EXAMPLES = {example.name: example for example in OPERATOR.examples}


def is_far(case: Case) -> bool:
    return case.inputs["expanded_x"].rows is not None


@pytest.mark.parametrize(("mode", "dtype"), slow_but(CELLS[::4], CELLS))
def test_drawn_cases_are_legal_calls_that_a_right_answer_passes(mode: str, dtype: str) -> None:
    @FEW
    @given(case=cases(mode, dtype))
    def holds(case: Case) -> None:
        check_call(case, OPERATOR)
        call_of(OPERATOR, case)
        assert ("bias" in case.inputs) == ("expert_idx" in case.inputs)
        assert "x1" in case.inputs or "x2" not in case.inputs
        dropped = (case.arrays["expanded_row_idx"] < 0).any()
        assert not dropped or mode.startswith("drop_pad")
        if not is_far(case):
            verdict = judge(OPERATOR, case, right_answer(OPERATOR, case))
            assert verdict.ok, verdict

    holds()


def numbered(case: Case) -> dict[str, Any]:
    """The case with other floats, each exact: rows tell their number, scales are quarters."""
    inputs: dict[str, Any] = dict(case.arrays)
    for name in FLOATS:
        if name in inputs:
            count = np.arange(1, 1 + inputs[name].size, dtype=np.float64)
            count = (count % 7 - 3) / 4 if name == "scales" else count
            inputs[name] = count.reshape(inputs[name].shape)
    return inputs


@pytest.mark.parametrize("mode", MODES)
def test_formula_and_terms_agree_and_so_do_plain_loops_in_exact_fractions(mode: str) -> None:
    """Plain loops leave the bias of a dropped slot out, too: there they are asked without one."""

    @FEW
    @given(case=small(mode, "float16"))
    def holds(case: Case) -> None:
        if is_far(case):
            return
        check(OPERATOR, case, limit=10**9)
        inputs = numbered(case)
        if (inputs["expanded_row_idx"] < 0).any():
            inputs = {k: v for k, v in inputs.items() if k not in ("bias", "expert_idx")}
        given_loops = {
            name: np.array([Fraction(x) for x in array.ravel().tolist()], object).reshape(
                array.shape
            )
            if name in FLOATS
            else array
            for name, array in inputs.items()
        }
        if not {"scales", "x1", "expert_idx"} & inputs.keys():
            given_loops["x1"] = np.zeros(case.outputs["out"].shape, object)
        exact = loops(**given_loops, **case.attributes)
        found = OPERATOR.formula(inputs, case.attributes)["out"]
        assert found.tolist() == [[float(x) for x in row] for row in exact]

    holds()


def test_the_examples_worked_by_hand_are_one_router_laid_out_in_two_ways() -> None:
    indices = [
        EXAMPLES[f"ranks of a router, {mode}"].case.arrays["expanded_row_idx"].tolist()
        for mode in MODES
    ]
    assert indices[0] == indices[1] == [4, 2, 3, 0, 1, 5]
    assert indices[2] == indices[3] == [4, 0, 2, 1, 3, 5]
    dropped = EXAMPLES["a dropped slot, drop_pad_columns"].case
    assert dropped.arrays["expanded_row_idx"].tolist() == [4, -1, 3, 0, 1, 5]
    assert dropped.inputs["expanded_x"].shape == (3, 2, 1)


@pytest.mark.parametrize("doubtful", OPERATOR.quarantine, ids=lambda doubtful: doubtful.name)
def test_a_doubtful_call_can_be_made(doubtful: Any) -> None:
    check_shape_and_data(doubtful.case)
    call_of(OPERATOR, doubtful.case)
    assert doubtful.clause.text


def test_a_row_sum_adds_the_rows_of_one_token() -> None:
    rows = np.arange(6, dtype=np.float32).reshape(3, 2)
    assert OPERATOR.row_sum is not None
    case = OPERATOR.row_sum("float32", rows)
    check_call(case, OPERATOR)
    assert right_answer(OPERATOR, case).outputs["out"].tolist() == [[6.0, 9.0]]


def answered(case: Case, **changed: Any) -> bool:
    """Whether the answer to a call with other inputs or attributes is refused for this one."""
    if is_far(case):
        return False
    seen = right_answer(OPERATOR, case)
    attributes = {k: changed.pop(k, v) for k, v in case.attributes.items()}
    inputs = {
        name: widen(array, np.float32) if array.dtype.kind not in "iu" else array
        for name, array in {**case.arrays, **changed}.items()
        if array is not None
    }
    with np.errstate(all="ignore"):
        wrong = OPERATOR.formula(inputs, attributes)["out"]
    seen.outputs["out"][...] = wrong
    return not judge(OPERATOR, case, seen).ok


def other_layout(case: Case) -> bool:
    return answered(case, drop_pad_mode=(case.attributes["drop_pad_mode"] + 2) % 4)


def first_scale(case: Case) -> bool:
    """Were every slot given the scale of its token's first one."""
    scales = case.arrays.get("scales")
    if scales is None:
        return False
    return answered(case, scales=np.broadcast_to(scales[:, :1], scales.shape).copy())


def no_skip(case: Case) -> bool:
    return "x2" in case.inputs and answered(case, x2=None)


def no_bias(case: Case) -> bool:
    return "bias" in case.inputs and answered(case, bias=None, expert_idx=None)


def bias_of_the_first_expert(case: Case) -> bool:
    experts = case.arrays.get("expert_idx")
    return experts is not None and answered(case, expert_idx=np.zeros_like(experts))


def bias_after_the_scale(case: Case) -> bool:
    """Were the bias added to the row after it was scaled."""
    if is_far(case) or not {"bias", "scales"} <= case.inputs.keys():
        return False
    seen = right_answer(OPERATOR, case)
    arrays = {k: widen(v, np.float32) if v.dtype.kind == "f" else v for k, v in case.arrays.items()}
    bias, experts = arrays.pop("bias"), arrays.pop("expert_idx")
    with np.errstate(all="ignore"):
        plain = OPERATOR.formula(arrays, case.attributes)["out"]
        seen.outputs["out"][...] = plain + bias[experts].sum(axis=1)
    return not judge(OPERATOR, case, seen).ok


def dropped_bias(case: Case) -> bool:
    """Were the bias of dropped slots left out, too."""
    everything = (case.arrays["expanded_row_idx"] < 0).all()
    return everything and answered(case, bias=None, expert_idx=None)


def dropped_as_the_last_row(case: Case) -> bool:
    indices = case.arrays["expanded_row_idx"]
    rows = int(np.prod(case.inputs["expanded_x"].shape[:-1]))
    return answered(
        case, expanded_row_idx=np.where(indices < 0, rows - 1, indices).astype(np.int32)
    )


DROPPING = MODES[1::2]
MISTAKES = [
    *((mode, other_layout) for mode in MODES),
    *((mode, first_scale) for mode in MODES),
    (MODES[0], no_skip),
    (MODES[2], no_bias),
    (MODES[2], bias_of_the_first_expert),
    (MODES[0], bias_after_the_scale),
]


@pytest.mark.parametrize(
    ("mode", "mistake"), MISTAKES, ids=lambda one: getattr(one, "__name__", str(one))
)
def test_a_mistake_is_refused_in_some_small_case(mode: str, mistake: Any) -> None:
    case = find(small(mode, "float32"), mistake, settings=FOUND)
    assert case.inputs["expanded_row_idx"].size <= 8


@pytest.mark.parametrize("mode", DROPPING)
def test_a_bias_that_is_dropped_with_its_row_is_refused(mode: str) -> None:
    assert OPERATOR.cells is not None
    drawn = OPERATOR.cells(mode, "float32").drawn({"dropped": "all", "bias": "present"})
    case = find(drawn, dropped_bias, settings=FOUND)
    assert (case.arrays["expanded_row_idx"] < 0).all()


@pytest.mark.parametrize("mode", DROPPING)
def test_a_dropped_slot_that_reads_the_last_row_is_refused(mode: str) -> None:
    assert dropped_as_the_last_row(EXAMPLES[f"a dropped slot, {mode}"].case)


def test_an_infinite_row_of_scale_zero_is_no_number() -> None:
    example = EXAMPLES["an infinite row of scale zero"]
    seen = right_answer(OPERATOR, example.case)
    assert np.isnan(seen.outputs["out"]).all()
    seen.outputs["out"][...] = 1
    assert not judge(OPERATOR, example.case, seen).ok


@pytest.mark.parametrize("mode", MODES)
def test_a_case_shrinks_to_one_token_one_column_and_the_smallest_machine(mode: str) -> None:
    case = find(cases(mode, "float16"), lambda case: True, settings=SHRUNK)
    assert case.outputs["out"].shape == (1, 1)
    assert list(case.inputs) == ["expanded_x", "expanded_row_idx"]
    assert case.machine is not None
    assert (case.machine.cores, case.machine.ub_bytes) == (1, 1024)
