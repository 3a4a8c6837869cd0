"""What a wrong row may have in place of the right thing: every other one there is, in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from conformance.catalogue import mistakes_of_terms as say
from conformance.catalogue.message import Message
from conformance.diagnosis.mistake import (
    COLUMNS,
    DOUBLED,
    EXTRA,
    LOST,
    ROWS,
    STALE,
    WEIGHTS,
    Floats,
    Rows,
)
from conformance.diagnosis.subject import Subject
from conformance.diagnosis.wrong_row import (
    MOST_CANDIDATES,
    Row,
    is_legal,
    magnitude,
    near,
    others_of,
    terms_of,
)

MOST_VALUES = 1 << 24
"""Terms of all candidates of a row at most."""

Found = list[tuple[int, str]]
"""What a row may have in place of the right thing: which other one, and a sentence."""
Kind = tuple[str, int, Callable[[Subject, Row], Found]]


def _weights_of_another(subject: Subject, row: Row) -> Found:
    wide = subject.wide_weights
    assert wide is not None
    others = others_of(len(wide), row.number)
    if not others.size:
        return []
    found: Found = []
    weights = np.where(row.rows >= 0, wide[others], 0.0)
    with np.errstate(all="ignore"):
        sums = weights @ row.terms
    for place in near(subject, row, sums, magnitude(row)):
        if is_legal(subject, row, row.terms, weights[place]):
            other = int(others[place])
            found.append((other, say.ROW_HAS_COEFFICIENTS(row=row.number, other=other)))
    return found


def _sum_of_another(subject: Subject, row: Row) -> Found:
    """The whole sum of another row."""
    return _of_another(subject, row, say.ROW_HOLDS_SUM, np.arange(subject.slots), theirs=True)


def _rows_of_another(subject: Subject, row: Row) -> Found:
    """The rows that another output row adds, with its own coefficients."""
    return _of_another(subject, row, say.ROW_READS_ROWS, np.arange(subject.slots), theirs=False)


def _tensor_of_another(subject: Subject, row: Row) -> Found:
    """The rows of one tensor that another output row adds."""
    for name, slots in subject.slots_by_tensor().items():
        words = partial(say.ROW_READS_TENSOR, tensor=name)
        found = _of_another(subject, row, words, np.array(slots), theirs=False)
        if found:
            return found
    return []


def _of_another(
    subject: Subject, row: Row, words: Callable[..., str], slots: Rows, *, theirs: bool
) -> Found:
    others = others_of(len(subject.terms.rows), row.number)
    if not others.size or subject.slots * others.size * row.columns.size > MOST_VALUES:
        return []
    read = np.repeat(row.rows[None, :], others.size, axis=0)
    read[:, slots] = subject.terms.rows[others][:, slots]
    values = np.zeros((*read.shape, row.columns.size))
    live = read >= 0
    values[live] = subject.source[read[live]][:, row.columns]
    wide = subject.wide_weights
    factors = np.ones(read.shape) if wide is None else wide[others if theirs else [row.number]]
    weights = np.where(live, np.broadcast_to(factors, read.shape), 0.0)
    with np.errstate(all="ignore"):
        sums = np.einsum("rsc,rs->rc", values, weights)
    found: Found = []
    for place in near(subject, row, sums, magnitude(row)):
        if is_legal(subject, row, values[place], weights[place]):
            other = int(others[place])
            found.append((other, words(row=row.number, other=other)))
    return found


def _kept_sum(subject: Subject, row: Row) -> Found:
    """Its own sum on top of that of another row."""
    others = others_of(len(subject.terms.rows), row.number)
    others = others[others < row.number][-64:]
    for other in others[::-1].tolist():
        own = subject.reading(np.array([other]))
        weights = np.ones(subject.slots) if own.weights is None else own.weights[0]
        terms = np.concatenate([row.terms, terms_of(subject, own.rows[0], row.columns)])
        both = np.concatenate([row.weights, np.where(own.rows[0] >= 0, weights, 0.0)])
        if is_legal(subject, row, terms, both):
            return [(other, say.ROW_KEEPS_SUM(row=row.number, other=other))]
    return []


def _one_weight(wanted: Message) -> Callable[[Subject, Row], Found]:
    """One slot with another factor: 0 where it is left out, 2 where it is added twice."""

    def explain(subject: Subject, row: Row) -> Found:
        found: Found = []
        for slot in np.flatnonzero(row.rows >= 0)[:16].tolist():
            factors = {
                say.OF_ROW_LEFT_OUT: 0.0,
                say.OF_ROW_TWICE: 2 * row.weights[slot],
                say.OF_ROW_UNWEIGHED: 1.0,
            }
            weights = row.weights.copy()
            weights[slot] = factors[wanted]
            terms = row.terms.copy()
            if wanted is say.OF_ROW_LEFT_OUT:
                terms[slot] = 0.0
            if weights[slot] != row.weights[slot] and is_legal(subject, row, terms, weights):
                found.append((slot, wanted(slot=slot, row=row.number)))
        return found

    return explain


def _another_row(subject: Subject, row: Row) -> Found:
    """One slot reads another row of the source than its own."""
    hits: Found = []
    own = row.weights[:, None] * row.terms
    with np.errstate(all="ignore"):
        total = own.sum(axis=0)
    for slot in np.flatnonzero(row.rows >= 0)[:16].tolist():
        found = _fitting(subject, row, total - own[slot], row.weights[slot], int(row.rows[slot]))
        for other, values in found:
            terms = row.terms.copy()
            terms[slot] = values
            if is_legal(subject, row, terms, row.weights):
                seen, right = map(subject.row_name, (other, int(row.rows[slot])))
                words = say.SLOT_READS(slot=slot, row=row.number, seen=seen, right=right)
                hits.append((other, words))
    return hits


def _one_more(subject: Subject, row: Row) -> Found:
    """A row is added that must not be: in a dropped slot, or beyond the last."""
    found: Found = []
    with np.errstate(all="ignore"):
        total = (row.weights[:, None] * row.terms).sum(axis=0)
    wide = subject.wide_weights
    factors = {1.0: ""}
    if wide is not None:
        factors = {float(wide[row.number, slot]): "" for slot in np.flatnonzero(row.rows < 0)[:8]}
    for factor in factors:
        for other, values in _fitting(subject, row, total, factor, -1):
            terms = np.concatenate([row.terms, values[None]])
            if is_legal(subject, row, terms, np.append(row.weights, factor)):
                found.append((other, say.ROW_ADDS(row=row.number, other=other)))
    return found


def _fitting(
    subject: Subject, row: Row, rest: Floats, weight: float, own: int
) -> Iterator[tuple[int, Floats]]:
    """Rows of the source that make up with the rest what was seen."""
    others = others_of(len(subject.source), own)
    if not others.size:
        return
    values = np.asarray(subject.source[others][:, row.columns], np.float64)
    with np.errstate(all="ignore"):
        sums = rest + weight * values
    for place in near(subject, row, sums, magnitude(row) + np.abs(weight * values)):
        yield int(others[place]), values[place]


def _columns_moved(subject: Subject, row: Row) -> Found:
    """The right rows, read some columns beside the right ones."""
    hidden = subject.source.shape[1]
    if hidden < 2:
        return []
    found: Found = []
    wrong = row.columns[: row.wrong]
    only = Row(
        row.number,
        wrong,
        row.seen[: row.wrong],
        row.bits[: row.wrong],
        row.rows,
        row.terms[:, : row.wrong],
        row.weights,
        row.wrong,
    )
    offsets = np.arange(1, min(hidden, MOST_CANDIDATES))
    live = np.flatnonzero(row.rows >= 0)
    with np.errstate(all="ignore"):
        whole = row.weights[live] @ np.asarray(subject.source[row.rows[live]], np.float64)
    for sign in (-1, 1):
        read = wrong[None, :] + sign * offsets[:, None]
        inside = ((read >= 0) & (read < hidden)).all(axis=1)
        sums = whole[np.clip(read, 0, hidden - 1)]
        for place in near(subject, only, sums, magnitude(only)):
            terms = terms_of(subject, row.rows, np.clip(read[place], 0, hidden - 1))
            if inside[place] and is_legal(subject, only, terms, row.weights):
                words = say.ROW_COLUMNS_AFTER if sign > 0 else say.ROW_COLUMNS_BEFORE
                step = int(offsets[place])
                found.append((sign * step + row.number, words(row=row.number, count=step)))
    return found


KINDS: tuple[Kind, ...] = (
    (LOST, 2, _one_weight(say.OF_ROW_LEFT_OUT)),
    (DOUBLED, 2, _one_weight(say.OF_ROW_TWICE)),
    (WEIGHTS, 2, _one_weight(say.OF_ROW_UNWEIGHED)),
    (WEIGHTS, 3, _weights_of_another),
    (ROWS, 4, _sum_of_another),
    (ROWS, 4, _rows_of_another),
    (ROWS, 3, _tensor_of_another),
    (EXTRA, 3, _one_more),
    (ROWS, 4, _another_row),
    (COLUMNS, 4, _columns_moved),
    (STALE, 4, _kept_sum),
)
"""Kinds of exchange, the simplest first."""
