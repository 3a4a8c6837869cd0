"""The record of MoeInitRoutingQuantV2 accepts both precisions of its documents, and no mistakes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from cases.operators._moe_init_routing_quant_v2_call import ENDS, MODES, SCALES
from cases.operators.moe_init_routing_quant_v2 import OPERATOR
from conformance.call.case import Case
from conformance.judge.calls import judge
from conformance.judge.legality import check_call
from conformance.judge.right_answer import right_answer
from reference.moe_init_routing_quant_v2 import rows_of_slots
from tests.cases.drawing import FEW, a_case_of_every_row
from tests.definitions.moe_init_routing_quant_v2 import moe_init_routing_quant_v2 as loops
from tests.slow import slow_but

Changed = Callable[[Case, Any], None]
NAMES = {
    "expert_tokens_count_or_cumsum_flag": "count_or_cumsum_flag",
    "expert_tokens_before_capacity_flag": "before_capacity_flag",
}


@pytest.mark.parametrize("mode", MODES)
def test_plain_loops_over_the_document_s_equations_say_the_same(mode: str) -> None:
    @FEW
    @given(case=OPERATOR.cases(mode, "float32", small=True))  # type: ignore[call-arg]
    def check(case: Case) -> None:
        found = OPERATOR.formula(case.arrays, case.attributes)
        asked = {NAMES.get(name, name): value for name, value in case.attributes.items()}
        counted = mode.startswith("drop_pad") or asked["count_or_cumsum_flag"]
        asked["expert_num"] = asked["expert_num"] if counted else 0
        expected = loops(**case.arrays, **asked)
        assert {name: array.tolist() for name, array in found.items()} == expected

    check()


def rows_of(case: Case) -> Any:
    """Where the rows that a call quantises lie, and their values in float32."""
    names = ("active_num", "expert_capacity", "expert_num", "drop_pad_mode")
    how = {name: case.attributes[name] for name in names}
    found = rows_of_slots(case.arrays["expert_idx"], **how)
    return found, found.rows_of(case.arrays["x"]).astype(np.float32)


def put(case: Case, seen: Any, values: Any, *, held: bool = True) -> None:
    """Put integers into the rows of slots, ``held`` to int8."""
    found, out = rows_of(case)[0], seen["expanded_x"]
    integers = np.clip(values, -128, 127) if held else values.astype(np.int64).astype(np.int8)
    out[...] = (integers * found.named[:, np.newaxis]).reshape(out.shape)


def in_halves(case: Case, seen: Any) -> None:
    """Each operand and each result in fp16, rounded to even."""
    scale, offset = (case.arrays[name].astype(np.float16) for name in ("scale", "offset"))
    put(case, seen, np.rint(rows_of(case)[1].astype(np.float16) * scale + offset))


def scaled(case: Case) -> Any:
    """Rows times the scale, plus the offset, in float32."""
    return rows_of(case)[1] * case.arrays["scale"] + case.arrays["offset"]


def truncated(case: Case, seen: Any) -> None:
    put(case, seen, np.trunc(scaled(case)))


def wrapped(case: Case, seen: Any) -> None:
    put(case, seen, np.rint(scaled(case)), held=False)


def offset_first(case: Case, seen: Any) -> None:
    rows = rows_of(case)[1] + case.arrays["offset"]
    put(case, seen, np.rint(rows * case.arrays["scale"]))


def offset_in_empty_rows(case: Case, seen: Any) -> None:
    found = rows_of(case)[0]
    offset = np.clip(np.rint(case.arrays["offset"][0]), -128, 127)
    seen["expanded_x"][~found.named.reshape(found.shape)] = offset


def scales_of_one_in_empty_rows(case: Case, seen: Any) -> None:
    seen[SCALES][~rows_of(case)[0].named] = 1


def factors_of_the_first_expert(case: Case, seen: Any) -> None:
    if "scale" in case.inputs:
        other = {**case.arrays, "scale": case.arrays["scale"][:1]}
        for name, array in OPERATOR.formula(other, case.attributes).items():
            seen[name][...] = array


def factors_in_the_scale_alone(case: Case, seen: Any) -> None:
    with np.errstate(all="ignore"):
        quotients = rows_of(case)[1] / seen[SCALES][:, np.newaxis]
    put(case, seen, np.rint(np.nan_to_num(quotients)))


STATIC: tuple[Changed, ...] = (truncated, offset_first, wrapped)
DYNAMIC: tuple[Changed, ...] = (factors_of_the_first_expert, factors_in_the_scale_alone)
MISTAKES = {
    mode: (
        *(STATIC if mode.endswith(ENDS[0]) else DYNAMIC),
        *({"drop_pad_static": (offset_in_empty_rows,)}.get(mode, ())),
        *({"drop_pad_dynamic": (scales_of_one_in_empty_rows,)}.get(mode, ())),
    )
    for mode in MODES
}


TURNS = [*zip(MODES[:3], OPERATOR.dtypes, strict=True)]
"""Static modes and data types, each once: how rows are computed depends on neither the other."""


@pytest.mark.parametrize("mode", MODES)
def test_each_mistake_is_met_by_a_case_of_the_rows_of_levels(mode: str) -> None:
    missed = {one.__name__: one for one in MISTAKES[mode]}
    for _, case in a_case_of_every_row(OPERATOR, mode, "float16"):
        check_call(case, OPERATOR)
        assert judge(OPERATOR, case, right_answer(OPERATOR, case)).ok
        for name, mistake in list(missed.items()):
            seen = right_answer(OPERATOR, case)
            mistake(case, dict(seen.outputs))
            if not judge(OPERATOR, case, seen).ok:
                del missed[name]
    assert not missed


@pytest.mark.parametrize(("mode", "dtype"), slow_but(TURNS, [*product(MODES[:3], OPERATOR.dtypes)]))
def test_rows_that_are_computed_in_halves_are_right_and_many_are_within_int8(
    mode: str, dtype: str
) -> None:
    inside = beyond = 0
    for _, case in a_case_of_every_row(OPERATOR, mode, dtype):
        seen = right_answer(OPERATOR, case)
        in_halves(case, dict(seen.outputs))
        verdict = judge(OPERATOR, case, seen)
        assert verdict.ok, verdict
        ends = np.isin(seen.outputs["expanded_x"], (-128, 127)).sum()
        beyond, inside = beyond + ends, inside + seen.outputs["expanded_x"].size - ends
    assert inside > 2 * beyond > 0


@pytest.mark.parametrize("mode", MODES)
def test_no_expert_is_below_0_and_those_with_factors_have_a_row_of_them(mode: str) -> None:
    @FEW
    @given(case=OPERATOR.cases(mode, "bfloat16"))
    def holds(case: Case) -> None:
        experts, scale = case.arrays["expert_idx"], case.inputs.get("scale")
        assert experts.min() >= 0
        if scale is not None and scale.shape[0] > 1:
            assert experts.max() < scale.shape[0] == case.attributes["expert_num"]

    holds()
