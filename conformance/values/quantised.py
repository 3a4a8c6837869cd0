"""Families of values for tensors whose rows are quantised: each row by a scale of its own.

Each is made for a whole row, and is the only stripe of its recipe. The largest magnitude of a row
is 0 or normal in every format, and rows side by side have largest magnitudes of other powers of
two. A scale that is a power of two comes from a largest magnitude of 127 times it.
"""

from __future__ import annotations

import numpy as np

from conformance.values.floats import Columns, Family
from reference.floats import Format

Generator = np.random.Generator
Shape = tuple[int, int]

POWERS = np.arange(-8, 9)
"""Exponents of the scales of rows: 128 times the largest is a number of every format, and so is a
half of the smallest."""


def _ties(generator: Generator, shape: Shape, fmt: Format, terms: int) -> Columns:
    """A power of two times 127 in one column, and times k + 1/2 in the others."""
    return _with_most(generator, _halves(generator, shape)) * _scales(generator, shape)


def _near_ties(generator: Generator, shape: Shape, fmt: Format, terms: int) -> Columns:
    """The same, but k + 1/2 is moved by one step of the format to either side, or by none."""
    halves = _halves(generator, shape)
    step = np.exp2(np.floor(np.log2(np.abs(halves))) + 1 - fmt.precision)
    moved = halves + step * generator.integers(-1, 2, shape)
    return _with_most(generator, moved) * _scales(generator, shape)


def _one_live(generator: Generator, shape: Shape, fmt: Format, terms: int) -> Columns:
    """Zeros but for one column."""
    values = np.zeros(shape)
    if shape[1]:
        at = generator.integers(0, shape[1], shape[0])
        values[np.arange(shape[0]), at] = _away_from_zero(generator, shape)[:, 0]
    return values * _scales(generator, shape)


def _late_peak(generator: Generator, shape: Shape, fmt: Format, terms: int) -> Columns:
    """Normal values, and in the last column one of 64 to 124, of either sign."""
    values = generator.standard_normal(shape)
    values[:, -1:] = 64 * _away_from_zero(generator, shape)[:, -1:]
    return values * _scales(generator, shape)


def _zero_rows(generator: Generator, shape: Shape, fmt: Format, terms: int) -> Columns:
    """Normal values in every other row, zeros in the rest, from the first or the second row on."""
    first = generator.integers(0, 2)
    values = _away_from_zero(generator, shape) * generator.random(shape)
    values[first::2] = 0.0
    return values * _scales(generator, shape)


def _all_negative(generator: Generator, shape: Shape, fmt: Format, terms: int) -> Columns:
    """Negative values alone: the largest magnitude is not the largest value."""
    return np.asarray(-np.abs(_away_from_zero(generator, shape)) * _scales(generator, shape))


def _halves(generator: Generator, shape: Shape) -> Columns:
    """k + 1/2 of either sign below 127."""
    return np.asarray(generator.integers(-127, 127, shape) + 0.5)


def _with_most(generator: Generator, values: Columns) -> Columns:
    """The same with 127 or -127 in one column of each row."""
    rows, columns = values.shape
    if columns:
        at = generator.integers(0, columns, rows)
        values[np.arange(rows), at] = generator.choice([-127.0, 127.0], rows)
    return values


def _away_from_zero(generator: Generator, shape: Shape) -> Columns:
    """From 1 to 31/16, of either sign: what no format rounds to 2."""
    signs: Columns = generator.choice([-1.0, 1.0], shape)
    return (1.0 + 0.9375 * generator.random(shape)) * signs


def _scales(generator: Generator, shape: Shape) -> Columns:
    """A power of two for each row, another one for the next."""
    powers = np.resize(generator.permutation(POWERS), shape[0])
    return np.exp2(powers.astype(np.float64))[:, None]


QUANTISED: dict[str, Family] = {
    "ties": _ties,
    "near ties": _near_ties,
    "one live": _one_live,
    "late peak": _late_peak,
    "zero rows": _zero_rows,
    "all negative": _all_negative,
}
"""The families by name."""
