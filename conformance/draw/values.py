"""Recipes of values: which families share a tensor's columns, and their seed."""

from __future__ import annotations

from functools import cache
from itertools import combinations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.values.fill import BITS, NAMES, Fill

SEEDS = st.integers(0, 2**32 - 1)
READABLE_FIRST = ("lattice", "address", "gaussian", "scaled", "cancellation", "special", "knife")

MOVED_FIRST = ("lattice", "address", BITS, "special")
"""Families for values that are moved: what tells where they came from, then every pattern."""

MOST_STRIPES = 4
ALONE = 3
"""A family by itself is drawn so many times as often as a mixture."""


def _stripes(families: tuple[str, ...]) -> SearchStrategy[tuple[str, ...]]:
    """One draw, not one for each stripe: a case has a few dozen, and they are half its time."""
    return st.sampled_from(
        [(name,) for name in families for _ in range(ALONE)]
        + [mix for count in range(2, MOST_STRIPES + 1) for mix in combinations(families, count)]
    )


STRIPES = _stripes(READABLE_FIRST)
MOVED = st.builds(Fill, stripes=_stripes(MOVED_FIRST), seed=SEEDS)
"""Recipes for a tensor that is moved, of floats or of integers. Shrinks to one stripe of small
integers with seed 0."""


@cache
def fills(terms: int) -> SearchStrategy[Fill]:
    """Recipes for a tensor of which the operator adds up to ``terms`` elements into one output.

    Shrinks to one stripe of small integers with seed 0.
    """
    return st.tuples(STRIPES, SEEDS).map(lambda drawn: Fill(*drawn, terms=terms))


def fills_with(
    family: str, terms: int, columns: int, families: tuple[str, ...] = READABLE_FIRST
) -> SearchStrategy[Fill]:
    """Recipes of which ``family`` is sure to have a column. Shrinks to that family alone."""
    return _fills_with(family, terms, min(columns, MOST_STRIPES), families)


@cache
def _fills_with(
    family: str, terms: int, most_stripes: int, families: tuple[str, ...]
) -> SearchStrategy[Fill]:
    others = [name for name in families if name != family]
    alone = [(family,)] * len(families)
    mixed = [
        (family, *more) for count in range(1, most_stripes) for more in combinations(others, count)
    ]
    stripes = st.sampled_from(alone + mixed)
    return st.tuples(stripes, SEEDS).map(lambda drawn: Fill(*drawn, terms=terms))


assert set(READABLE_FIRST) == set(NAMES)
