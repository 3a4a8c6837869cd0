"""Edges of MoeInitRoutingV2Grad: every limit of both tilings on every chip."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from hypothesis import strategies as st

from cases.operators._moe_init_routing_v2_grad_cases import SUM
from cases.operators._moe_init_routing_v2_grad_limits import (
    bins,
    least_ub_bytes,
    tile_columns,
    tokens_per_batch,
    vendor_tile_columns,
)
from cases.operators._slot_sum_edges import sizes_of
from cases.operators._slot_sum_limits import up
from conformance.call.case import Case, Machine, numpy_dtype
from conformance.draw.patterns import LEAST_KEPT
from conformance.draw.values import SEEDS, fills
from conformance.judge.legality import UB_BYTES
from conformance.record.chips import USABLE_UB_BYTES
from conformance.record.edges import STEPS, Edge, Edges, Sizes, distinct

PRODUCTS = {ub: product for product, ub in USABLE_UB_BYTES.items()}
CHIPS = tuple(Machine(cores, ub) for cores in (40, 48) for ub in USABLE_UB_BYTES.values())
SMALL = Machine(3, 8192)
TOP_KS = (3, 7, 15, 31, 63, 127, 128)
"""The last top_k of each class by which all limits change; of the largest class the first."""

FEWEST = (2, 4, 8, 16, 32, 64, 128)
"""The first top_k of each class, whose calls are the cheapest."""

BATCHED = (2, 8, 128)
"""top_k of the edges at which tokens fit a batch."""

FREE_TOKENS, FREE_HIDDEN = 3, 8
"""The most tokens or columns where the edge leaves them free."""

INDEX_COST = 8
DEAREST = 1 << 26
"""Elements of an edge that no run would judge: not declared."""


def edges(mode: str, dtype: str) -> Edges:
    """The edges of one mode and dtype."""
    found = (
        Edge(limit, machine, sizes, _cost(sizes))
        for limit, machine, sizes in _declared(numpy_dtype(dtype).itemsize)
    )
    near = distinct(edge for edge in found if edge.cost <= DEAREST)
    return Edges(near, sizes_of, lambda edge: _cases(mode, dtype, edge))


def _declared(element_bytes: int) -> Iterator[tuple[str, Machine, Sizes]]:
    for machine, (step, change) in product((SMALL, *CHIPS), STEPS.items()):
        for count in (1, 2):
            tokens = count * machine.cores + change
            yield f"tokens = {count} cores{step}", machine, {"top_k": 2, "tokens": tokens}
        for top_k in TOP_KS:
            own = tile_columns(top_k, element_bytes, machine.ub_bytes)
            lengths = {"tile": own, "two tiles": 2 * own}
            if machine in CHIPS:
                vendor = vendor_tile_columns(top_k, element_bytes, PRODUCTS[machine.ub_bytes])
                lengths |= {"vendor tile": vendor, "two vendor tiles": 2 * vendor}
            for limit, hidden in lengths.items():
                sizes = {"top_k": top_k, "hidden": hidden + change}
                yield f"hidden = {limit} of {top_k} slots{step}", machine, sizes
        for top_k in BATCHED:
            for limit, batch, hidden in _batches(machine, top_k, element_bytes):
                tokens = machine.cores * batch + change
                sizes = {"top_k": top_k, "tokens": tokens, "hidden": hidden}
                yield f"tokens = {limit} of {top_k} slots{step}", machine, sizes
    for top_k in TOP_KS:
        least = up(least_ub_bytes(top_k, element_bytes), UB_BYTES.step)
        if least in UB_BYTES:
            yield f"least UB of {top_k} slots", Machine(SMALL.cores, least), {"top_k": top_k}
    for top_k in FEWEST:
        least = up(least_ub_bytes(top_k, element_bytes), UB_BYTES.step)
        # A step short of a second granule of columns: another token would fit beside the first.
        granule = Machine(1, 2 * least - UB_BYTES.step)
        if granule.ub_bytes in UB_BYTES:
            sizes = {"top_k": top_k, "tokens": 2, "hidden": 32 // element_bytes + 1}
            yield f"two tokens of {top_k} slots by two tiles of a granule", granule, sizes


def _batches(machine: Machine, top_k: int, element_bytes: int) -> Iterator[tuple[str, int, int]]:
    """Tokens of a core's batch, two or more, and the longest row for which there are so many.

    The vendor's tiling takes as many as their sums fit the buffer (ops-transformer,
    moe_init_routing_v2_grad_tiling.cpp, read).
    """
    ub, granule = machine.ub_bytes, 32 // element_bytes
    longest = tile_columns(top_k, element_bytes, ub)
    for hidden in range(longest, 0, -granule):
        if (batch := tokens_per_batch(top_k, element_bytes, ub, hidden)) > 1:
            yield "batches", batch, hidden
            break
    if machine in CHIPS:
        buffers = bins(top_k) + (bins(top_k) if top_k >= 128 else 1)
        hidden = vendor_tile_columns(top_k, element_bytes, PRODUCTS[ub]) // 4 // granule * granule
        yield "vendor batches", ub // (4 * hidden * buffers), hidden


def _cost(sizes: Sizes) -> int:
    """Elements that are added, and indices that are listed, which are dearer."""
    slots = sizes["top_k"] * sizes.get("tokens", FREE_TOKENS)
    return slots * (sizes.get("hidden", FREE_HIDDEN) + INDEX_COST)


@st.composite
def _cases(draw: st.DrawFn, mode: str, dtype: str, edge: Edge) -> Case:
    """Cases on an edge; where a mode can, it drops one slot."""
    some_tokens, some_hidden = draw(st.integers(1, FREE_TOKENS)), draw(st.integers(1, FREE_HIDDEN))
    generator = np.random.default_rng(draw(SEEDS))
    top_k = edge.sizes["top_k"]
    tokens, hidden = edge.sizes.get("tokens", some_tokens), edge.sizes.get("hidden", some_hidden)
    mask = np.zeros(tokens * top_k, np.bool_)
    if mode != "dropless" and mask.size > 1:
        mask[generator.integers(mask.size)] = True
    routing = "permuted" if np.count_nonzero(~mask) >= LEAST_KEPT else "in order"
    shape, indices = SUM.routed(mode, routing, mask, False, generator)
    how = {"top_k": top_k, "fill": draw(fills(top_k)), "machine": edge.machine}
    return SUM.drawn(mode, dtype, shape, hidden, indices, **how)
