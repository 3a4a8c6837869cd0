"""Functions that choose, find, compare, number and move elements."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.simulator.lanes import mask_of, offsets, run_staged
from tests.simulator.simulated_machine import SimulatedMachine
from tests.simulator.test_language import drawn, same_bits

DTYPES: dict[str, np.dtype[Any]] = {
    "half": np.dtype(np.float16),
    "bfloat16_t": np.dtype(ml_dtypes.bfloat16),
    "float": np.dtype(np.float32),
    **{f"{name}_t": np.dtype(name) for name in ("int16", "uint16", "int32", "uint32")},
}


def values_of(kind: np.dtype[Any], count: int, seed: int = 0) -> NDArray[Any]:
    return np.random.default_rng(seed).integers(-100, 100, count).astype(kind)


def bits_of(seed: int, count: int) -> NDArray[np.bool_]:
    return np.random.default_rng(seed).integers(0, 2, count).astype(bool)


def packed(bits: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Whole blocks of 32 bytes, the lowest bit of a byte first."""
    data = np.packbits(bits, bitorder="little")
    return np.concatenate([data, np.zeros(-data.size % 32, np.uint8)])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count", [1, 7, 16, 100, 513])
def test_gather_finds_elements_by_byte_offsets(
    machine: SimulatedMachine, dtype: str, count: int
) -> None:
    kind = DTYPES[dtype]
    source = values_of(kind, 300)
    places = np.random.default_rng(count).integers(0, 296, count)
    result = run_staged(
        machine,
        f"Gather_{dtype}_count",
        source,
        np.zeros(count + 2, kind),
        [4 * kind.itemsize, count],
        second=(places * kind.itemsize).astype(np.uint32),
    )
    assert same_bits(result[:count], source[places + 4])
    assert (result[count:] == 0).all()


def test_gather_takes_a_mask_and_repeats(machine: SimulatedMachine) -> None:
    """Offsets are those of all lanes; the results of repeats are 9 blocks apart."""
    source = values_of(DTYPES["half"], 500)
    places = np.random.default_rng(1).integers(0, 490, 256)
    lanes = [0, 3, 64, 127]
    result = run_staged(
        machine,
        "Gather_half_lanes",
        source,
        np.zeros(300, np.float16),
        [*mask_of(lanes), 2, 9],
        second=(2 * places).astype(np.uint32),
    )
    expected = np.zeros(300, np.float16)
    expected[offsets(2, lanes, 2, 1, 9)] = source[places.reshape(2, 128)[:, lanes] + 2]
    assert same_bits(result, expected)


def run_gather_mask(
    machine: SimulatedMachine,
    kernel: str,
    source: NDArray[Any],
    pattern: NDArray[Any],
    params: list[int],
) -> tuple[NDArray[Any], int]:
    """The result, which was zero before, and the count that the call told."""
    size = source.nbytes
    room = np.zeros(size + 4, np.uint8)
    result = run_staged(machine, kernel, source, room, [size, *params], second=pattern)
    return result[:size].view(source.dtype), int(result[size:].view(np.uint32)[0])


