"""By how much one set of times is longer than another: the ratio of medians, with an interval.

The bootstrap draws repetitions of both sets anew, with replacement, and takes the ratio of the
medians of what was drawn. The interval has the middle share of these ratios. It speaks of the noise
between repetitions of one run; what differs between two runs on one device it cannot know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from conformance.evidence.lines import FEWEST_TIMES

DRAWS = 4000
CONFIDENCE = 0.99


@dataclass(frozen=True)
class Ratio:
    """The medians in seconds, their ratio, and the bounds of its interval."""

    before: float
    now: float
    low: float
    high: float

    @property
    def ratio(self) -> float:
        """How many times as long it takes."""
        return self.now / self.before


def ratio_of_medians(before: Sequence[float], now: Sequence[float], seed: int = 0) -> Ratio | None:
    """The ratio of the medians of two sets of seconds; None where one is of no use.

    A set is of no use with fewer than `FEWEST_TIMES` repetitions, or with one that is no positive
    finite number. Equal sets and seeds give equal intervals.
    """
    sets = [np.asarray(one, np.float64) for one in (before, now)]
    if any(one.size < FEWEST_TIMES or not (np.isfinite(one) & (one > 0)).all() for one in sets):
        return None
    generator = np.random.default_rng(seed)
    drawn = [np.median(generator.choice(one, (DRAWS, one.size)), axis=1) for one in sets]
    outside = (1 - CONFIDENCE) / 2
    low, high = np.quantile(drawn[1] / drawn[0], (outside, 1 - outside))
    was, is_now = (float(np.median(one)) for one in sets)
    return Ratio(was, is_now, float(low), float(high))
