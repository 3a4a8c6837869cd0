"""Which rows of MoeInitRoutingV2 a call keeps: active ones, or places of experts; and its counts.

Keys that are drawn for a sort become experts here: with counts or places, of which there is one for
every expert, they begin at 0 and end near the number of slots.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st

from cases.operators._expert_slots import SORTING, Experts, routed
from cases.operators._ladders import ladder, of_slots
from cases.operators._moe_init_routing_v2_call import call, counts_shown
from cases.operators._moe_token_permute_call import least_slots as least_kept_slots
from cases.operators._moe_token_permute_call import levels_shown, number_at
from cases.operators._token_permute import Call, Choice, Windows
from cases.operators._token_permute_edges import sorted_cases
from cases.operators._token_permute_sizes import VendorLines
from conformance.call.case import Case
from conformance.draw.values import MOVED, SEEDS
from conformance.record.edges import Edge

FIRST = "first"
"""The mode of MoeTokenPermute whose numbers of rows are those of active mode."""

ROWS = {
    "dropless": ("all",),
    "active": ("any", "one row", "all", "too many"),
    "drop_pad": ("any", "one row", "none dropped", "none padded", "most rows"),
}
"""In drop/pad mode: a capacity of 1; one that no expert exceeds; one that every expert fills; the
largest that there may be, one below the number of tokens."""

BOTH = ("cumsum, before", "count, before")
COUNTS_OF_MODE = {
    "dropless": ("absent", "given", "cumsum", "count", *BOTH),
    "active": ("absent", "given", "cumsum", "count", *BOTH),
    "drop_pad": ("absent", "given", "before", *BOTH),
}
MORE_EXPERTS = 64
"""Beyond the number of slots, the experts that a call with counts or places may have."""

FEW_EXPERTS = 4
"""The most experts of a call with the largest capacity: its rows are the product of both."""

VENDOR_COLUMNS = 16376
"""The widest rows of the vendor's calls that one pass sorts and copies."""


def least_slots(mode: str, level: str) -> int:
    """The fewest slots in which a level of a mode is told from others."""
    return 2 if mode == "drop_pad" else least_kept_slots(FIRST, level)


def keys_with(mode: str, keys: str, level: str, counts: str) -> bool:
    """Whether keys of a pattern can show a level, and be counted."""
    if keys in ("negative", "large"):
        return mode != "drop_pad" and counts == "absent"
    return {
        "none dropped": keys in ("in order", "cycle"),
        "none padded": keys != "one missing",
        "most rows": keys in ("in order", "all equal", "descending"),
    }.get(level, True)


