"""Keys of every width of an integer type: around each power of two, and far apart with equal low
bits. A sort that keeps fewer bits of a key than its type has puts some of them elsewhere.

Sorts compare keys as integers or as float32 numbers, so neighbours beyond 2^24 may fall together.
Such keys stand here in the order of their slots: both readings give them the same ranks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.int64]

BITS = {"int32": 32, "int64": 64}
"""Widths of the types that keys may have."""

EXACT = 2**24
"""Up to it, float32 holds every integer."""

CLOSE = 2.0**-22
"""Of a number: two float32 steps and more, by which no rounding makes numbers equal."""

POWERS_AT_ONCE = 16
LOW_BITS = (8, 16, 24, 32)


@dataclass(frozen=True)
class Family:
    """Keys of one data type: around powers of two, or equal in ``low_bits`` and far apart above."""

    name: str
    dtype: str
    powers: range
    low_bits: int = 0

    @property
    def slots(self) -> int:
        """How many keys show all of the family: an even number."""
        return (2 if self.low_bits else 6) * len(self.powers)

    def values(self, low: int = 0) -> tuple[int, ...]:
        """The keys, each once; ``low`` are the low bits of those that are far apart."""
        if self.low_bits:
            return tuple(low + sign * 2**power for power in self.powers for sign in (1, -1))
        top = 2 ** (BITS[self.dtype] - 1)
        near = {
            sign * (2**power + step)
            for power in self.powers
            for step in (-1, 0, 1)
            for sign in (1, -1)
        }
        return tuple(sorted(key for key in near if -top <= key < top))

    def keys(self, generator: np.random.Generator) -> Keys:
        """All of the family in ``slots`` slots, some more than once, but not the type's ends."""
        values = self.values(int(generator.integers(2**self.low_bits)))
        inner = np.array(sorted(values)[1:-1], np.int64)
        more = generator.choice(inner, self.slots - len(values))
        return in_one_order(np.concatenate([np.array(values, np.int64), more]), generator)

    def few(self, slots: int, generator: np.random.Generator) -> Keys:
        """Some keys of the family."""
        values = np.array(self.values(int(generator.integers(2**self.low_bits))), np.int64)
        return in_one_order(generator.choice(values, slots), generator)

    def is_shown(self, keys: Keys) -> bool:
        """Whether keys hold all of the family, in one order."""
        low = int(keys[0]) % 2**self.low_bits if self.low_bits else 0
        return set(self.values(low)) <= set(keys.tolist()) and has_one_order(keys)


def _families() -> Iterator[Family]:
    for dtype, bits in BITS.items():
        for first in range(0, bits, POWERS_AT_ONCE):
            powers = range(first, first + POWERS_AT_ONCE)
            yield Family(f"{dtype} keys near 2^{first} to 2^{powers[-1]}", dtype, powers)
        for low_bits in LOW_BITS:
            if low_bits < bits:
                powers = range(low_bits, bits - 1)
                name = f"{dtype} keys equal in {low_bits} bits, far apart above"
                yield Family(name, dtype, powers, low_bits)


FAMILIES = tuple(_families())


def in_one_order(values: Keys, generator: np.random.Generator) -> Keys:
    """The values shuffled, but for those that a float32 may not tell apart: these rise."""
    values = np.sort(values)
    apart = np.concatenate([[0], np.cumsum(~_close(values))])
    group = apart[generator.permutation(values.size)]
    keys = np.empty_like(values)
    keys[np.argsort(group, kind="stable")] = values
    return keys


def has_one_order(keys: Keys) -> bool:
    """Whether integers and float32 numbers, however rounded, give these keys the same ranks."""
    order = np.argsort(keys, kind="stable")
    sorted_keys = keys[order]
    return bool((~_close(sorted_keys) | (np.diff(order) > 0)).all())


def _close(rising: Keys) -> NDArray[np.bool_]:
    """Of rising values, which may be one float32 number with the next."""
    numbers = rising.astype(np.float64)
    size, step = np.maximum(np.abs(numbers[1:]), np.abs(numbers[:-1])), np.diff(numbers)
    return np.asarray((step == 0) | ((step <= size * CLOSE) & (size > EXACT)))
