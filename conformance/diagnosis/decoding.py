"""What single rows of a sum have in place of the right thing, found by trying everything there is.

A mistake that depends on cores, tiles or batches is in no list. But where in each of the wrong rows
the same kind of exchange explains every element, wrong or right, that is what happened there:
another row's coefficients, another row's terms, one other term, other columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from conformance.catalogue import mistakes_of_terms as say
from conformance.diagnosis.exchanges import KINDS, Found
from conformance.diagnosis.mistake import LOST, SHOWN, WEIGHTS, Mistake, of_rows
from conformance.diagnosis.subject import Subject
from conformance.diagnosis.wrong_row import Row, row_of

MOST_ROWS, LEAST_ROWS = 8, 2
"""Wrong rows that are looked at; and how many must agree, unless one has elements enough."""

ENOUGH = 4
"""Wrong elements of a row by which it can be told without another."""

MOST_SLOTS = 64


def decoded_rows(subject: Subject) -> Iterator[Mistake]:
    """The kinds of exchange that explain every wrong row looked at."""
    if subject.slots > MOST_SLOTS and subject.source.shape[1] > 1:
        return
    wrong = np.flatnonzero(subject.wrong.any(axis=1))
    if subject.held is not None or not subject.slots:
        return
    if _all_zero(subject):
        yield Mistake(LOST, say.WRONG_ROWS_ZERO(count=wrong.size), 1, of_this_call=True)
        return
    spread = np.unique(np.linspace(0, wrong.size - 1, MOST_ROWS).astype(np.int64))
    rows = [row_of(subject, int(number)) for number in wrong[spread]]
    weight = sum(row.wrong for row in rows)
    if len(rows) < LEAST_ROWS and weight < ENOUGH:
        return
    for nature, rank, explain in KINDS:
        if subject.terms.coefficients is None and nature == WEIGHTS:
            continue
        found: list[Found] = []
        for row in rows:
            hits = explain(subject, row)
            if not hits:
                break
            found.append(hits)
        if len(found) < len(rows):
            continue
        words, options = _consistent(subject, rows, found)
        if words:
            sentence = of_rows(words[:SHOWN], len(words))
            yield Mistake(nature, sentence, rank, options, of_this_call=True)


def _consistent(subject: Subject, rows: list[Row], found: list[Found]) -> tuple[list[str], int]:
    """One sentence for each row, and of how many they were chosen: those with the same other one,
    or one as far away, in all rows; else each row must have one alone.
    """
    relations: tuple[Callable[[Row, int], int], ...] = (
        lambda row, other: other,
        lambda row, other: other - row.number,
    )
    for relation in relations if len(rows) > 1 else ():
        common = [
            {relation(row, other): words for other, words in told}
            for row, told in zip(rows, found, strict=True)
        ]
        same = set(common[0]).intersection(*common[1:])
        if same:
            return [one[min(same, key=abs)] for one in common], len(subject.wrong)
    alone = all(len(told) == 1 for told in found)
    return ([told[0][1] for told in found] if alone else []), len(subject.source)


def _all_zero(subject: Subject) -> bool:
    """Whether the wrong elements hold nothing that could be of another place."""
    return bool((subject.bits[subject.wrong] & (subject.storage.sign_bit - 1) == 0).all())
