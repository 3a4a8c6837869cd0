"""What Ascend C functions compute on the model, bit for bit against numpy."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.simulator.simulated_machine import SimulatedMachine

POISON = np.frombuffer(b"\xe5\xff" * 2048, np.uint8)
TAILS = [*range(1, 34), 63, 64, 65, 255, 256, 257, 1000]


def drawn(dtype: str, count: int, seed: int = 0) -> NDArray[Any]:
    """Bit patterns of a dtype, all of its range, without NaN (whose payload numpy may choose)."""
    size = np.dtype(dtype).itemsize
    bits = np.random.default_rng(seed).integers(0, 256, count * size, np.uint8)
    values = bits.view(dtype)
    return values if values.dtype.kind in "iu" else np.where(np.isnan(values), 1, values)


def same_bits(left: NDArray[Any], right: NDArray[Any]) -> bool:
    return left.dtype == right.dtype and left.tobytes() == right.tobytes()


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "int16"])
@pytest.mark.parametrize("count", TAILS)
def test_add_is_numpys_sum_for_every_tail(
    machine: SimulatedMachine, dtype: str, count: int
) -> None:
    left, right = drawn(dtype, count, 1), drawn(dtype, count, 2)
    kernel = {"float32": "add_float", "float16": "add_half"}.get(dtype, f"add_{dtype}_t")
    result = machine.run(kernel, left, np.zeros(count, dtype), [count], second=right)
    with np.errstate(all="ignore"):
        expected = left + right
    numbers = ~np.isnan(expected) if expected.dtype.kind == "f" else slice(None)
    assert same_bits(result[numbers], expected[numbers])
    if expected.dtype.kind == "f":
        assert np.array_equal(np.isnan(result), np.isnan(expected))


def test_add_accumulates_in_place(machine: SimulatedMachine) -> None:
    left = np.arange(1000, dtype=np.float32)
    right = np.full(1000, 0.5, np.float32)
    result = machine.run("add_in_place", left, np.zeros_like(left), [1000], second=right)
    assert same_bits(result, left + right)


@pytest.mark.parametrize(
    ("kernel", "dtype", "operation"),
    [
        ("Adds_float", "float32", np.add),
        ("Adds_half", "float16", np.add),
        ("Adds_int32_t", "int32", np.add),
        ("Muls_float", "float32", np.multiply),
        ("Muls_half", "float16", np.multiply),
        ("Muls_int16_t", "int16", np.multiply),
    ],
)
def test_adds_and_muls_take_a_scalar(
    machine: SimulatedMachine, kernel: str, dtype: str, operation: np.ufunc
) -> None:
    values = np.arange(-500, 500).astype(dtype)
    scalars = np.full(1000, 77).astype(dtype)
    result = machine.run(kernel, values, np.zeros_like(values), [1000], second=scalars)
    assert same_bits(result, operation(values, scalars))


def test_half_rounds_once_per_operation(machine: SimulatedMachine) -> None:
    left, right = drawn("float16", 5000, 3), drawn("float16", 5000, 4)
    result = machine.run(
        "half_operations", left, np.zeros(20000, np.float16), [5000], second=right
    ).reshape(-1, 4)
    with np.errstate(all="ignore"):
        expected = np.stack([left + right, left - right, left * right, left / right], axis=1)
    numbers = ~np.isnan(expected)
    assert same_bits(result[numbers], expected[numbers])
    assert np.array_equal(np.isnan(result), np.isnan(expected))


def test_mask_words_and_strides_choose_lanes(machine: SimulatedMachine) -> None:
    """128 lanes of half in 8 blocks; results 2 blocks apart, the second source repeats."""
    count = 1024
    left, right = np.arange(count).astype(np.float16), np.arange(count).astype(np.float16)[::-1]
    words = (0x0000FFFF, 0x80000001, 0x00F00000, 0x00000003)
    lanes = [lane for lane in range(128) if words[lane // 32] >> lane % 32 & 1]
    expected = np.full(count, -1, np.float16)
    for repeat in range(3):
        for lane in lanes:
            block, element = divmod(lane, 16)
            to = (repeat * 17 + block * 2) * 16 + element
            expected[to] = left[(repeat * 8 + block) * 16 + element] + right[block * 16 + element]
    params = [count, *np.array(words, np.uint32).view(np.int32), 3, 2, 1, 1, 17, 8, 0]
    result = machine.run(
        "add_lanes", left, np.zeros_like(left), params, second=np.ascontiguousarray(right)
    )
    assert same_bits(result, expected)


def test_a_counted_mask_takes_the_first_lanes_of_each_repeat(machine: SimulatedMachine) -> None:
    values = np.arange(512, dtype=np.int32)
    result = machine.run("scalar_lanes", values, np.zeros_like(values), [512, 10, 4, 1, 1, 8, 16])
    expected = np.full((8, 64), -1, np.int32)
    expected[:4, :10] = values.reshape(8, 64)[::2, :10] + 1000
    expected[0, :10] *= 2
    assert same_bits(result, expected.ravel())


def test_duplicate_takes_a_mask_repeats_and_strides(machine: SimulatedMachine) -> None:
    result = machine.run(
        "duplicate_lanes",
        np.zeros(1024, np.float32),
        np.zeros(1024, np.float32),
        [1024, 12, 3, 2, 20],
    )
    expected = np.full((128, 8), -1, np.float32)
    for repeat in range(3):
        expected[repeat * 20] = 7.5
        expected[repeat * 20 + 2, :4] = 7.5
    assert same_bits(result, expected.ravel())


@pytest.mark.parametrize("count", TAILS)
@pytest.mark.parametrize(
    ("kernel", "dtype"),
    [
        ("float", "float32"),
        ("half", "uint16"),
        ("bfloat16_t", "uint16"),
        ("uint16_t", "uint16"),
        ("uint32_t", "uint32"),
    ],
)
def test_duplicate_fills_every_tail(
    machine: SimulatedMachine, kernel: str, dtype: str, count: int
) -> None:
    values = drawn(dtype, count, 5)
    result = machine.run(f"duplicate_{kernel}", values, np.zeros_like(values), [count])
    assert same_bits(result, np.full_like(values, values[0]))


def padded(
    blocks: list[bytes], left: bytes, right: bytes, stride: int, size: int, filler: bytes = b""
) -> bytes:
    """UB, zero before, as DataCopyPad leaves it: each block with its padding, then a filler up to
    32 bytes, poison without one.
    """
    memory = bytearray(size)
    offset = 0
    for block in blocks:
        body = left + block + right
        unit = -(-len(body) // 32) * 32
        filled = filler * 32 if filler else POISON.tobytes()[len(body) :]
        memory[offset : offset + unit] = body + filled[: unit - len(body)]
        offset += unit + stride * 32
    return bytes(memory)


@pytest.mark.parametrize("length", TAILS)
@pytest.mark.parametrize("is_pad", [False, True])
def test_data_copy_pad_fills_a_block_without_padding_with_its_first_element(
    machine: SimulatedMachine, length: int, is_pad: bool
) -> None:
    """What ``isPad`` makes of such a block is open."""
    source = (np.arange(1000) + 7).astype(np.int8)
    params = [1024, 1, length, 0, 0, int(is_pad), 0, 0, 3]
    result = machine.run("pad_in_int8", source, np.zeros(1024, np.uint8), params)
    filler = b"" if is_pad else source.tobytes()[:1]
    assert result.tobytes() == padded([source.tobytes()[:length]], b"", b"", 0, 1024, filler)


def test_each_block_without_padding_is_filled_with_its_own_first_element(
    machine: SimulatedMachine,
) -> None:
    source = np.arange(30, dtype=np.float32) + 1
    params = [256, 1, 20, 0, 0, 0, 0, 0, 0]
    result = machine.run("pad_in_float", source, np.zeros(64, np.uint8), [64, *params[1:]])
    assert result.view(np.float32).tolist() == [1, 2, 3, 4, 5, 1, 1, 1] + [0] * 8
    result = machine.run("pad_in_float", source, np.zeros(64, np.uint8), [64, 2, *params[2:]])
    assert result.view(np.float32).tolist() == [1, 2, 3, 4, 5, 1, 1, 1, 6, 7, 8, 9, 10, 6, 6, 6]


@pytest.mark.parametrize(
    "kernel", ["pad_in_half", "pad_in_narrow", "pad_in_narrow_half", "pad_in_narrow_bfloat16"]
)
@pytest.mark.parametrize("length", range(1, 40))
def test_data_copy_pad_joins_blocks_strides_and_padding(
    machine: SimulatedMachine, kernel: str, length: int
) -> None:
    """Three blocks of ``length`` elements of 2 bytes, 6 bytes apart in GM, 2 units apart in UB."""
    source = np.arange(300, dtype=np.int16)
    narrow = "narrow" in kernel  # takes the bits of the value
    value = np.array([0x1234], np.int16) if narrow else np.array([-3], np.float16)
    given = int(value[0])
    params = [1024, 3, 2 * length, 6, 2, 1, 3, 5, given]
    result = machine.run(kernel, source, np.zeros(1024, np.uint8), params)
    memory = source.tobytes()
    starts = [index * (2 * length + 6) for index in range(3)]
    blocks = [memory[start : start + 2 * length] for start in starts]
    element = value.tobytes()
    assert result.tobytes() == padded(blocks, 3 * element, 5 * element, 2, 1024, element)


def test_padding_without_is_pad_is_undefined_but_takes_its_place(machine: SimulatedMachine) -> None:
    source = np.arange(8, dtype=np.float32)
    params = [64, 1, 20, 0, 0, 0, 2, 1, 9]
    result = machine.run("pad_in_float", source, np.zeros(64, np.uint8), params)
    poison = POISON.tobytes()
    assert result.tobytes() == padded([source.tobytes()[:20]], poison[:8], poison[:4], 0, 64)


@pytest.mark.parametrize("is_pad", [False, True])
def test_padding_without_is_pad_has_the_value_that_was_set(
    machine: SimulatedMachine, is_pad: bool
) -> None:
    """Its own parameters win, and what was set for another size is none."""
    source = np.arange(8, dtype=np.float32)
    params = [64, 1, 20, 0, 0, int(is_pad), 2, 1, 9, 4]
    result = machine.run("pad_in_set_float", source, np.zeros(64, np.uint8), params)
    value = 9.0 if is_pad else 4.0
    assert result.view(np.float32).tolist() == [value] * 2 + [0, 1, 2, 3, 4, value] + [0] * 8
    result = machine.run("pad_in_set_half", source, np.zeros(64, np.uint8), params)
    assert (result[:8].tobytes() == POISON.tobytes()[:8]) != is_pad


@pytest.mark.parametrize("length", TAILS)
def test_data_copy_pad_writes_no_byte_beyond_its_blocks(
    machine: SimulatedMachine, length: int
) -> None:
    """Two blocks, one unit apart in UB, 5 bytes apart in GM."""
    source = np.random.default_rng(6).integers(0, 256, 2400, np.uint8)
    untouched = np.full(2400, 0xEE, np.uint8)
    result = machine.run("pad_out", source, untouched.copy(), [2400, 2, length, 1, 5])
    unit = -(-length // 32) * 32
    expected = untouched.copy()
    expected[:length] = source[:length]
    expected[length + 5 : 2 * length + 5] = source[unit + 32 : unit + 32 + length]
    assert same_bits(result, expected)


def test_data_copy_strides_count_32_byte_units(machine: SimulatedMachine) -> None:
    source = np.arange(256, dtype=np.uint8).repeat(4)
    fetched = machine.run("strided_in", source, np.zeros(512, np.uint8), [512, 3, 2, 1, 3])
    stored = machine.run("strided_out", source, np.zeros(512, np.uint8), [1024, 3, 2, 1, 3])
    units = source.reshape(-1, 32)
    expected_ub, expected_gm = POISON[:512].reshape(16, 32).copy(), np.zeros((16, 32), np.uint8)
    for expected in (expected_ub, expected_gm):
        for index in range(3):
            expected[5 * index : 5 * index + 2] = units[3 * index : 3 * index + 2]
    assert same_bits(fetched, expected_ub.ravel())
    assert same_bits(stored, expected_gm.ravel())


def test_a_fresh_buffer_holds_poison_whatever_was_there(machine: SimulatedMachine) -> None:
    result = machine.run("fresh_buffer", np.zeros(1), np.zeros(4096, np.uint8), [4096])
    assert same_bits(result, POISON[:4096])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, ml_dtypes.bfloat16])
def test_poison_is_a_nan_in_every_float_format(dtype: Any) -> None:
    assert np.isnan(POISON.view(dtype)).all()
