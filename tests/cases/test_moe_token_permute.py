"""The record of MoeTokenPermute says what its sources say, and its cells are drawn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import find, given

from cases.operators._moe_token_permute_call import (
    RESERVED_BYTES,
    WINDOWS,
    least_slots,
    levels_shown,
    number_at,
)
from cases.operators._token_permute_sizes import row_columns
from cases.operators.moe_token_permute import OPERATOR, cases
from conformance.call.case import Case
from conformance.devices.call import call_of
from conformance.judge.calls import judge
from conformance.judge.legality import check_call, check_shape_and_data
from conformance.judge.right_answer import right_answer
from conformance.record.chips import USABLE_UB_BYTES
from conformance.record.operator import Rejection
from reference.permutation import rows_kept
from tests.cases.drawing import FEW, SHRUNK, smallest
from tests.definitions.moe_token_permute import moe_token_permute as loops

MODES = tuple(mode.name for mode in OPERATOR.modes)
CELLS = [(mode, dtype) for mode in MODES for dtype in OPERATOR.dtypes]


@pytest.mark.parametrize(("mode", "dtype"), CELLS)
def test_drawn_cases_are_legal_calls_that_a_right_answer_passes(mode: str, dtype: str) -> None:
    @FEW
    @given(case=cases(mode, dtype))
    def check(case: Case) -> None:
        check_call(case, OPERATOR)
        call_of(OPERATOR, case)
        verdict = judge(OPERATOR, case, right_answer(OPERATOR, case))
        assert verdict.ok, verdict

    check()


@pytest.mark.parametrize("mode", MODES)
def test_plain_loops_over_the_document_s_equations_say_the_same(mode: str) -> None:
    @FEW
    @given(case=cases(mode, "float32", small=True))
    def check(case: Case) -> None:
        exact = np.arange(case.inputs["tokens"].size).reshape(case.inputs["tokens"].shape)
        indices, number = case.arrays["indices"], case.attributes["num_out_tokens"]
        found = OPERATOR.formula({"tokens": exact, "indices": indices}, case.attributes)
        expected = loops(exact, indices, num_out_tokens=number)
        assert {name: array.tolist() for name, array in found.items()} == expected

    check()


@pytest.mark.parametrize("rejection", OPERATOR.rejections, ids=lambda rejection: rejection.name)
def test_a_refused_call_can_be_made_and_no_output_is_all_that_is_asked(
    rejection: Rejection,
) -> None:
    """A call whose outputs are all empty is not checked by the interface: nothing is to be done."""
    check_shape_and_data(rejection.case)
    call_of(OPERATOR, rejection.case)
    assert any(tensor.size for tensor in rejection.case.outputs.values())
    assert rejection.status in (161001, 161002, 561002)


def test_calls_in_quarantine_can_be_made() -> None:
    for one in OPERATOR.quarantine:
        check_shape_and_data(one.case)
        call_of(OPERATOR, one.case)
    assert len(OPERATOR.quarantine) == 5


@pytest.mark.parametrize(
    ("number", "rows"), [(0, 6), (1, 1), (5, 5), (6, 6), (7, 6), (-1, 5), (-5, 1), (-6, 0), (-9, 0)]
)
def test_rows_are_kept_as_a_slice_keeps_them(number: int, rows: int) -> None:
    assert rows_kept(6, number) == rows
    assert len(range(6)[: number if number else None]) == rows


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("slots", [1, 2, 3, 9])
def test_every_number_of_a_mode_shows_its_level_and_no_other_mode_s_sign(
    mode: str, slots: int
) -> None:
    sign = {"whole": 0, "first": 1, "without_last": -1}[mode]
    for level in WINDOWS[mode]:
        if slots < least_slots(mode, level):
            continue
        for first in range(12):
            for second in range(12):
                number = number_at(mode, level, slots, first, second)
                assert np.sign(number) == sign
                assert level in levels_shown(mode, slots, number)


@pytest.mark.parametrize(("mode", "tokens"), [("whole", 1), ("first", 1), ("without_last", 2)])
def test_a_case_shrinks_to_the_fewest_slots_one_column_and_the_smallest_machine(
    mode: str, tokens: int
) -> None:
    def keeps_some(case: Case) -> bool:
        return case.outputs["permute_tokens"].size > 0

    case = find(cases(mode, "float16"), keeps_some, settings=SHRUNK)
    assert case.inputs["tokens"].shape == (tokens, 1)
    assert case.machine is not None
    assert (case.machine.cores, case.machine.ub_bytes) == (1, 1024)


@pytest.mark.parametrize(
    ("levels", "tokens", "hidden"),
    [
        ({"boundary": "slots = 33"}, 33, 1),
        ({"boundary": "slots = one core + 1", "cores": "one"}, 481, 1),
        ({"boundary": "hidden = vendor row"}, 1, 24288),
        ({"boundary": "hidden = row + 1"}, 1, 1793),
    ],
)
def test_a_boundary_shrinks_to_its_smallest_sizes(
    levels: dict[str, str], tokens: int, hidden: int
) -> None:
    case = smallest(OPERATOR, "whole", "float32", **{"top_k": "rank 1", **levels})
    assert case.inputs["tokens"].shape == (tokens, hidden)


def test_the_vendor_s_rows_are_wider_than_those_of_expert_parallelism() -> None:
    columns = {
        (product, size): row_columns(usable, size, RESERVED_BYTES)
        for product, usable in USABLE_UB_BYTES.items()
        for size in (2, 4)
    }
    assert columns == {
        ("Ascend910B", 4): 24288,
        ("Ascend910_93", 4): 24320,
        ("Ascend910B", 2): 48576,
        ("Ascend910_93", 2): 48640,
    }
