"""Cases of MoeTokenPermuteWithRoutingMap: drawn freely."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from cases.operators import _token_permute_cases as sorts
from cases.operators._moe_token_permute_with_routing_map_call import call
from cases.operators._moe_token_permute_with_routing_map_maps import LEAST, MAP_DTYPES, mask
from cases.operators._moe_token_permute_with_routing_map_sizes import MOST_TOP_K
from cases.operators._token_permute_limits import CopyUb
from cases.operators._token_permute_sizes import SORT_GRANULE
from conformance.call.case import Case, numpy_dtype
from conformance.draw.machines import machines
from conformance.draw.sizes import FEW_COLUMNS, hiddens, token_counts, top_ks
from conformance.draw.values import MOVED, SEEDS

MORE_EXPERTS = st.integers(0, 5) | st.sampled_from([31, 32, 33, 64])
"""Experts beyond those of a token: few, or so many that a row of the map fills a granule."""

MAP_KINDS = st.sampled_from(MAP_DTYPES)
REST = st.integers(0, 4095)
SHARES = st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0])
"""Of all tokens, what an expert has about."""


@cache
@st.composite
def cases(draw: st.DrawFn, mode: str, dtype: str, small: bool = False, seam: bool = False) -> Case:
    """Cases of one mode and dtype; shrinks to one token of one expert, and one column.

    ``small`` ones have at most 8 slots or tokens and 64 columns; those on a ``seam`` a column more
    than a small machine takes in one tile, or a slot or a few more than it sorts at once.
    """
    given = (_padded if mode == "drop_pad" else _unpadded)(draw, dtype, small, seam)
    return call(mode, dtype, map_dtype=draw(MAP_KINDS), fill=draw(MOVED), **given)


def _unpadded(draw: st.DrawFn, dtype: str, small: bool, seam: bool) -> dict[str, Any]:
    """A call whose tokens have the same number of experts each."""
    most_slots = sorts.SEAM_SLOTS if seam else 8 if small else sorts.MOST_SLOTS
    top_k = draw(sorts.SEAM_TOP_KS if seam else top_ks(min(MOST_TOP_K, most_slots)))
    machine, probs = draw(machines(0, small)), draw(st.none() | MOVED)
    # Two at least are drawn from, as fewer choices of one alone would count as simpler.
    most = max(1, most_slots // top_k)
    tokens = min(most, draw(token_counts(machine.cores, max(2, most))))
    where, more = (draw(sorts.SEAMS), draw(st.integers(0, 31))) if seam else ("", 0)
    if seam:
        machine = draw(sorts.SEAM_MACHINES[where])
    if where.startswith("lists"):
        tokens = -(-(SORT_GRANULE + 1 + more) // top_k)
    slots = tokens * top_k
    more_experts = draw(MORE_EXPERTS)
    tile = CopyUb(machine.ub_bytes, top_k, numpy_dtype(dtype).itemsize, probs is not None).columns
    fitting = [
        pattern
        for pattern, (least, others) in LEAST.items()
        if least <= tokens and others <= more_experts
    ]
    pattern, rest = fitting[draw(REST) % len(fitting)], draw(REST)
    generator = np.random.default_rng(draw(SEEDS))
    return {
        "tokens": (tokens, draw(_hiddens(small, slots, tile, where))),
        "routing_map": mask(pattern, tokens, top_k + more_experts, top_k, generator),
        "num_out_tokens": slots + (rest % tokens if more_experts else 0),
        "probs": probs,
        "machine": machine,
    }


def _padded(draw: st.DrawFn, dtype: str, small: bool, seam: bool) -> dict[str, Any]:
    """A call whose experts have a capacity, and any tokens."""
    machine, probs = draw(machines(0, small)), draw(st.none() | MOVED)
    tokens = draw(token_counts(machine.cores, 8 if small else sorts.MOST_SLOTS // 4))
    experts = draw(st.integers(1, 3 if small else 12))
    where, more = (draw(sorts.SEAMS), draw(st.integers(0, 31))) if seam else ("", 0)
    if seam:
        machine = draw(sorts.SEAM_MACHINES[where])
    if where.startswith("lists"):
        tokens = SORT_GRANULE + 1 + more
    capacity = 1 + (draw(REST) + tokens - 1) % tokens if draw(st.booleans()) else 1
    rows = experts * capacity
    tile = CopyUb(machine.ub_bytes, 1, numpy_dtype(dtype).itemsize, probs is not None).columns
    share, rest = draw(SHARES), draw(REST)
    generator = np.random.default_rng(draw(SEEDS))
    hidden = draw(_hiddens(small, max(rows, tokens), tile, where))
    return {
        "tokens": (tokens, hidden),
        "routing_map": np.asarray(generator.random((tokens, experts)) < share),
        "num_out_tokens": rows + (rest % experts if capacity < tokens else 0),
        "probs": probs,
        "machine": machine,
    }


@cache
def _hiddens(small: bool, rows: int, tile: int, where: str) -> SearchStrategy[int]:
    """Numbers of columns for so many rows or tokens; on a seam of tiles, one more than a tile."""
    if where == "tiles":
        return st.just(tile + 1)
    most_hidden = FEW_COLUMNS if small else 5000
    return hiddens(max(1, min(most_hidden, sorts.LARGEST_CASE // rows)), tile)
