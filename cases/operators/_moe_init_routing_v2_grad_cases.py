"""Cases of MoeInitRoutingV2Grad: drawn sizes, the indices of each mode, and rows that are far."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from cases.operators._moe_init_routing_v2_grad_limits import least_ub_bytes, tile_columns
from conformance.call.case import Case, numpy_dtype
from conformance.draw.far import EDGES, far_routings
from conformance.draw.machines import UB_BYTES, machines
from conformance.draw.patterns import placed, ranked
from conformance.draw.routings import DROPPED as DROPPED_INDEX
from conformance.draw.routings import positions, ranks, unread_rows
from conformance.draw.sizes import hiddens, token_counts, top_ks
from conformance.draw.values import fills
from conformance.record.operator import Example
from conformance.values.fill import Fill

MOST_INDICES, MOST_FAR_INDICES = 5_000, 64
LARGEST_CASE, LARGEST_FAR_CASE = 60_000, 20_000
"""Elements that one drawn case may add up: bounds its time, not what a kernel can do."""

MOST_SLOTS = 31
"""Of one token of a far case, so that the smallest machine can hold its partial sums."""

Call = Callable[..., Case]
Indices = NDArray[np.int64]


@st.composite
def near_cases(draw: st.DrawFn, call: Call, mode: str, dtype: str, small: bool = False) -> Case:
    """Cases of one mode and dtype; shrinks to one token, one expert, one column, one small core.

    ``small`` ones have at most 8 indices and 64 columns.
    """
    most_indices, most_tokens, most_hidden = (8, 8, 64) if small else (MOST_INDICES, 2000, 5000)
    top_k, size = draw(top_ks(min(300, most_indices))), numpy_dtype(dtype).itemsize
    machine = draw(machines(least_ub_bytes(top_k, size), small))
    tile = tile_columns(top_k, size, machine.ub_bytes)
    tokens = draw(token_counts(machine.cores, max(1, min(most_tokens, most_indices // top_k))))
    most_columns = max(1, min(most_hidden, LARGEST_CASE // (tokens * top_k)))
    hidden = draw(hiddens(most_columns, tile))
    entries = tokens * top_k
    attributes: dict[str, int] = {}
    if mode == "drop_pad":
        experts = draw(st.integers(1, min(8, entries)))
        capacity = draw(st.integers(1, max(1, 2 * entries // experts)))
        shape: tuple[int, ...] = (experts, capacity)
        rows = experts * capacity
        indices = draw(positions(tokens, top_k, rows))
        attributes = {"active_num": draw(st.sampled_from([0, 1, entries]))}
    else:
        indices, rows = draw(ranks(entries)), entries
        if mode == "active":
            rows = draw(st.one_of(st.integers(1, entries), st.just(entries + 3)))
        shape = (rows,)
    return call(
        mode,
        dtype,
        source=(*shape, hidden),
        indices=tuple(indices.tolist()),
        top_k=top_k,
        fill=draw(fills(top_k)),
        unread=unread_rows(indices, rows),
        machine=machine,
        **attributes,
    )


@st.composite
def far_cases(draw: st.DrawFn, call: Call, dtype: str, small: bool = False) -> Case:
    """Cases that read the last row of a source of 2^31 or 2^32 elements and a little more: the
    capacity of an expert bounds no index tensor, so a few slots may name rows anywhere. Only rows
    that are listed exist.

    ``call`` is the record's; ``small`` ones have at most 8 indices and 64 columns.
    """
    top_k = draw(top_ks(8 if small else MOST_SLOTS))
    machine = draw(machines(UB_BYTES[0]))
    tokens = draw(token_counts(machine.cores, (8 if small else MOST_FAR_INDICES) // top_k))
    most_hidden = 64 if small else LARGEST_FAR_CASE // (tokens * top_k)
    far = draw(far_routings(tokens, top_k, most_groups=8, most_hidden=most_hidden))
    return call(
        "drop_pad",
        dtype,
        source=far.shape,
        indices=far.indices,
        top_k=top_k,
        fill=draw(fills(top_k)),
        unread=far.unread,
        machine=machine,
        rows=far.rows,
    )


def far_examples(call: Call, dtypes: tuple[str, ...]) -> Iterator[Example]:
    """One call for each dtype and edge whose first row ends before the edge and whose second one
    begins beyond it.
    """
    for edge in EDGES:
        rows = (edge // 8 - 1, edge // 8)
        for dtype in dtypes:
            case = call(
                "drop_pad",
                dtype,
                source=(2, edge // 16 + 1, 8),
                indices=rows,
                top_k=2,
                fill=Fill(("lattice",), seed=1, terms=2),
                rows=rows,
            )
            name = f"rows around 2^{edge.bit_length() - 1} elements {dtype}"
            yield Example(name, case, "int64 shape and int32 row index of the interface, inferred")


def scope(
    mode: str, tuples: Indices, generator: np.random.Generator
) -> tuple[tuple[int, ...], Indices]:
    """Leading shape of the gradient, and the indices of all tuples as tokens in a drawn order."""
    indices = generator.permutation(tuples).ravel()
    values = int(tuples.max()) + 1
    if mode == "drop_pad":
        rows = values - 1
        return ((rows, 1) if generator.random() < 0.5 else (1, rows)), indices - 1
    if mode == "active":
        return (int(generator.integers(1, values)),), indices
    return (indices.size,), indices


def routed(
    mode: str,
    routing: str,
    mask: NDArray[np.bool_],
    generator: np.random.Generator,
    most_experts: int,
) -> tuple[tuple[int, ...], Indices]:
    """Leading shape of the gradient, and the indices of all slots; ``mask`` says which drop."""
    kept = int(np.count_nonzero(~mask))
    indices = np.full(mask.size, DROPPED_INDEX, np.int64)
    if mode == "drop_pad":
        experts, capacity, indices[~mask] = placed(routing, kept, generator, most_experts)
        return (experts, capacity), indices
    indices[~mask] = ranked(routing, kept, generator)
    if mode == "dropless":
        return (mask.size,), indices
    rows = kept + int(generator.choice([0, 0, 3]))
    if kept < mask.size:
        rows = max(1, min(rows, mask.size - 1))
    beyond = generator.integers(rows, max(mask.size, rows + 1), mask.size - kept)
    beyond[:1] = rows
    indices[mask] = generator.permutation(beyond)
    return (rows,), indices
