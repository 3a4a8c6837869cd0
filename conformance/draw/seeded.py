"""Draws that follow from the seed alone, and not from what the process has imported."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis.internal.cache import LRUCache
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

NONE = Constants()
PERMITTED: LRUCache[object, object] = LRUCache(1024)
"""Which of Hypothesis' own constants a draw may give: what it keeps has the others among them."""


@contextmanager
def of_seed_alone() -> Iterator[None]:
    """Within, Hypothesis draws of one seed the same cases in every process.

    By itself, of twenty integers it draws one from the constants of the sources of the checkout
    that are loaded. Then a draw would depend on the order of imports, on unrelated changes of a
    source, and on whether the suite is installed or not. To read all sources takes a second, too.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(providers.HypothesisProvider, "_local_constants", NONE)
        patch.setattr(providers, "CONSTANTS_CACHE", PERMITTED)
        yield


def stream_seed(of: object, key: str) -> int:
    """The seed of one stream of draws, of a run's seed or of an operator."""
    return int.from_bytes(hashlib.sha256(f"{of} {key}".encode()).digest()[:8], "big")
