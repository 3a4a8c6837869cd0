"""Cast rounds once, in every mode, judged by the list of all values of the narrower format."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.simulator.simulated_machine import SimulatedMachine
from tests.simulator.test_language import drawn, same_bits

NONE, RINT, FLOOR, CEIL, ROUND, TRUNC, ODD = range(7)
FORMATS = {"half": np.dtype(np.float16), "bfloat16": np.dtype(ml_dtypes.bfloat16)}
EVERY_PATTERN = np.arange(65536, dtype=np.uint16)


def magnitudes(dtype: np.dtype[Any]) -> NDArray[np.float64]:
    """All finite magnitudes of a 16-bit format in order, index = bits, and the next beyond them."""
    infinity = int(np.array(np.inf, dtype).view(np.uint16))
    finite = EVERY_PATTERN[:infinity].view(dtype).astype(np.float64)
    return np.append(finite, 2 * finite[-1] - finite[-2])


def rounded(values: NDArray[np.float32], dtype: np.dtype[Any], mode: int) -> NDArray[np.uint16]:
    """Bits of each value in the format: its two neighbours are looked up and one is chosen."""
    grid = magnitudes(dtype)
    negative = np.signbit(values)
    exact = np.abs(values.astype(np.float64))
    clipped = np.minimum(exact, grid[-1])
    lower = np.searchsorted(grid, clipped, side="right") - 1
    inexact = grid[lower] != clipped
    upper = np.minimum(lower + inexact, len(grid) - 1)
    below, above = clipped - grid[lower], grid[upper] - clipped
    up: Any = {
        NONE: (above < below) | ((above == below) & (lower % 2 == 1)),
        RINT: (above < below) | ((above == below) & (lower % 2 == 1)),
        FLOOR: negative,
        CEIL: ~negative,
        ROUND: above <= below,
        TRUNC: np.False_,
        ODD: lower % 2 == 0,
    }[mode]
    chosen = np.where(inexact & up, upper, lower)
    towards_zero: Any = {FLOOR: ~negative, CEIL: negative, TRUNC: np.True_, ODD: np.True_}
    kept_finite = towards_zero.get(mode, np.False_) & np.isfinite(values)
    chosen = np.where(kept_finite, np.minimum(chosen, len(grid) - 2), chosen)
    bits: NDArray[np.uint16] = (chosen + 0x8000 * negative).astype(np.uint16)
    return bits


def difficult(dtype: np.dtype[Any]) -> NDArray[np.float32]:
    """Every value of the format, every midpoint, their fp32 neighbours, and random bit patterns."""
    grid = magnitudes(dtype)
    with np.errstate(over="ignore"):
        points = np.concatenate([grid, (grid[1:] + grid[:-1]) / 2]).astype(np.float32)
        around = [np.nextafter(points, np.float32(side)) for side in (0, np.inf)]
    both = np.concatenate([points, *around, drawn("float32", 100_000, 7), [np.float32(np.inf)]])
    return np.concatenate([both, -both]).astype(np.float32)


@pytest.mark.parametrize("name", FORMATS)
def test_widening_is_exact_for_all_65536_patterns(machine: SimulatedMachine, name: str) -> None:
    result = machine.run(
        f"cast_{name}_to_float", EVERY_PATTERN, np.zeros(65536, np.float32), [65536, NONE]
    )
    with np.errstate(invalid="ignore"):  # aarch64 tells of signalling NaNs, x86-64 does not
        expected = EVERY_PATTERN.view(FORMATS[name]).astype(np.float32)
    numbers = ~np.isnan(expected)
    assert same_bits(result[numbers], expected[numbers])
    payload = 10 if name == "half" else 7
    kept = result.view(np.uint32)[~numbers] >> (23 - payload)
    assert np.array_equal(
        kept & ((1 << payload) - 1), EVERY_PATTERN[~numbers] & ((1 << payload) - 1)
    )
    assert np.isnan(result[~numbers]).all()


@pytest.mark.parametrize("name", FORMATS)
def test_rint_is_the_rounding_of_the_reference_libraries(
    machine: SimulatedMachine, name: str
) -> None:
    """All midpoints and their neighbours, beyond the range too: overflow goes to infinity."""
    values = difficult(FORMATS[name])
    result = machine.run(
        f"cast_float_to_{name}", values, np.zeros(len(values), np.uint16), [len(values), RINT]
    )
    with np.errstate(over="ignore"):
        assert same_bits(result, values.astype(FORMATS[name]).view(np.uint16))


@pytest.mark.parametrize(
    ("name", "mode"),
    [("half", mode) for mode in range(7)] + [("bfloat16", mode) for mode in range(RINT, ODD)],
)
def test_every_mode_chooses_its_neighbour(machine: SimulatedMachine, name: str, mode: int) -> None:
    values = difficult(FORMATS[name])
    result = machine.run(
        f"cast_float_to_{name}", values, np.zeros(len(values), np.uint16), [len(values), mode]
    )
    assert same_bits(result, rounded(values, FORMATS[name], mode))


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("mode", [RINT, TRUNC])
def test_nan_narrows_to_a_quiet_nan_of_its_sign(
    machine: SimulatedMachine, name: str, mode: int
) -> None:
    bits = np.array([0x7F800001, 0x7FC00000, 0xFFFFFFFF, 0xFF800001], np.uint32)
    result = machine.run(f"cast_float_to_{name}", bits, np.zeros(4, np.uint16), [4, mode])
    assert np.isnan(result.view(FORMATS[name])).all()
    assert (result & (0x0200 if name == "half" else 0x0040)).all()
    assert (result >> 15).tolist() == [0, 0, 1, 1]


def test_the_saturating_overflow_mode_ends_at_the_largest_half(machine: SimulatedMachine) -> None:
    values = np.array([65504, 65520, -1e30, np.inf, 65519.996], np.float32)
    result = machine.run("narrow_saturating", values, np.zeros(5, np.uint16), [5])
    assert result.view(np.float16).tolist() == [65504, 65504, -65504, np.inf, 65504]


ROUNDINGS: dict[int, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    RINT: np.rint,
    FLOOR: np.floor,
    CEIL: np.ceil,
    TRUNC: np.trunc,
    ROUND: lambda values: np.copysign(np.floor(np.abs(values) + 0.5), values),
}


@pytest.mark.parametrize("mode", ROUNDINGS)
def test_float_to_float_rounds_to_integers(machine: SimulatedMachine, mode: int) -> None:
    values = np.concatenate([np.arange(-9, 9, 0.25), [1e30, -0.25, np.inf]]).astype(np.float32)
    result = machine.run("cast_float_to_float", values, np.zeros_like(values), [len(values), mode])
    assert same_bits(result, ROUNDINGS[mode](values.astype(np.float64)).astype(np.float32))


@pytest.mark.parametrize("mode", ROUNDINGS)
@pytest.mark.parametrize("name", ["float", "half"])
def test_integers_saturate_and_nan_becomes_zero(
    machine: SimulatedMachine, name: str, mode: int
) -> None:
    dtype = np.float32 if name == "float" else np.float16
    ordinary = np.concatenate([np.arange(-9, 9, 0.25), [2048.5, -2049.5]])
    beyond = [np.inf, -np.inf, np.nan] + ([3e9, -3e9, 2147483648, -2147483648] * (name == "float"))
    values = np.concatenate([ordinary, beyond]).astype(dtype)
    result = machine.run(
        f"cast_{name}_to_int32", values, np.zeros(len(values), np.int32), [len(values), mode]
    )
    exact = np.nan_to_num(ROUNDINGS[mode](values.astype(np.float64)), posinf=2**40, neginf=-(2**40))
    assert same_bits(result, np.clip(exact, -(2**31), 2**31 - 1).astype(np.int32))


@pytest.mark.parametrize("mode", [NONE, *ROUNDINGS])
def test_int32_to_float_rounds_in_its_mode(machine: SimulatedMachine, mode: int) -> None:
    edges = [0, 1, -1, 2**24, 2**24 + 1, 2**24 + 3, 2**31 - 1, -(2**31), -(2**31) + 1, 2**25 + 2]
    values = np.concatenate([edges, drawn("int32", 5000, 8)]).astype(np.int32)
    result = machine.run(
        "cast_int32_to_float", values, np.zeros(len(values), np.float32), [len(values), mode]
    )
    exact = values.astype(np.float64)
    nearest = values.astype(np.float32)
    lower = np.where(nearest > exact, np.nextafter(nearest, np.float32(-np.inf)), nearest)
    upper = np.where(nearest < exact, np.nextafter(nearest, np.float32(np.inf)), nearest)
    away = np.where(exact < 0, lower, upper)
    tie = exact - lower == upper.astype(np.float64) - exact
    expected: Any = {
        NONE: nearest,
        RINT: nearest,
        FLOOR: lower,
        CEIL: upper,
        TRUNC: np.where(exact < 0, upper, lower),
        ROUND: np.where(tie, away, nearest),
    }[mode]
    assert same_bits(result, expected.astype(np.float32))


@pytest.mark.parametrize("repeats", [1, 2, 5, 100])
def test_widening_in_place_is_right_from_the_upper_half(
    machine: SimulatedMachine, repeats: int
) -> None:
    values = np.arange(64 * repeats).astype(np.float16)
    result = machine.run("widen_in_place", values, np.zeros(values.size, np.float32), [repeats])
    assert same_bits(result, values.astype(np.float32))


def test_a_repeat_of_cast_holds_256_bytes_of_the_wider_dtype(machine: SimulatedMachine) -> None:
    values = np.arange(256).astype(np.float16)
    result = machine.run("cast_lanes", values, np.zeros(256, np.float32), [256, 50, 3])
    expected = np.full((4, 64), -1, np.float32)
    expected[:3, :50] = values.reshape(4, 64)[:3, :50]
    assert same_bits(result, expected.ravel())
