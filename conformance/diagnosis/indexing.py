"""Mistakes of indexing: right arithmetic on the wrong rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from conformance.catalogue import mistakes_of_terms as say
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
        words = say.PARTS_ANEW(slot=part)
        yield Mistake(ROWS, words, 2, subject.slots), _reading(subject, around)
    yield from _of_tensors(subject, rows)
    output_rows = len(rows)
    if output_rows < 2:
        return
    moved = np.arange(output_rows)
    for words, source in (
        (say.SUM_OF_NEXT_ROW(), moved + 1),
        (say.SUM_OF_ROW_BEFORE(), moved - 1),
        (say.ROWS_REVERSED(), moved[::-1]),
    ):
        yield Mistake(ROWS, words, 2), _of_row(subject, source)
    yield Mistake(STALE, say.SUM_ON_TOP(), 2), _on_top(subject)
    live = (rows >= 0).any(axis=1)
    if not live.all():
        last = np.maximum.accumulate(np.where(live, moved, -1))
        yield Mistake(STALE, say.SUM_LEFT()), _of_row(subject, last)


def misreadings(rows: Rows, source_rows: int) -> Iterator[tuple[Mistake, Rows]]:
    """Known mistakes, and the source rows that each would add, [output_rows, slots or one more].

    ``rows`` are the right ones. -1 adds nothing; UNKNOWN says that the element cannot be predicted.
    """
    tokens, slots = rows.shape
    live = rows >= 0
    following = np.append(rows.reshape(-1)[slots::slots], UNKNOWN)
    one_more = np.concatenate([rows, following[:, None]], axis=1)
    yield Mistake(EXTRA, say.SLOT_TOO_MANY()), one_more
    flat = rows.reshape(-1)
    if np.array_equal(np.sort(flat), np.arange(rows.size)):
        inverse = np.argsort(flat).reshape(rows.shape)
        if not np.array_equal(inverse, rows):
            yield Mistake(ROWS, say.INVERSE()), inverse
    if not live.all():
        yield Mistake(EXTRA, say.DROPPED_AS_FIRST()), np.where(live, rows, 0)
        yield Mistake(EXTRA, say.DROPPED_AS_LAST()), np.where(live, rows, source_rows - 1)
    for step, words in ((1, say.ROW_AFTER()), (-1, say.ROW_BEFORE())):
        moved = np.where(live, rows + step, -1)
        beyond = live & ((moved < 0) | (moved >= source_rows))
        yield Mistake(ROWS, words), np.where(beyond, UNKNOWN, moved)
    for bits in (8, 15, 16):
        if source_rows > 1 << bits:
            low = rows & ((1 << bits) - 1)
            yield Mistake(NARROW, say.NARROWED(bits=bits)), np.where(live, low, rows)
    for bits in (8, 16):
        if source_rows > 1 << (bits - 1):
            low = rows & ((1 << bits) - 1)
            signed = np.where(low >> (bits - 1) > 0, -1, low)
            yield Mistake(NARROW, say.NARROWED_WITH_SIGN(bits=bits)), np.where(live, signed, rows)
    if slots > 1:
        first = np.repeat(rows[:, :1], slots, axis=1)
        yield Mistake(ROWS, say.SLOT_0()), first
        after = np.append(flat[1:], UNKNOWN).reshape(rows.shape)
        yield Mistake(ROWS, say.NEXT_SLOT()), after
        before = np.append(UNKNOWN, flat[:-1]).reshape(rows.shape)
        yield Mistake(ROWS, say.SLOT_BEFORE()), before
    if tokens > 1 and slots > 1:
        yield Mistake(ROWS, say.SLOTS_AND_ROWS()), flat.reshape(slots, tokens).T
        yield Mistake(ROWS, say.ROWS_AND_SLOTS()), rows.T.reshape(rows.shape)
    if tokens > 1:
        first = np.repeat(rows[:1], tokens, axis=0)
        yield Mistake(ROWS, say.ROW_0()), first
        last = np.repeat(rows[-1:], tokens, axis=0)
        yield Mistake(ROWS, say.LAST_ROW()), last


def _of_tensors(subject: Subject, rows: Rows) -> Iterator[Variant]:
    """What all slots of one tensor among several read."""
    for name, slots in subject.slots_by_tensor().items():
        own = rows[:, slots]
        numbers = np.arange(len(slots))[None, :] % max(1, len(slots))
        wanted: dict[str, Rows] = {
            say.TENSOR_OF_ROW_0(tensor=name): np.repeat(own[:1], len(own), axis=0),
            say.TENSOR_OF_SLOT_0(tensor=name): np.repeat(own[:, :1], len(slots), 1),
            say.TENSOR_OF_SLOT_NUMBER(tensor=name): subject.numbered(
                name, np.broadcast_to(numbers, own.shape)
            ),
            say.TENSOR_OF_ROW_NUMBER(tensor=name): subject.numbered(
                name, np.broadcast_to(np.arange(len(own))[:, None], own.shape)
            ),
        }
        for other, theirs in subject.slots_by_tensor().items():
            if other != name and len(theirs) == len(slots):
                wanted[say.TENSOR_FOR_ANOTHER(other=other, tensor=name)] = rows[:, theirs]
        for part in parts_of(len(slots)):
            around = own[:, np.arange(len(slots)) % part]
            wanted[say.TENSOR_ANEW(tensor=name, slot=part)] = around
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
