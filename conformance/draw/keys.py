"""Structured keys of a stable sort, by name: each is made from a seed, and recognised in a tensor.

A key is the expert of a slot. What a sort may get wrong shows in the order of equal keys, in keys
that lie close together or below zero, and in ranks that are taken for their inverse.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from numpy.typing import NDArray

from conformance.draw.built import built
from conformance.draw.values import SEEDS
from conformance.draw.wide_keys import FAMILIES, Family

Keys = NDArray[np.int64]

LARGEST_KEY = 2**24 - 2
"""Beyond it, keys that differ by 1 may be one and the same float32 number."""

LEAST_SLOTS = {
    "in order": 1,
    "cycle": 3,
    "all equal": 2,
    "descending": 2,
    "one missing": 2,
    "negative": 2,
    "large": 2,
}
"""Patterns and the fewest slots in which each shows. First come ties in order, then ranks that are
not their own inverse: what they show in a few slots, shrinking keeps to."""

KEYS = tuple(LEAST_SLOTS)
NARROW_SHARE = 4
"""One in so many draws and one is of wide keys."""

MOST_EXPERTS = 64

WIDE = (LARGEST_KEY, LARGEST_KEY - 1, 1, *(2**n + i for n in (8, 11, 15, 16, 23) for i in (0, 1)))
"""Keys of which some fall together, or change places, where a sort keeps fewer of their bits."""


@cache
def keys(slots: int, dtype: str = "int32") -> SearchStrategy[Keys]:
    """Keys of that many slots in any pattern that shows there, and of every width of the data
    type; shrinks to all in order.
    """
    names = [name for name, least in LEAST_SLOTS.items() if least <= slots]
    wide = [family for family in FAMILIES if family.dtype == dtype] if slots > 1 else []
    often = max(1, NARROW_SHARE * len(wide) // len(names))

    def made(kind: str | Family, seed: int) -> Keys:
        generator = np.random.default_rng(seed)
        return (
            keyed(kind, slots, generator) if isinstance(kind, str) else kind.few(slots, generator)
        )

    # One choice among all: a case shrinks from wide keys to others.
    return built(made, st.sampled_from([*names * often, *wide]), SEEDS)


def keyed(pattern: str, slots: int, generator: np.random.Generator) -> Keys:
    """Keys that show a pattern, which needs `LEAST_SLOTS` slots.

    Ties are everywhere: there are at most MOST_EXPERTS keys, but for "cycle", where all differ.
    """
    forward = np.arange(slots)
    if slots < LEAST_SLOTS[pattern]:
        raise ValueError(f"slots={slots}: must be {LEAST_SLOTS[pattern]} or more for {pattern!r}")
    if pattern == "all equal":
        return np.full(slots, generator.integers(-2, MOST_EXPERTS), np.int64)
    if pattern == "cycle":
        keys = generator.permutation(slots)
        own_inverse = np.array_equal(keys[keys], forward)
        return np.roll(forward, 1) if own_inverse else np.asarray(keys, np.int64)
    if pattern == "in order":  # in pairs, so that two slots are enough to show what ties do
        return forward // max(2, -(-slots // MOST_EXPERTS))
    experts = int(generator.integers(min(slots, 2), min(slots, MOST_EXPERTS) + 1))
    if pattern == "descending":
        return np.flip(forward * experts // slots)
    shared = generator.permutation(forward % experts)
    if pattern == "one missing":
        return shared + (shared >= generator.integers(1, experts))
    if pattern == "negative":
        return shared - generator.integers(1, experts)
    return np.asarray(np.array(WIDE, np.int64)[shared % len(WIDE)])


def key_patterns(keys: Keys) -> set[str]:
    """The patterns that keys show."""
    if not keys.size:
        return set()
    values = np.unique(keys)
    low, high = int(values[0]), int(values[-1])
    order = np.argsort(keys, kind="stable")
    shows = {
        "in order": bool((keys[1:] >= keys[:-1]).all()),
        "all equal": keys.size > 1 and low == high,
        "descending": low < high and bool((keys[1:] <= keys[:-1]).all()),
        "cycle": not np.array_equal(order[order], np.arange(keys.size)),
        "one missing": values.size > 1 and high - low == values.size,
        "negative": low < 0 <= high,
        "large": high == LARGEST_KEY and LARGEST_KEY - 1 in values,
    }
    return {pattern for pattern, shown in shows.items() if shown}
