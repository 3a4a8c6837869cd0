"""Waiting for what another process does, for as long as that takes on a busy machine."""

from __future__ import annotations

import time
from collections.abc import Callable

HANGS = 1800.0
"""Seconds after which a process is taken to hang. Nothing that works comes near, whatever else the
machine does: a shorter limit fails by the load, not by the mistake."""


def wait_for(reached: Callable[[], bool], what: str) -> None:
    """Wait until something is so; AssertionError with ``what`` was waited for if it hangs."""
    end = time.monotonic() + HANGS
    while not reached():
        assert time.monotonic() < end, f"after {HANGS:g} s not yet: {what}"
        time.sleep(0.02)
