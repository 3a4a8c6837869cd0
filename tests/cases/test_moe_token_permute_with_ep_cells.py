"""Cells of MoeTokenPermuteWithEp: what is asked for is drawn, is legal, and shrinks."""

from __future__ import annotations

import pytest
from hypothesis import find

from cases.operators._moe_token_permute_with_ep_windows import (
    WINDOWS,
    least_slots,
    window_at,
    windows_shown,
)
from cases.operators._token_permute_sizes import LEAST_UB_BYTES, one_core_slots, row_columns
from cases.operators.moe_token_permute_with_ep import OPERATOR
from conformance.call.case import Case, Machine
from conformance.devices.call import call_of
from conformance.judge.calls import judge
from conformance.judge.legality import check_call
from conformance.record.cells import Cells
from conformance.record.chips import USABLE_UB_BYTES
from reference.moe_token_permute_with_ep import window
from tests.cases.drawing import SHRUNK, one_of_each
from tests.cases.test_moe_token_permute_with_ep import right
from tests.slow import slow_but

MODES = tuple(mode.name for mode in OPERATOR.modes)
SORTING = tuple(WINDOWS)
CELLS = [(mode, ("float16", "float32")[number % 2]) for number, mode in enumerate(MODES)]
"""Boundaries depend on the size of an element: each mode has one of the two."""


def cells_of(mode: str, dtype: str = "float32") -> Cells:
    assert OPERATOR.cells is not None
    return OPERATOR.cells(mode, dtype)


@pytest.mark.parametrize(("mode", "dtype"), slow_but(CELLS[::4], CELLS))
def test_every_row_of_the_pairs_is_a_legal_case_that_shows_it_and_a_right_answer_passes(
    mode: str, dtype: str
) -> None:
    cells = cells_of(mode, dtype)
    rows = cells.rows(2)
    for row, case in zip(rows, one_of_each(map(cells.cases, rows)), strict=True):
        check_call(case, OPERATOR)
        call_of(OPERATOR, case)
        shown = cells.of(case)
        assert all(level in shown[axis] for axis, level in row.items()), (row, shown)
        verdict = judge(OPERATOR, case, right(case))
        assert verdict.ok, verdict
    assert len(rows) <= 150, "smoke judges 300 cases, a third of them small"


def smallest(mode: str, dtype: str = "float32", **levels: str) -> Case:
    return find(cells_of(mode, dtype).drawn(levels), lambda case: True, settings=SHRUNK)


@pytest.mark.parametrize(
    ("levels", "tokens", "top_k", "hidden"),
    [
        ({"boundary": "slots = 33"}, 33, None, 1),
        ({"boundary": "slots = 33", "top_k": "9-64"}, 3, 11, 1),
        ({"boundary": "slots = one core + 1", "cores": "one"}, 481, None, 1),
        ({"boundary": "slots = four lists + 1", "cores": "one"}, 1921, None, 1),
        ({"boundary": "tokens = cores + 1", "cores": "few", "top_k": "512"}, 3, 512, 1),
        ({"boundary": "hidden = row + 1"}, 1, None, 1537),
        ({"boundary": "hidden = vendor row"}, 1, None, 24032),
        ({"boundary": "hidden = row + 1", "top_k": "512"}, 1, 512, 1537),
    ],
)
def test_a_boundary_shrinks_to_its_smallest_sizes(
    levels: dict[str, str], tokens: int, top_k: int | None, hidden: int
) -> None:
    case = smallest("full", **{"top_k": "rank 1", **levels})
    assert case.inputs["tokens"].shape == (tokens, hidden)
    assert case.inputs["indices"].shape == ((tokens,) if top_k is None else (tokens, top_k))


def test_the_vendor_s_lines_on_its_chips_are_those_of_its_tiling() -> None:
    for cores in (40, 48):
        for usable in USABLE_UB_BYTES.values():
            assert one_core_slots(Machine(cores, usable)) == 6080
    columns = {
        (product, size): row_columns(usable, size)
        for product, usable in USABLE_UB_BYTES.items()
        for size in (2, 4)
    }
    assert columns == {
        ("Ascend910B", 4): 24032,
        ("Ascend910_93", 4): 24064,
        ("Ascend910B", 2): 48064,
        ("Ascend910_93", 2): 48128,
    }
    named = {example.name.split()[0] for example in OPERATOR.examples}
    assert {"1", "31", "32", "33", "6079", "6080", "6081", "6112", "24320", "24321"} <= named


@pytest.mark.parametrize("mode", SORTING)
@pytest.mark.parametrize("slots", [1, 2, 3, 4, 9])
def test_every_window_of_a_mode_shows_its_level_and_has_rows_as_the_reference_says(
    mode: str, slots: int
) -> None:
    for level in WINDOWS[mode]:
        if slots < least_slots(mode, level):
            continue
        for first in range(12):
            for second in range(12):
                rank_range, number = window_at(mode, level, slots, first, second)
                shown = windows_shown(mode, rank_range, number, slots)
                assert level in shown
                start, rows = window(slots, rank_range, number)
                assert 0 <= start <= slots
                assert rows > 0 or level == "no rows" or mode == "num_out_tokens"


def test_windows_are_what_their_modes_say() -> None:
    def drawn(mode: str) -> set[tuple[int, int] | None]:
        return {
            window_at(mode, level, 4, first, second)[0]
            for level in WINDOWS[mode]
            for first in range(12)
            for second in range(12)
        }

    assert drawn("full") == {(0, 4)}
    assert drawn("head") == {(0, 1), (0, 2), (0, 3)}
    assert drawn("tail") == {(1, 4), (2, 4), (3, 4)}
    assert drawn("middle") == {(1, 2), (1, 3), (2, 3)}
    assert drawn("equal") == {(n, n) for n in range(5)}
    every = {(start, end) for start in range(5) for end in range(start)}
    assert drawn("reversed") == every - {(4, 0)}
    assert drawn("no_range") == {None}


def test_the_smallest_buffer_holds_what_the_vendor_keeps_back_for_512_slots() -> None:
    assert LEAST_UB_BYTES >= 16 * 512 + 2 * 4096
