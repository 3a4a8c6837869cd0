"""Rows are cut over the cores; each is in the buffer whole, its groups in whole sorts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.kernels.host_tilings import BF16, FP16, Call
from tests.kernels.tilings import shared
from tests.kernels.tilings.description import Axis, Description, Sizes
from tests.kernels.tilings.work import REPEATS, Cut, Work, round_up

KEYS_AT_ONCE = shared.KEYS_AT_ONCE
LANE_BYTES = 32
MOST_EXPERTS = 2048
MOST_GROUPS = MOST_EXPERTS // KEYS_AT_ONCE

GROUPED = "grouped-"
GROUPS, KEPT = 8, 3
"""Of a call that chooses among groups."""


def fit(sizes: Sizes) -> Sizes:
    experts = max(sizes.top_k, sizes.experts)
    if sizes.kind == GROUPED:
        members = -(-max(experts, 2 * GROUPS, -(-sizes.top_k * GROUPS // KEPT)) // GROUPS)
        experts = GROUPS * min(members, MOST_EXPERTS // GROUPS)
    return replace(sizes, experts=min(experts, MOST_EXPERTS))


def call(sizes: Sizes) -> Call:
    """``variant``: as many groups as experts, if they may be so many, and all of them kept."""
    grouped = {"kGroup": KEPT, "groupCount": GROUPS, "groupSelectMode": 1}
    whole = {"kGroup": 1, "groupCount": 1, "groupSelectMode": 0}
    count = sizes.experts if sizes.experts <= MOST_GROUPS else 1
    single = {**whole, "kGroup": count, "groupCount": count}
    return {
        "rows": sizes.tokens,
        "experts": sizes.experts,
        "k": sizes.top_k,
        **(grouped if sizes.kind == GROUPED else single if sizes.variant else whole),
        "renorm": int(sizes.variant),
        "normType": 0,
        "outFlag": int(sizes.variant),
        **sizes.machine,
    }


def work(sizes: Sizes, data: Any) -> Work:
    found = Work()
    gating(found, sizes, data.gating)
    return found


def gating(found: Work, sizes: Sizes, data: Any) -> None:
    """shared/gating/group_tiling.h."""
    groups, kept, by_two = (GROUPS, KEPT, 1) if sizes.kind == GROUPED else (1, 1, 0)
    lanes = round_up(sizes.experts // groups, KEYS_AT_ONCE)
    shared.shared_out(found, "blocks", data.usedCores, sizes.tokens, sizes.cores)
    for name, wanted in {
        "dtype": sizes.dtype,
        "rows": sizes.tokens,
        "experts": sizes.experts,
        "k": sizes.top_k,
        "groups": groups,
        "keptGroups": kept,
        "scoreByTwo": by_two,
        "normType": 0,
        "normalises": int(sizes.variant),
        "hasResult": int(sizes.variant),
        "lanesPerGroup": lanes,
    }.items():
        found.says[name] = getattr(data, name), wanted
    found.cuts["row"] = Cut(groups * lanes, groups * lanes, REPEATS * KEYS_AT_ONCE)
    found.buffers["lanes"] = [LANE_BYTES * groups * lanes]


PLAIN = Sizes(tokens=4, top_k=2, experts=8)
AMONG_GROUPS = Sizes(GROUPED, tokens=4, top_k=8, experts=256)
BEYOND_FP32 = {"routedScalingFactor": 1e39, "eps": 1e-60}
NUMBERS = ("rows", "experts", "k", "kGroup", "groupCount", "groupSelectMode")
OPERATOR = Description(
    call,
    work,
    {"right": call(PLAIN), "grouped": call(AMONG_GROUPS)},
    fit,
    ("", GROUPED),
    axes={"experts": Axis("experts", "row")},
    more_limits=("ub-bytes", "experts", "cores"),
    changes={
        "data types": ({"dtype": BF16}, {"dtype": FP16}),
        "numbers": ({"renorm": 1}, {"normType": 1}, {"normType": 2}, {"outFlag": 1}, BEYOND_FP32),
        "groups": tuple(
            {"experts": experts, "groupCount": count, "kGroup": kept, "groupSelectMode": mode}
            for experts, count, kept, mode in (
                *((9, 2, 1, 0), (8, 8, 2, 0), (8, 8, 2, 1), (8, 4, 1, 1), (8, 4, 4, 1)),
                *((128, 64, 63, 1), (130, 65, 64, 1), (130, 65, 65, 1), (2046, 62, 1, 0)),
                *((65, 65, 7, 0), (64, 64, 7, 0), (2048, 1, 1, 1)),
            )
        ),
    },
    checked=(*NUMBERS, "renorm", "normType", "outFlag"),
)