@pytest.mark.parametrize("dtype", ["half", "int16_t", "float", "int32_t"])
@pytest.mark.parametrize(
    ("counted", "mask", "block", "repeats", "repeat", "pattern_stride"),
    [
        (0, 0, 1, 1, 8, 0),
        (0, 0, 1, 3, 8, 1),
        (0, 0, 2, 2, 17, 0),
        (1, 70, 1, 2, 4, 0),
        (1, 200, 1, 2, 32, 1),
        (1, 1, 1, 5, 1, 1),
    ],
)
def test_gather_mask_keeps_what_the_bits_choose(
    machine: SimulatedMachine,
    dtype: str,
    counted: int,
    mask: int,
    block: int,
    repeats: int,
    repeat: int,
    pattern_stride: int,
) -> None:
    kind = DTYPES[dtype]
    length = mask if counted else 256 // kind.itemsize
    source = values_of(kind, 4096 // kind.itemsize)
    bits = bits_of(repeats, 256 * (pattern_stride * (repeats - 1) + 1))
    result, count = run_gather_mask(
        machine,
        f"GatherMask_{dtype}",
        source,
        packed(bits),
        [counted, mask, block, repeats, repeat, pattern_stride],
    )
    where = offsets(kind.itemsize, range(length), repeats, block, repeat)
    chosen = [
        source[where[r, e]]
        for r in range(repeats)
        for e in range(length)
        if bits[r * pattern_stride * 256 + e]
    ]
    assert count == len(chosen)
    assert same_bits(result[:count], np.array(chosen, kind))
    assert (result[count:] == 0).all()


@pytest.mark.parametrize("dtype", ["bfloat16_t", "uint32_t"])
@pytest.mark.parametrize(
    ("pattern", "chosen"),
    [(1, "1010"), (2, "0101"), (3, "1000"), (4, "0100"), (5, "0010"), (6, "0001"), (7, "1111")],
)
def test_gather_mask_has_seven_patterns(
    machine: SimulatedMachine, dtype: str, pattern: int, chosen: str
) -> None:
    kind = DTYPES[dtype]
    source = values_of(kind, 512 // kind.itemsize)
    result, count = run_gather_mask(
        machine,
        f"GatherMask_{dtype}_pattern",
        source,
        np.zeros(8, np.uint32),
        [0, 0, 1, 2, 8, 0, pattern],
    )
    kept = np.tile([mark == "1" for mark in chosen], source.size // 4)
    assert count == kept.sum()
    assert same_bits(result[:count], source[kept])


MODES = [np.less, np.greater, np.equal, np.less_equal, np.greater_equal, np.not_equal]


@pytest.mark.parametrize(
    ("dtype", "mode"),
    [*((dtype, mode) for dtype in ("half", "float") for mode in range(6)), ("int32_t", 2)],
)
def test_comparisons_are_bits(machine: SimulatedMachine, dtype: str, mode: int) -> None:
    """NaN compares as numpy says. int32_t is compared for equality only."""
    kind = DTYPES[dtype]
    count = 3 * 256 // kind.itemsize
    left, right = np.round(values_of(kind, count) / 50).astype(kind), values_of(kind, count, 1)
    right = np.round(right / 50).astype(kind)
    if kind.kind == "f":
        left[::7], right[::11] = np.nan, np.nan
    for kernel, other in (("Compare", right), ("CompareScalar", right[1])):
        result = run_staged(
            machine,
            f"{kernel}_{dtype}_count",
            left,
            np.zeros(count // 8, np.uint8),
            [mode, count],
            second=right if kernel == "Compare" else np.full(8, right[1]),
        )
        expected = np.packbits(MODES[mode](left, other), bitorder="little")
        assert same_bits(result, expected)


@pytest.mark.parametrize("mode", [0, 5])
def test_comparisons_by_repeats_store_neighbouring_bits(
    machine: SimulatedMachine, mode: int
) -> None:
    left, right = values_of(DTYPES["float"], 400), values_of(DTYPES["float"], 128, 1)
    result = run_staged(
        machine, "Compare_float_lanes", left, np.zeros(16, np.uint8), [mode, 2], second=right
    )
    where = offsets(4, range(64), 2, 2, 16).ravel()
    expected = np.packbits(MODES[mode](left[where], right), bitorder="little")
    assert same_bits(result, expected)
    left, right = values_of(DTYPES["half"], 700), np.full(16, 3, np.float16)
    result = run_staged(
        machine, "CompareScalar_half_lanes", left, np.zeros(32, np.uint8), [mode, 2], second=right
    )
    where = offsets(2, range(128), 2, 2, 17).ravel()
    expected = np.packbits(MODES[mode](left[where], right[0]), bitorder="little")
    assert same_bits(result, expected)


@pytest.mark.parametrize("dtype", ["half", "float"])
@pytest.mark.parametrize("count", [1, 63, 128, 300])
def test_select_chooses_by_bits(machine: SimulatedMachine, dtype: str, count: int) -> None:
    kind = DTYPES[dtype]
    operands = np.concatenate([values_of(kind, 512), values_of(kind, 512, 1)])
    left, right = operands[:512], operands[512:]
    lanes = 256 // kind.itemsize
    bits = bits_of(count, 512)
    for mode, choice in ((0, bits[np.arange(count) % lanes]), (2, bits[:count])):
        result = run_staged(
            machine,
            f"Select_{dtype}_count",
            operands,
            np.zeros(count, kind),
            [left.nbytes, mode, count],
            second=packed(bits),
        )
        assert same_bits(result, np.where(choice, left[:count], right[:count]))
    result = run_staged(
        machine,
        f"Select_{dtype}_scalar",
        operands,
        np.zeros(count, kind),
        [left.nbytes, 1, count],
        second=packed(bits),
    )
    assert same_bits(result, np.where(bits[:count], left[:count], kind.type(7)))


@pytest.mark.parametrize("mode", [0, 2])
def test_select_takes_a_mask_and_repeats(machine: SimulatedMachine, mode: int) -> None:
    operands, before = values_of(DTYPES["float"], 512), values_of(DTYPES["float"], 256, 2)
    lanes, bits = [0, 1, 17, 40, 63], bits_of(3, 256)
    result = run_staged(
        machine,
        "Select_float_lanes",
        operands,
        before.copy(),
        [1024, mode, *mask_of(lanes), 4],
        second=packed(bits),
    )
    at = offsets(4, lanes, 4, 1, 8)
    choice = bits[at] if mode == 2 else np.tile(bits[lanes], (4, 1))
    expected = before.copy()
    expected[at] = np.where(choice, operands[at], operands[at + 256])
    assert same_bits(result, expected)


@pytest.mark.parametrize("dtype", ["half", "float", "int16_t", "int32_t"])
@pytest.mark.parametrize("count", [1, 7, 8, 9, 63, 64, 65, 200, 256])
def test_progressions(machine: SimulatedMachine, dtype: str, count: int) -> None:
    kind = DTYPES[dtype]
    for name, step in (("ArithProgression", 3), ("Arange", 3), ("CreateVecIndex", 1)):
        result = run_staged(
            machine, f"{name}_{dtype}", np.zeros(8), np.zeros(count, kind), [-5, step, count]
        )
        assert same_bits(result, (-5 + step * np.arange(count)).astype(kind))


def test_indices_count_lanes_without_part(machine: SimulatedMachine) -> None:
    lanes = [1, 2, 30, 63]
    result = run_staged(
        machine,
        "CreateVecIndex_lanes",
        np.zeros(8),
        np.zeros(320, np.int32),
        [*mask_of(lanes), 2, 2, 17],
    )
    expected = np.zeros(320, np.int32)
    expected[offsets(4, lanes, 2, 2, 17)] = 100 + np.array(lanes) + np.array([[0], [64]])
    assert same_bits(result, expected)


@pytest.mark.parametrize("dtype", ["half", "int32_t"])
@pytest.mark.parametrize(("block", "repeat"), [(1, 8), (0, 8), (2, 17)])
def test_brcb_fills_a_block_with_each_element(
    machine: SimulatedMachine, dtype: str, block: int, repeat: int
) -> None:
    kind = DTYPES[dtype]
    source, before = values_of(kind, 24), np.zeros(40 * 32 // kind.itemsize, kind)
    result = run_staged(
        machine, f"Brcb_{dtype}", source, before.copy(), [2, block, repeat]
    ).reshape(40, -1)
    expected = before.copy().reshape(40, -1)
    for element in range(16):
        at = element // 8 * repeat + element % 8 * max(block, 1)
        expected[at] = source[element]
    assert same_bits(result, expected)


@pytest.mark.parametrize("count", [16, 32, 400])
def test_data_copy_moves_inside_ub(machine: SimulatedMachine, count: int) -> None:
    source = drawn("int16", 400)
    result = run_staged(machine, "DataCopy_in_ub", source, np.zeros(400, np.int16), [count])
    assert same_bits(result, np.where(np.arange(400) < count, source, 0).astype(np.int16))


def test_data_copy_moves_blocks_inside_ub(machine: SimulatedMachine) -> None:
    source = drawn("uint8", 640)
    result = run_staged(
        machine, "DataCopy_in_ub_by_blocks", source, np.zeros(640, np.uint8), [3, 2, 1, 4]
    )
    expected, blocks = np.zeros((20, 32), np.uint8), source.reshape(20, 32)
    for index in range(3):
        expected[6 * index : 6 * index + 2] = blocks[3 * index : 3 * index + 2]
    assert same_bits(result, expected.ravel())
