"""Every storage pattern that a judge accepts of a sum, element by element, as ranges.

What `summed` says of one observation follows from what it would accept of any: this writes that
down, so that a program without this project can ask it of a device. Patterns are ordered integers
(reference.floats), both zeros are 0, and all NaNs are the one integer behind +infinity.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conformance.numerics.accepted import AcceptedSet
from conformance.numerics.addends import Addends
from conformance.numerics.elements import accepted
from conformance.numerics.every_order import applicable, outcomes_of_each
from conformance.numerics.exactly import accepted_exactly
from conformance.numerics.figures import summarize
from conformance.numerics.output import BATCH, Operands, SummedOutput
from reference.floats import Format, ordered

Places = NDArray[np.int64]
AT_ONCE = 1 << 13
"""Elements of few terms of which every order is tried together."""


@dataclass(frozen=True)
class Ranges:
    """Inclusive ranges of ordered patterns, any number for each element.

    Element e accepts what lies between ``low[i]`` and ``high[i]`` of an i from ``starts[e]`` up to
    before ``starts[e + 1]``; ``starts`` is int64 [elements + 1], the others are int64.
    """

    starts: Places
    low: Places
    high: Places

    def hold(self, observed: NDArray[np.integer], storage: Format) -> NDArray[np.bool_]:
        """Which of the observed storage patterns, one for each element, are accepted."""
        places = as_one_nan(ordered(observed.reshape(-1), storage), storage)
        counts = np.diff(self.starts)
        seen = np.repeat(places, counts)
        inside = (self.low <= seen) & (seen <= self.high)
        element = np.repeat(np.arange(counts.size), counts)
        found = np.zeros(counts.size, np.bool_)
        found[element[inside]] = True
        return found


def as_one_nan(places: Places, storage: Format) -> Places:
    """Ordered patterns with every NaN as the integer behind +infinity."""
    infinity = storage.infinity_bits
    if not places.size or (-infinity <= places.min() and places.max() <= infinity):
        return places
    nan = np.abs(places) > infinity
    return np.asarray(np.where(nan, infinity + 1, places))


def accepted_ranges(output: SummedOutput, specified: NDArray[np.bool_] | None = None) -> Ranges:
    """The accepted patterns of every element; all patterns where the contract is silent.

    A contract that promises its order accepts what that order gives, and nothing else.
    """
    parts = _Parts()
    promised = output.contract.order_clause is not None and output.merges is not None
    for start in range(0, output.bits.size, BATCH):
        places = np.arange(start, min(start + BATCH, output.bits.size))
        if specified is not None:
            told = specified.reshape(-1)[places]
            silent, places = places[~told], places[told]
            parts.add(silent, np.full(silent.size, -(2**31)), np.full(silent.size, 2**31 - 1))
        if not places.size:
            continue
        operands = output.at(places)
        if promised:
            _add_declared(parts, output, operands)
        else:
            _add_legal(parts, output, operands)
    return parts.ranges(output.bits.size)


class _Parts:
    """Ranges as they are found, in any order."""

    def __init__(self) -> None:
        self._found: list[tuple[Places, Places, Places]] = []

    def add(self, elements: Places, low: Places, high: Places) -> None:
        """Let ``elements`` accept what lies between ``low`` and ``high``, one range for each."""
        if elements.size:
            self._found.append((elements, low, high))

    def ranges(self, elements: int) -> Ranges:
        """Everything that was found, by element."""
        empty = np.zeros(0, np.int64)
        found = self._found or [(empty, empty, empty)]
        owner, low, high = (np.concatenate(part) for part in zip(*found, strict=True))
        by_element = np.lexsort((low, owner))
        starts = np.zeros(elements + 1, np.int64)
        np.cumsum(np.bincount(owner, minlength=elements), out=starts[1:])
        return Ranges(starts, low[by_element], high[by_element])


def _add_declared(parts: _Parts, output: SummedOutput, operands: Operands) -> None:
    given = [
        as_one_nan(ordered(patterns, output.storage), output.storage)
        for patterns in output.declared(operands)
    ]
    for number, places in enumerate(given):
        fresh = np.ones(places.shape, np.bool_)
        for earlier in given[:number]:
            fresh &= places != earlier
        parts.add(operands.places[fresh], places[fresh], places[fresh])


def _add_legal(parts: _Parts, output: SummedOutput, operands: Operands) -> None:
    """What the interval and, of few terms, every order accepts; and the declared order's values."""
    addends, accumulate, storage = output.addends(operands), output.accumulate, output.storage
    sums = summarize(addends, accumulate, output.arithmetic)
    legal = accepted(sums, accumulate, storage, +1.0, arithmetic=output.arithmetic)
    inner = accepted(sums, accumulate, storage, -1.0, arithmetic=output.arithmetic)
    for element in np.flatnonzero(_differing(legal, inner)).tolist():
        _put(legal, element, _exactly(addends, element, output))
    several = legal.size(storage) > 1
    few = several & applicable(sums, accumulate, storage, output.arithmetic)
    chosen = np.flatnonzero(few)
    for start in range(0, chosen.size, AT_ONCE):
        some = chosen[start : start + AT_ONCE]
        values = addends.low[:, some]
        owner, found = outcomes_of_each(values, accumulate, storage, output.arithmetic)
        parts.add(operands.places[some[owner]], found, found)
    _add_set(parts, operands.places[~few], _some(legal, ~few), storage)
    for patterns in output.declared(operands) if output.merges is not None else ():
        places = ordered(patterns, storage)
        outside = ~few & ~legal.holds(places, storage)
        one = as_one_nan(places[outside], storage)
        parts.add(operands.places[outside], one, one)


def _add_set(parts: _Parts, elements: Places, legal: AcceptedSet, storage: Format) -> None:
    infinity = storage.infinity_bits
    proper = legal.low <= legal.high
    parts.add(elements[proper], legal.low[proper], legal.high[proper])
    alone = (
        (-infinity, legal.minus_infinity),
        (0, legal.zero),
        (infinity, legal.plus_infinity),
        (infinity + 1, legal.nan),
    )
    for place, holds in alone:
        beside = holds & ~((legal.low <= place) & (place <= legal.high))
        there = np.full(int(np.count_nonzero(beside)), place, np.int64)
        parts.add(elements[beside], there, there)


def _differing(one: AcceptedSet, other: AcceptedSet) -> NDArray[np.bool_]:
    """Where the error of float64 may decide what is accepted."""
    fields = [(getattr(one, name), getattr(other, name)) for name in one.__dataclass_fields__]
    return np.asarray(np.any([mine != its for mine, its in fields], axis=0))


def _exactly(addends: Addends, element: int, output: SummedOutput) -> AcceptedSet:
    column = addends.of(np.array([element]))
    return accepted_exactly(column, output.accumulate, output.storage, arithmetic=output.arithmetic)


def _put(legal: AcceptedSet, element: int, exact: AcceptedSet) -> None:
    for name in legal.__dataclass_fields__:
        getattr(legal, name)[element] = getattr(exact, name)[0]


def _some(legal: AcceptedSet, chosen: NDArray[np.bool_]) -> AcceptedSet:
    return AcceptedSet(**{n: getattr(legal, n)[chosen] for n in legal.__dataclass_fields__})
