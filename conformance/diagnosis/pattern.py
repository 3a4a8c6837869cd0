"""Where the wrong elements of an output lie, in the words of someone who looks at the tensor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from conformance.catalogue import wrong_places as say
from conformance.catalogue.marks import COMMA
from conformance.catalogue.message import row as joined

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
        return say.ALL()
    rows = np.flatnonzero(wrong.any(axis=1))
    columns = np.flatnonzero(wrong.any(axis=0))
    count = np.count_nonzero(wrong)
    if count == 1:
        return say.ONE(place=say.PLACE(row=rows[0], column=columns[0]))
    row_notes = list(_row_notes(rows, wrong.shape[0], cores, readers or {}))
    if count == rows.size * columns.size:
        return _rectangle(wrong.shape, rows, columns, itemsize, row_notes)
    first, last = np.flatnonzero(wrong)[[0, -1]]
    if last - first + 1 == count:
        places = (divmod(one, wrong.shape[1]) for one in (first, last))
        start, end = (say.PLACE(row=row, column=column) for row, column in places)
        if last == wrong.size - 1:
            return say.REST(start=start, count=count)
        return say.RUN(count=count, start=start, end=end)
    phrase = say.SCATTERED(count=count, rows=rows_of(rows), columns=columns_of(columns))
    notes = [*row_notes, *_column_notes(columns, wrong.shape[1], itemsize)]
    return joined([phrase, *notes], COMMA)


def _rectangle(
    shape: tuple[int, ...], rows: Indices, columns: Indices, itemsize: int, row_notes: list[str]
) -> str:
    """The phrase for every listed column of every listed row."""
    if columns.size == shape[1]:
        at_end = rows.size > 1 and rows[0] + rows.size == shape[0]
        notes = [say.LAST_ROWS(), *row_notes] if at_end else row_notes
        return joined([say.WHOLE_ROWS(rows=rows_of(rows)), *notes], COMMA)
    where = say.OF_EVERY_ROW(columns=columns_of(columns))
    if rows.size < shape[0]:
        where = say.OF_ROWS(columns=columns_of(columns), rows=rows_of(rows))
    notes = [*row_notes, *_column_notes(columns, shape[1], itemsize)]
    return joined([where, *notes], COMMA)


def _row_notes(
    rows: Indices, total: int, cores: int, readers: Mapping[str, Indices]
) -> Iterator[str]:
    """What is special about these rows."""
    if rows.size == total:
        return
    step = _step(rows, total)
    if step:
        yield say.EVERY_ROW(step=ordinal(step), first=rows[0])
    for chunk, begin in _shares(total, cores):
        core = int(np.searchsorted(begin, rows[0], side="right")) - 1
        end = begin[core + 1] if core + 1 < begin.size else total
        if chunk > 1 and np.array_equal(rows, np.arange(begin[core], end)):
            yield say.ROWS_OF_CORE(core=core, cores=cores)
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
        yield say.PARTIAL_BLOCK()
    elif whole and columns[-1] == hidden - 1:
        aligned = columns[0] % per_block == 0
        yield say.END_FROM_BLOCK() if aligned else say.END_OF_ROW()
    elif whole and width % per_block == 0 and columns[0] % width == 0:
        yield say.ONE_TILE(width=width)
    elif step:
        tiles = step % per_block == 0
        yield (say.ONCE_IN_EACH_TILE if tiles else say.EVERY_COLUMN)(step=ordinal(step))


def _step(indices: Indices, total: int) -> int:
    """The distance of at least three indices that repeat over the whole range; 0 if none."""
    if indices.size < 3:
        return 0
    step = int(indices[1] - indices[0])
    even = step > 1 and bool((np.diff(indices) == step).all())
    return step if even and indices[0] < step and indices[-1] + step >= total else 0


def ordinal(number: int) -> str:
    """``2nd``, ``16th``."""
    endings = {1: say.ST, 2: say.ND, 3: say.RD}
    teen = number // 10 % 10 == 1
    return (say.TH if teen else endings.get(number % 10, say.TH))(number=number)


def rows_of(indices: Indices) -> str:
    """``row 3`` or ``rows 3, 5..7``, cut after a few ranges."""
    shown, hidden = _ranges(indices)
    if hidden:
        return say.ROWS_AND_MORE(rows=shown, hidden=hidden)
    return say.ROWS(count=indices.size, rows=shown)


def columns_of(indices: Indices) -> str:
    """The same of columns."""
    shown, hidden = _ranges(indices)
    if hidden:
        return say.COLUMNS_AND_MORE(columns=shown, hidden=hidden)
    return say.COLUMNS(count=indices.size, columns=shown)


def _ranges(indices: Indices) -> tuple[list[str], int]:
    """The first ranges of the indices, and how many indices there are beyond these."""
    ranges: list[list[int]] = []
    for index in indices.tolist():
        if ranges and index == ranges[-1][1] + 1:
            ranges[-1][1] = index
        else:
            ranges.append([index, index])
    shown = [
        say.RANGE(low=low, high=high) if high > low else str(low)
        for low, high in ranges[:SHOWN_RANGES]
    ]
    return shown, sum(high - low + 1 for low, high in ranges[SHOWN_RANGES:])
