"""Mistakes that a kernel of MoeTokenPermuteWithRoutingMap may have are met by a smoke run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cases.operators._moe_token_permute_with_routing_map_cells import capacity_of, map_of
from cases.operators._token_permute_sizes import one_core_slots, row_columns
from cases.operators.moe_token_permute_with_routing_map import OPERATOR
from conformance.call.case import Case
from conformance.draw.profiles import PROFILES
from conformance.judge.calls import judge
from conformance.judge.right_answer import right_answer
from conformance.mutants.drawn_cases import cell_cases

Seen = dict[str, NDArray[Any]]
Mistake = Callable[[Case, Seen], None]
Places = tuple[NDArray[np.int64], NDArray[np.int64]]


def bits(array: NDArray[Any]) -> NDArray[Any]:
    return array.view(f"u{array.dtype.itemsize}")


def placed(case: Case, seen: Seen, token: NDArray[Any], expert: NDArray[Any]) -> None:
    """Copies of the tokens and probs of rows; the indices stay as they are."""
    seen["permute_tokens"][...] = case.arrays["tokens"][token]
    if "probs" in case.inputs:
        seen["permute_probs"][...] = case.arrays["probs"][token, expert]


def by_expert(case: Case) -> Places:
    """Tokens and experts of the ones of a map, expert by expert."""
    expert, token = np.nonzero(map_of(case).T)
    return token, expert


def padded(case: Case, order: NDArray[Any], seen: Seen) -> None:
    """All outputs where every expert has the first tokens of an order [experts, tokens]."""
    capacity = capacity_of(case)
    token = order[:, :capacity].reshape(-1)
    seen["sorted_indices"][...] = token
    placed(case, seen, token, np.repeat(np.arange(len(order)), capacity))


def slots_token_by_token(case: Case, seen: Seen) -> None:
    placed(case, seen, *np.nonzero(map_of(case)))


def the_order_of_the_rows_for_their_ranks(case: Case, seen: Seen) -> None:
    token, _ = by_expert(case)
    seen["sorted_indices"][...] = np.argsort(np.argsort(token, kind="stable"), kind="stable")


def experts_of_a_token_falling(case: Case, seen: Seen) -> None:
    by_token = seen["sorted_indices"].reshape(len(map_of(case)), -1)
    by_token[...] = by_token[:, ::-1].copy()


def probs_of_the_map_s_own_order(case: Case, seen: Seen) -> None:
    if "probs" in case.inputs:
        seen["permute_probs"][...] = case.arrays["probs"][map_of(case)]


def a_number_that_is_not_rounded_down(case: Case, seen: Seen) -> None:
    rows = len(seen["sorted_indices"])
    if case.attributes["num_out_tokens"] != rows:
        seen["sorted_indices"][-1] += 1


def experts_without_tokens_take_the_place_of_the_next(case: Case, seen: Seen) -> None:
    if "probs" in case.inputs:
        token, _ = by_expert(case)
        used = map_of(case).any(axis=0)
        squeezed = np.cumsum(used) - 1
        _, expert = by_expert(case)
        seen["permute_probs"][...] = case.arrays["probs"][token, squeezed[expert]]


def rows_beyond_one_core_unsorted(case: Case, seen: Seen) -> None:
    assert case.machine is not None
    most = one_core_slots(case.machine)
    if 0 < most < len(seen["sorted_indices"]):
        seen["sorted_indices"][most:] = np.arange(most, len(seen["sorted_indices"]))


def tokens_that_are_not_routed_first(case: Case, seen: Seen) -> None:
    padded(case, np.argsort(map_of(case).T, axis=1, kind="stable"), seen)


def later_tokens_first(case: Case, seen: Seen) -> None:
    marks = map_of(case).T
    tokens = np.broadcast_to(-np.arange(marks.shape[1]), marks.shape)
    padded(case, np.lexsort((tokens, ~marks), axis=1), seen)


def the_rest_filled_with_token_0(case: Case, seen: Seen) -> None:
    marks = map_of(case).T
    order = np.argsort(~marks, axis=1, kind="stable")
    order[np.arange(marks.shape[1]) >= marks.sum(axis=1, keepdims=True)] = 0
    padded(case, order, seen)


def the_rest_filled_with_the_last_token(case: Case, seen: Seen) -> None:
    marks = map_of(case).T
    order = np.argsort(~marks, axis=1, kind="stable")
    rest = np.arange(marks.shape[1]) >= marks.sum(axis=1, keepdims=True)
    padded(case, np.where(rest, order[:, ::-1], order), seen)


def no_probs_for_the_rest(case: Case, seen: Seen) -> None:
    if "probs" in case.inputs:
        capacity = capacity_of(case)
        expert = np.repeat(np.arange(map_of(case).shape[1]), capacity)
        seen["permute_probs"][~map_of(case)[seen["sorted_indices"], expert]] = 0


def minus_one_for_the_rest(case: Case, seen: Seen) -> None:
    capacity = capacity_of(case)
    expert = np.repeat(np.arange(map_of(case).shape[1]), capacity)
    seen["sorted_indices"][~map_of(case)[seen["sorted_indices"], expert]] = -1


def last_tokens_kept_of_too_many(case: Case, seen: Seen) -> None:
    marks, capacity = map_of(case).T, capacity_of(case)
    order = np.argsort(~marks, axis=1, kind="stable")
    for expert, own in enumerate(marks.sum(axis=1)):
        if own > capacity:
            order[expert, :capacity] = order[expert, own - capacity : own].copy()
    padded(case, order, seen)


def probs_of_a_table_of_tokens(case: Case, seen: Seen) -> None:
    """probs read at expert * experts + token, as if the map were square."""
    if "probs" in case.inputs:
        experts = map_of(case).shape[1]
        expert = np.repeat(np.arange(experts), capacity_of(case))
        flat = case.arrays["probs"].T.reshape(-1)
        seen["permute_probs"][...] = flat[(expert * experts + seen["sorted_indices"]) % flat.size]


def tokens_beyond_one_core_not_seen(case: Case, seen: Seen) -> None:
    assert case.machine is not None
    most = one_core_slots(case.machine)
    if 0 < most < len(map_of(case)):
        marks = map_of(case).T & (np.arange(len(map_of(case))) < most)
        padded(case, np.argsort(~marks, axis=1, kind="stable"), seen)


def quiet_nans(case: Case, seen: Seen) -> None:
    tokens = seen["permute_tokens"]
    quiet = bits(np.array(np.nan, tokens.dtype)) & bits(np.array(np.inf, tokens.dtype)) >> 1
    bits(tokens)[np.isnan(tokens.astype(np.float64))] |= quiet | np.array(1, quiet.dtype)


def zeros_of_probs_without_sign(case: Case, seen: Seen) -> None:
    if "probs" in case.inputs:
        seen["permute_probs"][seen["permute_probs"] == 0] = 0


def a_row_of_two_parts_without_its_last_column(case: Case, seen: Seen) -> None:
    assert case.machine is not None
    row = row_columns(case.machine.ub_bytes, seen["permute_tokens"].dtype.itemsize)
    if seen["permute_tokens"].shape[1] == row + 1:
        seen["permute_tokens"][:, -1] = 0


def the_last_row_not_written(case: Case, seen: Seen) -> None:
    assert case.machine is not None
    if len(seen["permute_tokens"]) % case.machine.cores:
        bits(seen["permute_tokens"])[-1] ^= 1


OF_BOTH: tuple[Mistake, ...] = (
    a_number_that_is_not_rounded_down,
    quiet_nans,
    zeros_of_probs_without_sign,
    a_row_of_two_parts_without_its_last_column,
    the_last_row_not_written,
)
MISTAKES: dict[str, tuple[Mistake, ...]] = {
    "dropless": (
        *OF_BOTH,
        slots_token_by_token,
        the_order_of_the_rows_for_their_ranks,
        experts_of_a_token_falling,
        probs_of_the_map_s_own_order,
        experts_without_tokens_take_the_place_of_the_next,
        rows_beyond_one_core_unsorted,
    ),
    "drop_pad": (
        *OF_BOTH,
        tokens_that_are_not_routed_first,
        later_tokens_first,
        the_rest_filled_with_token_0,
        the_rest_filled_with_the_last_token,
        no_probs_for_the_rest,
        minus_one_for_the_rest,
        last_tokens_kept_of_too_many,
        probs_of_a_table_of_tokens,
        tokens_beyond_one_core_not_seen,
    ),
}
EVERY = [(mode, mistake) for mode, some in MISTAKES.items() for mistake in some]


@pytest.fixture(scope="module")
def smoke() -> dict[str, list[Case]]:
    """The drawn cases of one cell of every mode of a smoke run."""
    return {
        mode: list(cell_cases(OPERATOR, mode, "float16", PROFILES["smoke"], 0)) for mode in MISTAKES
    }


def refused(case: Case, mistake: Mistake) -> bool:
    observed = right_answer(OPERATOR, case)
    mistake(case, dict(observed.outputs))  # changes the arrays in place
    return not judge(OPERATOR, case, observed).ok


@pytest.mark.parametrize("mode", MISTAKES)
def test_a_smoke_run_judges_150_to_250_cases_of_a_cell(
    smoke: dict[str, list[Case]], mode: str
) -> None:
    assert 150 < len(smoke[mode]) < 250
    assert not any(refused(case, lambda case, seen: None) for case in smoke[mode])


@pytest.mark.parametrize(
    ("mode", "mistake"), EVERY, ids=[f"{m} {one.__name__}" for m, one in EVERY]
)
def test_a_mistake_is_met_by_a_smoke_run(
    smoke: dict[str, list[Case]], mode: str, mistake: Mistake
) -> None:
    assert any(refused(case, mistake) for case in smoke[mode])
