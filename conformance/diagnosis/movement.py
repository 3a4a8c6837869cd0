"""From wrong rows and integers to what may have misplaced them; a guess shows its evidence.

What is moved is right bit for bit or wrong, so a mistake is a rule by which the wrong places hold
what belongs elsewhere, or by which their bits changed on the way.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.floats import Format

Mask = NDArray[np.bool_]
Integers = NDArray[Any]

LEAST_SHARE = 0.75
"""A rule must explain this share of what is wrong."""

LEAST_WRONG = 2
"""Wrong rows, or integers, of which a rule can be evidence."""

MOST_ROWS, MOST_SHIFT = 4096, 16
"""Rows that are looked at, and by how many they may be shifted."""


def guesses(
    expected: Integers,
    seen: Integers,
    wrong: Mask,
    *,
    storage: Format | None = None,
    unwritten: int = 0,
) -> Iterator[str]:
    """The rule that explains the wrong elements of a moved or counted output, if one does.

    ``expected`` and ``seen`` are the patterns, or the integers of an output that counts;
    ``storage`` is the format of patterns, None for integers; ``unwritten`` is how many elements
    the device found untouched.
    """
    if unwritten >= np.count_nonzero(wrong):
        yield "guess: never written: the wrong elements hold what was there before the call"
        return
    rules = [_changed_bits(expected, seen, wrong, storage)] if storage is not None else []
    if expected.ndim == 1 and storage is None:
        rules.append(_of_integers(expected, seen, wrong))
    rows = expected.reshape(-1, expected.shape[-1]) if expected.ndim > 1 else expected[:, None]
    if len(rows) <= MOST_ROWS:
        rules.append(_of_rows(rows, seen.reshape(rows.shape), wrong.reshape(rows.shape)))
    yield from (f"guess: {found}" for found in islice(chain.from_iterable(rules), 1))


def _enough(explained: Mask, wrong: Mask) -> bool:
    count = int(np.count_nonzero(wrong))
    return count >= LEAST_WRONG and int(np.count_nonzero(explained & wrong)) >= LEAST_SHARE * count


def _evidence(explained: Mask, wrong: Mask, what: str) -> str:
    return f"({np.count_nonzero(explained & wrong)} of {np.count_nonzero(wrong)} wrong {what})"


def _changed_bits(expected: Integers, seen: Integers, wrong: Mask, fmt: Format) -> Iterator[str]:
    """Values that were changed on the way, as no move may."""
    sign = fmt.sign_bit
    magnitude = expected.astype(np.int64) & (sign - 1)
    observed = seen.astype(np.int64)
    nan = magnitude > fmt.infinity_bits
    quiet = 1 << (fmt.precision - 2)
    some = observed[nan & wrong]
    subnormal = (magnitude > 0) & (magnitude < 1 << (fmt.precision - 1))
    rules = {
        "signalling NaNs were made quiet": nan & (observed == (expected.astype(np.int64) | quiet)),
        "minus zero became plus zero": (expected == sign) & (observed == 0),
        "subnormals were flushed to zero": subnormal & (observed & (sign - 1) == 0),
    }
    if some.size:
        digits = fmt.storage_bits // 4
        rules[f"every NaN became 0x{int(some[0]):0{digits}x}"] = nan & (observed == some[0])
    for words, explained in rules.items():
        if _enough(explained, wrong):
            yield f"{words} {_evidence(explained, wrong, 'elements')}"


def _of_integers(expected: Integers, seen: Integers, wrong: Mask) -> Iterator[str]:
    """Counts and ranks that follow a rule of their own."""
    must, found = expected.astype(np.int64), seen.astype(np.int64)
    if must.size > 1 and np.array_equal(np.sort(must), np.arange(must.size)):
        inverse = np.empty_like(must)
        inverse[must] = np.arange(must.size)
        if _enough(found == inverse, wrong):
            told = _evidence(found == inverse, wrong, "elements")
            yield f"the inverse permutation: argsort and rank are exchanged {told}"
    away = int(np.median((found - must)[wrong]))
    if away and _enough(found - must == away, wrong):
        which = "large" if away > 0 else "small"
        told = _evidence(found - must == away, wrong, "elements")
        yield f"each is {abs(away)} too {which} {told}"
    for bits in (8, 16, 24):
        low = must & ((1 << bits) - 1)
        either = (found == low) | (found == low - (low >> (bits - 1) << bits))
        if _enough(either, wrong):
            yield f"the low {bits} bits of each {_evidence(either, wrong, 'elements')}"
    if np.array_equal(np.sort(must), np.sort(found)):
        yield "the right values in another order: ties may be broken otherwise"


def _of_rows(expected: Integers, seen: Integers, wrong: Mask) -> Iterator[str]:
    """Rows that lie where others belong."""
    total = len(expected)
    lost: Mask = np.asarray(wrong.any(axis=1))
    if np.count_nonzero(lost) < LEAST_WRONG or total < LEAST_WRONG:
        return
    row = np.arange(total)
    places = {
        f"row r holds what belongs in row r {'+' if d > 0 else '-'} {abs(d)}": row + d
        for step in range(1, min(MOST_SHIFT, total - 1) + 1)
        for d in (step, -step)
    }
    places["row r holds the row that belongs as far from the end"] = total - 1 - row
    for many in range(2, total // 2 + 1):
        if total % many == 0:
            other = total // many
            words = f"rows lie as [{other}, {many}] where they must as [{many}, {other}]"
            places[words] = row % many * other + row // many
    for words, source in places.items():
        explained = _holds(expected, seen, source)
        if _enough(explained, lost):
            yield f"{words} {_evidence(explained, lost, 'rows')}"
    first = seen[lost][0]
    origin = np.flatnonzero((expected == first).all(axis=1))
    same: Mask = np.asarray((seen == first).all(axis=1))
    if origin.size and _enough(same, lost):
        told = _evidence(same, lost, "rows")
        yield f"all wrong rows hold what belongs in row {origin[0]} {told}"
    if np.array_equal(_sorted(expected), _sorted(seen)):
        yield "the right rows in another order"


def _holds(expected: Integers, seen: Integers, source: NDArray[np.int64]) -> Mask:
    """Which rows hold what belongs in the row ``source`` of each."""
    inside = (source >= 0) & (source < len(expected))
    read = expected[np.clip(source, 0, len(expected) - 1)]
    return np.asarray(inside & (seen == read).all(axis=1))


def _sorted(rows: Integers) -> Integers:
    whole = np.ascontiguousarray(rows).view(f"V{rows.shape[1] * rows.itemsize}").reshape(-1)
    return np.array(sorted(bytes(one) for one in whole), object)
