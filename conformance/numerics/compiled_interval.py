"""The loops of `interval_look`, compiled by numba: one pass over blocks of columns.

They are twins of that code, bit for bit, as `compiled_sums` are of theirs.
"""

# mypy: disable-error-code="misc, untyped-decorator"

from __future__ import annotations

from math import frexp, ldexp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.numerics.compiled import loop

COLUMNS = 2048
"""Columns of an output row that are added up together: their figures stay in the first cache."""

UNIT = 2.0**-24
LARGE = (2.0 - UNIT) * 2.0**125
LARGEST = (2.0 - 2.0 * UNIT) * 2.0**127
"""Of fp32: its unit roundoff, a quarter of what overflows, its largest finite value."""


@loop
def _figures(
    line: NDArray[np.float32],
    total: NDArray[np.float64],
    magnitude: NDArray[np.float64],
    count: NDArray[np.float64],
) -> None:
    for i in range(line.size):
        term = np.float64(line[i])
        total[i] += term
        magnitude[i] += abs(term)
        count[i] += np.float64(term != 0.0)


@loop
def _sure(
    total: NDArray[np.float64],
    magnitude: NDArray[np.float64],
    count: NDArray[np.float64],
    seen: NDArray[np.float32],
    most_terms: float,
    margin: float,
    away: NDArray[np.float64],
    legal: NDArray[np.bool_],
    on_grid: NDArray[np.bool_],
) -> None:
    """`interval_look.sure` in fp32, with the grid apart."""
    for i in range(seen.size):
        error = (count[i] - 2.0) * UNIT
        away[i] = abs(np.float64(seen[i]) - total[i]) / magnitude[i]
        near = (away[i] <= error * margin) & (magnitude[i] < LARGE)
        legal[i] = near & (count[i] > most_terms) & (error <= 1.0)
        off = np.float64(np.float32(magnitude[i])) != magnitude[i]
        off |= np.float64(np.float32(total[i])) != total[i]
        on_grid[i] = not off


@loop
def _certified(
    source: NDArray[np.float32], chosen: NDArray[Any], column: int, magnitude: float
) -> bool:
    """`certificate.certified_below` of one element; of infinities and NaNs the magnitude tells."""
    if not magnitude <= LARGEST:
        return False
    fraction, exponent = frexp(magnitude)
    exponent -= fraction == 0.5
    rounder = ldexp(1.5, max(exponent, -125) - 24 + 52)
    for slot in range(chosen.size):
        if chosen[slot] >= 0:
            value = np.float64(source[chosen[slot], column])
            if (value + rounder) - rounder != value:
                return False
    return True


@loop
def _used_less(
    share: float,
    away: NDArray[np.float64],
    count: NDArray[np.float64],
    legal: NDArray[np.bool_],
    less: NDArray[np.bool_],
) -> None:
    """`interval_look.Sure.used_less`."""
    for i in range(away.size):
        narrowest = (count[i] - 3.25 - (count[i] - 2.0) * UNIT) * UNIT
        less[i] = legal[i] & (away[i] < share * narrowest - 2.0**-51 * count[i])


@loop
def _most_used(
    share: float,
    away: NDArray[np.float64],
    count: NDArray[np.float64],
    legal: NDArray[np.bool_],
    less: NDArray[np.bool_],
) -> float:
    """`interval_look.Sure.most_used`."""
    _used_less(share, away, count, legal, less)
    most = share
    for i in range(away.size):
        if legal[i] and not less[i]:
            widest = (count[i] - 0.75 + (count[i] - 2.0) * UNIT) * UNIT
            most = max(most, (away[i] - 2.0**-51 * count[i]) / widest)
    return most


@loop
def settle(
    source: NDArray[np.float32],
    chosen: NDArray[Any],
    seen: NDArray[np.float32],
    asked: NDArray[np.bool_],
    used: float,
    most_terms: float,
    margin: float,
    closely: bool,
    away: NDArray[np.float64],
    counts: NDArray[np.float64],
    decided: NDArray[np.bool_],
) -> tuple[float, int]:
    """What `interval_look` settles of a window is ``decided``, bool [rows, hidden].

    ``asked`` may be empty: all. ``used`` is the share that is certainly used so far. Returns that
    after the window, and how many of the decided have several legal values. ``away`` and ``counts``
    [rows, hidden] are used up. ``closely``: whether a certificate holds is found out where both
    sums are on the grid. With one, the exact sum is right, and alone so.
    """
    height, hidden = seen.shape
    slots = chosen.shape[1]
    totals, magnitudes = np.empty(COLUMNS), np.empty(COLUMNS)
    grids = np.empty(COLUMNS, np.bool_)
    legals, exact = np.empty((height, hidden), np.bool_), np.zeros((height, hidden), np.bool_)
    most = used
    for row in range(height):
        for start in range(0, hidden, COLUMNS):
            end = min(start + COLUMNS, hidden)
            total, magnitude = totals[: end - start], magnitudes[: end - start]
            on_grid, one = grids[: end - start], away[row, start:end]
            count, legal = counts[row, start:end], legals[row, start:end]
            total[:] = 0.0
            magnitude[:] = 0.0
            count[:] = 0.0
            for slot in range(slots):
                place = chosen[row, slot]
                if place >= 0:
                    _figures(source[place, start:end], total, magnitude, count)
            value = seen[row, start:end]
            _sure(total, magnitude, count, value, most_terms, margin, one, legal, on_grid)
            for i in range(legal.size):
                if on_grid[i]:
                    if not closely:
                        legal[i] = False
                    elif _certified(source, chosen[row], start + i, magnitude[i]):
                        legal[i] = False
                        exact[row, start + i] = np.float64(value[i]) == total[i]
            if asked.size:
                for i in range(legal.size):
                    legal[i] &= asked[row, start + i]
            most = max(most, _most_used(used, one, count, legal, decided[row, start:end]))
    several = 0
    for row in range(height):
        _used_less(most, away[row], counts[row], legals[row], decided[row])
        several += decided[row].sum()
        for column in range(hidden):
            decided[row, column] |= exact[row, column]
    return most, several
