"""Sizes on which kernels change their path: hidden, top_k and token counts.

Strategies are kept: to make and validate one takes longer than to draw from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

BINARY_EDGES = (3, 4, 7, 8, 15, 16, 31, 32, 33, 63, 64, 127, 128, 129, 200, 255, 256, 257)
GRANULES = (8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)


Solved = TypeVar("Solved")

FEW_COLUMNS = 64
"""Columns of a small case, unless it is about the second tile of a row."""

FEW_ELEMENTS = 40_000
"""Elements of a case whose size is about something else; what does not matter is kept small."""

CHEAPEST = 6
DEAR_ONE_IN = 4
MORE_AT_LEAST = 3


def cheap(draw: st.DrawFn, solved: Sequence[Solved]) -> Solved:
    """One of sizes that are in the order of their cost: of all of them one time in `DEAR_ONE_IN`,
    else of the `CHEAPEST`.
    """
    likely = solved[:CHEAPEST] if draw(st.integers(1, DEAR_ONE_IN)) < DEAR_ONE_IN else solved
    return likely[draw(st.integers(0, 4095)) % len(likely)]


def few_more(more: int, elements: int) -> int:
    """Tokens or rows beyond the fewest, of so many elements each: as many as keep a case cheap."""
    return min(more, max(MORE_AT_LEAST, FEW_ELEMENTS // elements))


@cache
def top_ks(largest: int = 300) -> SearchStrategy[int]:
    """Numbers of experts per token: small ones, those around powers of two, and any."""
    edges = [k for k in BINARY_EDGES if k <= largest]
    few = st.integers(1, min(8, largest))
    return st.one_of(few, st.sampled_from(edges or [1]), st.integers(1, largest))


@cache
def token_counts(cores: int, largest: int) -> SearchStrategy[int]:
    """Token counts: few, around the core count where the last core's share changes, or any.

    As many choices whatever the cores: a machine for which fewer are drawn would count as simpler.
    """
    near = {cores - 1, cores, cores + 1, 2 * cores + 1} & set(range(1, largest + 1)) or {1}
    handful = st.integers(1, min(12, largest))
    many = st.integers(1, largest)
    return st.one_of(handful, st.sampled_from(sorted(near)), many)


@cache
def hiddens(largest: int, tile: int = 0) -> SearchStrategy[int]:
    """Row lengths: a few elements, around 32-byte granules, or anything up to ``largest``; and
    around ``tile``, where a row no longer fits the buffer at once, and at two of them.
    """
    granules = [g + d for g in GRANULES for d in (-1, 0, 1) if g + d <= largest]
    tiles = [n for n in (tile, tile + 1, 2 * tile, 2 * tile + 1) if 1 < n <= largest]
    few = st.integers(1, min(20, largest))
    edges = [st.sampled_from(sizes) for sizes in (granules, tiles) if sizes]
    return st.one_of(few, *edges, st.integers(1, largest)) if granules else few
