"""Ladders of MoeInitRoutingV2: its slots, and what there is of each expert."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st

from cases.operators._ladders import ladder, of_slots
from cases.operators._moe_init_routing_v2_call import call
from cases.operators._moe_init_routing_v2_rows import COUNTS_OF_MODE, PERMUTE
from cases.operators._token_permute_edges import sorted_cases
from conformance.call.case import Case
from conformance.draw.values import MOVED, SEEDS
from conformance.record.edges import Edge

EXPERTS, LOAD, CAPACITY = "experts", "load", "capacity"
"""Sizes of an edge: the number of experts, the slots of one of them, its rows in drop/pad mode."""

TWO, FEW_TOKENS = 2, 4

MANY = 2**16
"""Experts after the one with a larger load: even the largest UB has counters for fewer, so that
what they all add to is kept from one tile to the next."""


@st.composite
def of_experts(draw: st.DrawFn, mode: str, dtype: str, edge: Edge) -> Case:
    """Calls with so many experts, of which the first and the last have slots; or with so many slots
    of the first or last expert, among a few of the other.
    """
    generator = np.random.default_rng(draw(SEEDS))
    load = edge.sizes.get(LOAD, edge.sizes.get(CAPACITY, 0))
    is_large = edge.sizes.get(LOAD, 0) > MANY
    experts = edge.sizes.get(EXPERTS, MANY if is_large else TWO)
    if load:
        busy = 0 if is_large else int(generator.integers(TWO)) * (experts - 1)
        keys = np.repeat([busy, experts - 1 - busy], [load, FEW_TOKENS - load % 2])
    else:
        keys = generator.integers(0, experts, FEW_TOKENS)
        keys[:2] = experts - 1, 0
    keys = generator.permutation(keys)
    how: dict[str, Any] = {}
    if mode == "drop_pad":
        how["capacity"] = edge.sizes.get(CAPACITY, 1)
    if mode == "active":
        how["active_num"] = keys.size - 1
    return call(
        mode,
        dtype,
        x=(keys.size, 1),
        top_k=1,
        experts=tuple(keys.tolist()),
        expert_num=experts,
        counts=draw(st.sampled_from(COUNTS_OF_MODE[mode][2 : 3 if is_large else None])),
        fill=draw(MOVED),
        machine=edge.machine,
        **how,
    )


LADDERS = (
    *of_slots(partial(sorted_cases, PERMUTE, widest=True), least_tokens=2),
    ladder("experts", of_experts, lambda n: {EXPERTS: n}),
    ladder("rows of an expert", of_experts, lambda n: {LOAD: n}),
    ladder("capacity", of_experts, lambda n: {CAPACITY: n}, modes=("drop_pad",)),
)
