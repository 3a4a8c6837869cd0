"""Mistakes of arithmetic: the right terms, added or rounded in a wrong way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.catalogue import mistakes_of_values as say
from conformance.diagnosis.mistake import (
    FLUSHED,
    FUSED,
    PLACED,
    ROUNDED,
    TRUNCATED,
    TYPE,
    Floats,
    Mistake,
)
from conformance.diagnosis.subject import Sample, Subject
from conformance.numerics.order import Merges, emulate, sequential
from reference.floats import (
    BF16,
    FP16,
    FP32,
    Format,
    from_bits,
    from_ordered,
    ordered,
    round_once,
    to_bits,
    truncate,
)

Bits = NDArray[Any]
Rounding = Callable[[Floats], Floats]

MOST_ORDERED = 512
"""Slots of a sum of which every order named here is tried."""


def predictions(subject: Subject, sample: Sample) -> Iterator[tuple[Mistake, Bits]]:
    """Known mistakes, and the storage patterns that each would leave in the sample.

    A sum is that of the declared order; where none is declared, a mistake is yielded once for each
    of the usual orders, as a kernel has one of them.
    """
    with np.errstate(all="ignore"):
        for order in _orders(subject, len(sample.values)):
            yield from _in_order(subject, sample, order)


def _orders(subject: Subject, slots: int) -> Iterator[Merges | None]:
    """The declared order; or exact, from left to right, from right to left."""
    if subject.merges is not None:
        yield subject.merges
    else:
        yield None
    if 1 < slots <= MOST_ORDERED:
        yield sequential(slots)
        if subject.merges is None:
            yield tuple((into, into + 1) for into in reversed(range(slots - 1)))


def _in_order(
    subject: Subject, sample: Sample, order: Merges | None
) -> Iterator[tuple[Mistake, Bits]]:
    storage, accumulate = subject.storage, subject.accumulate
    values = sample.values

    def added(terms: Floats, rounded: Rounding = lambda x: round_once(x, accumulate)) -> Floats:
        return _folded(order, terms, rounded)

    total = added(values)
    if storage != accumulate:
        yield Mistake(TRUNCATED, say.SUM_TRUNCATED()), to_bits(truncate(total, storage), storage)
        yield Mistake(TRUNCATED, say.TIES_AWAY(), 2), to_bits(_away(total, storage), storage)
    words = say.ADDITIONS_TRUNCATED(format=accumulate.name)
    cut = added(values, lambda x: truncate(x, accumulate))
    yield Mistake(TRUNCATED, words, 2), to_bits(cut, storage)
    for narrow in (FP16, BF16):
        if narrow.precision < accumulate.precision:
            yield from _narrow(subject, sample, order, narrow)
    yield from _flushed(subject, sample, added)
    if sample.weights is not None and order is not None:
        yield Mistake(FUSED, say.FUSED(), 2), to_bits(_fused(sample, order, accumulate), storage)
    right = to_bits(total, storage)
    sign = np.where(total < 0, -1, 1)
    up = np.ones_like(sign)
    for beside, step in (
        (say.NEXT_ABOVE, up),
        (say.NEXT_BELOW, -up),
        (say.NEXT_FROM_ZERO, sign),
        (say.NEXT_TO_ZERO, -sign),
    ):
        yield Mistake(PLACED, beside(), 3), _beside(right, storage, step)
    yield from _retyped(subject, sample, added)


def _narrow(
    subject: Subject, sample: Sample, order: Merges | None, narrow: Format
) -> Iterator[tuple[Mistake, Bits]]:
    """Products, terms or partial sums in a narrow format on their way."""
    storage, accumulate = subject.storage, subject.accumulate

    def cut(x: Floats) -> Floats:
        return np.asarray(round_once(x, narrow))

    def wide(x: Floats) -> Floats:
        return np.asarray(round_once(x, accumulate))

    what = say.TERMS_ROUNDED if sample.weights is None else say.PRODUCTS_ROUNDED
    rounded = cut(sample.values)
    if (rounded != sample.values).any():
        words = what(format=narrow.name)
        yield Mistake(ROUNDED, words), to_bits(_folded(order, rounded, wide), storage)
    words = say.ADDED_IN(format=narrow.name, accumulate=accumulate.name)
    yield Mistake(ROUNDED, words), to_bits(_folded(order, rounded, cut), storage)
    if sample.weights is not None:
        words = say.ADDED_AND_WEIGHED_IN(format=narrow.name, accumulate=accumulate.name)
        products = cut(sample.sources * cut(sample.weights))
        yield Mistake(ROUNDED, words, 2), to_bits(_folded(order, products, cut), storage)
    if narrow != storage:
        total = cut(_folded(order, sample.values, wide))
        yield Mistake(ROUNDED, say.SUM_ROUNDED(format=narrow.name)), to_bits(total, storage)


def _flushed(
    subject: Subject, sample: Sample, added: Callable[[Floats], Floats]
) -> Iterator[tuple[Mistake, Bits]]:
    """Subnormals that become zero: of the source, of products, of the output."""
    storage, accumulate, source = subject.storage, subject.accumulate, subject.rule.source

    def without(values: Floats, fmt: Format) -> Floats:
        small = np.abs(values) < fmt.smallest_normal
        return np.asarray(np.where(small, np.copysign(0.0, values), values))

    total = added(sample.values)
    zero = without(sample.sources, source) == 0
    operands = np.where(zero, 0.0, sample.values)
    for words, sum_ in (
        (say.SOURCE_FLUSHED(format=source.name), added(operands)),
        (say.OUTPUT_FLUSHED(format=storage.name), without(total, storage)),
        (say.BOTH_FLUSHED(format=storage.name), without(added(operands), storage)),
        (say.PRODUCTS_FLUSHED(), added(without(sample.values, accumulate))),
    ):
        yield Mistake(FLUSHED, words), to_bits(round_once(sum_, storage), storage)
    if sample.weights is not None:
        fmt = subject.rule.coefficient or FP32
        kept = np.where(without(sample.weights, fmt) == 0, 0.0, sample.values)
        yield Mistake(FLUSHED, say.COEFFICIENTS_FLUSHED()), to_bits(added(kept), storage)


def _retyped(
    subject: Subject, sample: Sample, added: Callable[[Floats], Floats]
) -> Iterator[tuple[Mistake, Bits]]:
    """The source read, and the output written, as the other type of 16 bits."""
    storage, source = subject.storage, subject.rule.source
    pairs = {FP16: BF16, BF16: FP16}
    if source not in pairs or storage != source:
        return
    other = pairs[source]
    terms = from_bits(to_bits(sample.sources, source), other)
    if sample.weights is not None:
        terms = round_once(terms * sample.weights, subject.accumulate)
    words = say.SOURCE_RETYPED(source=source.name, other=other.name)
    yield Mistake(TYPE, words), to_bits(round_once(added(terms), other), other)


def _folded(merges: Merges | None, values: Floats, rounded: Rounding) -> Floats:
    """The sum in an order, every addition rounded in a way of its own; without one, once."""
    if merges is None:
        return rounded(values.sum(axis=0))
    parts = values.copy()
    for into, origin in merges:
        parts[into] = rounded(parts[into] + parts[origin])
    return np.asarray(parts[0]) if len(parts) else np.zeros(values.shape[1:])


def _fused(sample: Sample, merges: Merges, accumulate: Format) -> Floats:
    """Every product rounded together with the sum so far, from the first one on."""
    assert sample.weights is not None
    exact = sample.sources * sample.weights
    return np.asarray(emulate(merges, exact.copy(), accumulate, bare=True), np.float64)


def _away(values: Floats, storage: Format) -> Floats:
    """Round to nearest, ties away from zero."""
    down = truncate(values, storage)
    up = np.copysign(truncate(np.abs(values) + np.abs(values - down), storage), values)
    return np.where(np.isfinite(values) & (up != down), up, round_once(values, storage))


def _beside(bits: Bits, storage: Format, step: NDArray[np.int64]) -> Bits:
    """The neighbours on the storage grid; a value without one stays."""
    places = ordered(bits, storage) + step
    largest = storage.infinity_bits
    return np.where(
        np.abs(places) <= largest,
        from_ordered(np.clip(places, -largest, largest), storage),
        bits,
    )
