"""Functions such as Exp and Div by each implementation that a machine may have of them."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from conformance.call.case import FUNCTIONS
from conformance.devices.function_traits import SIMULATED
from tests.simulator.correctly_rounded import exp, ln, rsqrt
from tests.simulator.lanes import run_staged
from tests.simulator.simulated_machine import INVALID_PARAMETER, SimulatedMachine

LEAST_NORMAL = np.float32(2.0**-126)
NAMES = ("Exp", "Ln", "Sqrt", "Rsqrt", "Reciprocal", "Div")
DECIMAL = {"Exp": exp, "Ln": ln, "Rsqrt": rsqrt}
DTYPES = {"float": np.dtype(np.float32), "half": np.dtype(np.float16)}
BATCH = 4096
"""Elements of one launch."""

RANGES = {"Exp": (-110.0, 95.0), "Div": (-1e30, 1e30)}
Operands = tuple[NDArray[Any], NDArray[Any]]


@pytest.fixture
def any_functions(machine: SimulatedMachine) -> Iterator[SimulatedMachine]:
    """The machine, which computes as before afterwards."""
    yield machine
    machine.choose_functions("rounded")


@functools.cache
def operands(name: str, dtype: str) -> Operands:
    """Values of all magnitudes and close to 1, a range of the function's, and special ones."""
    kind, rng = DTYPES[dtype], np.random.default_rng(5)
    low, high = RANGES.get(name, (0.0, 100.0))
    if dtype == "half":
        every = np.arange(1 << 16, dtype=np.uint16).view(kind)
        every = every[~np.isnan(every)]
        return every, rng.permutation(every)
    bits = rng.integers(0, 0x7F800000, 2 * BATCH).astype(np.uint32)
    signed = bits | (rng.integers(0, 2, bits.size).astype(np.uint32) << 31)
    special = np.array([0, -0.0, 1, np.inf, -np.inf, 1e-45, -1e-45, 3e38, 104, -104], kind)
    drawn = [signed.view(kind), rng.uniform(low, high, 2 * BATCH), rng.normal(1, 1e-3, 500)]
    values = np.concatenate([*(one.astype(kind) for one in drawn), special])
    return values, rng.permutation(values)


def computed(
    machine: SimulatedMachine, name: str, dtype: str, pair: Operands, functions: str
) -> NDArray[Any]:
    """What a kernel of that one function makes of the operands."""
    machine.choose_functions(functions)
    parts = []
    for start in range(0, pair[0].size, BATCH):
        left, right = (one[start : start + BATCH] for one in pair)
        zeros = np.zeros_like(left)
        kernel = f"{name}_{dtype}_count"
        parts.append(run_staged(machine, kernel, left, zeros, [left.size], second=right))
    return np.concatenate(parts)


@functools.cache
def rounded(name: str, dtype: str) -> NDArray[Any]:
    """The correctly rounded results of `operands`: decimals of many digits, which take long."""
    left, right = operands(name, dtype)
    with np.errstate(all="ignore"):
        if name in DECIMAL:
            return DECIMAL[name](left)
        found = {"Sqrt": np.sqrt(left), "Reciprocal": 1 / left, "Div": left / right}[name]
        return found.astype(left.dtype)


def places(values: NDArray[Any]) -> NDArray[np.int64]:
    """Values as places of their grid: both zeros are one."""
    bits = values.view(f"i{values.dtype.itemsize}").astype(np.int64)
    return np.where(bits < 0, -(bits & np.iinfo(f"i{values.dtype.itemsize}").max), bits)


def steps(result: NDArray[Any], correct: NDArray[Any]) -> NDArray[np.int64]:
    """How many places each result lies above the correct one; NaN is at its own place."""
    assert (np.isnan(result) == np.isnan(correct)).all()
    number = ~np.isnan(correct)
    return (places(result) - places(correct))[number]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", NAMES)
