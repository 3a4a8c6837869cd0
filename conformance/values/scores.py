"""Families of values for tensors whose rows are scores among which an operator selects.

Each is made for a whole row: what of it is equal, close, masked or special decides what a selection
shows. Such a family is the only stripe of its recipe.
"""

from __future__ import annotations

import numpy as np

from conformance.values.floats import Columns, Family
from reference.floats import Format

Generator = np.random.Generator
Shape = tuple[int, int]


def _separated(generator: Generator, shape: Shape, fmt: Format, terms: int) -> Columns:
    """Multiples of 2^-4 from -8 to 8 in random order, different ones in up to 256 columns: no
    device may confuse their exponentials."""
    ranks = generator.random(shape).argsort(axis=1) % 256
    return np.asarray(ranks / 16.0 - 8.0)


def _levels(generator: Generator, shape: Shape, fmt: Format, terms: int) -> Columns:
    """Two to four values a row: ties at every place of the selection."""
    rows, _ = shape
    levels = generator.integers(-32, 33, (rows, 4)) / 8.0
    count = generator.integers(2, 5, (rows, 1))
    taken: Columns = np.take_along_axis(levels, generator.integers(0, 4, shape) % count, axis=1)
    return taken


def _equal(generator: Generator, shape: Shape, fmt: Format, terms: int) -> Columns:
    """One value a row: the selection is that of the first positions."""
    level: Columns = generator.integers(-64, 65, (shape[0], 1)) / 8.0
    return np.repeat(level, shape[1], axis=1)


def _masked(generator: Generator, shape: Shape, fmt: Format, terms: int) -> Columns:
    """-infinity but for a few of each row, or but for none."""
    few = generator.integers(0, min(shape[1], 12) + 1, (shape[0], 1))
    ranks = generator.random(shape).argsort(axis=1).argsort(axis=1)
    return np.where(ranks < few, generator.standard_normal(shape), -np.inf)


def _one_special(generator: Generator, shape: Shape, fmt: Format, terms: int) -> Columns:
    """One NaN or +infinity in every other row: it must not leave its row."""
    values = generator.standard_normal(shape)
    rows = np.arange(0, shape[0], 2)
    if shape[1]:
        at = generator.integers(0, shape[1], rows.size)
        values[rows, at] = np.where(rows % 4, np.inf, np.nan)
    return values


def _close(generator: Generator, shape: Shape, fmt: Format, terms: int) -> Columns:
    """Neighbours of one value of each row, up to 24 steps of storage away: keys that a device may
    find equal, or in another order."""
    middle = np.exp2(generator.integers(-3, 3, (shape[0], 1)).astype(np.float64))
    steps = generator.integers(0, 25, shape)
    return np.asarray(middle * (1.0 + steps * 2.0 ** (1 - fmt.precision)))


def _wide(generator: Generator, shape: Shape, fmt: Format, terms: int) -> Columns:
    """Normal values of deviation 20: exponentials that vanish, sums of one term."""
    return generator.standard_normal(shape) * 20.0


def _offset(generator: Generator, shape: Shape, fmt: Format, terms: int) -> Columns:
    """Normal values far from zero, whose exponentials overflow unless the largest is subtracted."""
    far = np.array([100.0, -100.0, 1e4, 60.0])
    offsets: Columns = far[generator.integers(0, 4, (shape[0], 1))]
    return generator.standard_normal(shape) + offsets


def _vanishing(generator: Generator, shape: Shape, fmt: Format, terms: int) -> Columns:
    """Differences near -87.3 and -103.9, below which an exponential is subnormal, and zero."""
    below = np.where(generator.random(shape) < 0.5, -87.25, -103.875)
    values = below + generator.integers(-8, 9, shape) / 16.0
    if shape[1]:
        values[np.arange(shape[0]), generator.integers(0, shape[1], shape[0])] = 0.0
    return values


def _zero(generator: Generator, shape: Shape, fmt: Format, terms: int) -> Columns:
    """Zeros, of which every score is known: the biases alone select."""
    return np.zeros(shape)


def _shifts(generator: Generator, shape: Shape, fmt: Format, terms: int) -> Columns:
    """Biases that are different multiples of 2^-6 below 2, as far as there are so many: every sum
    with a score of 1/2 is exact."""
    ranks = generator.random(shape).argsort(axis=1) % 250
    return np.asarray((ranks - 125) / 64.0)


def _absorbs(generator: Generator, shape: Shape, fmt: Format, terms: int) -> Columns:
    """Biases of 2^12, in whose sums most differences of scores are lost."""
    return np.asarray(4096.0 + 32.0 * generator.integers(0, 2, shape), np.float64)


def _negative(generator: Generator, shape: Shape, fmt: Format, terms: int) -> Columns:
    """Biases from -4 to -2: every key is below what fills a place that has none."""
    return np.asarray(-4.0 + generator.integers(0, 129, shape) / 64.0)


def _duels(generator: Generator, shape: Shape, fmt: Format, terms: int) -> Columns:
    """Biases of groups of ``terms``: one high and the others below -2, or two slightly lower."""
    columns = np.arange(shape[1])
    place, group = columns % terms, columns // terms
    alone = generator.integers(0, 2, (shape[0], int(group.max(initial=0)) + 1))[:, group] == 1
    low = -3.0 + generator.integers(0, 33, shape) / 64.0
    high = np.where(alone, 1.75, 1.5) - group % 8 / 64.0
    return np.where(place < np.where(alone, 1, 2), high, low)


SCORES: dict[str, Family] = {
    "separated": _separated,
    "levels": _levels,
    "equal": _equal,
    "masked": _masked,
    "one special": _one_special,
    "close": _close,
    "wide": _wide,
    "offset": _offset,
    "vanishing": _vanishing,
    "zero": _zero,
    "shifts": _shifts,
    "absorbs": _absorbs,
    "negative": _negative,
    "duels": _duels,
}
"""The families by name."""
