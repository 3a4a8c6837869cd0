"""Slots are sorted, and with drop/pad counted; rows are quantised one by one."""

from __future__ import annotations

from typing import Any

from tests.kernels.host_tilings import BYTES, Call
from tests.kernels.tilings import shared
from tests.kernels.tilings.description import Axis, Description, Sizes
from tests.kernels.tilings.moe_init_routing_v2 import (
    NO_COLUMNS,
    PAD,
    counted_otherwise,
    fit,
    pads,
    rows_of,
)
from tests.kernels.tilings.moe_init_routing_v2 import call as routing
from tests.kernels.tilings.moe_token_permute import MOST_SLOTS
from tests.kernels.tilings.work import Cut, Work

DYNAMIC = 1


def call(sizes: Sizes) -> Call:
    """That of MoeInitRoutingV2, dynamic; of another form: with factors for each expert."""
    factors = {"scaleRows": sizes.experts if sizes.variant else 0}
    return {**routing(sizes), "quantMode": DYNAMIC, **factors}


def work(sizes: Sizes, data: Any) -> Work:
    found, slots, counted, padded = Work(), data.slots, data.counted, pads(sizes)
    rows = rows_of(sizes)
    busy = shared.routed_rows(found, sizes, data, rows)
    found.says["slots of a token"] = slots.topK, sizes.top_k
    found.says["experts"] = counted.experts, sizes.experts
    found.says["places of an expert"] = data.capacity, sizes.capacity if padded else 0
    found.says["what is counted"] = counted.counts, 1 + padded
    found.says["rows of factors"] = data.scaleRows, sizes.experts if sizes.variant else 0
    found.cuts["entries"] = Cut(sizes.experts, counted.tileEntries - padded)
    found.cuts["counted"] = Cut(sizes.slots, counted.partSlots)
    part = shared.INDEX_BYTES * counted.partSlots
    found.buffers["place"] = [shared.INDEX_BYTES * counted.tileEntries, *[part] * (1 + padded)]
    found.cuts["rows at once"] = Cut(rows, slots.slotsPerBatch)
    if padded:
        found.workspace.append((data.startsOffset, shared.INDEX_BYTES * (sizes.experts + 1)))
    found.launches["blocks"] = slots.usedCores, busy
    return found


RIGHT = call(Sizes(tokens=8, top_k=3, hidden=4, experts=5))
PADDED = call(Sizes(kind=PAD, tokens=8, top_k=3, hidden=4, experts=5, places=2))
OPERATOR = Description(
    call,
    work,
    {"right": {**RIGHT, "rows": 20}, "padded": PADDED},
    fit,
    ("", PAD),
    axes={
        "hidden-quantised": Axis("hidden", "tiles"),
        "experts": Axis("experts", "entries"),
        "part": Axis("tokens", "counted", fixed={"cores": 1}),
        "rows": Axis("tokens", "rows at once"),
        "zeros": Axis(says="zeros"),
    },
    more_limits=(
        *("ub-bytes", "sort", "merge-1", "merge-2", "runs", "hidden-quantised"),
        *("experts", "part", "rows", "zeros"),
    ),
    least_hidden=0,
    most_tokens=30_000,
    changes={
        "keys": tuple(
            {**RIGHT, "quantMode": quant, "dtype": dtype, "scaleRows": 1 - quant}
            for quant in (0, 1)
            for dtype in BYTES
        ),
        "scales": tuple(
            {**RIGHT, "quantMode": quant, "scaleRows": rows}
            for quant, rows in ((0, 0), (1, 0), (1, 1), (1, 2), (1, 5), (1, 6))
        ),
        "active rows": tuple({"rows": rows} for rows in (1, 23, 24)),
        "what is counted": counted_otherwise(RIGHT, PADDED),
        "no slots": (
            {**call(Sizes(tokens=0, top_k=3, experts=7)), "countOrCumsumFlag": 0, "experts": 0},
            call(Sizes(tokens=0, top_k=3, experts=7)),
            call(Sizes(kind=PAD, tokens=5, top_k=0, experts=7, places=2, cores=48)),
        ),
        "slots": tuple(
            call(Sizes(tokens=n, top_k=k))
            for n, k in ((3, 513), (MOST_SLOTS, 1), (MOST_SLOTS + 1, 1), (2**61, 8))
        ),
        "rows": tuple(call(Sizes(experts=n, **NO_COLUMNS)) for n in (2**16, 2**16 + 1)),
    },
    checked=("tokens", "topK", "hidden", "rows", "experts", "capacity", "countOrCumsumFlag",
             "beforeCapacityFlag", "quantMode"),
)  # fmt: skip
