"""Profiles (smoke, gate, nightly): how much a run draws, and how long a call may take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from conformance.catalogue import draw as say


@dataclass(frozen=True)
class Profile:
    """How much a run draws.

    ``examples`` is the number of drawn cases per operator, mode and dtype, fewer where an operator
    has so many of these that together they would draw more than ``operator_examples``, and a few
    more where the discrete cells need them: every ``strength`` levels that go together are judged
    in one case of one of the data types (conformance/draw/shared_rows.py), in ``each_mode`` or,
    False, in one of those that have them (conformance/draw/shared_modes.py), by turns, as an edge
    is. Of the edges, those are judged that cost no more than ``edge_cost``
    (conformance/record/edges.py), in ``each_edge_dtype`` or, where data types have the same ones,
    in one of them by turns.
    ``relations`` cases are drawn for a relation in each mode and dtype, where relations are asked
    for, ``invariants`` for one that always is (conformance/relations/invariants.py), of which
    ``each_dtype`` has as many or, False, those of a mode take turns. A ladder
    (conformance/record/size_ladders.py) is judged in one cell of each ``ladders``: "operator",
    "mode" or "dtype" of a mode. Of rejected calls that are alike
    (conformance/draw/rejections_asked.py) each is made or, False for ``each_rejection``, one. Of
    ``full_rows`` workloads (conformance/draw/batches.py), by turns, a step is judged with all its
    columns. ``sequences`` of calls are drawn of an operator,
    each on a freshly opened device (conformance/draw/sequences.py). ``shrink_seconds`` bounds the
    wall time in which one failing item may look for a smaller case, see
    `conformance.session.trial`; ``time_limit`` is seconds for one call on the device. ``random``
    profiles draw a new seed for each run and keep Hypothesis's example database; the others draw
    the same cases for the same seed. Each ``block`` of drawn cases has a seed of its own, so that a
    part of an item need not draw what others judge. With ``corpus`` the frozen cases are judged
    before any that is drawn.
    """

    name: str
    purpose: str
    examples: int
    operator_examples: int
    shrink_seconds: float
    time_limit: float
    strength: int
    edge_cost: int
    relations: int
    invariants: int
    sequences: int
    ladders: Literal["operator", "mode", "dtype"]
    full_rows: int
    each_mode: bool = True
    each_dtype: bool = True
    each_edge_dtype: bool = False
    each_rejection: bool = True
    block: int = 25
    random: bool = False
    corpus: bool = True


PROFILES = {
    profile.name: profile
    for profile in (
        Profile(
            "smoke",
            say.SMOKE(),
            examples=225,
            operator_examples=300,
            shrink_seconds=60,
            time_limit=5,
            strength=2,
            edge_cost=1_000,
            relations=12,
            invariants=3,
            each_mode=False,
            each_dtype=False,
            each_rejection=False,
            sequences=1,
            block=250,
            ladders="operator",
            full_rows=0,
            corpus=False,
        ),
        Profile(
            "gate",
            say.GATE(),
            examples=2_500,
            operator_examples=4_000,
            shrink_seconds=60,
            time_limit=20,
            strength=3,
            edge_cost=1_000_000,
            relations=60,
            invariants=20,
            each_mode=False,
            sequences=12,
            ladders="mode",
            full_rows=3,
        ),
        Profile(
            "nightly",
            say.NIGHTLY(),
            examples=50_000,
            operator_examples=1_000_000,
            shrink_seconds=240,
            time_limit=60,
            strength=3,
            edge_cost=2**40,
            each_edge_dtype=True,
            relations=2_000,
            invariants=2_000,
            sequences=1_000,
            ladders="dtype",
            full_rows=1_000,
            random=True,
        ),
    )
}
"""Profiles by name, smallest first."""
