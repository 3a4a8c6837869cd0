"""Gathering the terms of a summed output, block by block, within a fixed memory budget."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.floats import FP32, format_of, round_once, widen
from reference.terms import Terms

BLOCK_BYTES = 1 << 20
"""fp32 bytes gathered at a time: a block and its sum stay in the second-level cache."""

Window = tuple[slice, slice]
"""Rows and columns of an output, seen as [output_rows, hidden]."""


def blocks(terms: Terms, source: NDArray[Any], budget: int = BLOCK_BYTES) -> Iterator[Window]:
    """Windows that cover the output once; the terms of each take at most ``budget`` fp32 bytes.

    ``source`` is the 2-D [source_rows, hidden] array that the terms index. One element is always
    taken. Raises ValueError for rows outside the source and for terms with coefficients, whose
    products have rounding errors of their own (numerics N.2) that no contract here declares.
    """
    terms.validate(source.shape[0])
    if terms.coefficients is not None:
        raise ValueError(
            "terms.coefficients: must be None, a contract Sum declares an unweighted sum"
        )
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
    """The terms of one window: float32 [slots, rows, columns], exact, a fresh array.

    Slots come first, so that adding one slot to another walks through memory. A slot that adds
    nothing holds +0.0 and its source row is not read. A declared cast rounds every term once.
    """
    chosen = terms.rows[rows].T
    window = source[:, columns]
    live = chosen >= 0
    if live.all():
        values = widen(window[chosen])
    else:
        values = np.zeros((*chosen.shape, window.shape[1]), np.float32)
        values[live] = widen(window[chosen[live]])
    return _cast(values, terms)


def gather_elements(
    source: NDArray[Any], terms: Terms, rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> NDArray[np.float32]:
    """The terms of single elements, given by output row and column: float32 [slots, elements]."""
    chosen = terms.rows[rows].T
    live = chosen >= 0
    values = np.zeros(chosen.shape, np.float32)
    values[live] = widen(source[chosen[live], np.broadcast_to(columns, chosen.shape)[live]])
    return _cast(values, terms)


def _cast(values: NDArray[Any], terms: Terms) -> NDArray[np.float32]:
    """Round every term once to the declared storage format, if there is one."""
    if terms.cast is None or format_of(terms.cast) == FP32:
        return values
    return round_once(values, format_of(terms.cast)).astype(np.float32)
