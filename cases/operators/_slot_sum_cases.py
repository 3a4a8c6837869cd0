"""Cases of sums over slots: of sizes that memory holds, and rows that no 32-bit offset reaches.

Of far rows the source may have more than there are indices, so a few slots may name rows anywhere
in a source of gigabytes. Only rows that are listed exist; out stays small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from cases.operators._slot_sum import Call, TokenSum
from cases.operators._slot_sum_limits import SEAM_MACHINES, SEAMS, beyond, tile_columns
from cases.operators._values import bits
from conformance.call.case import Case, numpy_dtype
from conformance.draw.far import EDGES, far_routings
from conformance.draw.machines import UB_BYTES, machines
from conformance.draw.routings import DROPPED, ranks
from conformance.draw.sizes import FEW_COLUMNS, hiddens, token_counts, top_ks
from conformance.draw.values import fills
from conformance.record.contract import Merges
from conformance.record.operator import Example
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
    how = {"top_k": top_k, "fill": draw(fills(top_k)), "machine": machine}
    return sums.drawn(mode, dtype, (rows,), hidden, indices, **how)


def in_order(
    call: Call, mode: str, dtype: str, tokens: int, top_k: int, hidden: int, rows: int
) -> Case:
    """A call whose slots name rows 0, 1, 2..."""
    indices = tuple(range(tokens * top_k))
    return call(mode, dtype, source=(rows, hidden), indices=indices, top_k=top_k, fill=GAUSSIAN)


def moved_rows(call: Call, mode: str) -> Case:
    """Three tokens that are one row each: 3 30, 1 10 and 2 20."""
    values = bits("float32", 1, 10, 2, 20, 3, 30)
    return call(mode, "float32", source=(3, 2), indices=(2, 0, 1), top_k=1, values=values)


def with_infinities(call: Call, mode: str) -> Case:
    """Two tokens of two slots, of which the last one names a row of infinities."""
    values = bits("float32", 1, 2, np.inf, np.inf, 5, 6, 7, 8)
    return call(mode, "float32", source=(4, 2), indices=(0, 2, 3, 1), top_k=2, values=values)


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


def weighted_row_sum(
    call: Call, mode: str, weighted: Call
) -> Callable[[str, NDArray[np.generic]], Case]:
    """What makes the same of a mode whose slots are ``weighted``, each by 1."""

    def made(dtype: str, x: NDArray[np.generic]) -> Case:
        return weighted(row_sum(call, mode, dtype, x), dtype, bits(dtype, *(1.0 for _ in x)))

    return made


MOST_FAR_INDICES = 64
MOST_SLOTS = 31
LARGEST_FAR_CASE = 20_000
"""Elements that one case may add up."""


@st.composite
def far_cases(
    draw: st.DrawFn,
    sums: TokenSum,
    mode: str,
    dtype: str,
    small: bool = False,
    grouped: bool = False,
) -> Case:
    """Cases that read the last row of a source of 2^31 or 2^32 elements and a little more.

    A slot that is dropped names the row after it; none, if rows are ``grouped`` by experts.
    ``small`` ones have at most 8 indices and 64 columns.
    """
    top_k = draw(top_ks(min(sums.most_top_k, 8 if small else MOST_SLOTS)))
    machine = draw(machines(UB_BYTES[0] if grouped else sums.lines.least_ub_bytes(MOST_SLOTS)))
    tokens = draw(token_counts(machine.cores, (8 if small else MOST_FAR_INDICES) // top_k))
    most_hidden = 64 if small else LARGEST_FAR_CASE // (tokens * top_k)
    groups = 8 if grouped else 1
    far = draw(far_routings(tokens, top_k, most_groups=groups, most_hidden=most_hidden))
    none = DROPPED if grouped else far.shape[1] - 1
    return sums.call(
        mode,
        dtype,
        source=far.shape if grouped else far.shape[1:],
        indices=tuple(none if index == DROPPED else index for index in far.indices),
        top_k=top_k,
        fill=draw(fills(top_k)),
        unread=far.unread,
        machine=machine,
        rows=far.rows,
    )


def far_examples(
    call: Call, mode: str, dtypes: tuple[str, ...], experts: int = 0, named: str = "indices"
) -> Iterator[Example]:
    """One call for each dtype and edge whose first row ends before the edge and whose second one
    begins beyond it; 0 ``experts``: rows are not grouped.
    """
    for edge in EDGES:
        rows = (edge // 8 - 1, edge // 8)
        for dtype in dtypes:
            case = call(
                mode,
                dtype,
                source=(experts, edge // 8 // experts + 1, 8) if experts else (edge // 8 + 2, 8),
                indices=rows,
                top_k=2,
                fill=Fill(("lattice",), seed=1, terms=2),
                rows=rows,
            )
            name = f"rows around 2^{edge.bit_length() - 1} elements {dtype}"
            source = f"int64 shape and int32 {named} of the interface, inferred"
            yield Example(name, case, source)


def far_gradients(call: Call, grad: str, mode: str = "single") -> Iterator[Example]:
    """A call for each edge whose gradient ``grad`` of all tokens ends beyond it; two rows of it are
    moved, as all other tokens were dropped. ``call`` makes a case of one slot to a token.
    """
    for edge, dtype in zip(EDGES, ("float16", "float32"), strict=True):
        hidden = edge // 8192
        tokens = edge // hidden + 2
        ranks = tuple(range(tokens))[::-1]
        case = call(mode, dtype, source=(2, hidden), indices=ranks, top_k=1)
        given = replace(
            case.inputs[grad], fill=Fill(("address",), seed=4), rows=(tokens - 2, tokens - 1)
        )
        power = edge.bit_length() - 1
        yield Example(
            f"gradients beyond 2^{power} elements {dtype}",
            replace(case, inputs={**case.inputs, grad: given}),
            "int64 shape, inferred",
        )
