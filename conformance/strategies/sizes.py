"""Sizes on which kernels change their path: hidden, top_k and token counts."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

BINARY_EDGES = (3, 4, 7, 8, 15, 16, 31, 32, 33, 63, 64, 127, 128, 129, 200)


def top_ks(largest: int = 200) -> SearchStrategy[int]:
    """Numbers of experts per token, half of them small, half around powers of two."""
    edges = [k for k in BINARY_EDGES if k <= largest]
    return st.one_of(st.integers(1, min(8, largest)), st.sampled_from(edges or [1]))


def token_counts(cores: int, largest: int) -> SearchStrategy[int]:
    """Token counts: a handful, or around the core count, where the last core's share changes."""
    near = {cores - 1, cores, cores + 1, 2 * cores + 1} & set(range(1, largest + 1))
    handful = st.integers(1, min(12, largest))
    return st.one_of(handful, st.sampled_from(sorted(near))) if near else handful


def hiddens(largest: int) -> SearchStrategy[int]:
    """Row lengths: a few elements, around 32-byte granules, or anything up to ``largest``."""
    granules = [g + d for g in (8, 16, 32, 64, 128, 256) for d in (-1, 0, 1) if g + d <= largest]
    few = st.integers(1, min(20, largest))
    return st.one_of(few, st.sampled_from(granules), st.integers(1, largest)) if granules else few
