"""Mistakes that a kernel of MoeTokenPermuteWithEp may have are met by the cases of a smoke run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cases.operators._token_permute_sizes import one_core_slots, row_columns
from cases.operators.moe_token_permute_with_ep import OPERATOR
from conformance.call.case import Case
from conformance.call.observation import Observation
from conformance.draw.profiles import PROFILES
from conformance.judge.calls import judge
from conformance.mutants.drawn_cases import cell_cases
from tests.cases.test_moe_token_permute_with_ep import right

Seen = dict[str, NDArray[Any]]
Mistake = Callable[[Case, Seen], None]


def bits(array: NDArray[Any]) -> NDArray[Any]:
    return array.view(f"u{array.dtype.itemsize}")


def sorted_again(case: Case, seen: Seen, keys: NDArray[Any], **how: Any) -> None:
    """The outputs as they are where the order of the slots is another one."""
    flat = keys.reshape(-1)
    order = np.lexsort((how.get("ties", np.arange(flat.size)), flat))
    rank = np.argsort(order)
    start = case.attributes["rank_range"][0]
    rows = len(seen["permute_tokens"])
    mine = order[start : start + rows]
    tokens = case.arrays["tokens"]
    top_k = flat.size // len(tokens)
    seen["sorted_indices"][...] = rank
    seen["permute_tokens"][: len(mine)] = tokens[mine // top_k]
    if "probs" in case.inputs:
        seen["permute_probs"][: len(mine)] = case.arrays["probs"].reshape(-1)[mine]


def keys_of(case: Case) -> NDArray[np.int64]:
    return np.asarray(case.arrays["indices"], np.int64).reshape(-1)


def last_of_equal_keys_first(case: Case, seen: Seen) -> None:
    sorted_again(case, seen, keys_of(case), ties=-np.arange(keys_of(case).size))


def negative_keys_last(case: Case, seen: Seen) -> None:
    sorted_again(case, seen, keys_of(case).astype(np.uint64))


def keys_of_16_bits(case: Case, seen: Seen) -> None:
    sorted_again(case, seen, keys_of(case).astype(np.int16))


def keys_in_reduced_float(case: Case, seen: Seen) -> None:
    """11 bits of significand, without an overflow."""
    mantissa, exponent = np.frexp(keys_of(case).astype(np.float64))
    sorted_again(case, seen, np.ldexp(np.rint(mantissa * 2**11), exponent))


def the_sorting_permutation_for_the_ranks(case: Case, seen: Seen) -> None:
    seen["sorted_indices"][...] = np.argsort(keys_of(case), kind="stable")


def ranks_cut_by_the_range(case: Case, seen: Seen) -> None:
    seen["sorted_indices"][len(seen["permute_tokens"]) :] = 0


def ranks_that_begin_at_the_range(case: Case, seen: Seen) -> None:
    seen["sorted_indices"] -= np.int32(case.attributes["rank_range"][0])


def rows_from_the_first_rank_on(case: Case, seen: Seen) -> None:
    order = np.argsort(keys_of(case), kind="stable")[: len(seen["permute_tokens"])]
    top_k = keys_of(case).size // len(case.arrays["tokens"])
    seen["permute_tokens"][...] = case.arrays["tokens"][order // top_k]


def slots_of_a_column_for_those_of_a_token(case: Case, seen: Seen) -> None:
    start = case.attributes["rank_range"][0]
    order = np.argsort(keys_of(case), kind="stable")[start:][: len(seen["permute_tokens"])]
    seen["permute_tokens"][...] = case.arrays["tokens"][order % len(case.arrays["tokens"])]


def the_first_probability_of_a_token(case: Case, seen: Seen) -> None:
    if "probs" in case.inputs:
        start = case.attributes["rank_range"][0]
        order = np.argsort(keys_of(case), kind="stable")[start:][: len(seen["permute_probs"])]
        probs = case.arrays["probs"].reshape(len(case.arrays["tokens"]), -1)
        seen["permute_probs"][...] = probs[order // probs.shape[1], 0]


def quiet_nans(case: Case, seen: Seen) -> None:
    tokens = seen["permute_tokens"]
    quiet = bits(np.array(np.nan, tokens.dtype)) & bits(np.array(np.inf, tokens.dtype)) >> 1
    bits(tokens)[np.isnan(tokens.astype(np.float64))] |= quiet | np.array(1, quiet.dtype)


def zeros_without_sign(case: Case, seen: Seen) -> None:
    seen["permute_tokens"][seen["permute_tokens"] == 0] = 0


def subnormals_flushed(case: Case, seen: Seen) -> None:
    with np.errstate(invalid="ignore"):
        wide = np.abs(seen["permute_tokens"].astype(np.float64))
    least = {"float16": 2.0**-14}.get(case.dtype, 2.0**-126)
    seen["permute_tokens"][(wide > 0) & (wide < least)] = 0


def a_row_of_two_parts_without_its_last_column(case: Case, seen: Seen) -> None:
    assert case.machine is not None
    row = row_columns(case.machine.ub_bytes, seen["permute_tokens"].dtype.itemsize)
    if seen["permute_tokens"].shape[1] == row + 1:
        seen["permute_tokens"][:, -1] = 0


def slots_beyond_one_core_unsorted(case: Case, seen: Seen) -> None:
    assert case.machine is not None
    most = one_core_slots(case.machine)
    if keys_of(case).size > most:
        seen["sorted_indices"][most:] = np.arange(most, keys_of(case).size)


def one_slot_beyond_a_block_of_the_sort(case: Case, seen: Seen) -> None:
    if keys_of(case).size == 33:
        seen["sorted_indices"][-1] = 0


MISTAKES: tuple[Mistake, ...] = (
    last_of_equal_keys_first,
    negative_keys_last,
    keys_of_16_bits,
    keys_in_reduced_float,
    the_sorting_permutation_for_the_ranks,
    ranks_cut_by_the_range,
    ranks_that_begin_at_the_range,
    rows_from_the_first_rank_on,
    slots_of_a_column_for_those_of_a_token,
    the_first_probability_of_a_token,
    quiet_nans,
    zeros_without_sign,
    subnormals_flushed,
    a_row_of_two_parts_without_its_last_column,
    slots_beyond_one_core_unsorted,
    one_slot_beyond_a_block_of_the_sort,
)


@pytest.fixture(scope="module")
def smoke() -> list[Case]:
    """The drawn cases of one cell of a smoke run."""
    return list(cell_cases(OPERATOR, "middle", "float16", PROFILES["smoke"], 0))


def refused(case: Case, mistake: Mistake) -> bool:
    observed: Observation = right(case)
    mistake(case, dict(observed.outputs))  # changes the arrays in place
    return not judge(OPERATOR, case, observed).ok


def test_a_smoke_run_judges_100_to_200_cases_of_a_cell(smoke: list[Case]) -> None:
    assert 100 < len(smoke) < 200
    assert not any(refused(case, lambda case, seen: None) for case in smoke)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.__name__)
def test_a_mistake_is_met_by_a_smoke_run(smoke: list[Case], mistake: Mistake) -> None:
    assert any(refused(case, mistake) for case in smoke)
