"""Profiles: how much a run draws, from a minute on a laptop to a night on a farm."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Profile:
    """How much a run draws.

    ``examples`` is the number of drawn cases per operator, mode and dtype, fewer where an operator
    has so many of these that together they would draw more than ``operator_examples``, and a few
    more where the discrete cells need them: every ``strength`` levels that go together are judged
    in one case (conformance/cells.py). Of the edges, those are judged that cost no more than
    ``edge_cost`` (conformance/edges.py). ``shrink_seconds`` bounds the wall time in which one
    failing item may look for a smaller case, see `conformance.trial`; ``time_limit`` is seconds for
    one call on the device. ``random`` profiles draw a new seed for each run and keep Hypothesis's
    example database; the others draw the same cases for the same seed.
    """

    name: str
    purpose: str
    examples: int
    operator_examples: int
    shrink_seconds: float
    time_limit: float
    strength: int
    edge_cost: int
    random: bool = False


PROFILES = {
    profile.name: profile
    for profile in (
        Profile("smoke", "under a minute on two cores", 250, 1_500, 60, 5, 2, edge_cost=1_000),
        Profile(
            "gate", "under ten minutes on two cores", 2_500, 9_000, 60, 20, 3, edge_cost=1_000_000
        ),
        Profile(
            "nightly", "new cases for hours", 50_000, 1_000_000, 240, 60, 3, 2**40, random=True
        ),
    )
}
"""Profiles by name, smallest first."""
