"""Mistakes of coefficients: right rows, multiplied by what belongs to others or by nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from conformance.catalogue import mistakes_of_values as say
from conformance.diagnosis.lost_terms import Variant, parts_of
from conformance.diagnosis.mistake import ROUNDED, TYPE, WEIGHTS, Floats, Mistake, Reading, Rows
from conformance.diagnosis.subject import Subject
from reference.floats import BF16, FP16, FP32, from_bits, round_once, to_bits

SHOWN_SLOTS = 16


def weighed(subject: Subject) -> Iterator[Variant]:
    """Known mistakes of a sum that has coefficients."""
    wide = subject.wide_weights
    if wide is None:
        return
    for mistake, other in _others(subject, wide):
        yield mistake, _with(subject, other)
    ones = np.ones_like(wide)
    for name, slots in subject.slots_by_tensor().items():
        words = say.IGNORED_OF_TENSOR(tensor=name)
        yield Mistake(WEIGHTS, words), _with(subject, _put(wide, ones, slots))
    for slot in range(min(wide.shape[1], SHOWN_SLOTS)):
        words = say.IGNORED_OF_SLOT(slot=slot)
        yield Mistake(WEIGHTS, words, 2, wide.shape[1]), _with(subject, _put(wide, ones, [slot]))
    live = subject.terms.rows >= 0
    first = live & (np.cumsum(live, axis=1) == 1)
    yield Mistake(WEIGHTS, say.IGNORED_OF_FIRST()), _with(subject, np.where(first, 1.0, wide))
    for name, slots in list(subject.slots_by_tensor().items())[1:]:
        lead = next(iter(subject.slots_by_tensor().values()))
        if len(slots) == len(lead):
            alone = np.zeros_like(live)
            alone[:, slots] = ~live[:, lead]
            words = say.IGNORED_OF_TENSOR_ALONE(tensor=name, first=subject.tensors[0])
            yield Mistake(WEIGHTS, words, 2), _with(subject, np.where(alone, 1.0, wide))


def _others(subject: Subject, wide: Floats) -> Iterator[tuple[Mistake, Floats]]:
    """Coefficients in place of the right ones, float64 [output_rows, slots]."""
    rows, slots = wide.shape
    yield Mistake(WEIGHTS, say.IGNORED()), np.ones_like(wide)
    if slots > 1:
        after = np.concatenate([wide[:, 1:], wide[:, -1:]], axis=1)
        before = np.concatenate([wide[:, :1], wide[:, :-1]], axis=1)
        yield Mistake(WEIGHTS, say.OF_NEXT_SLOT()), after
        yield Mistake(WEIGHTS, say.OF_SLOT_BEFORE()), before
        for part in parts_of(slots):
            words = say.OF_FIRST_PART(slot=part)
            around = wide[:, np.arange(slots) % part]
            yield Mistake(WEIGHTS, words, 2, slots), around
        for slot in dict.fromkeys((0, slots - 1)):
            words = say.OF_ONE_SLOT(slot=slot)
            yield Mistake(WEIGHTS, words), np.repeat(wide[:, slot : slot + 1], slots, axis=1)
    if rows > 1:
        yield Mistake(WEIGHTS, say.OF_NEXT_ROW()), np.roll(wide, -1, axis=0)
        yield Mistake(WEIGHTS, say.OF_ROW_BEFORE()), np.roll(wide, 1, axis=0)
        yield Mistake(WEIGHTS, say.OF_FIRST_ROW()), np.repeat(wide[:1], rows, axis=0)
        if slots > 1:
            turned = wide.reshape(-1).reshape(slots, rows).T
            yield Mistake(WEIGHTS, say.SLOT_BY_SLOT()), turned
            turned = wide.T.reshape(rows, slots)
            yield Mistake(WEIGHTS, say.COLUMN_BY_COLUMN()), turned
    yield Mistake(WEIGHTS, say.NEGATIVE_AS_ZERO()), np.maximum(wide, 0.0)
    yield Mistake(WEIGHTS, say.SIGN_LOST()), np.abs(wide)
    yield Mistake(WEIGHTS, say.TWICE()), wide * wide
    with np.errstate(all="ignore"):
        nan = np.where(np.isnan(wide), 0.0, wide)
    yield Mistake(WEIGHTS, say.NAN_AS_ZERO()), nan
    stored = subject.rule.coefficient or FP32
    for fmt in (FP16, BF16):
        if fmt.precision < stored.precision:
            yield Mistake(ROUNDED, say.ROUNDED(format=fmt.name)), round_once(wide, fmt)
    yield from _retyped(wide, subject)


def _retyped(wide: Floats, subject: Subject) -> Iterator[tuple[Mistake, Floats]]:
    """Coefficients whose bits are read as those of another type."""
    stored = subject.rule.coefficient or FP32
    bits = np.ascontiguousarray(to_bits(wide, stored))
    for fmt in (FP16, BF16, FP32):
        if fmt == stored:
            continue
        flat = bits.reshape(-1).view(f"u{fmt.storage_bits // 8}") if _fits(bits, fmt) else bits
        if flat.size < bits.size:
            flat = np.concatenate([flat.reshape(-1), np.zeros(bits.size - flat.size, flat.dtype)])
        words = say.RETYPED(stored=stored.name, format=fmt.name)
        with np.errstate(all="ignore"):
            yield (
                Mistake(TYPE, words),
                from_bits(flat.reshape(-1)[: bits.size], fmt).reshape(wide.shape),
            )


def _fits(bits: Rows, fmt: object) -> bool:
    size = getattr(fmt, "storage_bits", 0) // 8
    return bool(bits.nbytes % size == 0)


def _put(wide: Floats, other: Floats, slots: list[int]) -> Floats:
    changed = wide.copy()
    changed[:, slots] = other[:, slots]
    return changed


def _with(subject: Subject, weights: Floats) -> Callable[[Rows], Reading]:
    return lambda at: Reading(subject.terms.rows[at].astype(np.int64), weights[at])
