"""Rules by which rows lie where others belong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.catalogue import mistakes_of_moves as say
from conformance.diagnosis.mistake import COLUMNS, KEPT, ORDER, ROWS, SHOWN, ZEROS, of_rows
from conformance.diagnosis.moved_rule import Rule

Mask = NDArray[np.bool_]
Integers = NDArray[Any]

LEAST_ROWS, LEAST_COLUMNS = 2, 4
"""Wrong rows of which a rule can be evidence; or columns of one that was found elsewhere."""

MOST_ROWS, MOST_SHIFT = 4096, 64
"""Rows that are looked at, and by how many they may be shifted."""


def rules(
    expected: Integers, seen: Integers, wrong: Mask, inputs: Mapping[str, Integers]
) -> Iterator[Rule]:
    """The rules that explain every wrong row, the simplest first."""
    columns = expected.shape[-1] if expected.ndim > 1 else 1
    expected, seen, wrong = (one.reshape(-1, columns) for one in (expected, seen, wrong))
    lost: Mask = np.asarray(wrong.any(axis=1))
    count = int(np.count_nonzero(lost))
    what = "rows" if columns > 1 else "elements"
    if len(expected) > MOST_ROWS or not count:
        return
    if (seen[wrong] == 0).all():
        sure = int(np.count_nonzero(wrong)) >= LEAST_ROWS
        yield Rule(say.ZEROS(), ZEROS, count, what, sure)
        return
    sure = count >= LEAST_ROWS
    for words, source, nature in _places(len(expected)):
        if _explains(expected, seen, lost, source):
            yield Rule(words, nature, count, what, sure)
    yield from _one_for_all(expected, seen, lost, what)
    yield from _columns(expected, seen, wrong)
    yield from _looked_up(expected, seen, lost, inputs)
    if sure and np.array_equal(_sorted(expected), _sorted(seen)):
        yield Rule(say.ROWS_REORDERED(), ORDER, 0)
    if (expected[wrong] == 0).all():
        yield Rule(say.KEPT(), KEPT, count, what, sure)


def _places(total: int) -> Iterator[tuple[str, NDArray[np.int64], str]]:
    """Where the content of each row comes from, by a simple rule."""
    row = np.arange(total)
    for step in range(1, min(MOST_SHIFT, total - 1) + 1):
        for d in (step, -step):
            sign = "+" if d > 0 else "-"
            yield say.SHIFTED(sign=sign, step=abs(d)), row + d, ROWS
    yield say.REVERSED(), total - 1 - row, ROWS
    for many in range(2, total // 2 + 1):
        if total % many == 0:
            other = total // many
            yield say.TURNED(other=other, many=many), row % many * other + row // many, ROWS


def _explains(expected: Integers, seen: Integers, lost: Mask, source: NDArray[np.int64]) -> bool:
    """Whether every wrong row holds what its source says, and the right ones between them too.

    A source beyond the output says nothing; most wrong rows must have one inside.
    """
    inside = (source >= 0) & (source < len(expected))
    places = np.flatnonzero(lost)
    if 4 * int(np.count_nonzero(inside[places])) < max(1, 3 * places.size):
        return False
    between = inside.copy()
    between[: places[0]] = between[places[-1] + 1 :] = False
    read = expected[source[between]]
    return bool((seen[between] == read).all())


def _one_for_all(expected: Integers, seen: Integers, lost: Mask, what: str) -> Iterator[Rule]:
    first, count = seen[lost][0], int(np.count_nonzero(lost))
    if count < LEAST_ROWS or not (seen[lost] == first).all():
        return
    origin = np.flatnonzero((expected == first).all(axis=1))
    if origin.size:
        yield Rule(say.ONE_FOR_ALL(row=origin[0]), ROWS, count, what, anew=True)


def _columns(expected: Integers, seen: Integers, wrong: Mask) -> Iterator[Rule]:
    """Every wrong element holds what belongs some columns beside it, in its own row."""
    rows, columns = np.nonzero(wrong)
    hidden = wrong.shape[1]
    if rows.size < 2 * LEAST_ROWS or hidden < 2:
        return
    found = seen[rows, columns]
    first = np.flatnonzero(expected[rows[0]] == found[0])
    for column in first.tolist():
        away = column - int(columns[0])
        read = columns + away
        inside = (read >= 0) & (read < hidden)
        same = found[inside] == expected[rows[inside], read[inside]]
        if np.count_nonzero(inside) * 4 >= rows.size * 3 and same.all():
            words = say.COLUMNS_AFTER if away > 0 else say.COLUMNS_BEFORE
            yield Rule(words(count=abs(away)), COLUMNS, rows.size, anew=True)
            return


def _looked_up(
    expected: Integers, seen: Integers, lost: Mask, inputs: Mapping[str, Integers]
) -> Iterator[Rule]:
    """Where the content of every wrong row belongs, or where in an input it lies."""
    places = np.flatnonzero(lost)
    columns = expected.shape[1]
    rows: list[tuple[Callable[..., str], Integers]] = [(say.ANOTHER_ROW, expected)]
    for name, array in inputs.items():
        if array.dtype == expected.dtype and array.ndim and array.shape[-1] == columns:
            rows.append((partial(say.ROW_OF_INPUT, tensor=name), array.reshape(-1, columns)))
    for words, of in rows:
        if len(of) > MOST_ROWS or (columns == 1 and expected.dtype.kind == "i"):
            continue
        numbers = {bytes(one): number for number, one in reversed(list(enumerate(of)))}
        if columns == 1 and len(numbers) < len(of):
            continue  # a value that occurs twice tells no place
        found = [numbers.get(bytes(one)) for one in seen[places]]
        if all(one is not None for one in found) and seen[places].any():
            told = [
                words(row=place, other=number)
                for place, number in zip(places[:SHOWN].tolist(), found, strict=False)
            ]
            sure = len(found) >= LEAST_ROWS or columns >= LEAST_COLUMNS
            yield Rule(of_rows(told, len(found)), ROWS, 0, sure=sure, anew=True)
            return


def _sorted(rows: Integers) -> Integers:
    whole = np.ascontiguousarray(rows).view(f"V{rows.shape[1] * rows.itemsize}").reshape(-1)
    return np.array(sorted(bytes(one) for one in whole), object)
