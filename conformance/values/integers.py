"""Families of values for tensors of integers, which operators move and do not compute with."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from conformance.values.address_code import MOST_BITS, code_of

Numbers = NDArray[np.generic]
Generator = np.random.Generator

SMALL_BITS = 10
"""Bits of a small number at most: larger ones are no easier to read, and say no more."""

ENDS = 0.25
"""The share of ends among numbers of any bits."""


def small(generator: Generator, shape: tuple[int, int], dtype: np.dtype[np.generic]) -> Numbers:
    """Numbers up to a power of two that each column has of its own, none of them zero."""
    most = min(SMALL_BITS, _value_bits(dtype))
    limit = 2 ** generator.integers(1, most + 1, shape[1])
    numbers = generator.integers(1, limit, shape)
    if dtype.kind == "i":
        numbers = np.where(generator.integers(0, 2, shape) == 0, numbers, -numbers)
    return numbers.astype(dtype)


def ends(generator: Generator, shape: tuple[int, int], dtype: np.dtype[np.generic]) -> Numbers:
    """The least and the largest values, those beside them and beside zero, among small numbers."""
    chosen = _ends(generator, shape, dtype)
    return np.where(generator.random(shape) < ENDS, chosen, small(generator, shape, dtype))


def any_bits(generator: Generator, shape: tuple[int, int], dtype: np.dtype[np.generic]) -> Numbers:
    """Every pattern of the data type's bits is equally likely, but for its ends."""
    limits = np.iinfo(dtype)  # type: ignore[type-var]
    numbers = generator.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    return np.where(generator.random(shape) < ENDS, _ends(generator, shape, dtype), numbers)


def codes(
    seed: int, rows: NDArray[np.int64], columns: NDArray[np.int64], dtype: np.dtype[np.generic]
) -> Numbers:
    """What tells its row and column, of as many bits as the data type has for a value."""
    code = code_of(seed, min(_value_bits(dtype), MOST_BITS))
    # The largest code of int8, 128, becomes -128: the codes stay different, and none is zero.
    return code.values(rows[:, None], columns).astype(np.int64).astype(dtype)


def _ends(generator: Generator, shape: tuple[int, int], dtype: np.dtype[np.generic]) -> Numbers:
    limits = np.iinfo(dtype)  # type: ignore[type-var]
    among = [limits.min, limits.max, limits.min + 1, limits.max - 1, 0, 1]
    among += [-1] if dtype.kind == "i" else []
    return np.array(among, dtype)[generator.integers(0, len(among), shape)]


def _value_bits(dtype: np.dtype[np.generic]) -> int:
    return 8 * dtype.itemsize - 1


FAMILIES: dict[str, Callable[[Generator, tuple[int, int], np.dtype[np.generic]], Numbers]] = {
    "lattice": small,
    "special": ends,
    "bits": any_bits,
}
"""The families but for address codes, by the names that the same ideas have for floats."""
