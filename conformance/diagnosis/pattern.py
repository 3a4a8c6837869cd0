"""Where the wrong elements of an output lie, in the words of someone who looks at the tensor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

DMA_BLOCK_BYTES = 32
"""Granularity of Ascend data copies: a tail shorter than this is the classic mistake."""

SHOWN_RANGES = 6

Indices = NDArray[np.int64]


def pattern(
    wrong: NDArray[np.bool_],
    itemsize: int,
    cores: int = 0,
    readers: Mapping[str, Indices] | None = None,
) -> str:
    """Where the wrong elements of a [rows, columns] output lie, in one phrase.

    ``itemsize`` is the bytes of one element, ``cores`` how many cores the rows may be shared among
    (0: unknown); ``readers`` names sets of rows by what they have in common. At least one element
    is wrong.
    """
    if wrong.all():
        return "all elements"
    rows = np.flatnonzero(wrong.any(axis=1))
    columns = np.flatnonzero(wrong.any(axis=0))
    count = np.count_nonzero(wrong)
    if count == 1:
        return f"one element, row {rows[0]}, column {columns[0]}"
    row_notes = list(_row_notes(rows, wrong.shape[0], cores, readers or {}))
    if count == rows.size * columns.size:
        return _rectangle(wrong.shape, rows, columns, itemsize, row_notes)
    first, last = np.flatnonzero(wrong)[[0, -1]]
    if last - first + 1 == count:
        start, end = divmod(first, wrong.shape[1]), divmod(last, wrong.shape[1])
        begins = f"row {start[0]}, column {start[1]}"
        if last == wrong.size - 1:
            return f"everything from {begins} on in memory order, {count} elements"
        return (
            f"one run of {count} elements in memory order,"
            f" from {begins} to row {end[0]}, column {end[1]}"
        )
    phrase = f"{count} elements scattered over {name('row', rows)} and {name('column', columns)}"
    return ", ".join([phrase, *row_notes, *_column_notes(columns, wrong.shape[1], itemsize)])


def _rectangle(
    shape: tuple[int, ...], rows: Indices, columns: Indices, itemsize: int, row_notes: list[str]
) -> str:
    """The phrase for every listed column of every listed row."""
    if columns.size == shape[1]:
        at_end = rows.size > 1 and rows[0] + rows.size == shape[0]
        phrase = f"whole {name('row', rows)}" + (", the last ones" if at_end else "")
        return ", ".join([phrase, *row_notes])
    where = "every row" if rows.size == shape[0] else name("row", rows)
    notes = [*row_notes, *_column_notes(columns, shape[1], itemsize)]
    return ", ".join([f"{name('column', columns)} of {where}", *notes])


def _row_notes(
    rows: Indices, total: int, cores: int, readers: Mapping[str, Indices]
) -> Iterator[str]:
    """What is special about these rows."""
    if rows.size == total:
        return
    step = _step(rows, total)
    if step:
        yield f"every {ordinal(step)} row from row {rows[0]} on"
    for chunk, begin in _shares(total, cores):
        core = int(np.searchsorted(begin, rows[0], side="right")) - 1
        end = begin[core + 1] if core + 1 < begin.size else total
        if chunk > 1 and np.array_equal(rows, np.arange(begin[core], end)):
            yield f"what core {core} of {cores} does if the rows are shared in order"
            break
    for words, members in readers.items():
        if rows.size > 1 and np.array_equal(rows, members):
            yield words


def _shares(total: int, cores: int) -> Iterator[tuple[int, Indices]]:
    """Rows of a core at most, and where each core begins, for the two usual ways to share."""
    if not 1 < cores < total:
        return
    chunk = -(-total // cores)
    yield chunk, np.arange(0, total, chunk)
    small, larger = divmod(total, cores)
    core = np.arange(cores)
    yield chunk, core * small + np.minimum(core, larger)


def _column_notes(columns: Indices, hidden: int, itemsize: int) -> Iterator[str]:
    """What is special about these columns."""
    if columns.size == hidden:
        return
    per_block = DMA_BLOCK_BYTES // itemsize
    partial = hidden % per_block
    whole = columns[-1] - columns[0] + 1 == columns.size
    width = int(columns[-1] - columns[0]) + 1
    step = _step(columns, hidden)
    if partial and columns[0] >= hidden - partial:
        yield "the last partial 32 bytes of a row"
    elif whole and columns[-1] == hidden - 1:
        aligned = columns[0] % per_block == 0
        yield "the end of a row" + (" from a multiple of 32 bytes on" if aligned else "")
    elif whole and width % per_block == 0 and columns[0] % width == 0:
        yield f"one tile, if tiles are {width} columns wide"
    elif step:
        tiles = step % per_block == 0
        yield f"every {ordinal(step)} column" + (", as if once in each tile" if tiles else "")


def _step(indices: Indices, total: int) -> int:
    """The distance of at least three indices that repeat over the whole range; 0 if none."""
    if indices.size < 3:
        return 0
    step = int(indices[1] - indices[0])
    even = step > 1 and bool((np.diff(indices) == step).all())
    return step if even and indices[0] < step and indices[-1] + step >= total else 0


def ordinal(number: int) -> str:
    """``2nd``, ``16th``."""
    endings = {1: "st", 2: "nd", 3: "rd"}
    teen = number // 10 % 10 == 1
    return f"{number}{'th' if teen else endings.get(number % 10, 'th')}"


def name(noun: str, indices: Indices) -> str:
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
