"""The quick look at fp32 sums in any order: which elements need a closer one (numerics N.3).

Most such elements are decided here, in float64 and in blocks that stay in the second-level cache.
What is accepted here is legal and has several legal values, as `elements` would find; what is not
is merely suspect and goes there. `sure` has the rule, docs/explanation/numerics.md its proof.

A verdict also states the least headroom. So an element stays suspect unless another one, which is
suspect, has certainly used a larger share of its accepted error.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.numerics import compiled
from conformance.numerics.accepted import Floats, Mask
from conformance.numerics.every_order import MOST_TERMS
from reference.floats import FP32, Format, round_once, widen

BLOCK_ELEMENTS = 1 << 16
"""Elements of an output looked at together."""

MOST_SLOTS = 1 << 16
"""With more terms the margins of `sure` are too small."""

MARGIN = 1.0 - 2.0**-20
"""Of the accepted error, what a sum in float64 may use: its own error is far below the rest."""


@dataclass
class Settled:
    """How many elements of an output are legal, and not the only legal value, at a glance."""

    several: int = 0


@dataclass(frozen=True)
class Sure:
    """What is certain of sums: which are ``legal``, and how much of their error they have used.

    Elementwise. Where ``legal`` holds, `elements.judge_elements` finds the value legal, not the
    only legal one, and not decided by every order. The share of the accepted error that it has used
    lies between (``away`` - ``slack``) / ``widest`` and (``away`` + ``slack``) / ``narrowest``.
    """

    legal: Mask
    away: Floats
    slack: Floats | float
    widest: Floats | float
    narrowest: Floats | float

    def used_less(self, share: float) -> Mask:
        """Which legal values have certainly used less than a share."""
        below = self.away < share * self.narrowest - self.slack
        below &= self.legal
        return np.asarray(below)

    def most_used(self, share: float) -> float:
        """A share that some legal value has certainly used, and at least ``share``."""
        more = np.flatnonzero(self.legal & ~self.used_less(share))
        if not more.size:
            return share
        away, slack, widest = (
            np.broadcast_to(part, self.legal.shape).flat[more]
            for part in (self.away, self.slack, self.widest)
        )
        return max(share, float(((away - slack) / widest).max()))


def sure(
    total: Floats,
    magnitude: Floats,
    count: Floats | float,
    seen: Floats,
    accumulate: Format = FP32,
) -> Sure:
    """What is certain of sums of known terms in any order, which are not rounded afterwards.

    ``total`` and ``magnitude`` are the sums of the terms and of their magnitudes in float64, one
    addition after the other, ``count`` how many terms are not zero, at most MOST_SLOTS; ``seen``
    are the observed values. All are float64 of one shape, or count is one number.

    With r = |seen - total| / A, and u of the accumulator:

    * r <= (n - 2) u, with room for the errors of float64: legal.
    * Either sum is off the accumulator's grid: no certificate, for with one every partial sum of
      terms and of magnitudes is exact and on the grid.
    * n > MOST_TERMS: the interval decides. It is at least two steps of the grid wide.
    * A is a quarter of what overflows, at most: no order overflows.
    * The rounded end is within (1 + (n - 2) u) u A of the end, and so the used share lies around
      r / ((n - 2) u).
    """
    unit = accumulate.unit_roundoff
    error = (count - 2.0) * unit
    with np.errstate(all="ignore"):
        away = np.subtract(seen, total)
        np.abs(away, out=away)
        away /= magnitude
        legal = np.asarray(round_once(magnitude, accumulate) != magnitude)
        left = np.flatnonzero(~legal)
        some = total.reshape(-1)[left]
        legal.reshape(-1)[left] = round_once(some, accumulate) != some
        legal &= away <= error * MARGIN
        legal &= magnitude < accumulate.overflow_threshold / 4
        legal &= (count > MOST_TERMS) & (error <= 1.0)
    return Sure(
        legal=legal,
        away=away,
        slack=2.0**-51 * count,
        widest=(count - 0.75 + error) * unit,
        narrowest=(count - 3.25 - error) * unit,
    )


@dataclass(frozen=True)
class IntervalLook:
    """An unweighted fp32 sum in any order under IEEE arithmetic.

    ``source`` is float32 [source_rows, hidden], ``chosen`` integer [output_rows, slots] with -1 for
    a slot that adds nothing, ``observed`` float32 [output_rows, hidden]. ``asked`` has the shape of
    observed: elements that count, None: all. ``settled`` is told of those that are decided.
    No axis is empty.
    """

    source: NDArray[np.float32]
    chosen: NDArray[Any]
    observed: NDArray[np.float32]
    settled: Settled
    asked: Mask | None = None

    def suspects(self) -> Iterator[tuple[slice, Mask]]:
        """Windows of whole output rows, with the elements not yet decided; the rest is legal."""
        tokens, hidden = self.observed.shape
        height = min(max(1, BLOCK_ELEMENTS // hidden), tokens)
        windows = [slice(start, min(start + height, tokens)) for start in range(0, tokens, height)]
        if compiled.wanted(self.chosen.size * hidden):
            yield from self._by_loops(windows)
            return
        figures = _Figures(self.source, height)
        used = 0.0
        for rows in windows:
            total, magnitude, count = figures.of(self.chosen[rows])
            seen = widen(self.observed[rows], np.float64)
            found = sure(total, magnitude, count, seen)
            if self.asked is not None:
                np.logical_and(found.legal, self.asked[rows], out=found.legal)
            used = found.most_used(used)
            decided = found.used_less(used)
            self.settled.several += int(np.count_nonzero(decided))
            yield rows, ~decided

    def _by_loops(
        self, windows: list[slice], *, closely: bool = True
    ) -> Iterator[tuple[slice, Mask]]:
        """The same by compiled loops. ``closely``: sums on the grid are looked at one by one, and
        fewer are suspect."""
        from conformance.numerics.compiled_interval import settle

        shape = (windows[0].stop, self.observed.shape[1])
        buffers, decided = np.empty((2, *shape)), np.empty(shape, np.bool_)
        used, every = 0.0, np.empty((0, 0), np.bool_)
        for rows in windows:
            height = rows.stop - rows.start
            used, several = settle(
                self.source,
                self.chosen[rows],
                self.observed[rows],
                every if self.asked is None else self.asked[rows],
                used,
                float(MOST_TERMS),
                MARGIN,
                closely,
                buffers[0, :height],
                buffers[1, :height],
                decided[:height],
            )
            self.settled.several += several
            yield rows, ~decided[:height]


class _Figures:
    """The figures of one window after the other, in buffers that stay."""

    def __init__(self, source: NDArray[np.float32], height: int) -> None:
        self.source = source
        shape = (height, source.shape[1])
        self.term = np.empty(shape, np.float32)
        self.wide, self.total, self.magnitude = np.empty((3, *shape))
        self.present = np.empty(shape, np.bool_)

    def of(self, chosen: NDArray[Any]) -> tuple[Floats, Floats, Floats | float]:
        """The sum of each element, that of its terms' magnitudes, how many are not zero."""
        height, slots = chosen.shape
        term, wide = self.term[:height], self.wide[:height]
        total, magnitude = self.total[:height], self.magnitude[:height]
        absent: Floats | None = None
        with np.errstate(all="ignore"):
            for slot in range(slots):
                self._load(chosen[:, slot], term)
                present = np.not_equal(term, 0.0, out=self.present[:height])
                if not present.all():
                    absent = np.zeros(total.shape) if absent is None else absent
                    absent += ~present
                if slot == 0:
                    np.copyto(total, term)
                    np.abs(total, out=magnitude)
                    continue
                np.copyto(wide, term)
                total += wide
                np.abs(wide, out=wide)
                magnitude += wide
        return total, magnitude, float(slots) if absent is None else slots - absent

    def _load(self, rows: NDArray[Any], term: NDArray[np.float32]) -> None:
        """The terms of one slot, zeros where it adds nothing."""
        np.take(self.source, rows, axis=0, out=term, mode="clip")
        dropped = rows < 0
        if dropped.any():
            term[dropped] = 0.0
