"""Edges of MoeTokenPermuteWithRoutingMapGrad: every limit of both tilings on every chip."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
from hypothesis import strategies as st

from cases.operators import _moe_token_permute_with_routing_map_grad_maps as maps
from cases.operators import _moe_token_permute_with_routing_map_grad_sizes as limits
from cases.operators._slot_sum_edges import (
    DEAREST,
    FREE_HIDDEN,
    FREE_TOKENS,
    INDEX_COST,
    slot_edges,
)
from cases.operators._slot_sum_limits import BUFFERS, CHIPS, GRANULE_BYTES, SMALL
from conformance.call.case import Case, Machine, numpy_dtype
from conformance.draw.layouts import LAYOUTS
from conformance.draw.patterns import LEAST_KEPT, ranked
from conformance.draw.routings import unread_rows
from conformance.draw.values import MOVED, SEEDS, fills
from conformance.record.edges import STEPS, Edge, Edges, Sizes, distinct

MOST_EXPERTS = 64
SMALL_MAP = 4096
"""Entries of a map that any call may have; a larger one is listed only where the edge needs it."""

BARE = st.just(("neither", "absent"))
WANTED = st.sampled_from([("both", kind) for kind in maps.MAPS if maps.goes_with("both", kind)])

SORT_KEYS = (97_281, 291_841)
"""One more than in 16 runs and in 48 runs of the vendor's sort, of 6080 keys each."""

Call = Callable[..., Case]


def edges(call: Call, mode: str, dtype: str) -> Edges:
    """The edges of one mode and dtype; ``call`` is the record's."""
    size = numpy_dtype(dtype).itemsize
    found = _padded_edges(size) if mode == "drop_pad" else _unpadded_edges(size)
    near = (Edge(limit, machine, sizes, _cost(sizes)) for limit, machine, sizes in found)
    return Edges(
        distinct(edge for edge in near if edge.cost <= DEAREST),
        _sizes_of,
        lambda edge: _cases(call, mode, dtype, edge),
    )


def _unpadded_edges(element_bytes: int) -> Iterator[tuple[str, Machine, Sizes]]:
    yield from slot_edges(element_bytes)
    for machine, (step, change) in product((SMALL, *CHIPS), STEPS.items()):
        experts = limits.tile_experts(machine.ub_bytes, element_bytes)
        one = {"top_k": 1, "probs": 1, "hidden": 1}
        yield f"experts{step}", machine, {**one, "tokens": 2, "experts": experts + change}
        most = machine.cores * limits.tile_tokens(machine.ub_bytes, element_bytes, MOST_EXPERTS)
        sizes = {**one, "tokens": most + change, "experts": MOST_EXPERTS}
        yield f"tiles of {MOST_EXPERTS} experts{step}", machine, sizes


def _padded_edges(element_bytes: int) -> Iterator[tuple[str, Machine, Sizes]]:
    for machine, (step, change) in product((SMALL, *CHIPS), STEPS.items()):
        cores, ub = machine.cores, machine.ub_bytes
        row = limits.entries_ub(ub, element_bytes)
        yield f"tokens = cores{step}", machine, {"tokens": cores + change}
        for count in (1, 2):
            rows = count * cores + change
            yield f"rows = {count} cores{step}", machine, {"rows": rows, "probs": 1}
        for axis, buffers in BUFFERS.items():
            yield f"pad-{axis}{step}", machine, {"hidden": row.columns(buffers) + change}
        yield f"two tiles{step}", machine, {"hidden": 2 * row.columns(2) + change}
        granule = GRANULE_BYTES // element_bytes
        hidden = next(n for n in range(row.columns(4), 0, -granule) if row.names(n) > granule)
        yield f"entries{step}", machine, {"rows": row.names(hidden) + change, "hidden": hidden}
        single, run = Machine(1, ub), limits.run_rows(ub)
        merged = limits.merge_entries(ub) // limits.SORTED_AT_ONCE * limits.SORTED_AT_ONCE
        yield f"run{step}", single, {"rows": run + change, "hidden": 1}
        yield f"sorted{step}", machine, {"rows": cores * run + change, "hidden": 1}
        yield f"merge{step}", machine, {"rows": cores * merged + change, "hidden": 1}
        stored = {"rows": cores * limits.scatter_rows(ub) + change, "hidden": 1, "probs": 1}
        yield f"scatter{step}", machine, stored
    for machine, keys in product(CHIPS, SORT_KEYS):
        yield f"{keys} keys", machine, {"rows": keys, "hidden": 1}


