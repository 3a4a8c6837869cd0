"""Functions on elements at the same place: every dtype, tails, masks, strides, mask registers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.simulator.correctly_rounded import exp, ln, rsqrt
from tests.simulator.lanes import mask_of, offsets, run_staged
from tests.simulator.simulated_machine import SimulatedMachine
from tests.simulator.test_language import drawn, same_bits

DTYPES = {"half": np.float16, "float": np.float32, "int16_t": np.int16, "int32_t": np.int32}
TAILS = [1, 15, 16, 17, 63, 64, 65, 127, 255, 1000]
Function = Callable[..., NDArray[Any]]


def shifted_left(values: NDArray[Any], places: NDArray[Any]) -> NDArray[Any]:
    """A signed number keeps its sign bit."""
    bits = values.dtype.itemsize * 8
    shifted = (values.astype(np.int64) << int(places.flat[0])) & ((1 << bits) - 1)
    if values.dtype.kind == "i":
        top = 1 << (bits - 1)
        shifted = shifted % top - np.where(values < 0, top, 0)
    return shifted.astype(values.dtype)


BINARY: dict[str, tuple[Function, list[str]]] = {
    "Add": (np.add, list(DTYPES)),
    "Sub": (np.subtract, list(DTYPES)),
    "Mul": (np.multiply, list(DTYPES)),
    "Div": (np.divide, ["half", "float"]),
    "Max": (np.maximum, list(DTYPES)),
    "Min": (np.minimum, list(DTYPES)),
    "And": (np.bitwise_and, ["int16_t", "uint16_t"]),
    "Or": (np.bitwise_or, ["uint16_t"]),
}
SCALAR: dict[str, tuple[Function, list[str]]] = {
    "Adds": (np.add, list(DTYPES)),
    "Muls": (np.multiply, list(DTYPES)),
    "Maxs": (np.maximum, list(DTYPES)),
    "Mins": (np.minimum, list(DTYPES)),
    "ShiftLeft": (shifted_left, ["int16_t", "uint16_t", "int32_t", "uint32_t"]),
}
UNARY: dict[str, tuple[Function, list[str]]] = {
    "Abs": (np.abs, ["half", "float"]),
    "Exp": (exp, ["half", "float"]),
    "Ln": (ln, ["half", "float"]),
    "Sqrt": (np.sqrt, ["half", "float"]),
    "Rsqrt": (rsqrt, ["half", "float"]),
    "Not": (np.bitwise_not, ["int16_t", "uint16_t"]),
    "Reciprocal": (np.reciprocal, ["half", "float"]),
}


def every(table: dict[str, tuple[Function, list[str]]]) -> list[tuple[str, str]]:
    return [(name, dtype) for name, (_, dtypes) in table.items() for dtype in dtypes]


def dtype_of(name: str) -> Any:
    return np.dtype(DTYPES.get(name, name.removesuffix("_t")))


def agree(result: NDArray[Any], expected: NDArray[Any]) -> bool:
    """The same bits; a NaN may have any payload, and a zero of max and min any sign."""
    if expected.dtype.kind != "f":
        return same_bits(result, expected)
    return result.dtype == expected.dtype and bool(np.array_equal(result, expected, equal_nan=True))


def scalar_for(name: str, dtype: Any) -> NDArray[Any]:
    return np.full(32, 3 if name == "ShiftLeft" else 5).astype(dtype)


@pytest.mark.parametrize(("name", "dtype"), every(BINARY))
def test_two_operands_by_count(machine: SimulatedMachine, name: str, dtype: str) -> None:
    kind = dtype_of(dtype)
    for count in TAILS:
        left, right = drawn(kind.name, count + 3, count), drawn(kind.name, count + 3, count + 1)
        before = drawn(kind.name, count + 3, count + 2)
        result = run_staged(
            machine, f"{name}_{dtype}_count", left, before.copy(), [count], second=right
        )
        with np.errstate(all="ignore"):
            computed = BINARY[name][0](left[:count], right[:count])
        assert agree(result[:count], computed.astype(kind))
        assert same_bits(result[count:], before[count:])


@pytest.mark.parametrize(("name", "dtype"), every(BINARY))
def test_two_operands_by_repeats(machine: SimulatedMachine, name: str, dtype: str) -> None:
    """Three repeats; the result's blocks are 2 apart, the second operand repeats the same block."""
    kind = dtype_of(dtype)
    rng = np.random.default_rng(kind.itemsize)
    lanes = sorted(int(lane) for lane in rng.permutation(256 // kind.itemsize)[:29])
    size = 60 * 32 // kind.itemsize
    left, right, before = (drawn(kind.name, size, seed) for seed in (1, 2, 3))
    strides = [2, 1, 0, 17, 9, 3]
    result = run_staged(
        machine,
        f"{name}_{dtype}_lanes",
        left,
        before.copy(),
        [*mask_of(lanes), 3, *strides],
        second=right,
    )
    to, one, other = (
        offsets(kind.itemsize, lanes, 3, strides[index], strides[index + 3]) for index in range(3)
    )
    expected = before.copy()
    with np.errstate(all="ignore"):
        expected[to] = BINARY[name][0](left[one], right[other])
    assert agree(result, expected)


@pytest.mark.parametrize(("name", "dtype"), every(SCALAR) + every(UNARY))
def test_one_operand_by_count(machine: SimulatedMachine, name: str, dtype: str) -> None:
    kind = dtype_of(dtype)
    function, _ = (SCALAR | UNARY)[name]
    scalar = scalar_for(name, kind)
    for count in TAILS:
        values, before = drawn(kind.name, count + 3, count), drawn(kind.name, count + 3, 9)
        result = run_staged(
            machine, f"{name}_{dtype}_count", values, before.copy(), [count], second=scalar
        )
        with np.errstate(all="ignore"):
            arguments = [scalar[:1]] if name in SCALAR else []
            computed = function(values[:count], *arguments)
        assert agree(result[:count], computed.astype(kind))
        assert same_bits(result[count:], before[count:])


@pytest.mark.parametrize(("name", "dtype"), [*every(SCALAR), *every(UNARY), ("Copy", "int16_t")])
def test_one_operand_by_repeats(machine: SimulatedMachine, name: str, dtype: str) -> None:
    kind = dtype_of(dtype)
    rng = np.random.default_rng(kind.itemsize + 1)
    lanes = sorted(int(lane) for lane in rng.permutation(256 // kind.itemsize)[:31])
    size = 80 * 32 // kind.itemsize
    values, before = drawn(kind.name, size, 4), drawn(kind.name, size, 5)
    scalar = scalar_for(name, kind)
    params = [*mask_of(lanes), 4, 1, 2, 11, 16]
    result = run_staged(
        machine, f"{name}_{dtype}_lanes", values, before.copy(), params, second=scalar
    )
    to, source = (offsets(kind.itemsize, lanes, 4, *pair) for pair in ((1, 11), (2, 16)))
    function = (SCALAR | UNARY)[name][0] if name != "Copy" else np.copy
    expected = before.copy()
    with np.errstate(all="ignore"):
        arguments = [scalar[:1]] if name in SCALAR else []
        expected[to] = function(values[source], *arguments).astype(kind)
    assert agree(result, expected)


def strided_sum(
    first: NDArray[Any], second: NDArray[Any], lanes: list[list[int]], strides: list[int]
) -> NDArray[Any]:
    """What Add leaves in zeros; ``lanes``: those of each repeat."""
    expected = np.zeros_like(first)
    for repeat, active in enumerate(lanes):
        to, one, other = (
            offsets(2, active, 1, strides[index], 0) + repeat * strides[index + 3] * 16
            for index in range(3)
        )
        expected[to] = first[one] + second[other]
    return expected


def test_the_mask_register_chooses_lanes(machine: SimulatedMachine) -> None:
    first, second = np.arange(512, dtype=np.float16), np.ones(512, np.float16)
    lanes = [0, 5, 63, 64, 100, 127]
    params = [*mask_of(lanes), 2, 1, 1, 1, 8, 16, 8]
    result = run_staged(
        machine, "Add_by_sticky_mask", first, np.zeros_like(first), params, second=second
    )
    assert same_bits(result, strided_sum(first, second, [lanes] * 2, params[5:]))


def test_the_mask_register_is_reset_to_all_lanes(machine: SimulatedMachine) -> None:
    values = np.arange(256, dtype=np.int32)
    result = run_staged(machine, "Adds_by_sticky_length", values, np.zeros_like(values), [10])
    expected = np.zeros((4, 64), np.int32)
    expected[:2, :10] = values.reshape(4, 64)[:2, :10] + 1
    expected[2] = values[:64] + 2
    assert same_bits(result, expected.ravel())


@pytest.mark.parametrize("kernel", ["Add_in_counter_mode", "Add_of_a_counted_mask"])
@pytest.mark.parametrize("count", [1, 127, 128, 129, 300])
def test_counter_mode_repeats_as_often_as_it_takes(
    machine: SimulatedMachine, kernel: str, count: int
) -> None:
    """Strides still hold: the result's repeats are 9 blocks apart."""
    first, second = np.arange(512, dtype=np.float16), np.ones(512, np.float16)
    strides = [1, 1, 1, 9, 8, 8]
    result = run_staged(
        machine, kernel, first, np.zeros_like(first), [count, 0, 0, 0, 0, *strides], second=second
    )
    lanes = [list(range(min(128, count - start))) for start in range(0, count, 128)]
    assert same_bits(result, strided_sum(first, second, lanes, strides))


def test_a_call_by_count_takes_the_mask_registers_count(machine: SimulatedMachine) -> None:
    values = np.arange(256, dtype=np.float16)
    result = run_staged(machine, "Muls_of_a_sticky_count", values, np.zeros_like(values), [77])
    assert same_bits(result, np.where(np.arange(256) < 77, 3 * values, 0).astype(np.float16))


def test_the_scalar_unit_converts_bfloat16(machine: SimulatedMachine) -> None:
    values = np.arange(-50, 50).astype(ml_dtypes.bfloat16)
    result = machine.run("scalar_bfloat16", values, np.zeros_like(values), [100])
    assert same_bits(result, values + values)
