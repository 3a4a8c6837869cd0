"""Row-index tensors of routed tokens, made from a few drawn choices and a seed."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from conformance.draw.values import SEEDS

Indices = NDArray[np.int64]
DROPPED = -1
KINDS = st.sampled_from(["identity", "permutation", "reversed", "duplicates"])
PATTERNS = st.sampled_from(["none", "slot 0", "odd slots", "whole tokens", "random", "all"])


@st.composite
def ranks(draw: st.DrawFn, entries: int) -> Indices:
    """``entries`` ranks below ``entries``: a permutation as a router makes it, or with duplicates.

    Shrinks to the identity, then to a permutation with seed 0.
    """
    kind = draw(KINDS)
    generator = np.random.default_rng(draw(SEEDS))
    if kind == "permutation":
        return generator.permutation(entries)
    if kind == "duplicates":
        return generator.integers(0, entries, entries)
    forward = np.arange(entries)
    return forward if kind == "identity" else forward[::-1].copy()


@st.composite
def positions(draw: st.DrawFn, tokens: int, top_k: int, places: int) -> Indices:
    """``tokens * top_k`` distinct places below ``places``, or -1 where a slot is dropped.

    Which slots drop follows a pattern: none, the first slot of every token, the odd slots, whole
    tokens, a random share, all; further slots drop where the places do not suffice.
    """
    entries = tokens * top_k
    generator = np.random.default_rng(draw(SEEDS))
    pattern = draw(PATTERNS)
    slot = np.arange(entries) % top_k
    token = np.arange(entries) // top_k
    dropped = {
        "none": np.zeros(entries, bool),
        "slot 0": slot == 0,
        "odd slots": slot % 2 == 1,
        "whole tokens": (generator.random(tokens) < 0.5)[token],
        "random": generator.random(entries) < 0.4,
        "all": np.ones(entries, bool),
    }[pattern]
    kept = generator.permutation(np.flatnonzero(~dropped))[:places]
    indices = np.full(entries, DROPPED)
    indices[kept] = generator.permutation(places)[: kept.size]
    return indices


def unread_rows(indices: Indices, rows: int) -> tuple[int, ...]:
    """Rows below ``rows`` that no index names."""
    unread = np.ones(rows, np.bool_)
    unread[indices[(indices >= 0) & (indices < rows)]] = False
    return tuple(np.flatnonzero(unread).tolist())
