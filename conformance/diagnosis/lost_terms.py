"""Mistakes of what is added: terms that are left out, added twice, or with another sign."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

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
        words = f"slot {slot} is added twice"
        yield Mistake(DOUBLED, words, 2, slots), _again(subject, np.arange(slots) == slot)
    yield Mistake(DOUBLED, "the sum is doubled", 1), _again(subject, np.ones(slots, np.bool_))


def _kept(subject: Subject) -> Iterator[tuple[Mistake, Callable[[Rows], Mask]]]:
    """Which terms are added, by the rows of the elements' terms, bool [elements, slots] or one for
    all elements."""
    slots = subject.slots
    numbers = np.arange(slots)
    yield Mistake(LOST, "nothing is added, the output is zero", 0), _always(numbers < 0)
    if slots < 2:
        return
    for slot in dict.fromkeys([*range(min(slots, SHOWN_SLOTS)), slots - 1]):
        words = f"slot {slot} is left out"
        yield Mistake(LOST, words, 1, slots), _always(numbers != slot)
        words = f"slot {slot} is copied alone, the others are left out"
        yield Mistake(LOST, words, 2, slots), _always(numbers == slot)
    yield Mistake(LOST, "the last slot that adds a row is left out", 1), _but_last
    yield Mistake(LOST, "the first slot that adds a row is left out", 1), _but_first
    yield Mistake(LOST, "all but the last slot that adds a row are left out", 1), _not(_but_last)
    yield Mistake(LOST, "every slot of an odd number is left out", 2), _always(numbers % 2 == 0)
    yield Mistake(LOST, "every slot of an even number is left out", 2), _always(numbers % 2 == 1)
    cuts = parts_of(slots)
    for cut in cuts:
        words = f"slots from {cut} on are left out"
        yield Mistake(LOST, words, 2, len(cuts)), _always(numbers < cut)
    for cut in cuts:
        words = f"slots before {cut} are left out"
        yield Mistake(LOST, words, 3, len(cuts)), _always(numbers >= cut)
    for row in subject.named_rows():
        words = f"{subject.row_name(row)} is left out wherever it is named"
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
        yield Mistake(LOST, f"what comes from {name} is left out"), _only(subject, _always(~mask))
        yield Mistake(DOUBLED, f"what comes from {name} is added twice"), _again(subject, mask)
        yield (
            Mistake(SIGN, f"what comes from {name} is subtracted"),
            _again(subject, mask, -1.0),
        )
        first = next(iter(subject.slots_by_tensor().values()))
        if slots is not first and len(slots) == len(first):
            words = f"what comes from {name} is left out where the slot has no row of "
            words += subject.tensors[0]
            yield Mistake(LOST, words, 2), _only(subject, _where_live(slots, first))


def _where_live(slots: list[int], first: list[int]) -> Callable[[Rows], Mask]:
    def kept(rows: Rows) -> Mask:
        found = np.ones(rows.shape, np.bool_)
        found[:, slots] = rows[:, first] >= 0
        return found

    return kept
