"""Routings into rows beyond the reach of 32-bit offsets: sizes, and the few rows that exist."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.draw.routings import DROPPED, positions
from conformance.draw.sizes import hiddens
from conformance.draw.values import SEEDS

EDGES = (2**31, 2**32)
"""Offsets in elements from which on signed and unsigned 32-bit arithmetic wraps. The offset in
bytes wraps earlier: beyond the first edge it has wrapped in 32 bits whatever the dtype."""

ROWS = 2**31
"""As many rows as an int32 index can name."""

FAR_SHARE = 16
"""One in so many cases is far: each takes milliseconds to map its memory."""

Drawn = TypeVar("Drawn")


@dataclass(frozen=True)
class FarRouting:
    """Indices into a row-sparse tensor of ``shape`` [groups, rows of a group, hidden].

    ``rows`` exist, ``unread`` are those of them that no index names; an index may be dropped.
    """

    shape: tuple[int, int, int]
    rows: tuple[int, ...]
    indices: tuple[int, ...]

    @property
    def unread(self) -> tuple[int, ...]:
        """Rows that exist and that no index names."""
        return tuple(sorted(set(self.rows) - set(self.indices)))


@st.composite
def far_routings(
    draw: st.DrawFn, tokens: int, top_k: int, *, most_groups: int, most_hidden: int
) -> FarRouting:
    """``tokens * top_k`` places as `positions` gives them, among as many rows as there are places:
    the last row, which begins beyond an edge, those around the edge, the first, then any.

    The last row is always named. Shrinks to one group and two columns.
    """
    entries = tokens * top_k
    hidden = max(2, draw(hiddens(most_hidden)))
    groups = draw(st.integers(1, most_groups))
    edge = draw(st.sampled_from([e for e in EDGES if e // hidden + 2 + 10 * groups <= ROWS]))
    across = edge // hidden
    per_group = -(-(across + 2) // groups) + draw(st.integers(0, 9))
    known = (groups * per_group - 1, across, 0, across - 1, across + 1)
    generator = np.random.default_rng(draw(SEEDS))
    others = generator.integers(0, groups * per_group, 2 * entries).tolist()
    rows = np.sort(list(dict.fromkeys((*known, *others)))[:entries])
    places = draw(positions(tokens, top_k, rows.size))
    indices = np.where(places == DROPPED, DROPPED, rows[places])
    if rows[-1] not in indices:
        indices[-1] = rows[-1]
    shape = (groups, per_group, hidden)
    return FarRouting(shape, tuple(rows.tolist()), tuple(indices.tolist()))


@st.composite
def mostly(draw: st.DrawFn, near: SearchStrategy[Drawn], far: SearchStrategy[Drawn]) -> Drawn:
    """One in FAR_SHARE draws is far; shrinks to a near one."""
    return draw(far if draw(st.integers(1, FAR_SHARE)) == FAR_SHARE else near)
