"""The budget of a run: a time after which nothing new begins."""

from __future__ import annotations

import math
import re
import time
from collections import defaultdict
from collections.abc import Callable, Mapping

from conformance.catalogue.folder_of_run import ALLOWED_BUDGETS
from conformance.errors import UsageError

UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}

VALUES, RELATIONS, SEQUENCES = "values", "relations", "sequences"
SHARES = {VALUES: 0.7, RELATIONS: 0.2, SEQUENCES: 0.1}
"""Of a budget, by what is drawn. Values find most failures: 306 of the 321 of a measured run. There
are more than ten times as many items of relations, which a plain mistake breaks, too.
"""


def seconds_of_budget(text: str) -> float:
    """A budget such as 90s, 10m or 2h in seconds; raises `UsageError`."""
    written = re.fullmatch(r"(\d+(?:\.\d+)?)([smh])", text, re.ASCII)
    if not written or not float(written[1]):
        raise UsageError("budget", text, ALLOWED_BUDGETS())
    return float(written[1]) * UNITS[written[2]]


def parts(kinds: Mapping[str, str], weights: Mapping[str, float] | None = None) -> dict[str, float]:
    """Of each item, by what it draws, the part of the whole budget that it has; 1 together.

    Items that draw the same have parts of its share by their ``weights``, None: equal ones. What no
    item draws has no share.
    """
    weights = weights or dict.fromkeys(kinds, 1.0)
    count: defaultdict[str, float] = defaultdict(float)
    for item, kind in kinds.items():
        count[kind] += weights[item]
    whole = sum(SHARES[kind] for kind in count)
    return {
        item: SHARES[kind] / whole * weights[item] / count[kind] for item, kind in kinds.items()
    }


class Budget:
    """The time that one pytest process has, shared among its items that draw cases.

    It begins when the items are collected. Each gets its part of what is left when it begins, so
    that one slow item does not take the time of all others; time that an item leaves over goes to
    those after it. ``clock`` tells seconds that all processes of a host share.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self.clock = clock
        self._end = math.inf
        self._parts: Mapping[str, float] = {}
        self._left = 1.0

    def begin(self, parts: Mapping[str, float], processes: int, at: float | None = None) -> None:
        """Begin now, or at an earlier time ``at``; ``parts`` are those of the run's items.

        Which of its processes runs which item is not known before.
        """
        self._end = (self.clock() if at is None else at) + self.seconds
        self._parts = parts
        self._left = sum(parts.values()) / processes

    @property
    def spent(self) -> bool:
        """Whether nothing new may begin."""
        return self.clock() >= self._end

    def share(self, item: str) -> float:
        """When the item that begins now must begin no further case."""
        now, part = self.clock(), self._parts[item]
        share = max(0.0, self._end - now) * part / max(part, self._left)
        self._left -= part
        return now + share
