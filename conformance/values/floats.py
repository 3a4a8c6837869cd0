"""Families of values for tensors of floats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.values.rounding_boundaries import knife
from reference.floats import Format, to_bits

Columns = NDArray[np.float64]
SIGNS = np.array([-1.0, 1.0])
ONES = np.array([1.0, -1.0, 0.5])

Family = Callable[[np.random.Generator, tuple[int, int], Format, int], Columns]


def _gaussian(
    generator: np.random.Generator, shape: tuple[int, int], fmt: Format, terms: int
) -> Columns:
    """Plain normal values: what users feed; shows wide errors and a changed order of addition."""
    return generator.standard_normal(shape)


def _scaled(
    generator: np.random.Generator, shape: tuple[int, int], fmt: Format, terms: int
) -> Columns:
    """Normal values times a power of two each: absorption, few significant bits in common."""
    reach = min(12, -fmt.emin - 2)
    return generator.standard_normal(shape) * np.exp2(generator.integers(-reach, reach + 1, shape))


def _lattice(
    generator: np.random.Generator, shape: tuple[int, int], fmt: Format, terms: int
) -> Columns:
    """Integers so small that any order of adding ``terms`` of them in fp32 is exact.

    Every column has its own number of bits, up to what storage and the sum can hold. None is zero:
    a slot too many or too few always shows.
    """
    most = max(1, min(fmt.precision, 24 - max(terms - 1, 0).bit_length()))
    limit = 2 ** generator.integers(1, most + 1, shape[1])
    signs = _chosen(generator, SIGNS, shape)
    signed: Columns = generator.integers(1, limit, shape) * signs
    return signed


def _cancellation(
    generator: np.random.Generator, shape: tuple[int, int], fmt: Format, terms: int
) -> Columns:
    """Big values of both signs among small ones: the sum lives in what a coarse sum loses."""
    big = 2.0 ** (fmt.precision if fmt.precision < 24 else 20)
    kind = generator.integers(0, 3, shape)
    small = generator.standard_normal(shape)
    return np.where(kind == 0, small, np.where(kind == 1, big, -big))


def _special(
    generator: np.random.Generator, shape: tuple[int, int], fmt: Format, terms: int
) -> Columns:
    """Zeros of both signs, subnormals, the largest finite values, infinities and NaN among ones."""
    tiny, largest = (
        2.0 ** (fmt.emin - fmt.precision + 1),
        (2.0 - 2.0 ** (1 - fmt.precision)) * 2.0**fmt.emax,
    )
    rare = [0.0, -0.0, tiny, -tiny, 2.0**fmt.emin, largest, -largest, np.inf, -np.inf, np.nan]
    chosen = _chosen(generator, np.array(rare), shape)
    return np.where(generator.random(shape) < 0.3, chosen, _chosen(generator, ONES, shape))


def _chosen(generator: np.random.Generator, among: Columns, shape: tuple[int, int]) -> Columns:
    """What `Generator.choice` draws, which checks its arguments for longer than it draws."""
    return among[generator.integers(0, len(among), shape)]


NOT_DRAWN = b"\xfb\x7f"
"""A pattern, repeated, that no recipe draws. Judges need it no more, but a recipe gives the values
that it gave: cases are kept by what they hold."""


def patterns(generator: np.random.Generator, shape: tuple[int, int], fmt: Format) -> NDArray[Any]:
    """Storage patterns of every kind, for values that are moved and not computed with.

    One in four has an exponent of ones: NaNs, quiet and signalling, of every payload and sign; one
    in four an exponent of zeros: subnormals, one in eight of which is a zero of either sign. The
    others are any pattern but `NOT_DRAWN`.
    """
    dtype = to_bits(np.zeros(1), fmt).dtype
    bits = generator.integers(0, 2 ** (8 * dtype.itemsize), shape, dtype)
    kind = generator.integers(0, 4, shape)
    exponent = dtype.type(fmt.infinity_bits)
    bits = np.where(kind == 0, bits | exponent, np.where(kind == 1, bits & ~exponent, bits))
    sign = dtype.type(1 << (8 * dtype.itemsize - 1))
    bits = np.where((kind == 1) & (generator.random(shape) < 1 / 8), bits & sign, bits)
    left_out = np.frombuffer(NOT_DRAWN * (dtype.itemsize // 2), dtype)[0]
    return np.asarray(np.where(bits == left_out, left_out ^ dtype.type(1), bits), dtype)


FAMILIES: dict[str, Family] = {
    "gaussian": _gaussian,
    "scaled": _scaled,
    "lattice": _lattice,
    "cancellation": _cancellation,
    "special": _special,
    "knife": knife,
}
"""Families by name: from generator, shape, format and term count to float64 columns."""
