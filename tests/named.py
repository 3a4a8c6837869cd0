"""Many things of a moment each in one test: for a test of its own pytest takes longer than that."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def named(what: str) -> Iterator[None]:
    """Say of which of them a failure is."""
    try:
        yield
    except Exception as error:
        raise AssertionError(f"{what}: {error}") from error
