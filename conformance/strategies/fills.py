"""Recipes of floating-point values: which families share a tensor's columns, and their seed."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.fill import NAMES, Fill

SEEDS = st.integers(0, 2**32 - 1)
READABLE_FIRST = ("lattice", "address", "gaussian", "scaled", "cancellation", "special", "knife")


def fills(terms: int) -> SearchStrategy[Fill]:
    """Recipes for a tensor of which the operator adds up to ``terms`` elements into one output.

    Shrinks to one stripe of small integers with seed 0.
    """
    stripes = st.lists(st.sampled_from(READABLE_FIRST), min_size=1, max_size=4, unique=True)
    return st.builds(Fill, stripes=stripes.map(tuple), seed=SEEDS, terms=st.just(terms))


def fills_with(family: str, terms: int, columns: int) -> SearchStrategy[Fill]:
    """Recipes of which ``family`` is sure to have a column. Shrinks to that family alone."""
    others = [name for name in READABLE_FIRST if name != family]
    stripes = st.lists(st.sampled_from(others), max_size=3, unique=True)
    return st.builds(
        Fill,
        stripes=stripes.map(lambda more: (family, *more[: columns - 1])),
        seed=SEEDS,
        terms=st.just(terms),
    )


assert set(READABLE_FIRST) == set(NAMES)
