"""Sorting: falling scores, equal scores in their order, merges that stop when a list ends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.simulator.lanes import run_staged
from tests.simulator.simulated_machine import SimulatedMachine
from tests.simulator.test_language import POISON

DTYPES = {"half": np.dtype(np.float16), "float": np.dtype(np.float32)}


def entries(scores: NDArray[Any], indices: NDArray[Any]) -> NDArray[np.uint8]:
    """Pairs of 8 bytes: the score, poison up to byte 4, the index."""
    pairs = np.tile(POISON[:8], (len(scores), 1))
    pairs[:, : scores.itemsize] = scores.view(np.uint8).reshape(len(scores), -1)
    pairs[:, 4:] = indices.astype(np.uint32).view(np.uint8).reshape(-1, 4)
    return pairs.ravel()


def falling(scores: NDArray[Any]) -> NDArray[np.int64]:
    """A stable order: of equal scores, +0 and -0 among them, the earlier one first."""
    return np.argsort(-scores.astype(np.float64), kind="stable")


def tied_scores(kind: np.dtype[Any], count: int, seed: int = 0) -> NDArray[Any]:
    """Few different values, with both zeros and both infinities."""
    rng = np.random.default_rng(seed)
    values = np.array([-np.inf, -5, -1.5, -0.0, 0.0, 1e-7, 3, 100, np.inf], kind)
    return rng.choice(values, count)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("repeats", [1, 2, 40])
def test_sort32_sorts_each_32_scores(machine: SimulatedMachine, dtype: str, repeats: int) -> None:
    scores = tied_scores(DTYPES[dtype], 32 * repeats)
    indices = np.arange(32 * repeats, dtype=np.uint32)[::-1].copy()
    result = run_staged(
        machine,
        f"Sort32_{dtype}",
        scores,
        np.zeros(256 * repeats, np.uint8),
        [repeats],
        second=indices,
    )
    orders = [falling(part) + 32 * r for r, part in enumerate(scores.reshape(-1, 32))]
    order = np.concatenate(orders)
    assert result.tobytes() == entries(scores[order], indices[order]).tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("repeats", [1, 3, 31])
def test_sort_sorts_everything_stably(machine: SimulatedMachine, dtype: str, repeats: int) -> None:
    """By Concat, Sort and Extract."""
    kind = DTYPES[dtype]
    count = 32 * repeats
    scores, indices = tied_scores(kind, count), np.arange(count, dtype=np.uint32)
    result = run_staged(
        machine,
        f"Sort_{dtype}",
        scores,
        np.zeros(count * (kind.itemsize + 4), np.uint8),
        [repeats],
        second=indices,
    )
    order = falling(scores)
    assert result[: count * kind.itemsize].tobytes() == scores[order].tobytes()
    assert result[count * kind.itemsize :].view(np.uint32).tolist() == order.tolist()


def sorted_lists(
    kind: np.dtype[Any], lengths: list[int], seed: int
) -> tuple[list[NDArray[Any]], NDArray[np.uint8]]:
    """Lists in falling order, and their pairs in UB, each list from 32 bytes on."""
    lists, memory, start = [], [], 0
    for number, length in enumerate(lengths):
        scores = tied_scores(kind, length, seed + number)
        scores = scores[falling(scores)]
        lists.append(scores)
        pairs = entries(scores, np.arange(start, start + length))
        memory.append(np.concatenate([pairs, np.zeros(-pairs.size % 32, np.uint8)]))
        start += length
    return lists, np.concatenate(memory)


def merged(lists: list[NDArray[Any]], stops: bool) -> tuple[NDArray[np.int64], list[int]]:
    """The order of all scores, cut where the first list ends; and what each list gave."""
    scores = np.concatenate(lists)
    order = falling(scores)
    owner = np.repeat(np.arange(len(lists)), [len(one) for one in lists])[order]
    if stops:
        ends = [np.flatnonzero(owner == number)[-1] for number in range(len(lists))]
        order = order[: min(ends) + 1]
        owner = owner[: min(ends) + 1]
    return order, [int((owner == number).sum()) for number in range(len(lists))]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("stops", [False, True])
@pytest.mark.parametrize(
    "lengths", [[32, 32], [1, 40], [32, 7, 33], [32, 32, 32, 32], [5, 100, 1, 64]]
)
def test_lists_are_merged_stably(
    machine: SimulatedMachine, dtype: str, stops: bool, lengths: list[int]
) -> None:
    kind = DTYPES[dtype]
    for seed in range(5):
        lists, memory = sorted_lists(kind, lengths, seed)
        total = sum(lengths)
        padded = lengths + [0] * (4 - len(lengths))
        valid = (1 << len(lengths)) - 1
        before = np.full(8 * total, 0xEE, np.uint8)
        result = run_staged(
            machine, f"MrgSort_{dtype}", memory, before.copy(), [*padded, int(stops), valid, 1]
        )
        order, taken = merged(lists, stops)
        scores = np.concatenate(lists)
        assert result[: 8 * len(order)].tobytes() == entries(scores[order], order).tobytes()
        assert (result[8 * len(order) :] == 0xEE).all()
        assert sum(taken) == len(order)


def test_a_merge_repeats_over_neighbouring_lists(machine: SimulatedMachine) -> None:
    """Two merges of four lists of 16."""
    kind = np.dtype(np.float32)
    lists, memory = sorted_lists(kind, [16] * 8, 3)
    result = run_staged(
        machine, "MrgSort_float", memory, np.zeros(1024, np.uint8), [16, 16, 16, 16, 0, 15, 2]
    )
    expected = []
    for half in (0, 4):
        order, _ = merged(lists[half : half + 4], stops=False)
        scores = np.concatenate(lists[half : half + 4])
        expected.append(entries(scores[order], order + 16 * half))
    assert result.tobytes() == np.concatenate(expected).tobytes()


def test_a_merge_tells_what_it_took(machine: SimulatedMachine) -> None:
    lists, memory = sorted_lists(np.dtype(np.float32), [8, 8, 8], 11)
    result = run_staged(machine, "MrgSort_tells_what_it_took", memory, np.zeros(8, np.uint32))
    _, taken = merged(lists, stops=True)
    assert 8 in taken
    assert sum(taken) < 24
    assert result.tolist() == [*taken, 0] * 2


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_nan_has_its_place_in_the_order(machine: SimulatedMachine, dtype: str) -> None:
    """Above infinity, or below -infinity where it is negative: every sort ends."""
    kind = DTYPES[dtype]
    scores = np.tile(np.array([1, np.nan, -np.inf, -np.nan, np.inf, 2, -1, 0], kind), 4)
    result = run_staged(
        machine,
        f"Sort32_{dtype}",
        scores,
        np.zeros(256, np.uint8),
        [1],
        second=np.arange(32, dtype=np.uint32),
    )
    indices = result.view(np.uint32)[1::2]
    assert [int(index) % 8 for index in indices[::4]] == [1, 4, 5, 0, 7, 6, 2, 3]
