"""Reductions: trees of additions as they are documented, first extremes, masks and strides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.simulator.lanes import mask_of, offsets, run_staged
from tests.simulator.simulated_machine import SimulatedMachine
from tests.simulator.test_language import same_bits

DTYPES = {"half": np.dtype(np.float16), "float": np.dtype(np.float32)}


def tree(values: Sequence[Any]) -> Any:
    """Neighbours are added until one is left; None takes no part."""
    level = list(values)
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=True)
        level = [b if a is None else a if b is None else a + b for a, b in pairs]
    return level[0]


def random_values(dtype: np.dtype[Any], count: int, seed: int = 0) -> NDArray[Any]:
    """Sums of them depend on the order, and some values occur more than once."""
    rng = np.random.default_rng(seed)
    return rng.choice(rng.normal(0, 100, max(2, count // 3)), count).astype(dtype)


def active_values(
    source: NDArray[Any], lanes: Sequence[int], block: int, repeat: int, number: int
) -> list[list[Any]]:
    """All lanes of each repeat, None for those that take no part."""
    per = 256 // source.itemsize
    where = offsets(source.itemsize, range(per), number, block, repeat)
    return [[source[at] if lane in lanes else None for lane, at in enumerate(r)] for r in where]


def chosen_lanes(dtype: np.dtype[Any]) -> list[int]:
    """A third of the lanes, none of them in the third block."""
    rng = np.random.default_rng(7)
    count = 256 // dtype.itemsize
    block = 32 // dtype.itemsize
    lanes = sorted(int(lane) for lane in rng.permutation(count)[: count // 3])
    return [lane for lane in lanes if lane // block != 2]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize(
    ("name", "group"), [("WholeReduceSum", 0), ("BlockReduceSum", 32), ("PairReduceSum", 2)]
)
def test_sums_are_trees_of_neighbours(
    machine: SimulatedMachine, name: str, group: int, dtype: str, masked: bool
) -> None:
    kind = DTYPES[dtype]
    lanes = chosen_lanes(kind) if masked else list(range(256 // kind.itemsize))
    repeats, stride, block, repeat = 3, 2, 2, 17
    width = 256 // kind.itemsize if not group else group // kind.itemsize if group == 32 else 2
    per = 256 // kind.itemsize // width
    source = random_values(kind, 70 * 32 // kind.itemsize)
    before = random_values(kind, 6 * per + 40, 1)
    params = [*mask_of(lanes), repeats, stride, block, repeat]
    result = run_staged(machine, f"{name}_{dtype}", source, before.copy(), params)
    expected = before.copy()
    for number, values in enumerate(active_values(source, lanes, block, repeat, repeats)):
        for index in range(per):
            total = tree(values[index * width : (index + 1) * width])
            if total is not None:
                expected[number * stride * per + index] = total
    assert same_bits(result, expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("suffix", "pick"), [("Max", np.argmax), ("Min", np.argmin)])
def test_extremes_of_blocks(machine: SimulatedMachine, suffix: str, pick: Any, dtype: str) -> None:
    kind = DTYPES[dtype]
    lanes = chosen_lanes(kind)
    width = 32 // kind.itemsize
    source, before = random_values(kind, 16 * width), random_values(kind, 32, 1)
    result = run_staged(
        machine,
        f"BlockReduce{suffix}_{dtype}",
        source,
        before.copy(),
        [*mask_of(lanes), 2, 2, 1, 8],
    )
    expected = before.copy()
    for number, values in enumerate(active_values(source, lanes, 1, 8, 2)):
        for block in range(8):
            taking = [v for v in values[block * width : (block + 1) * width] if v is not None]
            if taking:
                expected[16 * number + block] = taking[int(pick(taking))]
    assert same_bits(result, expected)


def with_index(value: Any, index: int, kind: np.dtype[Any]) -> list[Any]:
    bits = np.array([index], np.uint16 if kind.itemsize == 2 else np.uint32)
    return [value, bits.view(kind)[0]]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("suffix", "sign"), [("Max", 1), ("Min", -1)])
def test_the_first_extreme_of_a_repeat_has_its_index(
    machine: SimulatedMachine, suffix: str, sign: int, dtype: str
) -> None:
    kind = DTYPES[dtype]
    lanes = chosen_lanes(kind)
    source, before = random_values(kind, 70 * 32 // kind.itemsize), random_values(kind, 32, 1)
    result = run_staged(
        machine,
        f"WholeReduce{suffix}_{dtype}",
        source,
        before.copy(),
        [*mask_of(lanes), 3, 2, 2, 17],
    )
    expected = before.copy()
    for number, values in enumerate(active_values(source, lanes, 2, 17, 3)):
        lane = max(lanes, key=lambda lane: (sign * float(values[lane]), -lane))
        expected[4 * number : 4 * number + 2] = with_index(values[lane], lane, kind)
    assert same_bits(result, expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", range(4))
def test_orders_of_value_and_index(machine: SimulatedMachine, dtype: str, order: int) -> None:
    """An index alone takes 4 bytes."""
    kind = DTYPES[dtype]
    lanes = 256 // kind.itemsize
    source = random_values(kind, 2 * lanes)
    result = run_staged(
        machine,
        f"WholeReduceMax_ordered_{dtype}",
        source,
        np.zeros(16, kind),
        [lanes, 2, order, 1],
    )
    stored = []
    for values in source.reshape(2, lanes):
        index = int(np.argmax(values))
        value, bits = with_index(values[index], index, kind)
        alone = np.array([index], np.uint32).view(kind)
        stored.append([[value, bits], [bits, value], [value], list(alone)][order])
    expected = np.zeros(16, kind)
    flat = np.array(stored, kind).ravel()
    expected[: flat.size] = flat
    assert same_bits(result, expected)


def test_sums_may_be_written_over_what_was_summed(machine: SimulatedMachine) -> None:
    values = np.arange(512, dtype=np.float32)
    result = run_staged(machine, "WholeReduceSum_in_place", values[:8], values.copy())
    assert result[:8].tolist() == values.reshape(8, 64).sum(axis=1).tolist()
    assert same_bits(result[8:], values[8:])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count", [1, 2, 63, 64, 65, 128, 129, 1000, 2049])
def test_a_counted_sum_adds_repeats_in_order(
    machine: SimulatedMachine, dtype: str, count: int
) -> None:
    kind = DTYPES[dtype]
    lanes = 256 // kind.itemsize
    source = random_values(kind, count)
    result = run_staged(machine, f"ReduceSum_{dtype}_count", source, np.zeros(2, kind), [count])
    padded = [*source, *[None] * (-count % lanes)]
    sums = [tree(padded[start : start + lanes]) for start in range(0, count, lanes)]
    total = sums[0]
    for value in sums[1:]:
        total = total + value
    assert result.tolist() == [float(total), 0.0]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("repeats", [1, 2, 63, 64, 65, 130])
def test_a_sum_by_repeats_is_a_tree_of_trees(
    machine: SimulatedMachine, dtype: str, repeats: int
) -> None:
    kind = DTYPES[dtype]
    per = 256 // kind.itemsize
    lanes = chosen_lanes(kind)
    source = random_values(kind, repeats * per)
    result = run_staged(
        machine,
        f"ReduceSum_{dtype}_lanes",
        source,
        np.zeros(1, kind),
        [*mask_of(lanes), repeats, 8],
    )
    sums = [tree(values) for values in active_values(source, lanes, 1, 8, repeats)]
    while len(sums) > 1:
        padded = [*sums, *[None] * (-len(sums) % per)]
        sums = [tree(padded[start : start + per]) for start in range(0, len(padded), per)]
    assert result.tolist() == [float(sums[0])]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("name", "pick"), [("ReduceMax", np.argmax), ("ReduceMin", np.argmin)])
@pytest.mark.parametrize("count", [1, 64, 65, 129, 2000])
def test_extremes_of_everything(
    machine: SimulatedMachine, name: str, pick: Any, dtype: str, count: int
) -> None:
    kind = DTYPES[dtype]
    source = random_values(kind, count)
    index = int(pick(source))
    for wanted in (0, 1):
        result = run_staged(
            machine, f"{name}_{dtype}_count", source, np.zeros(4, kind), [count, wanted]
        )
        expected = np.zeros(4, kind)
        expected[: 1 + wanted] = with_index(source[index], index, kind)[: 1 + wanted]
        assert same_bits(result, expected)


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_index_of_an_extreme_counts_lanes_without_part(
    machine: SimulatedMachine, dtype: str
) -> None:
    """Repeats are 9 blocks apart in UB, and neighbours in the index."""
    kind = DTYPES[dtype]
    per = 256 // kind.itemsize
    lanes = chosen_lanes(kind)
    source = random_values(kind, 5 * 9 * 32 // kind.itemsize)
    result = run_staged(
        machine, f"ReduceMax_{dtype}_lanes", source, np.zeros(2, kind), [*mask_of(lanes), 4, 9]
    )
    values = active_values(source, lanes, 1, 9, 4)
    best = max(
        ((r, lane) for r in range(4) for lane in lanes),
        key=lambda place: (float(values[place[0]][place[1]]), -place[0], -place[1]),
    )
    expected = with_index(values[best[0]][best[1]], best[0] * per + best[1], kind)
    assert same_bits(result, np.array(expected, kind))


def test_the_operand_may_be_the_working_space(machine: SimulatedMachine) -> None:
    values = np.roll(np.arange(256, dtype=np.float32), 100)
    result = run_staged(machine, "ReduceMax_works_in_its_operand", values[:8], values.copy())
    assert result[0] == 255
    assert result.view(np.uint32)[1] == 99
