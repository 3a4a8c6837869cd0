"""Cases of MoeInitRoutingV2Grad: drawn sizes, and the indices of each mode."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from cases.operators._moe_init_routing_v2_grad_limits import LINES, least_ub_bytes, tile_columns
from cases.operators._moe_init_routing_v2_grad_signature import call
from cases.operators._slot_sum import EVERY, Indices, Shape, TokenSum, source_of
from conformance.call.case import Case, numpy_dtype
from conformance.draw.machines import machines
from conformance.draw.patterns import PLACES, Mask, place_patterns, placed, rank_patterns, ranked
from conformance.draw.routings import DROPPED as DROPPED_INDEX
from conformance.draw.routings import positions, ranks, unread_rows
from conformance.draw.sizes import hiddens, token_counts, top_ks
from conformance.draw.values import fills

MOST_INDICES = 5_000
LARGEST_CASE = 60_000
"""Elements that one drawn case may add up: bounds its time, not what a kernel can do."""


@st.composite
def near_cases(draw: st.DrawFn, mode: str, dtype: str, small: bool = False) -> Case:
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


class Routed(TokenSum):
    """Its sums: the indices of each mode, and places of experts in drop/pad mode."""

    def most_values(self, mode: str) -> int:
        """Three rows, and what names none if a mode has that."""
        return 3 if mode == "dropless" else 4

    def scope(
        self, mode: str, tuples: Indices, generator: np.random.Generator
    ) -> tuple[Shape, Indices]:
        """Leading shape of the gradient, and the indices of all tuples in a drawn order."""
        indices = generator.permutation(tuples).ravel()
        values = int(tuples.max()) + 1
        if mode == "drop_pad":
            rows = values - 1
            return ((rows, 1) if generator.random() < 0.5 else (1, rows)), indices - 1
        if mode == "active":
            return (int(generator.integers(1, values)),), indices
        return (indices.size,), indices

    def routed(
        self, mode: str, routing: str, mask: Mask, few: bool, generator: np.random.Generator
    ) -> tuple[Shape, Indices]:
        """Leading shape of the gradient, and the indices of all slots."""
        kept = int(np.count_nonzero(~mask))
        indices = np.full(mask.size, DROPPED_INDEX, np.int64)
        if mode == "drop_pad":
            most_experts = 8 if few else 2
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

    def shown(self, case: Case, named: Indices) -> set[str]:
        """Patterns of ranks, or of places."""
        if case.mode != "drop_pad":
            return rank_patterns(named)
        experts, capacity = source_of(case).shape[:2]
        return place_patterns(named, experts, capacity)


SUM = Routed(call, ("active", "drop_pad"), lines=LINES)
PLACED = replace(SUM, routings=(*PLACES, EVERY))
"""With drop/pad."""
