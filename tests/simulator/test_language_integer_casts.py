"""Cast from and to integers: every 16-bit pattern, saturation, one rounding in every mode."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.simulator.simulated_machine import SimulatedMachine
from tests.simulator.test_language import drawn, same_bits
from tests.simulator.test_language_casts import (
    CEIL,
    FLOOR,
    NONE,
    ODD,
    RINT,
    ROUND,
    ROUNDINGS,
    TRUNC,
    rounded,
)

EVERY_PATTERN = np.arange(65536, dtype=np.uint16)
FORMATS = {
    "float": np.dtype(np.float32),
    "half": np.dtype(np.float16),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
}


def saturated(values: NDArray[np.float64], kind: np.dtype[Any]) -> NDArray[Any]:
    """Integers as floats to a dtype: NaN becomes 0, what lies beyond becomes the end."""
    ends = np.iinfo(kind)
    low, high = values < float(ends.min), values >= float(ends.max) + (kind.itemsize < 8)
    inside = np.where(low | high | np.isnan(values), 0, values).astype(kind)
    return np.where(high, ends.max, np.where(low, ends.min, inside)).astype(kind)


def difficult(kind: np.dtype[Any]) -> NDArray[np.float32]:
    """Ties, ends of the range and their fp32 neighbours, special values, random patterns."""
    end = 2.0 ** (8 * kind.itemsize - 1)
    points = [0, -0.0, 0.5, 1.5, 2.5, 1e-40, 126.5, 127.5, 128, 32766.5, 32767.5, end, end - 0.5]
    points += [2.0**23 + 1, 2.0**24 + 2, 3e38, np.inf, np.nan]
    values = np.array([*points, *(-np.array(points))], np.float32)
    around = [np.nextafter(values, np.float32(side)) for side in (-np.inf, np.inf)]
    return np.concatenate([values, *around, drawn("float32", 20_000, 8)])


@pytest.mark.parametrize("mode", ROUNDINGS)
@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("float", "int16"),
        ("float", "int64"),
        ("half", "int8"),
        ("half", "uint8"),
        ("half", "int16"),
        ("half", "int32"),
        ("bfloat16", "int32"),
    ],
)
def test_floats_are_rounded_to_integers_and_saturate(
    machine: SimulatedMachine, source: str, target: str, mode: int
) -> None:
    """All 65536 patterns of a 16-bit source."""
    kind = np.dtype(target)
    values = difficult(kind) if source == "float" else EVERY_PATTERN.view(FORMATS[source])
    result = machine.run(
        f"cast_{source}_to_{target}", values, np.zeros(values.size, kind), [values.size, mode]
    )
    with np.errstate(invalid="ignore"):
        integral = ROUNDINGS[mode](values.astype(np.float64))
    assert same_bits(result, saturated(integral, kind))


@pytest.mark.parametrize("mode", [NONE, *ROUNDINGS])
def test_int16_to_half_rounds_every_number(machine: SimulatedMachine, mode: int) -> None:
    values = EVERY_PATTERN.view(np.int16)
    result = machine.run("cast_int16_to_half", values, np.zeros(65536, np.uint16), [65536, mode])
    assert same_bits(result, rounded(values.astype(np.float32), FORMATS["half"], mode))


@pytest.mark.parametrize(
    ("source", "target"),
    [("int8", "half"), ("uint8", "half"), ("int16", "float"), ("int32", "int64")],
)
def test_exact_casts(machine: SimulatedMachine, source: str, target: str) -> None:
    kind = FORMATS.get(target, np.dtype(np.int64))
    values = np.arange(-40000, 40000).astype(source)
    result = machine.run(
        f"cast_{source}_to_{target}", values, np.zeros(values.size, kind), [values.size, NONE]
    )
    assert same_bits(result, values.astype(kind))


@pytest.mark.parametrize(("source", "target"), [("int32", "int16"), ("int64", "int32")])
def test_narrower_integers_saturate(machine: SimulatedMachine, source: str, target: str) -> None:
    ends = np.iinfo(target)
    edges = [0, -1, ends.max, ends.max + 1, ends.min, ends.min - 1]
    values = np.concatenate([np.array(edges, source), drawn(source, 5000, 3)])
    result = machine.run(
        f"cast_{source}_to_{target}", values, np.zeros(values.size, target), [values.size, NONE]
    )
    assert same_bits(result, np.clip(values, ends.min, ends.max).astype(target))


def neighbour(value: int, mode: int) -> float:
    """The fp32 number that an integer is rounded to, found with Python's exact integers."""
    size = abs(value)
    dropped = max(0, size.bit_length() - 24)
    kept, rest = divmod(size, 1 << dropped)
    twice = 2 * rest
    up = {
        RINT: twice > 1 << dropped or (twice == 1 << dropped and kept % 2 == 1),
        FLOOR: value < 0 and rest != 0,
        CEIL: value > 0 and rest != 0,
        ROUND: rest != 0 and twice >= 1 << dropped,
        TRUNC: False,
    }[mode]
    return float((-1 if value < 0 else 1) * ((kept + up) << dropped))


@pytest.mark.parametrize("mode", ROUNDINGS)
def test_int64_to_float_rounds_in_its_mode(machine: SimulatedMachine, mode: int) -> None:
    edges = [0, 1, -1, 2**24 + 1, 2**40 + 2**16, 2**40 + 2**16 + 1, 2**40 + 3 * 2**16, 2**62 + 1]
    edges += [-edge for edge in edges] + [2**63 - 1, -(2**63)]
    values = np.concatenate([np.array(edges, np.int64), drawn("int64", 3000, 4)])
    result = machine.run(
        "cast_int64_to_float", values, np.zeros(values.size, np.float32), [values.size, mode]
    )
    expected = np.array([neighbour(int(value), mode) for value in values], np.float32)
    assert same_bits(result, expected)


@pytest.mark.parametrize("scale", [1.0, 0.5, 0.1, -3.0, 6e-5])
@pytest.mark.parametrize("mode", [NONE, TRUNC, ODD])
def test_int32_to_half_multiplies_by_a_scale_and_ignores_the_mode(
    machine: SimulatedMachine, scale: float, mode: int
) -> None:
    factor = np.float16(scale)
    values = np.concatenate([np.arange(-3000, 3000), drawn("int32", 5000, 5)]).astype(np.int32)
    result = machine.run(
        "cast_int32_to_half",
        values,
        np.zeros(values.size, np.float16),
        [values.size, mode],
        second=np.full(8, factor),
    )
    with np.errstate(over="ignore"):
        expected = (values.astype(np.float64) * np.float64(factor)).astype(np.float16)
    assert same_bits(result, expected)
