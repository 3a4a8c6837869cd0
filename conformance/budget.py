"""The budget of a run: a time after which nothing new begins."""

from __future__ import annotations

import math
import re
import time

from conformance.suite import UsageError

UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}


def seconds_of_budget(text: str) -> float:
    """A budget such as 90s, 10m or 2h in seconds; raises `UsageError`."""
    written = re.fullmatch(r"(\d+(?:\.\d+)?)([smh])", text, re.ASCII)
    if not written or not float(written[1]):
        raise UsageError("budget", text, "allowed: a time above 0, such as 90s, 10m or 2h")
    return float(written[1]) * UNITS[written[2]]


class Budget:
    """The time that one pytest process has, shared among its items that draw cases.

    It begins when the items are collected. Each gets an equal share of what is left when it begins,
    so that one slow item does not take the time of all others; time that an item leaves over goes
    to those after it. Times are those of `time.monotonic`, which all processes of a host share.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = math.inf
        self._left = 1.0

    def begin(self, items: float, at: float | None = None) -> None:
        """Begin now, or at an earlier time ``at``; ``items`` is this process's part of the run's.

        It may be a fraction: which process runs which item is not known before.
        """
        self._end = (time.monotonic() if at is None else at) + self.seconds
        self._left = items

    @property
    def spent(self) -> bool:
        """Whether nothing new may begin."""
        return time.monotonic() >= self._end

    def share(self) -> float:
        """When the item that begins now must begin no further case."""
        now = time.monotonic()
        share = max(0.0, self._end - now) / max(1.0, self._left)
        self._left -= 1
        return now + share