def test_each_implementation_lies_where_it_says(
    any_functions: SimulatedMachine, name: str, dtype: str
) -> None:
    pair = operands(name, dtype)
    correct = rounded(name, dtype)
    seen = {one: computed(any_functions, name, dtype, pair, one) for one in FUNCTIONS}
    number = ~np.isnan(correct)
    assert seen["rounded"][number].tobytes() == correct[number].tobytes()
    off = {one: steps(result, correct) for one, result in seen.items()}
    assert set(off["high"]) == {0, 1}
    assert set(off["low"]) == {0, -1}
    assert set(off["hashed"]) == {-1, 0, 1}
    shares = [np.mean(off["hashed"] == one) for one in (-1, 0, 1)]
    assert min(shares[::2]) > 0.2
    least = LEAST_NORMAL if dtype == "float" else np.float32(0)
    with np.errstate(invalid="ignore"):
        small = np.abs(correct.astype(np.float32)) < least
    assert (seen["flushed"][small] == 0).all()
    assert (np.signbit(seen["flushed"][small]) == np.signbit(correct[small])).all()
    kept = number & ~small
    assert seen["flushed"][kept].tobytes() == correct[kept].tobytes()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("functions", FUNCTIONS)
def test_each_implementation_keeps_what_the_simulator_declares(
    any_functions: SimulatedMachine, name: str, functions: str
) -> None:
    declared = SIMULATED.by_name.get(name.lower(), SIMULATED.sqrt)  # no contract names Rsqrt
    assert declared.steps is not None
    assert declared.uniform
    left, right = operands(name, "float")
    order = np.random.default_rng(1).permutation(left.size)
    correct = rounded(name, "float")
    result = computed(any_functions, name, "float", (left, right), functions)
    near = np.abs(places(result) - places(correct)) <= declared.steps
    flushed = (np.abs(correct) < LEAST_NORMAL) & (result == 0) & declared.flush
    assert (near | flushed | np.isnan(correct)).all()
    moved = computed(any_functions, name, "float", (left[order], right[order]), functions)
    assert moved.tobytes() == result[order].tobytes()


def test_exact_zeros_infinities_and_signs_stay(any_functions: SimulatedMachine) -> None:
    special = np.array([0, -0.0, np.inf, -np.inf, 1], np.float32)
    for functions in FUNCTIONS:
        one = computed(any_functions, "Ln", "float", (special, special), functions)
        assert one[[0, 1, 2, 4]].tolist() == [-np.inf, -np.inf, np.inf, 0]
        one = computed(any_functions, "Exp", "float", (special, special), functions)
        assert one[2:4].tolist() == [np.inf, 0]
        one = computed(any_functions, "Reciprocal", "float", (special, special), functions)
        assert np.array_equal(np.signbit(one), np.signbit(special))
        assert one[:4].tolist() == [np.inf, -np.inf, 0, -0.0]


@pytest.mark.parametrize("functions", ["high", "low", "hashed"])
def test_functions_that_are_made_of_others_follow(
    any_functions: SimulatedMachine, functions: str
) -> None:
    values = np.linspace(-9, 9, 96).astype(np.float32)

    def results(name: str) -> dict[str, bytes]:
        any_functions.choose_functions(name)
        shape, zeros = [6, 16, 6, 16], np.zeros_like(values)
        return {
            "sigmoid": run_staged(any_functions, "Sigmoid_float", values, zeros, [96]).tobytes(),
            "softmax": run_staged(
                any_functions, "SoftMax_in_place", values, values.copy(), shape
            ).tobytes(),
            "flash": run_staged(
                any_functions,
                "SoftmaxFlashV2_float",
                np.resize(values, 2 * 96),
                np.zeros(2 * 96 * 4 + 3 * 6 * 32, np.uint8),
                shape,
            ).tobytes(),
        }

    first, other = results("rounded"), results(functions)
    assert [name for name in first if first[name] == other[name]] == []


@pytest.mark.parametrize("name", [b"", b"Rounded", b"nearest", None])
def test_another_name_is_refused(machine: SimulatedMachine, name: bytes | None) -> None:
    assert machine.c.ascendsimFunctions(name) == INVALID_PARAMETER
