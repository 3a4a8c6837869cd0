"""Which slots and rows of MoeInitRoutingV3 a call keeps: those of a range of experts, of these the
active ones or places of experts; and what else its calls choose.

What is drawn for MoeInitRoutingV2 is asked of this operator. In calls with all experts the slots
have them from 0 on; with fewer, ids below and beyond all experts stay as they are drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from cases.operators import _moe_init_routing_v2_rows as v2
from cases.operators._expert_slots import SORTING, Experts, routed
from cases.operators._ladders import ladder, of_slots
from cases.operators._moe_init_routing_v2_call import Values
from cases.operators._moe_init_routing_v3_call import (
    BASES,
    FLOATS,
    KINDS,
    MODES,
    RANGE,
    Shape,
    call,
    counts_shown,
    parts,
)
from cases.operators._token_permute import FAMILY, Choice, Windows
from cases.operators._token_permute_edges import sorted_cases
from cases.operators._token_permute_limits import LEAST_UB_BYTES, run_slots
from cases.operators._token_permute_sizes import VendorLines
from cases.operators._values import bits
from conformance.call.case import Case, numpy_dtype
from conformance.draw.values import MOVED_FIRST
from conformance.record.call_rules import Limit
from conformance.record.chips import USABLE_UB_BYTES
from conformance.values.fill import Fill
from reference.moe_init_routing_v3 import MOST_EXPERTS, MOST_PAIRS

ALL, MIDDLE, NOBODY = "all", "middle", "no slot"
RANGES = (ALL, "first", "last", MIDDLE, "one", NOBODY)
"""All experts; those before one, those from one on; others between them, one alone, or some that no
slot has."""

OUTSIDE = 3
"""Experts beyond those of the slots, of a call whose range leaves some out."""

PLAIN, ABSENT, SINGLE = "of each token", "absent", "one number"
PER_EXPERT, FOR_ALL = "of each expert", "for all experts"
SCALES, OFFSETS = (1.0, 0.5, 0.0625, -0.3), (0.0, 0.5, -7.25, 100.0)
OF_COUNTS: dict[str, tuple[str, ...]] = {
    "": tuple(KINDS),
    "_static": ("count",),
    "_dynamic": ("count", "pairs"),
}
OF_RANGES: dict[str, tuple[str, ...]] = {
    "": RANGES,
    "_static": (ALL, MIDDLE),
    "_dynamic": (ALL, MIDDLE, NOBODY),
}
OF_SCALES: dict[str, tuple[str, ...]] = {
    "": (ABSENT, PLAIN),
    "_static": (SINGLE,),
    "_dynamic": (ABSENT, PER_EXPERT, FOR_ALL),
}
GATHER, SCATTER = "gather", "scatter"
OF_ORDERS: dict[str, tuple[str, ...]] = {
    "": (GATHER, SCATTER),
    "_static": (GATHER,),
    "_dynamic": (GATHER,),
}
WHOLE_ROWS = (
    *("lattice", "gaussian", "ties", "near ties"),
    *("one live", "late peak", "zero rows", "all negative"),
)
FAMILIES = {"_static": ("gaussian", "ties", "all negative"), "_dynamic": WHOLE_ROWS}
"""Of rows that are quantised: without infinities and NaN."""

FEW_BOUNDARIES = (
    "tokens = cores + 1",
    "slots = 1",
    "slots = 33",
    "slots = one core + 1",
    "hidden = row",
    "hidden = row + 1",
)
BOUNDARIES = (*FEW_BOUNDARIES, "slots = 32", "slots = four lists + 1", "hidden = two rows + 1")
KEYS = ("in order", "cycle", "descending", "one missing", "negative", "large", "all equal")


def levels(mode: str) -> dict[str, tuple[str, ...]]:
    """The levels of axes of which a mode has some: the sort has them all in MoeInitRoutingV2."""
    end = parts(mode)[1]
    some: dict[str, tuple[str, ...]] = {"boundary": BOUNDARIES, "keys": KEYS}
    if end:
        some |= {"keys": KEYS[:2], FAMILY: FAMILIES[end]}
    if end == "_dynamic":
        some["boundary"] = FEW_BOUNDARIES
    return some


def columns(mode: str, ub_bytes: int, top_k: int, element_bytes: int, probs: bool) -> int:
    """The most columns of a row that this project's kernel takes at once."""
    eighth = ub_bytes // 8 // 32 * 32
    if not parts(mode)[1]:
        return 2 * eighth // element_bytes
    room = ub_bytes - 3 * eighth - 96
    blocks = range(room // 16 // 8, 0, -1)
    return next(8 * n for n in blocks if 128 * n + -(-n // 4) * 32 <= room)


def choice(
    name: str, of: dict[str, tuple[str, ...]], padded: tuple[str, ...], shown: Any
) -> Choice:
    """A choice of which calls with capacities have the ``padded`` levels alone."""
    every = {mode: parts(mode) for mode in MODES}
    found = {
        mode: tuple(one for one in of[end] if base != BASES[2] or one in padded)
        for mode, (base, end) in every.items()
    }
    return Choice(name, found, shown)


def keys_with(mode: str, keys: str, level: str, *chosen: str) -> bool:
    """Whether keys of a pattern can show a level of rows, with these choices."""
    base, _ = parts(mode)
    if "pairs" in chosen and keys == "cycle":  # it may have more experts than pairs may be
        return False
    if ALL in chosen or base == BASES[2]:
        return v2.keys_with(base, keys, level, "count")
    return not (NOBODY in chosen and keys == "large")


def _outside(keys: Experts, most: int) -> int:
    """A number of experts of which the last `OUTSIDE` have no slot; some slots may have none."""
    named = keys[(keys >= 0) & (keys < min(most, keys.size + v2.MORE_EXPERTS) - OUTSIDE)]
    return int(named.max(initial=-1)) + 1 + OUTSIDE


def _range(level: str, experts: int, number: int) -> Shape:
    """A range that shows a level, one of them by a number."""
    cut = 1 + number % max(1, experts - 1)
    start = 1 + number % max(1, experts - 2)
    one = number % experts
    return {
        "first": (0, cut),
        "last": (cut, experts),
        MIDDLE: (start, start + 1 + number // experts % max(1, experts - 1 - start)),
        "one": (one, one + 1),
        NOBODY: (experts - OUTSIDE + 1, experts),
    }.get(level, (0, experts))


EVERY_ROW = (-1, -1, 0)
"""activeNum without an effect: CANN up to 8.5 takes no 0."""


def _routing(
    mode: str,
    keys: Experts,
    level: str,
    tokens: int,
    numbers: tuple[int, int],
    counts: str = "count",
    experts: str = ALL,
    order: str = GATHER,
    scale: str = ABSENT,
    **data: Any,
) -> tuple[Experts, dict[str, Any]]:
    (base, end), (first, second) = parts(mode), numbers
    most = MOST_PAIRS if counts == "pairs" else MOST_EXPERTS
    if experts == ALL:
        named, dense = np.unique(keys, return_inverse=True)
        if named.size > most - v2.MORE_EXPERTS:
            keys = dense.reshape(-1) * (most - v2.MORE_EXPERTS) // named.size
        keys, how = v2.routing(base, keys, level, tokens, numbers, counts)
        if how["expert_num"] > most:
            keys = np.unique(keys, return_inverse=True)[1].reshape(-1)
            how["expert_num"] = int(keys.max()) + 1
    else:
        _, how = v2.routing(base, keys, level, tokens, numbers, "absent")
        how["expert_num"] = _outside(keys, most)
    if base == "dropless":
        how["active_num"] = EVERY_ROW[second % len(EVERY_ROW)]
    how["active"] = _range(experts, how["expert_num"], first)
    how |= {"counts": counts, "scattered": order == SCATTER}
    return keys, {**data, **how, **scaled(end, scale, first, second)}


def scaled(end: str, level: str, first: int, second: int) -> dict[str, Any]:
    """The scale and the offset of a call, chosen by two numbers."""
    if level == ABSENT:
        return {}
    scale: Values = Fill((MOVED_FIRST[first % len(MOVED_FIRST)],), second)
    if end == "_static":
        chosen = SCALES[first % len(SCALES)], OFFSETS[second % len(OFFSETS)]
        return {
            name: bits("float32", one)
            for name, one in zip(("scale", "offset"), chosen, strict=True)
        }
    if end == "_dynamic":
        scale = Fill((WHOLE_ROWS[first % 2],), second)
    return {"scale": scale, "one_row": level == FOR_ALL}


def ranges_shown(case: Case) -> set[str]:
    """The levels of ranges that a case shows."""
    experts, (start, end) = case.attributes["expert_num"], case.attributes[RANGE] or (0, 0)
    ids = np.asarray(case.arrays["expert_idx"])
    shows = {
        ALL: (start, end) == (0, experts),
        "first": start == 0 < end < experts,
        "last": 0 < start < end == experts,
        MIDDLE: 0 < start < end < experts,
        "one": end - start == 1,
        NOBODY: ids.size > 0 and not ((ids >= start) & (ids < end)).any(),
    }
    return {level for level, shown in shows.items() if shown}


def _scales_shown(case: Case) -> tuple[str, ...]:
    start, end = case.attributes[RANGE] or (0, 0)
    return scales_shown(case, end - start)


def scales_shown(case: Case, experts: int) -> tuple[str, ...]:
    """The levels of scales that a case shows; of dynamic quantisation so many ``experts`` may have
    a row each."""
    scale = case.inputs.get("scale")
    if scale is None:
        return (ABSENT,)
    if len(scale.shape) == 1:
        return (SINGLE if case.attributes["quant_mode"] == 0 else PLAIN,)
    levels = {FOR_ALL: scale.shape[0] == 1, PER_EXPERT: scale.shape[0] == experts}
    return tuple(level for level, shown in levels.items() if shown)


def _shown(case: Case) -> set[str]:
    ids = np.asarray(case.arrays["expert_idx"], np.int64).reshape(-1)
    return v2.rows_shown(parts(case.mode)[0], case, ids)


def windows(modes: tuple[str, ...]) -> Windows:
    """Which rows are kept by calls of these modes: each has those of its base."""
    return Windows(
        {mode: v2.ROWS[parts(mode)[0]] for mode in modes},
        lambda mode, level: v2.least_slots(parts(mode)[0], level),
        v2.asked,
        _shown,
        {mode: 2 for mode in modes if mode.startswith(BASES[2])},
        "rows",
    )


VENDOR = VendorLines(reserved_bytes=72)
PERMUTE = SORTING(
    routed(call, _routing),
    windows(MODES),
    vendor=VENDOR,
    edge_modes=("dropless", "dropless_dynamic"),
    choices=(
        choice("counts", OF_COUNTS, ("count", "off"), counts_shown),
        choice("experts", OF_RANGES, (ALL,), ranges_shown),
        choice(
            "order",
            OF_ORDERS,
            (GATHER,),
            lambda case: (SCATTER if case.attributes["row_idx_type"] else GATHER,),
        ),
        choice("scale", OF_SCALES, (ABSENT, SINGLE, PER_EXPERT, FOR_ALL), _scales_shown),
    ),
    keys_with=keys_with,
    levels=levels,
    wide=False,
    columns=columns,
)
COUNTED = partial(
    v2.of_experts,
    call,
    {mode: OF_COUNTS[""][: 2 - (mode == BASES[2])] for mode in BASES},
    many=MOST_EXPERTS,
)
IN_PAIRS = partial(v2.of_experts, call, {mode: ("pairs",) for mode in BASES})
LADDERS = (
    *of_slots(partial(sorted_cases, PERMUTE, widest=True), least_tokens=2),
    ladder("experts", COUNTED, lambda n: {v2.EXPERTS: n}, most=MOST_EXPERTS, modes=BASES),
    ladder("pairs", IN_PAIRS, lambda n: {v2.EXPERTS: n}, most=MOST_PAIRS, modes=BASES[:2]),
    ladder("rows of an expert", COUNTED, lambda n: {v2.LOAD: n}, modes=BASES),
    ladder("capacity", COUNTED, lambda n: {v2.CAPACITY: n}, modes=BASES[2:]),
)


AXES = {"hidden": "dropless", "hidden-quantised": "dropless_static"}
"""The limits of a row's columns, and a mode of which each is."""


def limits(rows: Mapping[str, Mapping[str, str]]) -> Iterator[Limit]:
    """Every limit of this project's tiling on small machines and on the chips; ``rows`` has the
    axes of a row's columns, as `AXES`, by data type."""
    buffers = (LEAST_UB_BYTES, 1024, 4096, 20000, *USABLE_UB_BYTES.values())
    for dtype, ub in product(rows, buffers):
        run, size = run_slots(ub), numpy_dtype(dtype).itemsize
        least = Limit("ub-bytes", LEAST_UB_BYTES, 1, dtype, ub_bytes=ub)
        lists = (("sort", run), ("merge-1", 4 * run), ("merge-2", 16 * run))
        yield from (least, Limit("runs", 3 * run, 1, dtype, 3, ub))
        yield from (Limit(axis, most, 1, dtype, ub_bytes=ub) for axis, most in lists)
        for axis, mode in rows[dtype].items():
            yield Limit(axis, columns(mode, ub, 1, size, False), 1, dtype, ub_bytes=ub)


LIMITS = tuple(limits({**dict.fromkeys(FLOATS, AXES), "int8": {"hidden": AXES["hidden"]}}))
