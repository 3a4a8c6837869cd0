"""Profiles: how much a run draws, from a minute on a laptop to a night on a farm."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Profile:
    """How much a run draws.

    ``examples`` is the number of drawn cases per operator, mode and dtype. ``shrink_seconds``
    bounds the wall time in which one failing item may look for a smaller case, see
    `conformance.trial`; ``time_limit`` is seconds for one call on the device. ``random`` profiles
    draw a new seed for each run and keep Hypothesis's example database; the others draw the same
    cases for the same seed.
    """

    name: str
    purpose: str
    examples: int
    shrink_seconds: float
    time_limit: float
    random: bool = False


PROFILES = {
    profile.name: profile
    for profile in (
        Profile("smoke", "under a minute on two cores", 300, shrink_seconds=60, time_limit=5),
        Profile("gate", "under ten minutes on two cores", 2500, shrink_seconds=60, time_limit=20),
        Profile("nightly", "new cases for hours", 50_000, 240, time_limit=60, random=True),
    )
}
"""Profiles by name, smallest first."""
