"""Edges of sums over slots: every limit of both tilings on every chip.

MoeTokenPermuteWithRoutingMapGrad has the same ones where it does not pad (`slot_edges`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

import numpy as np
from hypothesis import strategies as st

from cases.operators._slot_sum import TokenSum, of_tokens, top_k_of
from cases.operators._slot_sum_limits import (
    BUFFERS,
    CHIPS,
    GRANULE_BYTES,
    SMALL,
    VENDOR_COLUMNS,
    slots_ub,
    up,
    vendor_hiddens,
    vendor_pass,
)
from conformance.call.case import Case, Machine, numpy_dtype
from conformance.draw.patterns import LEAST_KEPT, ranked_beside_drops
from conformance.draw.values import SEEDS, fills
from conformance.judge.legality import UB_BYTES
from conformance.record.edges import STEPS, Edge, Edges, Sizes, distinct

MOST_TOP_K = 512
FREE_TOKENS, FREE_HIDDEN = 3, 8
"""The most tokens or columns where the edge leaves them free."""

FEW_ELEMENTS = 20_000
INDEX_COST = 8
DEAREST = 1 << 26
"""Elements of an edge that no run would judge: not declared."""


def edges(sums: TokenSum, mode: str, dtype: str, weight_bytes: int = 0) -> Edges:
    """The edges of one mode and dtype, whose slots may have weights."""
    return edges_on(sums, mode, dtype, slot_edges(numpy_dtype(dtype).itemsize, weight_bytes))


def edges_on(
    sums: TokenSum,
    mode: str,
    dtype: str,
    declared: Iterable[tuple[str, Machine, Sizes]],
    products: bool = False,
) -> Edges:
    """Edges of these limits, machines and sizes, of which each fixes top_k.

    Where every slot has a sum of ``products`` along its row, one without a row costs as much.
    """
    uneven = mode in sums.uneven and not products
    found = (Edge(limit, machine, sizes, cost(uneven, sizes)) for limit, machine, sizes in declared)
    near = distinct(edge for edge in found if edge.cost <= DEAREST)
    return Edges(near, sizes_of, lambda edge: sized(sums, mode, dtype, edge.sizes, edge.machine))


def slot_edges(element_bytes: int, weight_bytes: int = 0) -> Iterator[tuple[str, Machine, Sizes]]:
    """Limit, machine and sizes of every edge of a sum over slots."""
    for machine in CHIPS:
        for limit, hidden in vendor_hiddens(element_bytes):
            yield limit, machine, {"top_k": 2, "hidden": hidden}
        for hidden, top_k in product((512, *VENDOR_COLUMNS[element_bytes].values()), (8, 512)):
            most = machine.cores * vendor_pass(machine, top_k, hidden, element_bytes)
            for step, change in STEPS.items():
                sizes = {"top_k": top_k, "tokens": most + change, "hidden": hidden}
                yield f"tokens = vendor passes of {hidden}x{top_k}{step}", machine, sizes
    for machine in (SMALL, *CHIPS):
        for count, (step, change) in product((1, 2), STEPS.items()):
            tokens = count * machine.cores + change
            yield f"tokens = {count} cores{step}", machine, {"top_k": 3, "tokens": tokens}
        yield from _own(machine, element_bytes, weight_bytes)
    least = up(slots_ub(0, MOST_TOP_K, element_bytes, weight_bytes).least, UB_BYTES.step)
    yield "least UB", Machine(SMALL.cores, least), {"top_k": MOST_TOP_K}


def _own(
    machine: Machine, element_bytes: int, weight_bytes: int
) -> Iterator[tuple[str, Machine, Sizes]]:
    """The edges of this project's kernels, where tokens fit a batch with the fewest elements."""
    row = slots_ub(machine.ub_bytes, 8, element_bytes, weight_bytes)
    for (axis, buffers), (step, change) in product(BUFFERS.items(), STEPS.items()):
        yield f"{axis}{step}", machine, {"top_k": 8, "hidden": row.columns(buffers) + change}
    for step, change in STEPS.items():
        hidden = 2 * row.columns(2) + change
        yield f"two tiles{step}", machine, {"top_k": 8, "hidden": hidden}
    for top_k in (1, MOST_TOP_K):
        row = slots_ub(machine.ub_bytes, top_k, element_bytes, weight_bytes)
        granule = GRANULE_BYTES // element_bytes
        hidden = next((n for n in range(row.columns(4), 0, -granule) if row.names(n) > 1), 0)
        for step, change in STEPS.items():
            tokens = machine.cores * row.names(hidden) + change
            if hidden:
                sizes = {"top_k": top_k, "tokens": tokens, "hidden": hidden}
                yield f"batches of {top_k} slots{step}", machine, sizes


def kept_slots(uneven: bool, tokens: int, top_k: int, hidden: int) -> int:
    """Slots that add a row: all but where a call has fewer rows than slots and would be dear."""
    if not uneven:
        return tokens * top_k
    return min(tokens * top_k, max(tokens, FEW_ELEMENTS // hidden))


def cost(uneven: bool, sizes: Sizes) -> int:
    """Elements that are added or written, and indices that are listed, which are dearer."""
    top_k = sizes["top_k"]
    tokens, hidden = sizes.get("tokens", FREE_TOKENS), sizes.get("hidden", FREE_HIDDEN)
    listed = INDEX_COST * tokens * top_k
    return listed + max(kept_slots(uneven, tokens, top_k, hidden), sizes.get("rows", 0)) * hidden


def sizes_of(case: Case) -> Sizes:
    """The sizes of a case that an edge may fix."""
    tokens, hidden = of_tokens(case).shape
    return {"top_k": top_k_of(case), "tokens": tokens, "hidden": hidden}


@st.composite
def sized(
    draw: st.DrawFn, sums: TokenSum, mode: str, dtype: str, sizes: Sizes, machine: Machine
) -> Case:
    """Cases on an edge. Every token has a slot that adds a row, so that none goes unseen."""
    some_tokens, some_hidden = draw(st.integers(1, FREE_TOKENS)), draw(st.integers(1, FREE_HIDDEN))
    generator = np.random.default_rng(draw(SEEDS))
    top_k = sizes["top_k"]
    tokens, hidden = sizes.get("tokens", some_tokens), sizes.get("hidden", some_hidden)
    uneven = mode in sums.uneven
    kept = kept_slots(uneven, tokens, top_k, hidden)
    mask = np.arange(top_k) != generator.integers(0, top_k, tokens)[:, None]
    others = np.flatnonzero(mask)
    mask.flat[generator.permutation(others)[: kept - tokens]] = False
    routing = "permuted" if kept >= LEAST_KEPT else "in order"
    rows, indices = ranked_beside_drops(routing, mask.ravel(), generator)
    if uneven and not mask.any():
        rows += 1
    rows = sizes.get("rows", rows)
    how = {"top_k": top_k, "fill": draw(fills(top_k)), "machine": machine}
    return sums.drawn(mode, dtype, (rows,), hidden, indices, **how)
