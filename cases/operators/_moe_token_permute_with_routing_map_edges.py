"""Edges of MoeTokenPermuteWithRoutingMap: limits of sorts, of copies and of tiles of the map.

Without padding the vendor sorts all slots at once. With padding every expert sorts the tokens, and
a row that is copied has one slot. This project's kernel walks the map in tiles and sorts nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from hypothesis import strategies as st

from cases.operators._moe_token_permute_with_routing_map_call import call
from cases.operators._moe_token_permute_with_routing_map_grad_maps import in_last_experts
from cases.operators._moe_token_permute_with_routing_map_limits import EXPERT_GRANULE, MapUb
from cases.operators._moe_token_permute_with_routing_map_maps import LEAST, MAP_DTYPES, mask
from cases.operators._moe_token_permute_with_routing_map_sizes import MOST_TOP_K
from cases.operators._token_permute_edges import (
    CHIPS,
    FREE_HIDDEN,
    FREE_TOKENS,
    SLOT_COST,
    SMALL,
    copy_edges,
    sort_edges,
)
from cases.operators._token_permute_limits import GRANULE_BYTES, CopyUb
from cases.operators._token_permute_sizes import VendorLines
from conformance.call.case import Case, Machine, numpy_dtype
from conformance.draw.values import MOVED, SEEDS
from conformance.judge.legality import UB_BYTES
from conformance.record.edges import STEPS, Edge, Edges, Sizes, distinct

MOST_EXPERTS = 8
MORE_EXPERTS = 2
"""Experts beyond those of a token, at most."""

ONE_EXPERT = ("same experts", "expert with all tokens")
"""Patterns in which tokens of one slot each have one expert: what is before it does not show."""

ODD_SLOTS = 9
"""The fewest slots whose ranks take two blocks."""


def edges(mode: str, dtype: str) -> Edges:
    """The edges of one mode and dtype."""
    size = numpy_dtype(dtype).itemsize
    padded = mode == "drop_pad"
    found = _padded if padded else _unpadded
    declared = [
        (limit, machine, sizes)
        for machine in (SMALL, *CHIPS)
        for limit, sizes in (*found(machine, size), *_tiles(machine, size, padded))
    ]
    declared += _a_block_short(size) if padded else [_odd_tile(size)]
    near = distinct(Edge(limit, machine, sizes, _cost(sizes)) for limit, machine, sizes in declared)
    return Edges(near, _sizes_of, lambda edge: _cases(mode, dtype, edge))


def _copies(machine: Machine, element_bytes: int, *top_ks: int) -> Iterator[tuple[str, Sizes]]:
    return copy_edges(
        machine,
        element_bytes,
        VendorLines(),
        batches=False,
        probs=True,
        top_ks=top_ks,
    )


def _unpadded(machine: Machine, element_bytes: int) -> Iterator[tuple[str, Sizes]]:
    yield from sort_edges(machine, VendorLines())
    yield from _copies(machine, element_bytes, 2, MOST_TOP_K)


def _padded(machine: Machine, element_bytes: int) -> Iterator[tuple[str, Sizes]]:
    for limit, sizes in sort_edges(machine, VendorLines()):
        tokens = {name: size for name, size in sizes.items() if name != "top_k"}
        yield limit.replace("slots", "tokens of an expert"), tokens
    for limit, sizes in _copies(machine, element_bytes, 1):
        rows = {name: size for name, size in sizes.items() if name not in ("top_k", "tokens")}
        if "tokens" in sizes:
            rows["rows"] = sizes["tokens"]
        yield limit.replace("tokens", "rows"), rows


def _tiles(machine: Machine, element_bytes: int, padded: bool) -> Iterator[tuple[str, Sizes]]:
    """Numbers of experts and of tokens at which the map is walked in another way."""
    top_k = 1 if padded else 2
    for probs, (step, change) in product((0, 1), STEPS.items()):
        walk = MapUb(machine.ub_bytes, top_k, probs * element_bytes, padded)
        fixed = {"probs": probs} if padded else {"probs": probs, "top_k": top_k}
        told = f"{'probs' if probs else 'no probs'}{step}"
        yield f"experts of a tile, {told}", {**fixed, "experts": walk.experts + change}
        for experts in (EXPERT_GRANULE, walk.experts // 2):
            most = machine.cores * walk.tokens(experts) + change
            sizes = {**fixed, "experts": experts, "tokens": most, "hidden": 1}
            yield f"tiles of {experts} experts, {told}", sizes


def _a_block_short(element_bytes: int) -> Iterator[tuple[str, Machine, Sizes]]:
    """As many experts as a tile has with one block of the buffer more.

    The buffer has an odd number of blocks. With padding no other tile or batch that is cut for one
    block more takes more than there is: rounding up, for which room is left, takes less.
    """
    for probs in (0, 1):
        for ub in UB_BYTES[1::2]:
            few, experts = (
                MapUb(ub + more, 1, probs * element_bytes, True).experts
                for more in (0, GRANULE_BYTES)
            )
            if few < experts:
                sizes = {"probs": probs, "experts": experts, "tokens": 1, "hidden": 1}
                told = "probs" if probs else "no probs"
                yield f"experts of a tile a block short, {told}", Machine(1, ub), sizes
                break


def _odd_tile(element_bytes: int) -> tuple[str, Machine, Sizes]:
    """A column more than a tile beside ranks of two blocks, in an odd number of blocks.

    Without padding only such rows in tiles, beside an even number of blocks of ranks, take more
    than there is where they are cut for one block more.
    """
    machine = Machine(1, UB_BYTES[1])
    columns = CopyUb(machine.ub_bytes, ODD_SLOTS, element_bytes, False).columns
    sizes = {"top_k": ODD_SLOTS, "tokens": 1, "hidden": columns + 1}
    return f"tile of {ODD_SLOTS} slots + 1, an odd number of blocks", machine, sizes


def _shape(sizes: Sizes) -> tuple[int, int]:
    """Experts and capacity of a padded call: as many experts as divide the rows."""
    rows = sizes.get("rows", 1)
    if "experts" in sizes or "capacity" in sizes:
        return sizes.get("experts", 1), sizes.get("capacity", 1)
    experts = max(n for n in range(1, MOST_EXPERTS + 1) if rows % n == 0)
    return experts, rows // experts


def _least_tokens(rows: int, capacity: int) -> int:
    """The fewest tokens that a padded call of so many rows has."""
    return max(capacity, -(-rows // MOST_TOP_K))


def _cost(sizes: Sizes) -> int:
    """Elements that are copied, and entries of the map and slots that are listed and sorted."""
    hidden = sizes.get("hidden", FREE_HIDDEN)
    if "top_k" in sizes:
        tokens, top_k = sizes.get("tokens", FREE_TOKENS), sizes["top_k"]
        experts = sizes.get("experts", top_k + MORE_EXPERTS)
        return tokens * (top_k * (hidden + SLOT_COST) + experts)
    experts, capacity = _shape(sizes)
    rows = experts * capacity
    tokens = sizes.get("tokens", _least_tokens(rows, capacity) + FREE_TOKENS)
    return capacity * experts * hidden + tokens * experts * SLOT_COST


def _sizes_of(case: Case) -> Sizes:
    """The sizes of a case that an edge may fix."""
    tokens, hidden = case.inputs["tokens"].shape
    rows = case.outputs["permute_tokens"].shape[0]
    experts = case.inputs["routing_map"].shape[1]
    sizes = {"tokens": tokens, "hidden": hidden, "experts": experts}
    sizes["probs"] = int("probs" in case.inputs)
    if case.mode == "drop_pad":
        return {**sizes, "rows": rows}
    return {**sizes, "top_k": rows // max(1, tokens)}


@st.composite
def _cases(draw: st.DrawFn, mode: str, dtype: str, edge: Edge) -> Case:
    """Cases on an edge."""
    sizes = edge.sizes
    some_tokens, some_hidden = draw(st.integers(1, FREE_TOKENS)), draw(st.integers(1, FREE_HIDDEN))
    more_experts, given, weights = (
        draw(st.integers(0, MORE_EXPERTS)),
        draw(st.booleans()),
        draw(MOVED),
    )
    generator = np.random.default_rng(draw(SEEDS))
    if mode == "drop_pad":
        experts, capacity = _shape(sizes)
        rows = experts * capacity
        tokens = sizes.get("tokens", _least_tokens(rows, capacity) + some_tokens)
        routing_map = np.asarray(generator.random((tokens, experts)) < generator.random(experts))
    else:
        tokens, top_k = sizes.get("tokens", some_tokens), sizes["top_k"]
        experts, rows = sizes.get("experts", top_k + more_experts), tokens * top_k
        more_experts = experts - top_k
        fitting = [
            pattern
            for pattern, (least, more) in LEAST.items()
            if least <= tokens and more <= more_experts
            if "experts" not in sizes or top_k > 1 or not more_experts or pattern not in ONE_EXPERT
        ]
        pattern = fitting[int(generator.integers(len(fitting)))]
        routing_map = mask(pattern, tokens, experts, top_k, generator)
        if "experts" in sizes:
            routing_map = in_last_experts(routing_map)
    return call(
        mode,
        dtype,
        tokens=(tokens, sizes.get("hidden", some_hidden)),
        routing_map=routing_map,
        num_out_tokens=rows,
        map_dtype=draw(st.sampled_from(MAP_DTYPES)),
        probs=weights if sizes.get("probs", given) else None,
        fill=draw(MOVED),
        machine=edge.machine,
    )
