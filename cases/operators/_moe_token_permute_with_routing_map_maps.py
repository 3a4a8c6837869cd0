"""Structured routing maps, by name: each is made from a seed, and recognised in a map.

Without padding every token has the same number of experts. Slots are sorted by expert, tokens of
one expert by their number, so what a map says beyond that is which experts tokens share.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cases.operators._moe_token_permute_with_routing_map_call import Mask
from cases.operators._moe_token_permute_with_routing_map_grad_maps import routed

LEAST = {
    "same experts": (1, 0),
    "expert with all tokens": (1, 0),
    "rising": (2, 1),
    "falling": (2, 1),
    "expert without tokens": (1, 1),
    "shuffled": (3, 1),
}
"""Patterns; the fewest tokens in which each shows, and the fewest experts beyond a token's."""

PATTERNS = tuple(LEAST)
MAP_DTYPES = ("int8", "bool")

COLUMNS = ("all", "none", "first", "last", "scattered")
"""Which tokens an expert has where it has a capacity: ``first`` and ``last`` are some without a
gap, ``scattered`` are neither."""

FILLED = ("whole", "exact", "padded", "dropped")
"""What a capacity makes of an expert: every token has a row of it, routed to it or not; its tokens
are as many as its rows; fewer; or more."""


def mask(
    pattern: str, tokens: int, experts: int, top_k: int, generator: np.random.Generator
) -> Mask:
    """A map [tokens, experts] of ``top_k`` experts a token that shows a pattern."""
    least_tokens, more = LEAST[pattern]
    if tokens < least_tokens or experts < top_k + more:
        sizes = f"tokens={tokens}, experts={experts}, top_k={top_k}"
        raise ValueError(f"{sizes}: too few for {pattern!r}")
    if pattern == "same experts":
        return np.repeat(routed(1, experts, top_k, generator), tokens, axis=0)
    if pattern in ("rising", "falling"):
        first = np.arange(tokens) * (experts - top_k + 1) // tokens
        return _windows(first if pattern == "rising" else first[::-1], experts, top_k)
    if pattern == "shuffled":
        drawn = routed(tokens, experts, top_k, generator)
        fallback = _windows((np.arange(tokens) < tokens - 1).astype(np.int64), experts, top_k)
        return drawn if "shuffled" in patterns_of(drawn) else fallback
    full = pattern == "expert with all tokens"
    others = routed(tokens, experts - 1, top_k - full, generator)
    return np.insert(others, generator.integers(experts), full, axis=1)


def patterns_of(routing_map: Mask) -> set[str]:
    """The patterns that a map without padding shows."""
    if not routing_map.any():
        return set()
    width = int(routing_map[0].sum())
    first = routing_map.argmax(axis=1)
    steps = np.diff(first)
    windows = np.array_equal(routing_map, _windows(first, routing_map.shape[1], width))
    token = np.nonzero(routing_map.T)[1]
    ranks = np.argsort(token, kind="stable")
    shows = {
        "same experts": bool((routing_map == routing_map[0]).all()),
        "expert with all tokens": bool(routing_map.all(axis=0).any()),
        "rising": windows and bool((steps >= 0).all() and (steps > 0).any()),
        "falling": windows and bool((steps <= 0).all() and (steps < 0).any()),
        "expert without tokens": not routing_map.any(axis=0).all(),
        "shuffled": not np.array_equal(ranks[ranks], np.arange(ranks.size)),
    }
    return {pattern for pattern, shown in shows.items() if shown}


def counts(column: str, filled: str, tokens: int, capacity: int) -> range:
    """How many tokens an expert may have that shows a level of `COLUMNS` and of `FILLED`."""
    low, high = {
        "all": (tokens, tokens),
        "none": (0, 0),
        "scattered": (1, tokens - 2),
    }.get(column, (1, tokens - 1))
    least, most = {
        "whole": (0, tokens if capacity == tokens else -1),
        "exact": (capacity, capacity),
        "padded": (0, capacity - 1),
        "dropped": (capacity + 1, tokens),
    }[filled]
    return range(max(low, least), min(high, most) + 1)


def padded_mask(
    column: str,
    filled: str,
    sizes: tuple[int, int, int],
    generator: np.random.Generator,
) -> Mask:
    """A map of tokens, experts and a capacity of which one expert shows both levels.

    The other experts have any tokens, from few of them to most.
    """
    tokens, experts, capacity = sizes
    share = generator.random(experts)
    routing_map = np.asarray(generator.random((tokens, experts)) < share)
    possible = counts(column, filled, tokens, capacity)
    count = possible[int(generator.integers(len(possible)))]
    routing_map[:, generator.integers(experts)] = _column(column, count, tokens, generator)
    return routing_map


def columns_of(routing_map: Mask) -> set[str]:
    """The levels of `COLUMNS` that the experts of a map show."""
    tokens, shown = len(routing_map), set()
    for column in routing_map.T:
        own = np.flatnonzero(column)
        if own.size in (0, tokens):
            shown.add("all" if own.size else "none")
        elif own[-1] - own[0] + 1 == own.size and (own[0] == 0 or own[-1] == tokens - 1):
            shown.add("last" if own[0] else "first")
        else:
            shown.add("scattered")
    return shown


def filled_of(routing_map: Mask, capacity: int) -> set[str]:
    """The levels of `FILLED` that the experts of a map show."""
    own = routing_map.sum(axis=0)
    shows = {
        "whole": capacity == len(routing_map),
        "exact": bool((own == capacity).any()),
        "padded": bool((own < capacity).any()),
        "dropped": bool((own > capacity).any()),
    }
    return {level for level, shown in shows.items() if shown}


def _windows(first: NDArray[np.int64], experts: int, top_k: int) -> Mask:
    """Every token's experts one after another, from its first one on."""
    expert = np.arange(experts)
    return np.asarray((expert >= first[:, None]) & (expert < first[:, None] + top_k))


def _column(column: str, count: int, tokens: int, generator: np.random.Generator) -> Mask:
    """One expert's tokens."""
    routing = np.zeros(tokens, np.bool_)
    if column == "last":
        routing[tokens - count :] = True
    elif column == "scattered":
        routing[generator.permutation(tokens)[:count]] = True
        if columns_of(routing[:, None]) != {"scattered"}:
            routing = np.roll(np.arange(tokens) < count, 1)
    else:
        routing[:count] = True
    return routing
