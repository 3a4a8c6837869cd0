"""Families of values for tensors whose rows are what a sigmoid gave, and become weights.

Each is made for a whole row, and is the only stripe of its recipe.
"""

from __future__ import annotations

import numpy as np

from conformance.values.floats import Columns, Family
from reference.floats import Format

Generator = np.random.Generator
Shape = tuple[int, int]

COLD = 46.0
"""exp(-46) is 1e-20, the eps of most models."""


def _sigmoids(generator: Generator, shape: Shape, fmt: Format, terms: int) -> Columns:
    """Sigmoids of normal values."""
    return _sigmoid(2.0 * generator.standard_normal(shape))


def _eighths(generator: Generator, shape: Shape, fmt: Format, terms: int) -> Columns:
    """1/8 to 7/8: numbers to work out by hand, whose sums are exact."""
    return np.asarray(generator.integers(1, 8, shape) / 8.0)


def _ends(generator: Generator, shape: Shape, fmt: Format, terms: int) -> Columns:
    """0 and 1, what is nearest to them, and 1/2: whole rows of one of them, too."""
    among = np.array([0.0, 1.0, 0.5, 1.0 - 2.0**-24, 2.0**-24, 2.0**-126, 2.0**-149])
    some = generator.integers(0, len(among), shape)
    alike = generator.random((shape[0], 1)) < 0.2
    return among[np.where(alike, some[:, :1], some)]


def _cold(generator: Generator, shape: Shape, fmt: Format, terms: int) -> Columns:
    """Sigmoids far below 0, about 1e-20: an eps of that size is half of a sum."""
    return _sigmoid(generator.standard_normal(shape) - COLD)


def _poisoned(generator: Generator, shape: Shape, fmt: Format, terms: int) -> Columns:
    """Sigmoids, but NaN or an infinity in the first column of two rows of three: what chose another
    expert must not see it."""
    values = _sigmoids(generator, shape, fmt, terms)
    kinds = np.resize([np.nan, np.inf, 0.5], shape[0])
    values[:, :1] = kinds[:, None]
    return values


def _sigmoid(values: Columns) -> Columns:
    return np.asarray(1.0 / (1.0 + np.exp(-values)))


GATES: dict[str, Family] = {
    "sigmoids": _sigmoids,
    "eighths": _eighths,
    "ends": _ends,
    "cold": _cold,
    "poisoned": _poisoned,
}
"""The families by name."""