def _shape(sizes: Sizes) -> tuple[int, int]:
    """Experts and capacity of a padded call: as many experts as divide the rows."""
    if "experts" in sizes or "capacity" in sizes:
        return sizes.get("experts", 1), sizes.get("capacity", 1)
    rows = sizes.get("rows", 6)
    experts = max(n for n in range(1, MOST_EXPERTS + 1) if rows % n == 0)
    if sizes.get("tokens", rows) < rows // experts:
        experts = rows
    return experts, rows // experts


def _cost(sizes: Sizes) -> int:
    """Elements that are added, and entries of indices and maps that are listed."""
    hidden = sizes.get("hidden", FREE_HIDDEN)
    if "top_k" in sizes:
        rows = sizes["top_k"] * sizes.get("tokens", FREE_TOKENS)
        entries = sizes.get("tokens", FREE_TOKENS) * sizes.get("experts", 0)
    else:
        rows = sizes.get("rows", 6)
        experts, capacity = _shape(sizes)
        entries = max(capacity, sizes.get("tokens", 0)) * experts * sizes.get("probs", 0)
    return rows * hidden + INDEX_COST * (rows + entries)


def _sizes_of(case: Case) -> Sizes:
    """The sizes of a case that an edge may fix."""
    rows, hidden = case.inputs["permuted_token_output_grad"].shape
    tokens, experts = case.attributes["tokens_num"], case.attributes["num_experts"]
    sizes = {"tokens": tokens, "hidden": hidden, "probs": int(maps.probs_of(case) == "both")}
    if case.mode == "drop_pad":
        return {**sizes, "rows": rows}
    return {**sizes, "experts": experts, "top_k": rows // max(1, tokens)}


@st.composite
def _cases(draw: st.DrawFn, call: Call, mode: str, dtype: str, edge: Edge) -> Case:
    """Cases on an edge."""
    sizes = edge.sizes
    some_tokens, some_hidden = draw(st.integers(1, FREE_TOKENS)), draw(st.integers(1, FREE_HIDDEN))
    more_experts, seed = draw(st.integers(0, FREE_TOKENS)), draw(SEEDS)
    generator = np.random.default_rng(seed)
    hidden = sizes.get("hidden", some_hidden)
    if mode == "drop_pad":
        experts, capacity = _shape(sizes)
        rows, tokens = experts * capacity, sizes.get("tokens", capacity + some_tokens)
        padded = limits.PaddedSizes(edge.machine, experts, capacity)
        sharing = "several" if experts > 1 else "once"
        indices = limits.token_ids(padded, tokens, sharing, "rising", generator)
        top_k, terms = min(2, experts), int(np.bincount(indices).max())
    else:
        top_k = terms = sizes["top_k"]
        tokens = sizes.get("tokens", some_tokens)
        experts, rows = sizes.get("experts", top_k + more_experts), tokens * top_k
        indices = ranked("permuted" if rows >= LEAST_KEPT else "in order", rows, generator)
    extras = maps.EXTRAS if tokens * experts <= SMALL_MAP else BARE
    probs, kind = draw(WANTED if sizes.get("probs") else extras)
    mask = np.zeros(0, np.bool_)
    if kind != "absent":
        mask = maps.routed(tokens, experts, top_k, generator)
        mask = maps.in_last_experts(mask) if "experts" in sizes else mask
    return call(
        mode,
        dtype,
        grad=(rows, hidden),
        indices=tuple(indices.tolist()),
        tokens=tokens,
        experts=experts,
        probs=probs,
        map_kind=kind,
        map_values=maps.map_values(kind, mask, generator),
        probs_fill=draw(MOVED),
        layout=draw(st.sampled_from(LAYOUTS)),
        fill=draw(fills(terms)),
        unread=unread_rows(indices, rows) if mode == "dropless" else (),
        machine=edge.machine,
    )
