"""Mistakes of arithmetic: the right terms, added or rounded in a wrong way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.diagnosis.subject import Sample, Subject
from conformance.numerics.order import Merges, emulate, sequential
from reference.floats import (
    BF16,
    FP16,
    FP32,
    Format,
    from_ordered,
    ordered,
    round_once,
    to_bits,
    truncate,
)

Floats = NDArray[np.float64]
Prediction = tuple[str, NDArray[Any]]

SHOWN_SLOTS = 16


def predictions(subject: Subject, sample: Sample) -> Iterator[Prediction]:
    """Known mistakes, and the storage patterns that each would leave in the sample.

    A sum is that of the declared order, or exact and rounded once where none is declared.
    """
    storage, accumulate = subject.storage, subject.accumulate
    values = sample.values
    merges = subject.merges

    def added(terms: Floats) -> Floats:
        if merges is None:
            return round_once(terms.sum(axis=0), accumulate)
        single = terms.astype(np.float32 if accumulate == FP32 else np.float64)  # fp32 adds fastest
        return np.asarray(emulate(merges, single, accumulate), np.float64)

    with np.errstate(invalid="ignore", over="ignore"):
        total = added(values)
        right = to_bits(total, storage)
        yield "nothing is added, the output is zero", np.zeros_like(right)
        if storage != accumulate:
            yield (
                "the sum is truncated, not rounded, to storage",
                to_bits(truncate(total, storage), storage),
            )
            yield (
                "ties are rounded away from zero, not to even",
                to_bits(_away(total, storage), storage),
            )
            yield from _narrow(values, merges, storage, accumulate)
        for narrow in (FP16, BF16):
            if narrow.precision < storage.precision:
                cut = added(round_once(values, narrow))
                yield f"the terms are rounded to {narrow.name} first", to_bits(cut, storage)
        yield (
            f"every addition is truncated, not rounded, to {accumulate.name}",
            to_bits(_folded(merges, values, lambda x: truncate(x, accumulate)), storage),
        )
        sign = np.where(total < 0, -1, 1)
        up = np.ones_like(sign)
        steps = {"above": up, "below": -up, "away from zero from": sign, "toward zero from": -sign}
        for words, step in steps.items():
            yield (
                f"every value is the next one {words} the right one",
                _beside(right, storage, step),
            )
        for slot in range(min(len(values), SHOWN_SLOTS)):
            rest = values.copy()
            rest[slot] = 0
            yield f"slot {slot} is left out", to_bits(added(rest), storage)
            yield (
                f"slot {slot} is added twice",
                to_bits(round_once(total + values[slot], accumulate), storage),
            )
            yield f"slot {slot} alone is copied", to_bits(values[slot], storage)


def _narrow(
    values: Floats, merges: Merges | None, storage: Format, accumulate: Format
) -> Iterator[Prediction]:
    """Accumulation in storage, in the declared order and from left to right."""
    words = f"the terms are added up in {storage.name}, not in {accumulate.name}"
    rounded = round_once(values, storage)
    if merges is not None:
        yield words, to_bits(emulate(merges, rounded.copy(), storage), storage)
        words += ", from left to right"
    plain = sequential(len(values))
    if merges is not None and tuple(merges) == tuple(plain):
        return
    yield words, to_bits(emulate(plain, rounded, storage), storage)


def _folded(merges: Merges | None, values: Floats, rounded: Callable[[Floats], Floats]) -> Floats:
    """The sum in an order, every addition rounded in a way of its own."""
    parts = values.copy()
    for into, origin in sequential(len(values)) if merges is None else merges:
        parts[into] = rounded(parts[into] + parts[origin])
    return parts[0] if len(parts) else np.zeros(values.shape[1:])


def _away(values: Floats, storage: Format) -> Floats:
    """Round to nearest, ties away from zero."""
    down = truncate(values, storage)
    up = np.copysign(truncate(np.abs(values) + np.abs(values - down), storage), values)
    return np.where(np.isfinite(values) & (up != down), up, round_once(values, storage))


def _beside(bits: NDArray[Any], storage: Format, step: NDArray[np.int64]) -> NDArray[Any]:
    """The neighbours on the storage grid; a value without one stays."""
    places = ordered(bits, storage) + step
    largest = storage.infinity_bits
    return np.where(
        np.abs(places) <= largest,
        from_ordered(np.clip(places, -largest, largest), storage),
        bits,
    )
