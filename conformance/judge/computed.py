"""Judging values that are computed through functions of the device, by the box of each element."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case
from conformance.catalogue import verdict as steps
from conformance.catalogue import worst_element as say
from conformance.catalogue.message import row as lines
from conformance.diagnosis.guess import Guesses
from conformance.diagnosis.origins import origins
from conformance.diagnosis.pattern import pattern
from conformance.judge.ends import Ends, computed_of, ends_of
from conformance.judge.in_parts import in_parts
from conformance.judge.question import Question
from conformance.judge.verdict import OutputVerdict, WorstElement
from conformance.judge.worst import show
from conformance.record.computed import Box
from conformance.record.contract import Bounded, Quantised, Unspecified
from conformance.record.operator import Operator
from reference.floats import bits_of, format_of

BOUNDS, NOT_BOUNDED = steps.BOUNDS(), steps.NOT_BOUNDED()
Mask = NDArray[np.bool_]


@in_parts
def judge_bounded(asked: Question) -> OutputVerdict:
    """Judge an output whose contract is `Bounded` or `Quantised`.

    An element that nothing bounds is counted apart. Left out are those that depend on what is wrong
    of an output that the contract is given, see `told_of`.
    """
    contract = asked.contract
    assert isinstance(contract, Bounded | Quantised)
    shown = computed_of(contract, asked.case, asked.outputs, asked.arithmetic, asked.arrays)
    ends = ends_of(contract, shown, asked.observed, asked.arithmetic)
    judged = np.ones(asked.observed.shape, np.bool_) if asked.specified is None else asked.specified
    judged = judged & told_of(asked)
    elements = int(np.count_nonzero(judged))
    open_ = judged & ends.unbounded
    judged = judged & ~ends.unbounded
    seen = ends.places(asked.observed)
    wrong = judged & ~((ends.low <= seen) & (seen <= ends.high))
    single = judged & (ends.low == ends.high)
    mismatches, unbounded = int(np.count_nonzero(wrong)), int(np.count_nonzero(open_))
    worst = _worst(asked, ends, wrong, seen) if mismatches else None
    read = partial(origins, asked.observed, wrong, asked.unwritten_at)
    columns = asked.observed.shape[-1] if asked.observed.ndim else 1
    rows = wrong.reshape(-1, columns) if columns else wrong.reshape(0, 1)
    return OutputVerdict(
        output=asked.name,
        ok=not mismatches,
        clause=contract.clause,
        step=NOT_BOUNDED if elements and unbounded == elements else BOUNDS,
        elements=elements - unbounded,
        exact=int(np.count_nonzero(single & ~wrong)),
        mismatches=mismatches,
        headroom=_headroom(ends, seen, judged & ~wrong & ~single),
        worst=worst,
        pattern=pattern(rows, asked.observed.dtype.itemsize) if mismatches else "",
        guesses=Guesses(lambda: tuple(read())) if mismatches else (),
        unbounded=unbounded,
        wrong=wrong,
    )


def in_order(operator: Operator, case: Case) -> list[str]:
    """The outputs of a call, those behind which the contract is given. Raises ValueError for a
    circle of them."""
    waiting, done = list(case.outputs), []
    while waiting:
        contracts = ((name, operator.contract(name, case)) for name in waiting)
        ready = [
            name
            for name, contract in contracts
            if not set(getattr(contract, "given", ())) & set(waiting)
        ]
        if not ready:
            raise ValueError(f"contracts of {operator.name}: {', '.join(waiting)} are in a circle")
        done.append(ready[0])
        waiting.remove(ready[0])
    return done


def promised_outputs(
    operator: Operator, case: Case, outputs: Mapping[str, NDArray[Any]]
) -> dict[str, NDArray[Any]]:
    """Those of the outputs of which something is promised: the others may hold anything."""
    return {
        name: array
        for name, array in outputs.items()
        if name in case.outputs and not isinstance(operator.contract(name, case), Unspecified)
    }


def told_of(asked: Question) -> Mask:
    """Which elements can be judged: those of rows of which every given output is right.

    A `Quantised` output is judged by what is observed of the given ones, right or not: its box says
    where they are of no use.
    """
    right = np.ones(asked.observed.shape, np.bool_)
    if isinstance(asked.contract, Quantised):
        return right
    for name in getattr(asked.contract, "given", ()):
        if name in asked.wrong:
            rows = asked.wrong[name].any(axis=-1, keepdims=True)
            right = right & ~rows
    return right


def _headroom(ends: Ends, seen: NDArray[np.int64], legal: Mask) -> float | None:
    """The smallest share of the half width that a legal element left unused; of integers none."""
    if ends.storage is None or not legal.any():
        return None
    unused = np.minimum(seen - ends.low, ends.high - seen)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = unused / (ends.high - ends.low)
    return float(2 * shares.min(where=legal, initial=1))


def _worst(asked: Question, ends: Ends, wrong: Mask, seen: NDArray[np.int64]) -> WorstElement:
    """The element that is furthest from what is accepted."""
    beyond = np.maximum(ends.low - seen, seen - ends.high)
    place = int(np.where(wrong, beyond, -1).reshape(-1).argmax())
    position = tuple(int(one) for one in np.unravel_index(place, asked.observed.shape))
    low, high = (int(end.reshape(-1)[place]) for end in (ends.low, ends.high))
    shown = [ends.shown_place(end) for end in (low, high)]
    accepted = (
        say.ALONE(values=shown[0])
        if low == high
        else say.BETWEEN(low=shown[0], high=shown[1], count=high - low + 1)
    )
    observed = int(ends.patterns(asked.observed).reshape(-1)[place])
    where = f"{asked.name}[{', '.join(map(str, position))}]"
    text: str = say.WORST(place=where, seen=ends.shown(observed), accepted=accepted, order="")
    if ends.storage is None:
        text = lines([text, lines(["  ", _rounded(asked, ends.box, position)])], "\n")
    return WorstElement(position, observed, ((ends.pattern(low), ends.pattern(high)),), text)


def _rounded(asked: Question, box: Box, position: tuple[int, ...]) -> str:
    """What was rounded to an integer, and the observed value of each given output of its row."""
    low, high = (end[position].item() for end in (box.low, box.high))
    value = repr(low) if low == high else say.VALUES_BETWEEN(low=repr(low), high=repr(high))
    used = []
    for name in getattr(asked.contract, "given", ()):
        array = asked.outputs[name]
        if array.dtype.kind not in "iub" and array.shape == asked.observed.shape[: array.ndim]:
            at = position[: array.ndim]
            seen = show(int(bits_of(array)[at]), format_of(array.dtype))
            used.append(say.GIVEN(place=f"{name}[{', '.join(map(str, at))}]", seen=seen))
    return say.ROUNDED(value=value, given=lines(used, ""))
