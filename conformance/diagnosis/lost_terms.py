"""Mistakes of what is added: terms that are left out, added twice, or with another sign."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from conformance.catalogue import mistakes_of_terms as say
from conformance.diagnosis.mistake import DOUBLED, LOST, SIGN, Mask, Mistake, Reading, Rows
from conformance.diagnosis.subject import Subject

SHOWN_SLOTS = 16
MOST_PARTS = 128
"""Places at which a sum may have been cut off, or taken in parts."""

Variant = tuple[Mistake, Callable[[Rows], Reading]]
"""A mistake, and what output rows [elements] would add with it."""


def left_out(subject: Subject) -> Iterator[Variant]:
    """Terms that are not added, or twice, by their slot or their tensor."""
    for mistake, kept in _kept(subject):
        yield mistake, _only(subject, kept)
    yield from _tensors(subject)
    slots = subject.slots
    for slot in range(min(slots, SHOWN_SLOTS)):
        words = say.SLOT_TWICE(slot=slot)
        yield Mistake(DOUBLED, words, 2, slots), _again(subject, np.arange(slots) == slot)
    yield Mistake(DOUBLED, say.DOUBLED(), 1), _again(subject, np.ones(slots, np.bool_))


def _kept(subject: Subject) -> Iterator[tuple[Mistake, Callable[[Rows], Mask]]]:
    """Which terms are added, by the rows of the elements' terms, bool [elements, slots] or one for
    all elements."""
    slots = subject.slots
    numbers = np.arange(slots)
    yield Mistake(LOST, say.NOTHING(), 0), _always(numbers < 0)
    if slots < 2:
        return
    for slot in dict.fromkeys([*range(min(slots, SHOWN_SLOTS)), slots - 1]):
        yield Mistake(LOST, say.SLOT_LEFT_OUT(slot=slot), 1, slots), _always(numbers != slot)
        yield Mistake(LOST, say.SLOT_ALONE(slot=slot), 2, slots), _always(numbers == slot)
    yield Mistake(LOST, say.LAST_LEFT_OUT(), 1), _but_last
    yield Mistake(LOST, say.FIRST_LEFT_OUT(), 1), _but_first
    yield Mistake(LOST, say.ALL_BUT_LAST(), 1), _not(_but_last)
    yield Mistake(LOST, say.ODD_LEFT_OUT(), 2), _always(numbers % 2 == 0)
    yield Mistake(LOST, say.EVEN_LEFT_OUT(), 2), _always(numbers % 2 == 1)
    cuts = parts_of(slots)
    for cut in cuts:
        words = say.FROM_LEFT_OUT(slot=cut)
        yield Mistake(LOST, words, 2, len(cuts)), _always(numbers < cut)
    for cut in cuts:
        words = say.BEFORE_LEFT_OUT(slot=cut)
        yield Mistake(LOST, words, 3, len(cuts)), _always(numbers >= cut)
    for row in subject.named_rows():
        words = say.ROW_LEFT_OUT(row=subject.row_name(row))
        yield Mistake(LOST, words, 2, len(subject.source)), _without(row)


def parts_of(slots: int) -> range:
    """Slots at which a part of a sum may end: all, or multiples of a number of lanes."""
    step = 1
    while slots > step * MOST_PARTS:
        step *= 2
    return range(step, slots, step)


def _always(kept: Mask) -> Callable[[Rows], Mask]:
    return lambda rows: kept


def _not(kept: Callable[[Rows], Mask]) -> Callable[[Rows], Mask]:
    return lambda rows: ~kept(rows)


def _without(row: int) -> Callable[[Rows], Mask]:
    return lambda rows: np.asarray(rows != row)


def _but_last(rows: Rows) -> Mask:
    return _but_first(rows[:, ::-1])[:, ::-1]


def _but_first(rows: Rows) -> Mask:
    live = rows >= 0
    return np.asarray(live & (np.cumsum(live, axis=1) > 1))


def _only(subject: Subject, kept: Callable[[Rows], Mask]) -> Callable[[Rows], Reading]:
    def read(at: Rows) -> Reading:
        own = subject.reading(at)
        return Reading(np.where(kept(own.rows), own.rows, -1), own.weights)

    return read


def _again(subject: Subject, slots: Mask, factor: float = 2.0) -> Callable[[Rows], Reading]:
    """The terms of some slots with a factor, exact where it is a power of two."""

    def read(at: Rows) -> Reading:
        own = subject.reading(at)
        weights = np.ones(own.rows.shape) if own.weights is None else own.weights
        return Reading(own.rows, np.where(slots, factor * weights, weights))

    return read


def _tensors(subject: Subject) -> Iterator[Variant]:
    """What all slots of one of several tensors have in common."""
    for name, slots in subject.slots_by_tensor().items():
        mask: NDArray[np.bool_] = np.isin(np.arange(subject.slots), slots)
        yield Mistake(LOST, say.TENSOR_LEFT_OUT(tensor=name)), _only(subject, _always(~mask))
        yield Mistake(DOUBLED, say.TENSOR_TWICE(tensor=name)), _again(subject, mask)
        yield Mistake(SIGN, say.TENSOR_SUBTRACTED(tensor=name)), _again(subject, mask, -1.0)
        first = next(iter(subject.slots_by_tensor().values()))
        if slots is not first and len(slots) == len(first):
            words = say.TENSOR_LEFT_OUT_ALONE(tensor=name, first=subject.tensors[0])
            yield Mistake(LOST, words, 2), _only(subject, _where_live(slots, first))


def _where_live(slots: list[int], first: list[int]) -> Callable[[Rows], Mask]:
    def kept(rows: Rows) -> Mask:
        found = np.ones(rows.shape, np.bool_)
        found[:, slots] = rows[:, first] >= 0
        return found

    return kept
