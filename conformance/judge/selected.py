"""Judging positions that are selected by keys which the device computes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from conformance.catalogue import selection as say
from conformance.catalogue import verdict as steps
from conformance.catalogue.message import row as lines
from conformance.diagnosis.pattern import pattern
from conformance.judge.computed import NOT_BOUNDED, told_of
from conformance.judge.ends import computed_of
from conformance.judge.in_parts import in_parts
from conformance.judge.question import Question
from conformance.judge.verdict import OutputVerdict, WorstElement
from conformance.numerics.refusal import Refusal, explain
from conformance.numerics.selection import certified, legal, unpromised
from conformance.record.computed import Keys
from conformance.record.contract import Selected

SELECTION = steps.SELECTION()
Mask = NDArray[np.bool_]
Ids = NDArray[np.int64]


@in_parts
def judge_selected(asked: Question) -> OutputVerdict:
    """Judge an output whose contract is `Selected`: row by row, all positions of a row together.

    Of a row that is refused those elements are wrong that differ from the formula's, or all. A row
    is not accepted, but counted apart, if of all keys that explain it nothing is known.
    """
    contract = asked.contract
    assert isinstance(contract, Selected)
    alternatives = keys_of(asked)
    slots = asked.observed.shape[-1]
    seen = asked.observed.reshape(-1, slots).astype(np.int64)
    judged = told_of(asked)
    if asked.specified is not None:
        judged = judged & asked.specified
    asked_of = judged.reshape(seen.shape).all(axis=-1)
    by_each = [legal(seen, keys, contract.ties) for keys in alternatives]
    accepted = np.logical_or.reduce(by_each)
    refused = asked_of & ~accepted
    best = seen
    if refused.any():
        due = expected_ids(asked).reshape(seen.shape)
        best = np.where(accepted[:, None], seen, due)
    # One answer is left if it is that of each of the keys.
    alone = np.logical_and.reduce([certified(best, keys, contract.ties) for keys in alternatives])
    unknown = [_selected(keys, np.asarray(keys.box.unbounded.all(axis=1))) for keys in alternatives]
    open_ = [_selected(keys, unpromised(keys)) for keys in alternatives]
    # What only keys accept that accept anything is not told.
    told = np.logical_or.reduce(
        [by & ~(none | free) for by, none, free in zip(by_each, unknown, open_, strict=True)]
    )
    untold = asked_of & accepted & ~told
    unbounded = int(np.count_nonzero(untold & np.logical_or.reduce(unknown)))
    asked_of = asked_of & ~untold
    wrong = np.zeros(seen.shape, np.bool_)
    worst = None
    if refused.any():
        wrong[refused] = seen[refused] != due[refused]
        wrong[refused & ~wrong.any(axis=-1)] = True
        worst = _first(asked, alternatives[0], seen, due, wrong)
    rows = int(np.count_nonzero(asked_of))
    certain_rows = int(np.count_nonzero(alone & asked_of))
    return OutputVerdict(
        output=asked.name,
        ok=not refused.any(),
        clause=contract.clause,
        step=NOT_BOUNDED if unbounded and not rows else SELECTION,
        elements=rows * slots,
        exact=int(np.count_nonzero(alone & asked_of & ~refused)) * slots,
        mismatches=int(np.count_nonzero(wrong)),
        worst=worst,
        pattern=pattern(wrong, asked.observed.dtype.itemsize) if worst else "",
        rows=rows,
        certain_rows=certain_rows,
        unbounded=unbounded * slots,
        wrong=wrong.reshape(asked.observed.shape),
    )


def _selected(keys: Keys, rows: Mask) -> Mask:
    """Those of the rows [rows] whose positions are not given."""
    return rows if keys.given is None else np.asarray(rows & (keys.given == -1).all(axis=1))


def keys_of(asked: Question) -> Sequence[Keys]:
    """The keys of a call. Raises ValueError if they are not of the rows of the output."""
    contract = asked.contract
    assert isinstance(contract, Selected)
    with np.errstate(all="ignore"):
        seen = computed_of(contract, asked.case, asked.outputs, asked.arithmetic, asked.arrays)
        alternatives = contract.keys(seen)
    rows = int(np.prod(asked.observed.shape[:-1]))
    for keys in alternatives:
        if keys.box.low.ndim != 2 or len(keys.box.low) != rows:
            shape = keys.box.low.shape
            raise ValueError(f"keys: their shape {shape} must be [{rows}, positions]")
    return alternatives


def expected_ids(asked: Question) -> Ids:
    """The positions that the formula gives, computed in float32 on the host."""
    with np.errstate(all="ignore"):
        given = asked.formula(asked.case.widened(np.float32), asked.case.attributes)
    return np.asarray(given[asked.name][asked.rows or slice(None)], np.int64)


def _first(asked: Question, keys: Keys, seen: Ids, due: Ids, wrong: Mask) -> WorstElement:
    """The first wrong element, and what rule its row breaks."""
    at = int(wrong.reshape(-1).argmax())
    row, slot = divmod(at, seen.shape[1])
    position = tuple(int(one) for one in np.unravel_index(at, asked.observed.shape))
    place = f"{asked.name}[{', '.join(map(str, position))}]"
    found, must = int(seen[row, slot]), int(due[row, slot])
    told = {"place": place, "seen": found}
    lead = say.SAME_AS_FORMULA(**told) if found == must else say.FIRST_WRONG(**told, must=must)
    contract = asked.contract
    assert isinstance(contract, Selected)
    why = explain(seen[row], keys, row, contract.ties)
    text = lead if why is None else lines([lead, lines(["  ", _why(why, keys)])], "\n")
    return WorstElement(position, found, ((must, must),), text)


def _why(refusal: Refusal, keys: Keys) -> str:
    """The rule that a row breaks, in words."""
    told = {"expert": refusal.expert, "slot": refusal.place}
    if refusal.kind == "range":
        return say.NO_EXPERT(expert=refusal.expert, count=keys.box.low.shape[1])
    if refusal.kind == "twice":
        return say.TWICE(**told)
    if refusal.kind == "given":
        return say.PRESCRIBED(must=refusal.other)
    assert refusal.boxes is not None
    key, other_key = map(_key, refusal.boxes)
    both = {**told, "other": refusal.other, "key": key, "other_key": other_key}
    by_kind = {
        "tie": say.TIE,
        "order": say.OTHER_ORDER,
        "left out": say.LEFT_OUT,
        "group": say.GROUP,
    }
    return by_kind[refusal.kind](**both)


def _key(ends: tuple[float, float]) -> str:
    low, high = ends
    if low == high:
        return repr(low)
    return say.KEY_BETWEEN(low=repr(low), high=repr(high))
