"""Mistakes of indexing: right arithmetic on the wrong rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from conformance.diagnosis.lost_terms import Variant, parts_of
from conformance.diagnosis.mistake import (
    EXTRA,
    NARROW,
    ROWS,
    STALE,
    UNKNOWN,
    Mistake,
    Reading,
    Rows,
)
from conformance.diagnosis.subject import Subject


def misread(subject: Subject) -> Iterator[Variant]:
    """Known mistakes of what a sum reads."""
    rows = subject.terms.rows.astype(np.int64)
    if not rows.size:
        return
    for mistake, other in misreadings(rows, len(subject.source)):
        yield mistake, _reading(subject, other)
    for part in parts_of(subject.slots):
        around = rows[:, np.arange(subject.slots) % part]
        words = f"slots from {part} on begin anew: they read the rows of the first ones"
        yield Mistake(ROWS, words, 2, subject.slots), _reading(subject, around)
    yield from _of_tensors(subject, rows)
    output_rows = len(rows)
    if output_rows < 2:
        return
    moved = np.arange(output_rows)
    for words, source in (
        ("every row holds the sum of the next one", moved + 1),
        ("every row holds the sum of the one before", moved - 1),
        ("the rows come in reverse", moved[::-1]),
    ):
        yield Mistake(ROWS, words, 2), _of_row(subject, source)
    words = "a row holds the sum of the one before, too, which is still there"
    yield Mistake(STALE, words, 2), _on_top(subject)
    live = (rows >= 0).any(axis=1)
    if not live.all():
        last = np.maximum.accumulate(np.where(live, moved, -1))
        words = "a row to which nothing is added still holds the sum of one before"
        yield Mistake(STALE, words), _of_row(subject, last)


def misreadings(rows: Rows, source_rows: int) -> Iterator[tuple[Mistake, Rows]]:
    """Known mistakes, and the source rows that each would add, [output_rows, slots or one more].

    ``rows`` are the right ones. -1 adds nothing; UNKNOWN says that the element cannot be predicted.
    """
    tokens, slots = rows.shape
    live = rows >= 0
    following = np.append(rows.reshape(-1)[slots::slots], UNKNOWN)
    words = "one slot too many is added, the first of the next row"
    yield Mistake(EXTRA, words), np.concatenate([rows, following[:, None]], axis=1)
    flat = rows.reshape(-1)
    if np.array_equal(np.sort(flat), np.arange(rows.size)):
        inverse = np.argsort(flat).reshape(rows.shape)
        if not np.array_equal(inverse, rows):
            words = "the index is taken for its inverse (argsort for rank)"
            yield Mistake(ROWS, words), inverse
    if not live.all():
        yield Mistake(EXTRA, "a dropped slot is read as row 0"), np.where(live, rows, 0)
        words = "a dropped slot is read as the last row"
        yield Mistake(EXTRA, words), np.where(live, rows, source_rows - 1)
    for step, words in ((1, "the row after"), (-1, "the row before")):
        moved = np.where(live, rows + step, -1)
        beyond = live & ((moved < 0) | (moved >= source_rows))
        words = f"every slot reads {words} its own"
        yield Mistake(ROWS, words), np.where(beyond, UNKNOWN, moved)
    for bits in (8, 15, 16):
        if source_rows > 1 << bits:
            low = rows & ((1 << bits) - 1)
            words = f"the index is narrowed: it wraps after {bits} bits"
            yield Mistake(NARROW, words), np.where(live, low, rows)
    for bits in (8, 16):
        if source_rows > 1 << (bits - 1):
            low = rows & ((1 << bits) - 1)
            words = f"the index is narrowed to {bits} bits with a sign: "
            words += "it wraps, and what is negative then is left out"
            negative = low >> (bits - 1) > 0
            yield Mistake(NARROW, words), np.where(live, np.where(negative, -1, low), rows)
    if slots > 1:
        first = np.repeat(rows[:, :1], slots, axis=1)
        yield Mistake(ROWS, "every slot reads the row of slot 0"), first
        after = np.append(flat[1:], UNKNOWN).reshape(rows.shape)
        yield Mistake(ROWS, "every slot reads the row of the next slot"), after
        before = np.append(UNKNOWN, flat[:-1]).reshape(rows.shape)
        yield Mistake(ROWS, "every slot reads the row of the slot before"), before
    if tokens > 1 and slots > 1:
        turned = {
            "slots and rows of the index": flat.reshape(slots, tokens).T,
            "rows and slots of the index": rows.T.reshape(rows.shape),
        }
        for words, other in turned.items():
            yield Mistake(ROWS, f"{words} are exchanged: it reads rows of others"), other
    if tokens > 1:
        first = np.repeat(rows[:1], tokens, axis=0)
        yield Mistake(ROWS, "every row reads the rows of row 0"), first
        last = np.repeat(rows[-1:], tokens, axis=0)
        yield Mistake(ROWS, "every row reads the rows of the last row"), last


def _of_tensors(subject: Subject, rows: Rows) -> Iterator[Variant]:
    """What all slots of one tensor among several read."""
    for name, slots in subject.slots_by_tensor().items():
        own = rows[:, slots]
        numbers = np.arange(len(slots))[None, :] % max(1, len(slots))
        wanted: dict[str, Rows] = {
            f"every row reads the rows of {name} of row 0": np.repeat(own[:1], len(own), axis=0),
            f"every slot reads the row of {name} of slot 0": np.repeat(own[:, :1], len(slots), 1),
            f"every slot reads the row of {name} of its own number": subject.numbered(
                name, np.broadcast_to(numbers, own.shape)
            ),
            f"every row reads the row of {name} of its own number": subject.numbered(
                name, np.broadcast_to(np.arange(len(own))[:, None], own.shape)
            ),
        }
        for other, theirs in subject.slots_by_tensor().items():
            if other != name and len(theirs) == len(slots):
                wanted[f"rows of {other} are read in place of those of {name}"] = rows[:, theirs]
        for part in parts_of(len(slots)):
            around = own[:, np.arange(len(slots)) % part]
            wanted[f"what is read of {name} begins anew from slot {part} on: rows of the first"] = (
                around
            )
        for words, read in wanted.items():
            changed = rows.copy()
            changed[:, slots] = np.where(own >= 0, read, own)
            yield Mistake(ROWS, words, 2), _reading(subject, changed)


def _reading(subject: Subject, rows: Rows) -> Callable[[Rows], Reading]:
    def read(at: Rows) -> Reading:
        chosen = rows[at]
        weights = subject.weights(at, rows.shape[1])
        return Reading(chosen, None if weights is None else weights.T)

    return read


def _of_row(subject: Subject, source: Rows) -> Callable[[Rows], Reading]:
    """Whole sums of other output rows; those beyond the output are unknown."""

    def read(at: Rows) -> Reading:
        wanted = source[at]
        inside = (wanted >= 0) & (wanted < len(source))
        own = subject.reading(np.where(inside, wanted, 0))
        return Reading(np.where(inside[:, None], own.rows, UNKNOWN), own.weights)

    return read


def _on_top(subject: Subject) -> Callable[[Rows], Reading]:
    """The sum of the row before and its own."""

    def read(at: Rows) -> Reading:
        own, before = subject.reading(at), subject.reading(np.maximum(at - 1, 0))
        earlier = np.where((at > 0)[:, None], before.rows, -1)
        rows = np.concatenate([earlier, own.rows], axis=1)
        weights = None
        if own.weights is not None and before.weights is not None:
            weights = np.concatenate([before.weights, own.weights], axis=1)
        return Reading(rows, weights)

    return read
