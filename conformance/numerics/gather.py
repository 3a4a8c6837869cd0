"""Gathering the terms of a summed output, block by block, within a fixed memory budget."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.floats import widen
from reference.terms import Terms

BLOCK_BYTES = 1 << 20
"""fp32 bytes gathered at a time: a block and its sum stay in the second-level cache."""

Window = tuple[slice, slice]
"""Rows and columns of an output, seen as [output_rows, hidden]."""


def blocks(terms: Terms, source: NDArray[Any], budget: int = BLOCK_BYTES) -> Iterator[Window]:
    """Windows that cover the output once; the terms of each take at most ``budget`` fp32 bytes.

    ``source`` is the 2-D [source_rows, hidden] array that the terms index. One element is always
    taken. Raises ValueError for rows outside the source.
    """
    terms.validate(source.shape[0])
    output_rows, slots = terms.rows.shape
    hidden = source.shape[1]
    elements = max(budget // (4 * max(slots, 1)), 1)
    width = max(min(hidden, elements), 1)
    height = max(elements // width, 1)
    for row in range(0, output_rows, height):
        for column in range(0, hidden, width):
            yield (
                slice(row, min(row + height, output_rows)),
                slice(column, min(column + width, hidden)),
            )


def gather(source: NDArray[Any], terms: Terms, rows: slice, columns: slice) -> NDArray[np.float32]:
    """The source values of one window: float32 [slots, rows, columns], exact, a fresh array.

    Slots come first, so that adding one slot to another walks through memory. A slot that adds
    nothing holds +0.0 and its source row is not read. Casts and coefficients are not applied.
    """
    chosen = terms.rows[rows].T
    window = source[:, columns]
    live = chosen >= 0
    if live.all():
        return np.asarray(widen(window[chosen]))
    values = np.zeros((*chosen.shape, window.shape[1]), np.float32)
    values[live] = widen(window[chosen[live]])
    return values


def gather_elements(
    source: NDArray[Any], terms: Terms, rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> NDArray[np.float32]:
    """The same for single elements, given by output row and column: float32 [slots, elements]."""
    chosen = terms.rows[rows].T
    live = chosen >= 0
    if not live.all() or not source.flags.c_contiguous:
        values = np.zeros(chosen.shape, np.float32)
        values[live] = widen(source[chosen[live], np.broadcast_to(columns, chosen.shape)[live]])
        return values
    places = chosen.astype(np.int64) * source.shape[1] + columns
    return np.asarray(widen(source.reshape(-1).take(places)))


def factors(terms: Terms) -> NDArray[np.float64] | None:
    """The coefficients of all terms: float64 [output_rows, slots], exact; None: all are 1.

    A slot that adds nothing has the factor 0, whatever its coefficient.
    """
    if terms.coefficients is None:
        return None
    wide = widen(terms.coefficients, np.float64)
    return np.where(terms.rows >= 0, wide, 0.0)
