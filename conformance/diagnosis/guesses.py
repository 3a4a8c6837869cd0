"""From wrong elements to what may have made them; a guess is labelled and shows its evidence.

A known mistake is a wrong reference. It explains an element that comes out exactly so: for a
mistake of arithmetic bit for bit, for a mistake of indexing within what the contract would accept
of the wrongly read rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.deferred import Deferred
from conformance.diagnosis.arithmetic import predictions
from conformance.diagnosis.indexing import UNKNOWN, misreadings
from conformance.diagnosis.pattern import pattern
from conformance.diagnosis.sources import decoded
from conformance.diagnosis.subject import Sample, Subject, sample_of
from conformance.numerics.addends import addends
from conformance.numerics.gather import gather_elements
from conformance.numerics.interval import judge_elements
from reference.floats import Format, ordered
from reference.terms import Terms

Mask = NDArray[np.bool_]

SHOWN_GUESSES = 3
LEAST_SHARE = 0.75
LEAST_ELEMENTS = 4
"""A guess that explains not all wrong elements must explain this share of them, and as many."""


@dataclass(frozen=True)
class Diagnosis:
    """Where the wrong elements lie, in a phrase, and what may have made them, in sentences."""

    pattern: str
    guesses: Sequence[str]


def diagnose(subject: Subject) -> Diagnosis:
    """Describe the wrong elements of a subject that has some."""
    itemsize = subject.storage.storage_bits // 8
    where = pattern(subject.wrong, itemsize, subject.cores, subject.readers())
    return Diagnosis(where, Deferred(lambda: tuple(guesses(subject))))


@dataclass(frozen=True)
class Explanation:
    """A mistake and how many elements of the sample it explains, wrong and right ones."""

    mistake: str
    wrong: int
    right: int

    def words(self, wrong: int, right: int) -> str:
        """The guess with its evidence, out of so many wrong and right elements."""
        beside = f", {self.right} of {right} right ones" if right else ""
        return (
            f"guess: {self.mistake} (explains {self.wrong} of {wrong} wrong elements"
            f"{beside}; the contract explains 0{f' and {right}' if right else ''})"
        )


def guesses(subject: Subject) -> Iterator[str]:
    """The mistakes that explain all wrong elements looked at, else the best that explains most."""
    sample = sample_of(subject)
    wrong = int(np.count_nonzero(sample.wrong))
    seen = sample.observed[sample.wrong]
    if subject.unwritten and (seen == seen[0]).all():
        digits = subject.storage.storage_bits // 4
        yield (
            f"guess: never written: the device found {subject.unwritten} untouched, and the wrong"
            f" elements that were looked at, {wrong}, hold the bits 0x{int(seen[0]):0{digits}x}"
        )
        return
    yield from decoded(subject)
    explained = sorted(explanations(subject, sample), key=lambda e: (-e.wrong, -e.right))
    whole = [e for e in explained if e.wrong == wrong]
    most = [e for e in explained if e.wrong >= max(LEAST_SHARE * wrong, LEAST_ELEMENTS)]
    for explanation in whole[:SHOWN_GUESSES] or most[:1]:
        yield explanation.words(wrong, sample.wrong.size - wrong)
    if len(whole) > SHOWN_GUESSES:
        others = len(whole) - SHOWN_GUESSES
        yield f"guess: or one of {others} others that explain as many wrong elements"
    nan = np.abs(ordered(seen, subject.storage)) > subject.storage.infinity_bits
    if (nan & np.isfinite(sample.values[:, sample.wrong]).all(axis=0)).all():
        yield (
            "guess: something that must not be read was added: all"
            f" {wrong} wrong elements looked at are NaN though their terms are finite"
        )


def explanations(subject: Subject, sample: Sample) -> Iterator[Explanation]:
    """Every known mistake that explains a wrong element."""
    for mistake, agrees in _agreements(subject, sample):
        count = int(np.count_nonzero(agrees & sample.wrong))
        if count:
            yield Explanation(mistake, count, int(np.count_nonzero(agrees & ~sample.wrong)))


def _agreements(subject: Subject, sample: Sample) -> Iterator[tuple[str, Mask]]:
    for mistake, bits in predictions(subject, sample):
        yield mistake, _same(sample.observed, bits, subject.storage)
    for mistake, rows in misreadings(subject.terms.rows, len(subject.source)):
        yield mistake, _read_so(subject, sample, rows)


def _read_so(subject: Subject, sample: Sample, rows: NDArray[np.int64]) -> Mask:
    """Where the observed value is a legal sum of these source rows."""
    known = (rows[sample.rows] != UNKNOWN).all(axis=1)
    if subject.held is not None:
        known &= ((rows < 0) | np.isin(rows, subject.held))[sample.rows].all(axis=1)
    terms = Terms(np.maximum(rows, -1), subject.terms.source)
    values = gather_elements(subject.source, terms, sample.rows, sample.columns)
    weights = subject.weights(sample.rows, len(values))
    if weights is not None:
        weights = np.where(terms.rows[sample.rows].T >= 0, weights, 0.0)
    judged = judge_elements(
        addends(values.astype(np.float64), weights, subject.rule),
        sample.observed,
        subject.accumulate,
        subject.storage,
    )
    return np.asarray(known & judged.ok)


def _same(one: NDArray[Any], other: NDArray[Any], storage: Format) -> Mask:
    """Equal patterns, both zeros alike; a NaN is evidence of nothing."""
    places, others = ordered(one, storage), ordered(other, storage)
    return np.asarray((places == others) & (np.abs(places) <= storage.infinity_bits))
