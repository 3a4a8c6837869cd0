"""Which known mistakes explain an output: every wrong element, and every right one as well.

A mistake is a wrong reference. It explains a wrong element that holds what it predicts: bit for
bit, or within what the contract would accept of the terms as the mistake has them. A right element
must stay right: it holds what the mistake predicts, or what that leaves right. One element that
contradicts it ends a mistake.

By chance a mistake explains an element the sooner, the fewer bits of it differ from what is right,
and the more mistakes are tried. So what is explained must be worth some bits of evidence. A mistake
of arithmetic also says which elements come out wrong; that is worth as many bits as there are
choices.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conformance.diagnosis.arithmetic import predictions
from conformance.diagnosis.decoding import decoded_rows
from conformance.diagnosis.indexing import misread
from conformance.diagnosis.lost_terms import Variant, left_out
from conformance.diagnosis.mistake import UNKNOWN, Mask, Mistake, Reading
from conformance.diagnosis.subject import Sample, Subject
from conformance.diagnosis.weighing import weighed
from conformance.numerics.addends import addends
from conformance.numerics.elements import judge_elements
from conformance.numerics.output import same_value
from reference.floats import ordered, to_bits

QUICK = 12
"""Wrong elements that are looked at before all others: most mistakes end here."""

MOST_TERMS = 1 << 22
"""Terms of an output, [output_rows, slots], beyond which what is read is not varied."""

LEAST_BITS = 10.0
"""Bits of evidence that a mistake needs besides those of the choice among its like."""

LEAST_KNOWN = 0.75
"""The share of the wrong elements of which a mistake must be able to tell what they would hold."""


@dataclass(frozen=True)
class Explanation:
    """A mistake that explains all that was looked at, and the elements of which it tells what they
    hold; ``sure``: it would not explain them by chance."""

    mistake: Mistake
    known: Mask
    sure: bool


def explanations(subject: Subject, sample: Sample) -> list[Explanation]:
    """The mistakes that explain the output, the simplest first."""
    bits = evidence(subject, sample)
    wrong, every = int(np.count_nonzero(sample.wrong)), sample.wrong.size
    placed = bits + math.log2(math.comb(every, wrong))
    found = [
        Explanation(mistake, known, enough >= LEAST_BITS + math.log2(mistake.options))
        for enough, explaining_ones in (
            (placed, _computed(subject, sample)),
            (bits, _read(subject, sample)),
        )
        for mistake, known in explaining_ones
    ]
    return sorted(found, key=lambda one: one.mistake.rank)


def evidence(subject: Subject, sample: Sample) -> float:
    """The bits by which the wrong elements differ from what is right, equal ones counted once."""
    with np.errstate(all="ignore"):
        right = to_bits(sample.values.sum(axis=0), subject.storage)[sample.wrong]
    seen = sample.observed[sample.wrong]
    pairs = np.unique(np.stack([seen.astype(np.int64), right.astype(np.int64)]), axis=1)
    places = ordered(pairs.astype(seen.dtype), subject.storage)
    apart = np.log2(1.0 + np.abs(places[0] - places[1]))
    mantissa = pairs[0] & ((1 << (subject.storage.precision - 1)) - 1)
    lowest = np.where(mantissa, mantissa & -mantissa, 1 << (subject.storage.precision - 1))
    figures = subject.storage.precision - np.log2(lowest)
    return float(np.minimum(1.0 + apart, 1.0 + figures).sum())


def _computed(subject: Subject, sample: Sample) -> Iterator[tuple[Mistake, Mask]]:
    for mistake, bits in predictions(subject, sample):
        agrees = same_value(sample.observed, bits, subject.storage)
        if agrees[sample.wrong].all() and _stays_right(subject, sample, bits, agrees):
            yield mistake, np.ones(agrees.shape, np.bool_)


def _read(subject: Subject, sample: Sample) -> Iterator[tuple[Mistake, Mask]]:
    if subject.terms.rows.size <= MOST_TERMS:
        yield from explaining(subject, sample, _variants(subject))
    for mistake in decoded_rows(subject):
        yield mistake, sample.wrong


def _variants(subject: Subject) -> Iterator[Variant]:
    yield from left_out(subject)
    yield from weighed(subject)
    yield from misread(subject)


def _stays_right(subject: Subject, sample: Sample, bits: NDArray[np.generic], agrees: Mask) -> bool:
    """Whether the contract would accept of the right elements what a mistake predicts of them."""
    asked = np.flatnonzero(~sample.wrong & ~agrees)
    if not asked.size:
        return True
    given = addends(
        sample.sources[:, asked],
        None if sample.weights is None else sample.weights[:, asked],
        subject.rule,
        subject.arithmetic,
    )
    judged = judge_elements(
        given, bits[asked], subject.accumulate, subject.storage, arithmetic=subject.arithmetic
    )
    return bool(judged.ok.all())


def explaining(
    subject: Subject, sample: Sample, variants: Iterable[Variant]
) -> Iterator[tuple[Mistake, Mask]]:
    """The variants that explain the sample, and the elements of which each can tell anything."""
    first = np.flatnonzero(sample.wrong)
    quick = first[np.unique(np.linspace(0, first.size - 1, QUICK).astype(np.int64))]
    for mistake, read in variants:
        known, ok = agreement(subject, sample, read(sample.rows[quick]), quick)
        if not ok[known].all():
            continue
        every = np.arange(sample.rows.size)
        known, ok = agreement(subject, sample, read(sample.rows), every)
        enough = np.count_nonzero(known & sample.wrong) >= LEAST_KNOWN * first.size
        if ok[known].all() and enough:
            yield mistake, known


def agreement(
    subject: Subject, sample: Sample, reading: Reading, elements: NDArray[np.int64]
) -> tuple[Mask, Mask]:
    """Of some elements of the sample: whether what is read can be told, and whether the observed
    value is a legal sum of it.
    """
    rows, columns = reading.rows, sample.columns[elements]
    known = (rows != UNKNOWN).all(axis=1) & (rows < len(subject.source)).all(axis=1)
    if subject.held is not None:
        known &= ((rows < 0) | np.isin(rows, subject.held)).all(axis=1)
    live = (rows >= 0) & known[:, None]
    values = np.zeros(rows.shape, np.float64)
    columns = np.broadcast_to(columns[:, None], rows.shape)
    values[live] = subject.source[rows[live], columns[live]]
    weights = reading.weights
    if weights is None and subject.rule.coefficient is not None:
        weights = np.ones(rows.shape)
    if weights is not None:
        weights = np.where(live, weights, 0.0)
    with np.errstate(all="ignore"):
        judged = judge_elements(
            addends(
                values.T,
                None if weights is None else weights.T,
                subject.rule,
                subject.arithmetic,
            ),
            sample.observed[elements],
            subject.accumulate,
            subject.storage,
            arithmetic=subject.arithmetic,
        )
    return known, np.asarray(judged.ok)
