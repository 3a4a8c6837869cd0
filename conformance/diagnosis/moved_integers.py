"""Rules by which counts, ranges and permutations come out wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.catalogue import mistakes_of_moves as say
from conformance.diagnosis.mistake import COUNTED, NARROW, ORDER, ROWS
from conformance.diagnosis.moved_rule import Rule

Mask = NDArray[np.bool_]
Integers = NDArray[Any]

LEAST_WRONG = 2
"""Wrong integers of which a rule can be evidence."""

LEAST_MOVED = 7
"""Elements of a permutation by which another permutation is told: 7! is more than 2^12."""


def rules(
    expected: Integers, seen: Integers, wrong: Mask, inputs: Mapping[str, Integers]
) -> Iterator[Rule]:
    """The rules that explain every wrong integer, the simplest first."""
    must, found = expected.astype(np.int64), seen.astype(np.int64)
    count = int(np.count_nonzero(wrong))
    if not count:
        return
    sure = count >= LEAST_WRONG
    place = np.arange(must.size)
    if must.size > 1 and np.array_equal(np.sort(must), place):
        inverse = np.empty_like(must)
        inverse[must] = place
        if (found == inverse).all():
            yield Rule(say.INVERSE(), ORDER, count, sure=count >= LEAST_MOVED)
        yield from _ties(must, found, wrong, inverse, inputs)
    if (found == place)[wrong].all():
        yield Rule(say.OWN_PLACES(), ROWS, count, sure=sure)
    yield from _sums(must, found, count)
    away = found - must
    first = int(away[wrong][0])
    if (away[wrong] == first).all():
        words = say.TOO_LARGE if first > 0 else say.TOO_SMALL
        yield Rule(words(away=abs(first)), COUNTED, count, sure=sure)
    for bits in (8, 16, 24):
        low = must & ((1 << bits) - 1)
        either = (found == low) | (found == low - (low >> (bits - 1) << bits))
        if either[wrong].all():
            yield Rule(say.LOW_BITS(bits=bits), NARROW, count, sure=sure)
    if np.array_equal(np.sort(must), np.sort(found)):
        yield Rule(say.VALUES_REORDERED(), ORDER, 0)


def _ties(
    must: Integers, found: Integers, wrong: Mask, inverse: Integers, inputs: Mapping[str, Integers]
) -> Iterator[Rule]:
    """A permutation in which elements with equal keys of an input have changed places."""
    if not np.array_equal(np.sort(found), np.arange(must.size)):
        return
    for name, keys in inputs.items():
        flat = keys.reshape(-1)
        if flat.size != must.size or flat.dtype.kind not in "iu":
            continue
        by_rank = (flat[found[wrong]] == flat[must[wrong]]).all()
        by_slot = (flat[inverse[found[wrong]]] == flat[wrong.reshape(-1)]).all()
        if by_rank or by_slot:
            yield Rule(say.TIES(name=name), ORDER, 0)
            return


def _sums(must: Integers, found: Integers, count: int) -> Iterator[Rule]:
    """Counts in place of running sums, and the other way round."""
    sure = count >= LEAST_WRONG
    if (np.diff(must, prepend=0) == found).all():
        yield Rule(say.COUNTS_FOR_SUMS(), COUNTED, count, sure=sure)
    if (np.cumsum(must) == found).all():
        yield Rule(say.SUMS_FOR_COUNTS(), COUNTED, count, sure=sure)
    if found[0] == 0 and (found[1:] == must[:-1]).all():
        yield Rule(say.SUMS_WITHOUT_OWN(), COUNTED, count, sure=sure)
