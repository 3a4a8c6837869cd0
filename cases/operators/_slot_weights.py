"""The weights of slots, by which the rows of a weighted sum are multiplied."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.fill import Fill
from conformance.strategies.fills import SEEDS, fills_with

WEIGHT_BITS = 4
"""Bits of a weight of the lattice family, which rows leave to it."""

WEIGHT_TERMS = 2 ** (24 - WEIGHT_BITS)
WEIGHTS = ("lattice", "gaussian", "scaled", "special")
"""Families of weights: small integers; any; of all sizes; zeros, infinities and NaN."""


def weight_fills(families: tuple[str, ...] = WEIGHTS) -> SearchStrategy[Fill]:
    """Weights of one of these families."""
    stripes = st.sampled_from([(name,) for name in families])
    return st.builds(Fill, stripes=stripes, seed=SEEDS, terms=st.just(WEIGHT_TERMS))


def weights_with(family: str) -> SearchStrategy[Fill]:
    """Weights of this family."""
    return fills_with(family, WEIGHT_TERMS, 1, WEIGHTS)
