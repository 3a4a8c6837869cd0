"""What an item may spend, from its first refused case on, to look for a smaller one."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from conformance.call.observation import Observation, Outcome
from conformance.catalogue import failure as say

MOST_HANGS = 2
"""Drawn cases that one item may let run into the time limit."""

MOST_REOPENED = 50
"""Processes that the device may lose with an item's drawn cases, by crashes, exhausted memory and
lost contexts: each costs a simulator a second to open, an NPU some seconds and a reset."""


@dataclass
class SearchBudget:
    """Wall time, calls that do not end, and processes that the device loses.

    ``shrink_seconds`` are for smaller cases alone; ``end``, in the seconds of ``clock``, is that of
    the item's share of the run's time. ``stopped`` says what was spent before the search had ended,
    "" if nothing was.
    """

    shrink_seconds: float
    end: float = math.inf
    clock: Callable[[], float] = time.monotonic
    stopped: str = ""
    _began: float | None = None
    _hangs: int = 0
    _reopened: int = 0

    @property
    def runs(self) -> bool:
        """Whether a case was refused, so that it is being spent."""
        return self._began is not None

    @property
    def is_over(self) -> bool:
        """Whether the item's share of the run's time is."""
        return self.clock() >= self.end

    @property
    def leaves_larger(self) -> bool:
        """Whether larger cases may still be looked at."""
        return not self.is_over and self._hangs < MOST_HANGS

    @property
    def is_spent(self) -> bool:
        """Whether nothing is left for smaller cases; ``stopped`` says then why."""
        if self._began is None:
            return False
        if self._hangs >= MOST_HANGS:
            self.stopped = say.HANGS(count=self._hangs)
        elif self._reopened >= MOST_REOPENED:
            self.stopped = say.REOPENED(count=self._reopened)
        elif self.clock() - self._began > self.shrink_seconds:
            self.stopped = say.SECONDS(seconds=self.shrink_seconds)
        elif self.is_over:
            self.stopped = say.ALL_THE_TIME()
        return bool(self.stopped)

    def count(self, refused: Observation) -> None:
        """Count what a refused case has cost; the first begins the time."""
        self._hangs += refused.outcome is Outcome.TIMED_OUT
        self._reopened += refused.reopened
        if self._began is None:
            self._began = self.clock()

    def begin_anew(self) -> None:
        """Let the next refused case begin the time."""
        self._began = None
