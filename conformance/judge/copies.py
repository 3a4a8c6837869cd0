"""Judging outputs that are moved or counted: every bit, every integer (numerics N.7)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.catalogue import verdict as steps
from conformance.catalogue import worst_element as say
from conformance.diagnosis.guess import Guesses, first_of
from conformance.diagnosis.movement import Moved, guesses
from conformance.diagnosis.origins import origins
from conformance.diagnosis.pattern import pattern
from conformance.judge.question import Question
from conformance.judge.verdict import OutputVerdict, WorstElement
from conformance.judge.worst import show
from conformance.record.clause import Clause
from conformance.record.contract import Arrays, Copy, Index
from reference.floats import format_of

EVERY_BYTE, EXACT_INTEGERS = steps.EVERY_BYTE(), steps.EXACT_INTEGERS()

AT_ONCE = 1 << 22
"""Elements that are compared at a time."""


def judge_copy(asked: Question) -> OutputVerdict:
    """Judge an output whose contract is `Copy`: NaN payloads, signalling NaNs and -0 count.

    Raises ValueError where the formula, run on integers, does not move them, and where the contract
    names an input that the case lacks.
    """
    seen = _integers(asked.observed)
    return _verdict(asked, asked.contract.clause, EVERY_BYTE, expected_of(asked), seen)


def judge_index(asked: Question) -> OutputVerdict:
    """Judge an output whose contract is `Index`.

    Raises ValueError where the output is not one of integers or the formula's is not.
    """
    expected = expected_of(asked)
    return _verdict(asked, asked.contract.clause, EXACT_INTEGERS, expected, asked.observed)


def expected_of(asked: Question) -> NDArray[Any]:
    """What a moved or counted output must hold, in the observed shape: the unsigned integers of its
    bits where it is moved, its own integers where it is counted.

    Raises ValueError as `judge_copy` and `judge_index` do.
    """
    contract = asked.contract
    if isinstance(contract, Copy):
        inputs = as_integers(asked.case.arrays, contract.moved)
        return _expected(asked, inputs, _integers(asked.observed))
    assert isinstance(contract, Index)
    if asked.observed.dtype.kind not in "iub":
        raise ValueError(
            f"contract Index of {asked.name}: its dtype {asked.observed.dtype.name} must be one of"
            " integers; Copy is for values that are moved"
        )
    return _expected(asked, asked.case.arrays, asked.observed)


def as_integers(arrays: Arrays, moved: tuple[str, ...] | None) -> Arrays:
    """The inputs with the moved ones read as integers of their size, without a copy."""
    if moved is None:
        moved = tuple(name for name, array in arrays.items() if array.dtype.kind not in "iub")
    for name in moved:
        if name not in arrays:
            raise ValueError(f"moved={moved}: {name} must be an input, of {', '.join(arrays)}")
    views: Mapping[str, NDArray[Any]] = {
        name: _integers(array) if name in moved else array for name, array in arrays.items()
    }
    return views


def _integers(array: NDArray[Any]) -> NDArray[Any]:
    """An array of integers as it is, another as unsigned integers of its size."""
    if array.dtype.kind in "iu":
        return array
    return np.ascontiguousarray(array).reshape(array.shape).view(f"u{array.dtype.itemsize}")


def _expected(asked: Question, inputs: Arrays, seen: NDArray[Any]) -> NDArray[Any]:
    """The formula's output, which must have the observed shape and be made of integers."""
    with np.errstate(all="ignore"):  # what it makes of other outputs may be no number
        expected = np.asarray(asked.formula(inputs, asked.case.attributes)[asked.name])
    if expected.shape != seen.shape or expected.dtype.kind not in "iub":
        raise ValueError(
            f"formula of {asked.name}: run on integers it gives"
            f" {expected.dtype.name}{list(expected.shape)}, must be integers of {list(seen.shape)}"
        )
    if not np.can_cast(expected.dtype, seen.dtype) and expected.size:
        low, high = int(expected.min()), int(expected.max())
        info = np.iinfo(seen.dtype) if seen.dtype.kind != "b" else None
        least, most = (int(info.min), int(info.max)) if info else (0, 1)
        if low < least or high > most:
            raise ValueError(
                f"formula of {asked.name}: its integers from {low} to {high} must fit"
                f" {seen.dtype.name}"
            )
    return expected.astype(seen.dtype, copy=False)


def _verdict(
    asked: Question, clause: Clause, step: str, expected: NDArray[Any], seen: NDArray[Any]
) -> OutputVerdict:
    elements, mismatches = _counted(expected, seen, asked.specified)
    worst, where, wrong = None, "", None
    maybe: Sequence[str] = ()
    if mismatches:
        wrong = expected != seen
        if asked.specified is not None:
            wrong &= asked.specified
        first = int(wrong.reshape(-1).argmax())
        position = tuple(int(index) for index in np.unravel_index(first, seen.shape))
        found, must = (array.reshape(-1)[first] for array in (seen, expected))
        place = f"{asked.name}[{', '.join(map(str, position))}]"
        text = say.FIRST_WRONG(place=place, seen=_shown(found, asked), must=_shown(must, asked))
        worst = WorstElement(position, int(found), ((int(must), int(must)),), text)
        columns = seen.shape[-1] if seen.shape else 1
        where = pattern(wrong.reshape(-1, columns), asked.observed.dtype.itemsize)
        floating = asked.observed.dtype.kind not in "iub"
        storage = format_of(asked.observed.dtype) if floating else None
        found_in = Moved(
            expected=expected,
            seen=seen,
            wrong=wrong,
            storage=storage,
            unwritten=asked.unwritten,
            inputs=as_integers(asked.case.arrays, None),
        )
        read = partial(origins, asked.observed, wrong, asked.unwritten_at)
        maybe = Guesses(lambda: first_of(tuple(guesses(found_in)), read))
    return OutputVerdict(
        output=asked.name,
        ok=not mismatches,
        clause=clause,
        step=step,
        elements=elements,
        exact=elements - mismatches,
        mismatches=mismatches,
        worst=worst,
        pattern=where,
        guesses=maybe,
        wrong=wrong,
    )


def _counted(
    expected: NDArray[Any], seen: NDArray[Any], specified: NDArray[np.bool_] | None
) -> tuple[int, int]:
    """How many elements the contract speaks of, and how many of them are wrong; part by part."""
    arrays = [np.atleast_1d(expected), np.atleast_1d(seen)]
    if specified is not None:
        arrays.append(np.atleast_1d(specified))
    rows = max(1, AT_ONCE // max(1, math.prod(arrays[0].shape[1:])))
    elements = mismatches = 0
    for start in range(0, len(arrays[0]), rows):
        must, found, *asked_of = (array[start : start + rows] for array in arrays)
        wrong = must != found
        elements += int(np.count_nonzero(asked_of[0])) if asked_of else wrong.size
        mismatches += int(np.count_nonzero(wrong & asked_of[0] if asked_of else wrong))
    return elements, mismatches


def _shown(value: np.generic, asked: Question) -> str:
    """An integer, or a pattern with the value that it stands for."""
    if asked.observed.dtype.kind in "iub":
        return str(value)
    return show(int(value), format_of(asked.observed.dtype))
