"""Keys show the pattern that they are made for, at the fewest slots as at many."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from conformance.draw.keys import (
    KEYS,
    LARGEST_KEY,
    LEAST_SLOTS,
    key_patterns,
    keyed,
    keys,
)


@pytest.mark.parametrize("pattern", KEYS)
@given(data=st.data(), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_a_pattern_is_recognised_in_the_keys_made_for_it(
    pattern: str, data: st.DataObject, seed: int
) -> None:
    least = LEAST_SLOTS[pattern]
    slots = data.draw(st.sampled_from([least, least + 1, 5, 33, 400]))
    made = keyed(pattern, slots, np.random.default_rng(seed))
    assert made.shape == (slots,)
    assert made.dtype == np.int64
    assert pattern in key_patterns(made)
    assert np.abs(made).max() <= LARGEST_KEY


@pytest.mark.parametrize("pattern", [p for p in KEYS if LEAST_SLOTS[p] > 1])
def test_fewer_slots_cannot_show_a_pattern(pattern: str) -> None:
    slots = LEAST_SLOTS[pattern] - 1
    with pytest.raises(ValueError, match=f"slots={slots}: must be {slots + 1} or more"):
        keyed(pattern, slots, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("given_keys", "shown"),
    [
        ([], set()),
        ([7], {"in order"}),
        ([3, 3], {"in order", "all equal"}),
        ([3, 1], {"descending", "one missing"}),
        ([2, 2, 0], {"descending", "cycle", "one missing"}),
        ([1, 0], {"descending"}),
        ([1, 2, 0], {"cycle"}),
        ([1, 0, 3, 2], set()),
        ([0, 1, 3, 4, 6], {"in order"}),
        ([-1, 0], {"in order", "negative"}),
        ([-2, -1], {"in order"}),
        ([LARGEST_KEY, LARGEST_KEY - 1], {"descending", "large"}),
        ([LARGEST_KEY, LARGEST_KEY], {"in order", "all equal"}),
    ],
)
def test_what_keys_show(given_keys: list[int], shown: set[str]) -> None:
    assert key_patterns(np.array(given_keys, np.int64)) == shown


def test_neighbours_up_to_the_largest_key_are_different_float32_numbers() -> None:
    close = np.arange(LARGEST_KEY - 5, LARGEST_KEY + 1)
    assert np.unique(close.astype(np.float32)).size == 6


@pytest.mark.parametrize("slots", [1, 2, 50])
def test_drawn_keys_meet_every_pattern_and_shrink_to_zeros_in_order(slots: int) -> None:
    for pattern, least in LEAST_SLOTS.items():
        if least <= slots:
            find(keys(slots), lambda drawn, wanted=pattern: wanted in key_patterns(drawn))
    simplest = find(keys(slots), lambda drawn: True)
    assert key_patterns(simplest) >= {"in order"}
    assert simplest[:2].tolist() == [0, 0][:slots]
