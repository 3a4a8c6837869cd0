"""Mistakes of indexing: right arithmetic on the wrong rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[Any]
UNKNOWN = -2
"""A row that the source does not have: what is read there cannot be told."""


def misreadings(rows: Rows, source_rows: int) -> Iterator[tuple[str, Rows]]:
    """Known mistakes, and the source rows that each would add, [output_rows, slots or one more].

    ``rows`` are the right ones. -1 adds nothing; UNKNOWN says that the element cannot be predicted.
    """
    rows = rows.astype(np.int64)
    tokens, slots = rows.shape
    live = rows >= 0
    if not rows.size:
        return
    following = np.append(rows.reshape(-1)[slots::slots], -1)
    yield (
        "one slot too many is added, the first of the next row",
        np.concatenate([rows, following[:, None]], axis=1),
    )
    flat = rows.reshape(-1)
    if np.array_equal(np.sort(flat), np.arange(rows.size)):
        inverse = np.argsort(flat).reshape(rows.shape)
        if not np.array_equal(inverse, rows):
            yield "the index is taken for its inverse (argsort for rank)", inverse
    if not live.all():
        yield "a dropped slot is read as row 0", np.where(live, rows, 0)
        yield "a dropped slot wraps to the last row", np.where(live, rows, source_rows - 1)
    for step, words in ((1, "the row after"), (-1, "the row before")):
        moved = np.where(live, rows + step, -1)
        beyond = live & ((moved < 0) | (moved >= source_rows))
        yield f"every slot reads {words} its own", np.where(beyond, UNKNOWN, moved)
    for bits in (8, 15, 16):
        if source_rows > 1 << bits:
            wrapped = np.where(live, rows & ((1 << bits) - 1), rows)
            yield f"the index wraps after {bits} bits", wrapped
    if tokens > 1 and slots > 1:
        yield "slots and rows of the index are exchanged", flat.reshape(slots, tokens).T
        yield "every slot reads the row of slot 0", np.repeat(rows[:, :1], slots, axis=1)
    if tokens > 1:
        unknown = np.full((1, slots), UNKNOWN)
        yield "every row holds the sum of the next one", np.concatenate([rows[1:], unknown])
        yield "every row holds the sum of the one before", np.concatenate([unknown, rows[:-1]])
        yield "the rows come in reverse", rows[::-1]
