"""Structured routings show the pattern that they are made for, at every size it is defined on."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.draw.patterns import (
    DROPPED,
    LEAST_KEPT,
    PLACES,
    RANKS,
    dropped_patterns,
    dropped_slots,
    every_tuple,
    holds_every_tuple,
    least_tokens,
    place_patterns,
    placed,
    rank_patterns,
    ranked,
)

KEPT = (LEAST_KEPT, 4, 5, 7, 8, 12, 31, 100)


@pytest.mark.parametrize("pattern", DROPPED)
@pytest.mark.parametrize("top_k", [1, 2, 3, 4, 9, 128])
def test_a_dropped_pattern_is_recognised_from_its_fewest_tokens_on(
    pattern: str, top_k: int
) -> None:
    fewest = least_tokens(pattern, top_k, LEAST_KEPT)
    assert (fewest == 0) == (pattern in ("slot 0", "odd slots") and top_k == 1)
    for tokens in range(fewest, fewest + 6) if fewest else ():
        for seed in range(5):
            mask = dropped_slots(pattern, tokens, top_k, LEAST_KEPT, np.random.default_rng(seed))
            assert pattern in dropped_patterns(mask)
            assert pattern == "all" or np.count_nonzero(~mask) >= LEAST_KEPT


@pytest.mark.parametrize("pattern", RANKS)
@pytest.mark.parametrize("kept", KEPT)
def test_a_rank_pattern_is_recognised_and_names_rows_that_exist(pattern: str, kept: int) -> None:
    for seed in range(20):
        ranks = ranked(pattern, kept, np.random.default_rng(seed))
        assert pattern in rank_patterns(ranks)
        assert ranks.shape == (kept,)
        assert ranks.min() >= 0
        assert ranks.max() < kept


@pytest.mark.parametrize("pattern", PLACES)
@pytest.mark.parametrize("kept", KEPT)
def test_a_place_pattern_is_recognised_and_names_places_that_exist(pattern: str, kept: int) -> None:
    for seed in range(20):
        experts, capacity, places = placed(pattern, kept, np.random.default_rng(seed))
        assert pattern in place_patterns(places, experts, capacity)
        assert places.shape == (kept,)
        assert places.min() >= 0
        assert places.max() < experts * capacity


def test_patterns_are_told_apart() -> None:
    assert dropped_patterns(np.array([[True, False], [True, False]])) == {"some", "slot 0"}
    assert dropped_patterns(np.array([[False, True], [False, True]])) == {"some", "odd slots"}
    assert dropped_patterns(np.array([[True, True], [False, False]])) == {"some", "whole tokens"}
    assert rank_patterns(np.array([1, 2, 0])) == {"permuted"}
    assert rank_patterns(np.array([1, 0, 2])) == set(), "its own inverse"
    assert rank_patterns(np.array([0, 2, 1, 3])) == {"balanced"}, "two experts in turn"
    assert place_patterns(np.array([2, 3]), 2, 2) == {
        *("in order", "one expert", "last expert", "empty expert")
    }
    assert place_patterns(np.array([], np.int64), 2, 2) == {"in order"}


def test_every_tuple_of_a_small_scope_stands_in_one_launch() -> None:
    tokens = every_tuple(4, np.array([-1, 0, 1, 2]))
    assert tokens.shape == (256, 4)
    assert len({tuple(token) for token in tokens.tolist()}) == 256
    assert holds_every_tuple(tokens)
    assert not holds_every_tuple(tokens[1:])
    assert not holds_every_tuple(np.zeros((1, 2), np.int64)), "one value is no scope"
