"""A wrong row of a sum, looked at closely: what was seen in it, and whether other terms give it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from conformance.diagnosis.mistake import Floats, Rows
from conformance.diagnosis.subject import Subject
from conformance.numerics.addends import addends
from conformance.numerics.elements import judge_elements
from reference.floats import from_bits

MOST_COLUMNS = 24
"""Elements of a row that are looked at, wrong ones and right ones."""

MOST_CANDIDATES = 4096
"""Rows that may stand in for the right one."""

MOST_FITTING = 64
"""Candidates of a row that are looked at closely."""


@dataclass(frozen=True)
class Row:
    """A wrong row: its place, some columns, what was seen there, its terms and coefficients.

    ``terms`` float64 [slots, columns], ``weights`` float64 [slots] (all 1 where there are none).
    """

    number: int
    columns: Rows
    seen: Floats
    bits: Rows
    rows: Rows
    terms: Floats
    weights: Floats
    wrong: int


def row_of(subject: Subject, number: int) -> Row:
    """A wrong row of a subject."""
    wrong = np.flatnonzero(subject.wrong[number])
    right = np.flatnonzero(~subject.wrong[number])
    right = right[(right > wrong[0]) & (right < wrong[-1])]  # beyond them lies another tile
    half = MOST_COLUMNS // 2
    columns = np.concatenate([_some(wrong, half), _some(right, half)])
    own = subject.reading(np.array([number]))
    rows = own.rows[0]
    weights = np.ones(rows.size) if own.weights is None else own.weights[0]
    bits = subject.bits[number, columns]
    return Row(
        number,
        columns,
        from_bits(bits, subject.storage),
        bits,
        rows,
        terms_of(subject, rows, columns),
        np.where(rows >= 0, weights, 0.0),
        min(wrong.size, half),
    )


def _some(places: Rows, most: int) -> Rows:
    return (
        places[np.unique(np.linspace(0, places.size - 1, most).astype(np.int64))]
        if (places.size)
        else places
    )


def terms_of(subject: Subject, rows: Rows, columns: Rows) -> Floats:
    """Source values [slots, columns], zero where a slot adds nothing."""
    found = np.zeros((rows.size, columns.size))
    live = np.flatnonzero(rows >= 0)
    found[live] = subject.source[rows[live]][:, columns]
    return found


def is_legal(subject: Subject, row: Row, terms: Floats, weights: Floats) -> bool:
    """Whether the row holds a legal sum of these terms, in every column."""
    factors = None
    if subject.rule.coefficient is not None or (weights != 1).any():
        factors = np.broadcast_to(weights[:, None], terms.shape).copy()
    with np.errstate(all="ignore"):
        judged = judge_elements(
            addends(terms, factors, subject.rule, subject.arithmetic),
            row.bits,
            subject.accumulate,
            subject.storage,
            arithmetic=subject.arithmetic,
        )
    return bool(judged.ok.all())


def near(subject: Subject, row: Row, sums: Floats, terms: Floats) -> Rows:
    """Which candidate sums [candidates, columns] lie so near to what was seen that they may be it.

    Rounding to storage and any order of a few additions move a sum of ``terms``, its magnitude, by
    no more.
    """
    unit = 2.0 ** (1 - subject.storage.precision)
    room = 2 * unit * np.abs(row.seen) + 2.0**-20 * terms + subject.storage.smallest_subnormal
    with np.errstate(all="ignore"):
        close = np.abs(sums - row.seen) <= room
    same = (np.isnan(sums) & np.isnan(row.seen)) | (sums == row.seen)
    return np.flatnonzero((close | same).all(axis=1))[:MOST_FITTING]


def magnitude(row: Row) -> Floats:
    """The sum of the magnitudes of a row's terms [columns]."""
    with np.errstate(all="ignore"):
        return np.asarray(np.nan_to_num(np.abs(row.terms * row.weights[:, None]).sum(axis=0)))


def others_of(count: int, own: int) -> Rows:
    """Rows that may stand in: all but its own, the nearest ones where there are many."""
    low = max(0, min(own - MOST_CANDIDATES // 2, count - MOST_CANDIDATES))
    every = np.arange(low, min(count, low + MOST_CANDIDATES))
    return np.asarray(every[every != own], np.int64)
