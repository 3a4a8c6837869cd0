"""Wide keys show every power of two of their type, and have one order however they are compared."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from conformance.draw.keys import keys
from conformance.draw.wide_keys import BITS, FAMILIES, Family, has_one_order, in_one_order

SEEDS = st.integers(0, 2**32 - 1)
ROUNDINGS = (np.int64, np.float32, np.float64)
"""Types in which keys may be compared; casts of numpy round to the nearest float32."""


def ranks(keys: np.ndarray, dtype: type) -> list[int]:
    return np.argsort(keys.astype(dtype), kind="stable").tolist()


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
@given(seed=SEEDS)
@settings(max_examples=10, deadline=None)
def test_all_of_a_family_is_shown_and_has_one_order(family: Family, seed: int) -> None:
    made = family.keys(np.random.default_rng(seed))
    assert made.size == family.slots
    assert family.is_shown(made)
    half = 2 ** (BITS[family.dtype] - 1)
    assert -half <= made.min()
    assert made.max() < half
    assert len({tuple(ranks(made, dtype)) for dtype in ROUNDINGS}) == 1


@given(family=st.sampled_from(FAMILIES), slots=st.integers(1, 90), seed=SEEDS)
@settings(max_examples=100, deadline=None)
def test_some_of_a_family_have_one_order(family: Family, slots: int, seed: int) -> None:
    made = family.few(slots, np.random.default_rng(seed))
    assert has_one_order(made)
    assert len({tuple(ranks(made, dtype)) for dtype in ROUNDINGS}) == 1


@pytest.mark.parametrize("dtype", BITS)
def test_families_reach_both_ends_of_a_type_and_every_power(dtype: str) -> None:
    every = {value for one in FAMILIES if one.dtype == dtype for value in one.values()}
    half = 2 ** (BITS[dtype] - 1)
    assert (min(every), max(every)) == (-half, half - 1)
    for power in range(BITS[dtype] - 1):
        assert {2**power - 1, 2**power, 2**power + 1} <= every
        assert {1 - 2**power, -(2**power), -1 - 2**power} <= every


@pytest.mark.parametrize(
    "bits", [bits for bits in (16, 31, 32, 48) for dtype in BITS if bits < BITS[dtype]]
)
def test_a_sort_that_keeps_fewer_bits_puts_keys_elsewhere(bits: int) -> None:
    for family in FAMILIES:
        made = family.keys(np.random.default_rng(1))
        kept = (made << (64 - bits)) >> (64 - bits)
        if family.low_bits == bits or (not family.low_bits and family.powers[0] >= bits):
            assert ranks(kept, np.int64) != ranks(made, np.int64)


@pytest.mark.parametrize(
    ("given_keys", "has_one"),
    [
        ([], True),
        ([2**24 - 1, 2**24 - 2], True),
        ([2**24 + 1, 2**24], False),
        ([2**24, 2**24 + 1], True),
        ([2**24 + 1, 2**24 + 1, 2**24 + 2], True),
        ([-(2**40), -(2**40) - 1], False),
        ([2**40 + 2**20, 2**40], True),
    ],
)
def test_neighbours_beyond_2_to_the_24_must_rise(given_keys: list[int], has_one: bool) -> None:
    made = np.array(given_keys, np.int64)
    assert has_one_order(made) == has_one
    assert has_one_order(in_one_order(made, np.random.default_rng(3)))


@pytest.mark.parametrize("dtype", BITS)
def test_wide_keys_of_a_type_are_among_those_that_are_drawn(dtype: str) -> None:
    half = 2 ** (BITS[dtype] - 1)
    assert find(keys(4, dtype), lambda made: bool((made > half // 4).any())).max() < half
