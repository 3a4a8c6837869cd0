"""Mistakes that a kernel of MoeInitRoutingV2 may have are met by the cases of a smoke run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cases.operators._moe_init_routing_v2_call import BEFORE, COUNTS, counts_shown
from cases.operators._token_permute_limits import CopyUb, run_slots
from cases.operators.moe_init_routing_v2 import OPERATOR
from conformance.call.case import Case, numpy_dtype
from conformance.call.observation import Observation
from conformance.draw.profiles import PROFILES
from conformance.judge.calls import judge
from conformance.judge.right_answer import right_answer
from conformance.mutants.drawn_cases import cell_cases

Seen = dict[str, NDArray[Any]]
Mistake = Callable[[Case, Seen], None]


def bits(array: NDArray[Any]) -> NDArray[Any]:
    return array.view(f"u{array.dtype.itemsize}")


def experts_of(case: Case) -> NDArray[np.int64]:
    return np.asarray(case.arrays["expert_idx"], np.int64).reshape(-1)


def routed_again(case: Case, seen: Seen, order: NDArray[Any], top_k: int | None = None) -> None:
    """The rows and their indices as they are where the order of the slots is another one."""
    x, experts = case.arrays["x"], experts_of(case)
    of_slot = order // (top_k or case.inputs["expert_idx"].shape[1])
    rows = seen["expanded_x"]
    if case.mode != "drop_pad":
        seen["expanded_row_idx"][order] = np.arange(order.size)
        bits(rows)[...] = bits(x)[of_slot[: len(rows)]]
        return
    number, capacity = rows.shape[:2]
    bits(rows)[...] = 0
    seen["expanded_row_idx"][...] = -1
    for expert in range(number):
        mine = np.flatnonzero(experts[order] == expert)[:capacity]
        bits(rows)[expert, : mine.size] = bits(x)[of_slot[mine]]
        seen["expanded_row_idx"][order[mine]] = expert * capacity + np.arange(mine.size)


def last_of_equal_experts_first(case: Case, seen: Seen) -> None:
    experts = experts_of(case)
    routed_again(case, seen, np.lexsort((-np.arange(experts.size), experts)))


def slots_counted_column_by_column(case: Case, seen: Seen) -> None:
    x, order = case.arrays["x"], np.argsort(experts_of(case), kind="stable")
    rows = seen["expanded_x"]
    if case.mode != "drop_pad":
        bits(rows)[...] = bits(x)[order[: len(rows)] % len(x)]


def the_order_of_slots_for_their_ranks(case: Case, seen: Seen) -> None:
    if case.mode != "drop_pad":
        seen["expanded_row_idx"][...] = np.argsort(experts_of(case), kind="stable")


def ranks_in_place_of_places(case: Case, seen: Seen) -> None:
    if case.mode == "drop_pad":
        seen["expanded_row_idx"][...] = np.argsort(np.argsort(experts_of(case), kind="stable"))


def ranks_beyond_the_active_rows_dropped(case: Case, seen: Seen) -> None:
    if case.mode == "active":
        ranks = seen["expanded_row_idx"]
        ranks[ranks >= len(seen["expanded_x"])] = -1


def one_slot_beyond_the_capacity_placed(case: Case, seen: Seen) -> None:
    places = seen["expanded_row_idx"]
    dropped = np.flatnonzero(places == -1)
    if case.mode == "drop_pad" and dropped.size:
        capacity = case.attributes["expert_capacity"]
        places[dropped[0]] = (experts_of(case)[dropped[0]] + 1) * capacity


def a_capacity_that_is_full_drops_its_last_slot(case: Case, seen: Seen) -> None:
    if case.mode == "drop_pad":
        capacity, places = case.attributes["expert_capacity"], seen["expanded_row_idx"]
        places[places % capacity == capacity - 1] = -1


def empty_places_hold_the_first_token(case: Case, seen: Seen) -> None:
    for row in empty_places(case, seen):
        row[...] = bits(case.arrays["x"])[0]


def empty_places_hold_negative_zeros(case: Case, seen: Seen) -> None:
    sign = bits(np.array(-0.0, seen["expanded_x"].dtype))
    for row in empty_places(case, seen):
        row[...] = sign


def empty_places(case: Case, seen: Seen) -> list[NDArray[Any]]:
    if case.mode != "drop_pad":
        return []
    rows = bits(seen["expanded_x"]).reshape(-1, case.inputs["x"].shape[1])
    return [rows[row] for row in set(range(len(rows))) - set(seen["expanded_row_idx"].tolist())]


def counts_for_the_cumsum(case: Case, seen: Seen) -> None:
    if counts_shown(case) == ("cumsum",):
        seen[COUNTS][1:] -= seen[COUNTS][:-1].copy()


def a_cumsum_without_the_expert_itself(case: Case, seen: Seen) -> None:
    if counts_shown(case) == ("cumsum",):
        seen[COUNTS][...] = np.concatenate([[0], seen[COUNTS][:-1]])


def counts_of_the_active_rows_alone(case: Case, seen: Seen) -> None:
    if case.mode == "active" and counts_shown(case) == ("count",):
        kept = np.sort(experts_of(case))[: len(seen["expanded_x"])]
        seen[COUNTS][...] = np.bincount(kept, minlength=seen[COUNTS].size)


def the_last_expert_not_counted(case: Case, seen: Seen) -> None:
    for counts in (seen.get(COUNTS), seen.get(BEFORE)):
        if counts is not None:
            counts[-1] = 0


def counts_behind_the_capacity(case: Case, seen: Seen) -> None:
    if BEFORE in seen:
        np.minimum(seen[BEFORE], case.attributes["expert_capacity"], out=seen[BEFORE])


def quiet_nans(case: Case, seen: Seen) -> None:
    rows = seen["expanded_x"]
    quiet = bits(np.array(np.nan, rows.dtype)) & bits(np.array(np.inf, rows.dtype)) >> 1
    bits(rows)[np.isnan(rows.astype(np.float64))] |= quiet | np.array(1, quiet.dtype)


def zeros_without_sign(case: Case, seen: Seen) -> None:
    seen["expanded_x"][seen["expanded_x"] == 0] = 0


def a_row_of_two_tiles_without_its_last_column(case: Case, seen: Seen) -> None:
    assert case.machine is not None
    top_k, size = case.inputs["expert_idx"].shape[1], numpy_dtype(case.dtype).itemsize
    tile = CopyUb(case.machine.ub_bytes, top_k, size, probs=False).columns
    if case.inputs["x"].shape[1] == tile + 1:
        seen["expanded_x"][..., -1] = 0


def slots_beyond_one_run_unsorted(case: Case, seen: Seen) -> None:
    assert case.machine is not None
    run, experts = run_slots(case.machine.ub_bytes), experts_of(case)
    if experts.size > run:
        head = np.argsort(experts[:run], kind="stable")
        routed_again(case, seen, np.concatenate([head, np.arange(run, experts.size)]))


def one_slot_beyond_a_block_of_the_sort(case: Case, seen: Seen) -> None:
    if experts_of(case).size == 33:
        seen["expanded_row_idx"][-1] += 1


IN_EVERY_MODE: tuple[Mistake, ...] = (
    last_of_equal_experts_first,
    the_last_expert_not_counted,
    quiet_nans,
    zeros_without_sign,
    a_row_of_two_tiles_without_its_last_column,
    one_slot_beyond_a_block_of_the_sort,
)
OF_MODES: dict[str, tuple[Mistake, ...]] = {
    "active": (
        slots_beyond_one_run_unsorted,
        slots_counted_column_by_column,
        the_order_of_slots_for_their_ranks,
        ranks_beyond_the_active_rows_dropped,
        counts_for_the_cumsum,
        a_cumsum_without_the_expert_itself,
        counts_of_the_active_rows_alone,
    ),
    "drop_pad": (
        ranks_in_place_of_places,
        one_slot_beyond_the_capacity_placed,
        a_capacity_that_is_full_drops_its_last_slot,
        empty_places_hold_the_first_token,
        empty_places_hold_negative_zeros,
        counts_behind_the_capacity,
    ),
}
MISTAKES = [(mode, mistake) for mode, own in OF_MODES.items() for mistake in (*IN_EVERY_MODE, *own)]


@pytest.fixture(scope="module")
def smoke() -> dict[str, list[Case]]:
    """The drawn cases of two cells of a smoke run, by mode."""
    return {
        mode: list(cell_cases(OPERATOR, mode, "float16", PROFILES["smoke"], 1)) for mode in OF_MODES
    }


def refused(case: Case, mistake: Mistake) -> bool:
    """Whether an answer is refused in which a mistake has changed the arrays in place."""
    observed: Observation = right_answer(OPERATOR, case)
    mistake(case, dict(observed.outputs))
    return not judge(OPERATOR, case, observed).ok


@pytest.mark.parametrize("mode", OF_MODES)
def test_a_smoke_run_judges_100_to_350_cases_of_a_cell(
    smoke: dict[str, list[Case]], mode: str
) -> None:
    assert 100 < len(smoke[mode]) < 350
    assert not any(refused(case, lambda case, seen: None) for case in smoke[mode])


@pytest.mark.parametrize(
    ("mode", "mistake"), MISTAKES, ids=[f"{mode} {one.__name__}" for mode, one in MISTAKES]
)
def test_a_mistake_is_met_by_a_smoke_run(
    smoke: dict[str, list[Case]], mode: str, mistake: Mistake
) -> None:
    assert any(refused(case, mistake) for case in smoke[mode])