def experts_of(keys: Experts, level: str, tokens: int) -> Experts:
    """Keys as experts whose numbers suit the level: in the same order, but for "none dropped"."""
    experts = keys - min(0, int(keys.min()))
    dense: Experts = np.unique(experts, return_inverse=True)[1].reshape(-1)
    if level == "none padded" or experts.max() >= keys.size + MORE_EXPERTS:
        return dense
    if level == "most rows":
        few: Experts = dense * FEW_EXPERTS // max(FEW_EXPERTS, int(dense.max()) + 1)
        return few
    if level == "none dropped":  # experts of more slots than a capacity may have are divided
        most = tokens - 1
        parts = -(-int(np.bincount(experts).max()) // most)
        return experts * parts + _occurrence(experts) // most
    return experts


def capacity_of(level: str, experts: Experts, expert_num: int, tokens: int, number: int) -> int:
    """A capacity that shows the level, one of them by a number; below the number of tokens."""
    loads = np.bincount(experts, minlength=expert_num)
    most = min(tokens - 1, max(1, 2 * experts.size // expert_num))
    capacity = {
        "one row": 1,
        "none dropped": int(loads.max()) + number % 3,
        "none padded": 1 + number % max(1, min(int(loads.min()), tokens - 1)),
        "most rows": tokens - 1,
    }.get(level, 1 + number % most)
    return min(capacity, tokens - 1)


def _routing(
    mode: str,
    keys: Experts,
    level: str,
    tokens: int,
    numbers: tuple[int, int],
    counts: str = "absent",
    **data: Any,
) -> tuple[Experts, dict[str, Any]]:
    keys, how = routing(mode, keys, level, tokens, numbers, counts)
    return keys, {"counts": counts, **data, **how}


def routing(
    mode: str, keys: Experts, level: str, tokens: int, numbers: tuple[int, int], counts: str
) -> tuple[Experts, dict[str, Any]]:
    """The experts of a case that shows a level, and what else its call says of rows; two numbers
    choose among those that do, and what has no effect."""
    (first, second), slots = numbers, keys.size
    how: dict[str, Any] = {"capacity": first % 3}
    if mode == "active":
        how["active_num"] = number_at(FIRST, level, slots, first, second)
    if mode == "drop_pad" or counts != "absent":
        keys = experts_of(keys, level if mode == "drop_pad" else "any", tokens)
        exact = level in ("none padded", "most rows")
        how["expert_num"] = int(keys.max()) + 1 + (0 if exact else second % 3)
    elif keys.min() >= 0 and keys.max() < slots + MORE_EXPERTS:
        how["expert_num"] = (int(keys.max()) + 1) * (second % 2)
    if mode == "drop_pad":
        how["capacity"] = capacity_of(level, keys, how["expert_num"], tokens, first)
        how["active_num"] = (0, 1, slots)[second % 3]
    return keys, how


def asked(mode: str, level: str, slots: int, first: int, second: int) -> dict[str, Any]:
    """What a call is told of its rows: the level, and the numbers that choose."""
    return {"level": level, "numbers": (first, second)}


def _shown(case: Case) -> set[str]:
    experts = np.asarray(case.arrays["expert_idx"], np.int64).reshape(-1)
    return rows_shown(case.mode, case, experts)


def rows_shown(mode: str, case: Case, experts: Experts) -> set[str]:
    """The levels that a case of these experts shows of a mode."""
    attributes = case.attributes
    if mode == "dropless":
        return {"all"}
    if mode == "active":
        return levels_shown(FIRST, experts.size, attributes["active_num"])
    capacity = attributes["expert_capacity"]
    loads = np.bincount(experts, minlength=attributes["expert_num"])
    shows = {
        "any": True,
        "one row": capacity == 1,
        "none dropped": loads.max() <= capacity,
        "none padded": loads.min() >= capacity,
        "most rows": capacity == case.inputs["x"].shape[0] - 1,
    }
    return {level for level, shown in shows.items() if shown}


def _occurrence(experts: Experts) -> Experts:
    """How many slots before each have the same expert."""
    order = np.argsort(experts, kind="stable")
    loads = np.bincount(experts)
    place = np.empty_like(experts)
    place[order] = np.arange(experts.size) - (np.cumsum(loads) - loads)[experts[order]]
    return place


PERMUTE = SORTING(
    routed(call, _routing),
    Windows(ROWS, least_slots, asked, _shown, {"drop_pad": 2}, "rows"),
    vendor=VendorLines(2048, core_bytes=0, columns=VENDOR_COLUMNS),
    edge_modes=("dropless", "drop_pad"),
    choices=(Choice("counts", COUNTS_OF_MODE, counts_shown),),
    keys_with=keys_with,
)


EXPERTS, LOAD, CAPACITY = "experts", "load", "capacity"
"""Sizes of an edge: the number of experts, the slots of one of them, its rows in drop/pad mode."""

TWO, FEW_TOKENS = 2, 4

MANY = 2**16
"""Experts after the one with a larger load: even the largest UB has counters for fewer, so that
what they all add to is kept from one tile to the next."""


@st.composite
def of_experts(
    draw: st.DrawFn,
    made: Call,
    counts: Mapping[str, tuple[str, ...]],
    mode: str,
    dtype: str,
    edge: Edge,
    many: int = MANY,
) -> Case:
    """Calls, as they are ``made``, with one of the ``counts`` of their mode.

    They have so many experts, of which the first and the last have slots; or so many slots of the
    first or last expert, among a few of the other, and then of ``many`` experts.
    """
    generator = np.random.default_rng(draw(SEEDS))
    load = edge.sizes.get(LOAD, edge.sizes.get(CAPACITY, 0))
    is_large = edge.sizes.get(LOAD, 0) > MANY
    experts = edge.sizes.get(EXPERTS, many if is_large else TWO)
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
    return made(
        mode,
        dtype,
        x=(keys.size, 1),
        top_k=1,
        experts=tuple(keys.tolist()),
        expert_num=experts,
        counts=draw(st.sampled_from(counts[mode][: 1 if is_large else None])),
        fill=draw(MOVED),
        machine=edge.machine,
        **how,
    )


ASKED = {mode: counts[2:] for mode, counts in COUNTS_OF_MODE.items()}
counted = partial(of_experts, call, ASKED)
LADDERS = (
    *of_slots(partial(sorted_cases, PERMUTE, widest=True), least_tokens=2),
    ladder("experts", counted, lambda n: {EXPERTS: n}),
    ladder("rows of an expert", counted, lambda n: {LOAD: n}),
    ladder("capacity", counted, lambda n: {CAPACITY: n}, modes=("drop_pad",)),
)
