"""Structured routings, by name: each is made from a seed, and recognised in a tensor of indices.

Three families. *Dropped* patterns say which slots of [tokens, top_k] name no row. *Rank* patterns
say in which order the kept slots name the rows of a list; *place* patterns, which places of
[experts, capacity] they name. Where no slot is kept, every pattern of order is trivially "in
order"; the others need `LEAST_KEPT` kept slots.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]

DROPPED = ("none", "some", "one", "slot 0", "odd slots", "whole tokens", "all")
RANKS = ("in order", "reversed", "permuted", "balanced", "duplicates", "one row")
PLACES = (
    *("in order", "permuted", "balanced", "duplicates"),
    *("one expert", "last expert", "empty expert", "full"),
)
LEAST_KEPT = 3
MOST_EXPERTS = 8


def least_tokens(dropped: str, top_k: int, kept: int) -> int:
    """The fewest tokens in which the pattern leaves ``kept`` slots and can be told from others.

    0 where no number of tokens does.
    """
    if dropped in ("slot 0", "odd slots") and top_k == 1:
        return 0
    left = {"slot 0": top_k - 1, "odd slots": -(-top_k // 2)}.get(dropped, top_k)
    more = {"one": 1, "some": 1}.get(dropped, 0)
    tokens = -(-(kept + more) // left)
    return {"all": 1, "whole tokens": tokens + 1}.get(dropped, tokens)


def dropped_slots(
    pattern: str, tokens: int, top_k: int, kept: int, generator: np.random.Generator
) -> Mask:
    """Which of [tokens, top_k] slots are dropped; at least ``kept`` stay, but for "all"."""
    mask = np.zeros((tokens, top_k), np.bool_)
    if pattern == "all":
        mask[:] = True
    elif pattern == "slot 0":
        mask[:, 0] = True
    elif pattern == "odd slots":
        mask[:, 1::2] = True
    elif pattern == "one":
        mask.flat[generator.integers(mask.size)] = True
    elif pattern == "some":
        count = generator.integers(1, mask.size - kept + 1)
        mask.flat[generator.permutation(mask.size)[:count]] = True
    elif pattern == "whole tokens":
        most = tokens - -(-kept // top_k)
        mask[generator.permutation(tokens)[: generator.integers(1, most + 1)]] = True
    return mask


def dropped_patterns(mask: Mask) -> set[str]:
    """The patterns that a mask of dropped slots [tokens, top_k] shows."""
    if not mask.any():
        return {"none"}
    if mask.all():
        return {"all"}
    shows = {
        "some": True,
        "one": mask.sum() == 1,
        "slot 0": mask[:, 0].all(),
        "odd slots": mask[:, 1::2].all() and not mask[:, ::2].any(),
        "whole tokens": mask.all(axis=1).any(),
    }
    return {pattern for pattern, shown in shows.items() if shown}


def ranked(pattern: str, kept: int, generator: np.random.Generator) -> Indices:
    """The ranks below ``kept`` that the kept slots name, in the order of the slots."""
    forward = np.arange(kept)
    if pattern == "reversed":
        return np.flip(forward)
    if pattern == "one row":
        return np.full(kept, generator.integers(kept), np.int64)
    if pattern == "balanced":
        return _ranks_of(forward % generator.integers(2, min(kept - 1, MOST_EXPERTS) + 1))
    if pattern == "permuted":
        ranks = generator.permutation(kept)
        own_inverse = np.array_equal(ranks[ranks], forward)
        return np.roll(forward, 1) if own_inverse else np.asarray(ranks)
    if pattern == "duplicates":
        ranks = generator.integers(0, kept, kept)
        first, second = generator.permutation(kept)[:2]
        ranks[first] = ranks[second]
        return ranks
    return forward


def ranked_beside_drops(
    pattern: str, mask: Mask, generator: np.random.Generator
) -> tuple[int, Indices]:
    """How many rows a list has, and the ranks of all slots: those in ``mask`` lie beyond it."""
    kept = int(np.count_nonzero(~mask))
    ranks = np.empty(mask.size, np.int64)
    ranks[~mask] = ranked(pattern, kept, generator)
    rows = max(kept, 1)
    beyond = generator.permutation(np.arange(rows, mask.size))
    ranks[mask] = np.resize(beyond, mask.size - kept)
    return rows, ranks


def rank_patterns(ranks: Indices) -> set[str]:
    """The patterns that the kept slots' ranks show."""
    steps = np.diff(ranks)
    shown = {"in order"} if (steps > 0).all() else set()
    if ranks.size < 2:
        return shown
    distinct = _distinct(ranks)
    if (steps < 0).all():
        shown.add("reversed")
    if distinct < ranks.size:
        shown.add("duplicates")
    if distinct == 1:
        shown.add("one row")
    forward = np.arange(ranks.size)
    if distinct == ranks.size == ranks.max() + 1:
        if not np.array_equal(ranks[ranks], forward):
            shown.add("permuted")
        most = min(ranks.size - 1, MOST_EXPERTS)
        # The second slot comes behind all of the first expert: few e are left to try.
        some = (e for e in range(2, most + 1) if ranks[1] == -(-ranks.size // e))
        if any(np.array_equal(ranks, _ranks_of(forward % e)) for e in some):
            shown.add("balanced")
    return shown


def placed(
    pattern: str, kept: int, generator: np.random.Generator, most_experts: int = MOST_EXPERTS
) -> tuple[int, int, Indices]:
    """Experts, capacity, and the places expert * capacity + position that kept slots name."""
    forward = np.arange(kept)
    if pattern == "full":
        experts = max(e for e in range(1, most_experts + 1) if kept % e == 0)
        return experts, kept // experts, generator.permutation(kept)
    experts = int(generator.integers(2, most_experts + 1))
    if pattern == "balanced":
        experts = int(generator.integers(2, min(kept, most_experts) + 1))
        capacity = -(-kept // experts) + int(generator.integers(0, 3))
        return experts, capacity, forward % experts * capacity + forward // experts
    if pattern in ("one expert", "last expert"):
        capacity = kept + int(generator.integers(0, 3))
        last = generator.random(kept) < 0.8
        last[: -(-kept // 2)] = True
        places = generator.permutation(capacity)[:kept]
        if pattern == "one expert":
            return experts, capacity, places + capacity * generator.integers(experts)
        expert = np.where(generator.permutation(last), experts - 1, 0)
        return experts, capacity, places + capacity * expert
    capacity = max(-(-kept // (experts - 1)) + int(generator.integers(0, 3)), 1)
    rows = experts * capacity
    if pattern == "empty expert":
        places = generator.permutation(rows - capacity)[:kept]
        empty = generator.integers(experts)
        return experts, capacity, places + capacity * (places >= empty * capacity)
    places = generator.permutation(rows)[:kept]
    if pattern == "in order":
        return experts, capacity, np.sort(places)
    if pattern == "duplicates":
        places[1] = places[0]
    elif (np.diff(places) > 0).all() or (np.diff(places) < 0).all():
        places = np.roll(places, 1)
    return experts, capacity, places


def place_patterns(places: Indices, experts: int, capacity: int) -> set[str]:
    """The patterns that the kept slots' places show."""
    steps = np.diff(places)
    shown = {"in order"} if (steps > 0).all() else set()
    if not places.size:
        return shown
    distinct, expert = _distinct(places), places // max(capacity, 1)
    loads = np.bincount(expert, minlength=experts)
    in_turn = np.array_equal(expert, np.arange(places.size) % experts)
    shows = {
        "duplicates": distinct < places.size,
        "full": distinct == places.size == experts * capacity,
        "permuted": distinct == places.size and bool((steps < 0).any() and (steps > 0).any()),
        "balanced": 1 < experts <= places.size and in_turn,
        "one expert": experts > 1 and bool(loads.max() == places.size),
        "last expert": experts > 1 and bool(2 * loads[-1] >= places.size),
        "empty expert": experts > 1 and bool((loads == 0).any()),
    }
    return shown | {pattern for pattern, shown_too in shows.items() if shown_too}


def every_tuple(length: int, values: Indices) -> Indices:
    """Every tuple of ``length`` of the values, as tokens [len(values) ** length, length]."""
    grid = np.meshgrid(*[values] * length, indexing="ij")
    return np.stack(grid, axis=-1).reshape(-1, length)


def holds_every_tuple(tokens: Indices) -> bool:
    """Whether the tokens [tokens, top_k] are all tuples of two or more values, of 4 slots at most.

    A kernel's handling of indices is then judged exhaustively in the small, in one launch.
    """
    count, length = tokens.shape
    if not 0 < length <= 4 or count < 2**length:
        return False
    values = _distinct(tokens.ravel())
    if values < 2 or count < values**length:
        return False
    return length == 1 or bool(np.unique(tokens, axis=0).shape[0] == values**length)


def _distinct(numbers: Indices) -> int:
    """How many numbers there are; those of many slots are counted, as to sort them takes longer."""
    if numbers.min() >= 0 and numbers.max() < 4 * numbers.size:
        return int(np.count_nonzero(np.bincount(numbers)))
    return np.unique(numbers).size


def _ranks_of(expert: Indices) -> Indices:
    """The rank of each slot in the list sorted by expert, stable: what a router hands on."""
    ranks = np.empty(expert.size, np.int64)
    ranks[np.argsort(expert, kind="stable")] = np.arange(expert.size)
    return ranks
