"""Cases of sums over slots, of sizes that memory holds."""

from __future__ import annotations

from functools import cache

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from cases.operators._slot_sum import Call, TokenSum
from cases.operators._slot_sum_limits import SEAM_MACHINES, SEAMS, beyond, tile_columns
from conformance.call.case import Case, numpy_dtype
from conformance.draw.machines import machines
from conformance.draw.routings import ranks, unread_rows
from conformance.draw.sizes import FEW_COLUMNS, hiddens, token_counts, top_ks
from conformance.draw.values import fills
from conformance.record.operator import Merges
from conformance.values.fill import Fill

GAUSSIAN = Fill(("gaussian",), seed=1)
MOST_INDICES = 5_000
LARGEST_CASE = 60_000
"""Elements that one drawn case may add up: bounds its time, not what a kernel can do."""


@cache
@st.composite
def near_cases(
    draw: st.DrawFn,
    sums: TokenSum,
    mode: str,
    dtype: str,
    small: bool = False,
    seam: bool = False,
) -> Case:
    """Cases of sizes that memory holds.

    Those on a ``seam`` are small but for a column more than the least machine takes in one tile, or
    a token more than it takes in one batch.
    """
    most_indices, most_tokens = (8, 8) if small else (MOST_INDICES, 2000)
    top_k, size = draw(top_ks(min(sums.most_top_k, most_indices))), numpy_dtype(dtype).itemsize
    machine = draw(machines(sums.lines.least_ub_bytes(top_k), small))
    tile = tile_columns(top_k, size, machine.ub_bytes)
    # Two at least are drawn from, as fewer choices of one alone would count as simpler.
    most = max(1, min(most_tokens, most_indices // top_k))
    tokens = min(most, draw(token_counts(machine.cores, max(2, most))))
    most = max(1, min(FEW_COLUMNS if small else 5000, LARGEST_CASE // (tokens * top_k)))
    hidden = min(most, draw(hiddens(max(2, most), tile)))
    if seam:
        machine = draw(SEAM_MACHINES)
        hidden, batches = beyond(draw(SEAMS), top_k, size, hidden, machine.ub_bytes)
        tokens = batches or tokens
    slots = tokens * top_k
    rows, indices = slots, draw(ranks(slots))
    if mode in sums.uneven:
        rows = draw(st.one_of(st.integers(1, slots), st.integers(slots + 1, slots + 4)))
    return sums.call(
        mode,
        dtype,
        source=(rows, hidden),
        indices=tuple(indices.tolist()),
        top_k=top_k,
        fill=draw(fills(top_k)),
        unread=unread_rows(indices, rows),
        machine=machine,
    )


def in_order(
    call: Call, mode: str, dtype: str, tokens: int, top_k: int, hidden: int, rows: int
) -> Case:
    """A call whose slots name rows 0, 1, 2..."""
    indices = tuple(range(tokens * top_k))
    return call(mode, dtype, source=(rows, hidden), indices=indices, top_k=top_k, fill=GAUSSIAN)


def left_to_right(slots: int) -> Merges:
    """The summation order: ((x0 + x1) + x2) + ..."""
    return [(0, slot) for slot in range(1, slots)]


def row_sum(call: Call, mode: str, dtype: str, x: NDArray[np.generic]) -> Case:
    """One token whose slots are the rows of ``x`` [slots, columns]."""
    slots = len(x)
    stored = np.ascontiguousarray(x).view(f"u{x.dtype.itemsize}").reshape(-1)
    return call(
        mode,
        dtype,
        source=(slots, x.shape[1]),
        indices=tuple(range(slots)),
        top_k=slots,
        values=tuple(stored.tolist()),
    )
