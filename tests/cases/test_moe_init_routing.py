"""The record of MoeInitRouting says what its sources say, and its cells meet likely mistakes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import find, given
from numpy.typing import NDArray

from cases.operators._moe_init_routing_call import IN_COLUMNS, ORDERS, orders_shown
from cases.operators.moe_init_routing import OPERATOR
from conformance.call.case import Case
from conformance.draw.wide_keys import EXACT
from conformance.judge.calls import judge
from conformance.judge.legality import check_call
from conformance.judge.right_answer import right_answer
from tests.cases.drawing import FEW, SHRUNK, a_case_of_every_row

Seen = dict[str, NDArray[Any]]
Mistake = Callable[[Case, Seen], None]


def row_idx_ignored(case: Case, seen: Seen) -> None:
    columns = np.arange(case.inputs["row_idx"].size).reshape(case.inputs["row_idx"].shape[::-1]).T
    given = {**case.arrays, "row_idx": columns.astype(np.int32)}
    for name, array in OPERATOR.formula(given, case.attributes).items():
        seen[name][...] = array


def experts_as_they_came(case: Case, seen: Seen) -> None:
    seen["expanded_expert_idx"][...] = case.arrays["expert_idx"].reshape(-1)


def rows_sorted_but_not_inverted(case: Case, seen: Seen) -> None:
    seen["expanded_row_idx"][...] = np.argsort(seen["expanded_row_idx"])


def ranks_where_the_positions_lie(case: Case, seen: Seen) -> None:
    seen["expanded_row_idx"][...] = seen["expanded_row_idx"][case.arrays["row_idx"].reshape(-1)]


def rows_modulo_top_k(case: Case, seen: Seen) -> None:
    top_k, (tokens, _) = case.inputs["row_idx"].shape[1], case.inputs["x"].shape
    order = np.argsort(case.arrays["expert_idx"], axis=None, kind="stable")
    rows = case.arrays["row_idx"].reshape(-1)[order][: len(seen["expanded_x"])]
    seen["expanded_x"][...] = case.arrays["x"][rows % top_k % tokens]


def ties_by_row_in_place_of_position(case: Case, seen: Seen) -> None:
    """Pairs are sorted by both of their numbers: it shows if rows do not lie in order."""
    experts, rows = (case.arrays[name].reshape(-1) for name in ("expert_idx", "row_idx"))
    order = np.lexsort((rows, experts))
    seen["expanded_row_idx"][rows[order]] = np.arange(order.size)


def ranks_of_active_rows_alone(case: Case, seen: Seen) -> None:
    ranks = seen["expanded_row_idx"]
    ranks[ranks >= len(seen["expanded_x"])] = -1


def experts_of_active_rows_alone(case: Case, seen: Seen) -> None:
    seen["expanded_expert_idx"][len(seen["expanded_x"]) :] = 0


def the_last_row_missing(case: Case, seen: Seen) -> None:
    seen["expanded_x"][-1:] = 0


BOTH: tuple[Mistake, ...] = (
    row_idx_ignored,
    experts_as_they_came,
    rows_sorted_but_not_inverted,
    ranks_where_the_positions_lie,
    rows_modulo_top_k,
    ties_by_row_in_place_of_position,
    the_last_row_missing,
)
OF_MODES: dict[str, tuple[Mistake, ...]] = {
    "dropless": BOTH,
    "active": (*BOTH, ranks_of_active_rows_alone, experts_of_active_rows_alone),
}


@pytest.mark.parametrize("mode", OF_MODES)
def test_each_mistake_is_met_by_a_case_of_the_rows_of_levels(mode: str) -> None:
    drawn = [case for _, case in a_case_of_every_row(OPERATOR, mode, "float16")]
    missed = {one.__name__: one for one in OF_MODES[mode]}
    for case in drawn:
        check_call(case, OPERATOR)
        assert judge(OPERATOR, case, right_answer(OPERATOR, case)).ok
        for name, mistake in list(missed.items()):
            seen = right_answer(OPERATOR, case)
            mistake(case, dict(seen.outputs))
            if not judge(OPERATOR, case, seen).ok:
                del missed[name]
    assert not missed
    for order in ORDERS:
        assert 4 * sum(order in orders_shown(case) for case in drawn) > len(drawn), order


@pytest.mark.parametrize("mode", OF_MODES)
def test_experts_are_those_that_float32_holds_and_active_num_is_of_the_mode(mode: str) -> None:
    @FEW
    @given(case=OPERATOR.cases(mode, "bfloat16"))
    def holds(case: Case) -> None:
        assert np.abs(case.arrays["expert_idx"].astype(np.int64)).max() <= EXACT
        tokens = case.inputs["x"].shape[0]
        assert (case.attributes["active_num"] < tokens) == (mode == "active")

    holds()


@pytest.mark.parametrize("mode", OF_MODES)
def test_a_case_shrinks_to_the_fewest_tokens_and_rows_in_columns(mode: str) -> None:
    case = find(OPERATOR.cases(mode, "float16"), lambda case: True, settings=SHRUNK)
    fewest = 2 if mode == "active" else 1
    assert case.inputs["x"].shape == case.inputs["row_idx"].shape == (fewest, 1)
    assert IN_COLUMNS in orders_shown(case)
