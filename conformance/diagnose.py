"""What a mismatch looks like: where the wrong elements lie, and what would make exactly them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.numerics.order import emulate, sequential
from reference.floats import Format, ordered, round_once, to_bits, truncate

DMA_BLOCK_BYTES = 32
"""Granularity of Ascend data copies: a tail shorter than this is the classic mistake."""

SHOWN_RANGES = 6
SHOWN_SLOTS = 16


def pattern(wrong: NDArray[np.bool_], itemsize: int) -> str:
    """Where the wrong elements of a [rows, columns] output lie, in one phrase.

    ``itemsize`` is the bytes of one element. At least one element is wrong.
    """
    if wrong.all():
        return "all elements"
    rows = np.flatnonzero(wrong.any(axis=1))
    columns = np.flatnonzero(wrong.any(axis=0))
    count = np.count_nonzero(wrong)
    if count == 1:
        return f"one element, row {rows[0]}, column {columns[0]}"
    if count == rows.size * columns.size:
        return _rectangle(wrong.shape, rows, columns, itemsize)
    first, last = np.flatnonzero(wrong)[[0, -1]]
    if last - first + 1 == count:
        start, end = divmod(first, wrong.shape[1]), divmod(last, wrong.shape[1])
        return (
            f"one run of {count} elements in memory order,"
            f" from row {start[0]}, column {start[1]} to row {end[0]}, column {end[1]}"
        )
    return f"{count} elements scattered over {_name('row', rows)} and {_name('column', columns)}"


def _rectangle(
    shape: tuple[int, ...], rows: NDArray[np.int64], columns: NDArray[np.int64], itemsize: int
) -> str:
    """The phrase for every listed column of every listed row."""
    if columns.size == shape[1]:
        at_end = rows.size > 1 and rows[0] + rows.size == shape[0]
        return f"whole {_name('row', rows)}" + (", the last ones" if at_end else "")
    where = "every row" if rows.size == shape[0] else _name("row", rows)
    tail = ""
    if columns[0] + columns.size == shape[1]:
        per_block = DMA_BLOCK_BYTES // itemsize
        partial = shape[1] % per_block == columns.size
        tail = ", the last partial 32 bytes of a row" if partial else ", the end of a row"
    return f"{_name('column', columns)} of {where}{tail}"


def _name(noun: str, indices: NDArray[np.int64]) -> str:
    """``row 3`` or ``rows 3, 5..7``, cut after a few ranges."""
    ranges: list[list[int]] = []
    for index in indices.tolist():
        if ranges and index == ranges[-1][1] + 1:
            ranges[-1][1] = index
        else:
            ranges.append([index, index])
    shown = [f"{low}..{high}" if high > low else f"{low}" for low, high in ranges[:SHOWN_RANGES]]
    hidden = sum(high - low + 1 for low, high in ranges[SHOWN_RANGES:])
    more = f" and {hidden} more" if hidden else ""
    return f"{noun}{'s' if indices.size > 1 else ''} {', '.join(shown)}{more}"


def guesses(
    values: NDArray[np.float64],
    observed: NDArray[Any],
    storage: Format,
    accumulate: Format,
    unwritten: int,
) -> tuple[str, ...]:
    """Mistakes that would give exactly the observed bits of all the wrong elements passed.

    ``values`` are their terms, float64 [slots, elements], ``observed`` their storage patterns,
    ``unwritten`` how many elements of the output the device found untouched. Guesses are labelled
    as such: other mistakes may give the same bits.
    """
    count = observed.size
    evidence = f"({count} of {count} wrong elements looked at have exactly those bits)"
    found = [
        f"guess: {mistake} {evidence}"
        for mistake, predicted in _mistakes(values, storage, accumulate)
        if _same(observed, to_bits(predicted, storage), storage).all()
    ]
    places = ordered(observed, storage)
    finite = np.isfinite(values).all(axis=0)
    pattern_of_all = int(observed.flat[0])
    if unwritten and (observed == pattern_of_all).all():
        digits = storage.storage_bits // 4
        found.insert(
            0,
            f"guess: never written: all {count} wrong elements looked at hold the bits"
            f" 0x{pattern_of_all:0{digits}x}, and the device found {unwritten} untouched",
        )
    elif ((np.abs(places) > storage.infinity_bits) & finite).all():
        found.append(
            "guess: something that must not be read was added: all"
            f" {count} wrong elements looked at are NaN though their terms are finite"
        )
    return tuple(found)


def _mistakes(
    values: NDArray[np.float64], storage: Format, accumulate: Format
) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Known mistakes and the exact value that each leaves to be rounded to storage."""
    with np.errstate(invalid="ignore"):
        total = values.sum(axis=0)
        yield "nothing is added, the output is zero", np.zeros_like(total)
        yield "the sum is truncated, not rounded, to storage", truncate(total, storage)
        if storage != accumulate:
            rounded = round_once(values, storage)
            added = emulate(sequential(len(values)), rounded, storage)
            yield f"the terms are added up in {storage.name}, not in {accumulate.name}", added
        for slot, term in enumerate(values[:SHOWN_SLOTS]):
            yield f"slot {slot} is left out", total - term
            yield f"slot {slot} is added twice", total + term
            yield f"slot {slot} alone is copied", term


def _same(one: NDArray[Any], other: NDArray[Any], storage: Format) -> NDArray[np.bool_]:
    """Equal patterns, both zeros alike; a NaN is evidence of nothing."""
    places, others = ordered(one, storage), ordered(other, storage)
    return np.asarray((places == others) & (np.abs(places) <= storage.infinity_bits))
