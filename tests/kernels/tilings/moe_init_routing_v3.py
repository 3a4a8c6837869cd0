"""Slots of a range of experts are sorted and counted; rows are copied or quantised one by one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.kernels.host_tilings import BYTES, INT8, Call
from tests.kernels.tilings import shared
from tests.kernels.tilings.description import Axis, Description, Sizes
from tests.kernels.tilings.moe_init_routing_v2 import MOST_ROWS, NO_COLUMNS, PAD, rows_of
from tests.kernels.tilings.moe_token_permute import MOST_SLOTS
from tests.kernels.tilings.work import Cut, Work

QUANTISED = "-quantised"
MOST_EXPERTS = 10240
DYNAMIC = 1


def quantised(sizes: Sizes) -> bool:
    return sizes.kind == QUANTISED


def fit(sizes: Sizes) -> Sizes:
    tokens = min(sizes.tokens, MOST_SLOTS // sizes.top_k)
    experts = min(sizes.experts, MOST_EXPERTS)
    most = min(tokens, MOST_ROWS // experts)
    return replace(sizes, tokens=tokens, experts=experts, places=min(sizes.capacity, most))


def call(sizes: Sizes) -> Call:
    """One that keeps every row, or has the places of experts, and counts all experts; of another
    form: the second half of the experts, whose slots are told by rank.
    """
    padded = sizes.kind == PAD
    half = sizes.variant and not padded and sizes.experts > 1
    return {
        "tokens": sizes.tokens,
        "topK": sizes.top_k,
        "hidden": sizes.hidden,
        "rows": sizes.slots,
        "experts": sizes.experts,
        "capacity": sizes.capacity if padded else 0,
        "countsType": 1,
        "quantMode": DYNAMIC if quantised(sizes) else -1,
        "range": (sizes.experts // 2, sizes.experts) if half else None,
        "rowIdxType": int(half),
        **sizes.machine,
    }


def work(sizes: Sizes, data: Any) -> Work:
    found, slots, counted = Work(), data.slots, data.counted
    padded = sizes.kind == PAD
    half = sizes.variant and not padded and sizes.experts > 1
    first = sizes.experts // 2 if half else 0
    entries, rows = sizes.experts - first + 1, rows_of(sizes)
    copied_bytes = 0 if quantised(sizes) else shared.element_bytes(sizes.dtype)
    busy = shared.routed_rows(found, sizes, data, rows, copied_bytes=copied_bytes)
    found.says["slots of a token"] = slots.topK, sizes.top_k
    found.says["experts of the range"] = counted.experts, entries - 1
    found.says["first expert"] = data.firstExpert, first
    found.says["all experts"] = data.experts, sizes.experts
    found.says["places of an expert"] = data.capacity, sizes.capacity if padded else 0
    found.says["an expert has both of its ends"] = counted.tileEntries >= 2, True
    found.cuts["entries"] = Cut(entries, counted.tileEntries)
    found.cuts["counted"] = Cut(sizes.slots, counted.partSlots)
    found.cuts["rows at once"] = Cut(rows, slots.slotsPerBatch)
    counts = shared.INDEX_BYTES * counted.tileEntries
    part = shared.INDEX_BYTES * counted.partSlots
    found.buffers["place"] = [counts, part, part]
    found.buffers["numbers"] = [counts, 16 * (counted.tileEntries - 1)]
    list_bytes = shared.INDEX_BYTES * sizes.slots
    found.workspace += [
        (data.keysOffset, list_bytes),
        (data.ranksOffset, list_bytes * half),
        (data.startsOffset, shared.INDEX_BYTES * entries),
    ]
    found.launches["blocks"] = slots.usedCores, busy
    return found


RIGHT = call(Sizes(tokens=8, top_k=3, hidden=4, experts=5))
PADDED = call(Sizes(kind=PAD, tokens=8, top_k=3, hidden=4, experts=5, places=2))
FAR = 2**61
OPERATOR = Description(
    call,
    work,
    {"right": {**RIGHT, "rows": 20}, "padded": PADDED},
    fit,
    ("", PAD, QUANTISED),
    axes={
        "hidden": Axis("hidden", "tiles"),
        "hidden-quantised": Axis("hidden", "tiles", fixed={"kind": QUANTISED}),
        "experts": Axis("experts", "entries"),
        "part": Axis("tokens", "counted", fixed={"cores": 1}),
        "rows": Axis("tokens", "rows at once"),
        "zeros": Axis(says="zeros"),
    },
    more_limits=(
        *("ub-bytes", "sort", "merge-1", "merge-2", "runs", "hidden", "hidden-quantised"),
        *("experts", "part", "rows", "zeros"),
    ),
    least_hidden=0,
    most_tokens=30_000,
    changes={
        "keys": tuple(
            {**RIGHT, "quantMode": quant, "dtype": dtype, "scaleRows": int(quant == 0)}
            for quant in (-1, 0, 1)
            for dtype in (*BYTES, *((INT8,) if quant < 0 else ()))
        ),
        "ranges": tuple(
            {**RIGHT, "range": span}
            for span in ((), (0, 5), (2, 3), (4, 5), (1,), (0, 1, 2), (3, 3), (-1, 2), (2, 6))
        ),
        "a range beside places": tuple({**PADDED, "range": span} for span in ((0, 5), (0, 4))),
        "the last experts": tuple(
            {**RIGHT, "experts": end + 7, "range": (0, end), "countsType": kind}
            for kind, end in ((0, 10240), (1, 10241), (2, 5120), (2, 5121))
        ),
        "scales": tuple(
            {**RIGHT, "quantMode": quant, "scaleRows": rows}
            for quant, rows in ((-1, 8), (0, 0), (1, 0), (1, 1), (1, 2), (1, 5), (1, 6))
        ),
        "no slots": (
            call(Sizes(tokens=0, top_k=3, experts=7)),
            call(Sizes(kind=PAD, tokens=5, top_k=0, experts=7, places=2, cores=48)),
        ),
        "slots": tuple(
            call(Sizes(tokens=n, top_k=k)) for n, k in ((3, 513), (MOST_SLOTS, 1),
                                                        (MOST_SLOTS + 1, 1), (FAR, 8))
        ),
        "rows": tuple(
            {**call(Sizes(experts=2**10, **NO_COLUMNS)), "capacity": n} for n in (2**21, 2**21 + 1)
        ),
    },
    checked=("tokens", "topK", "hidden", "rows", "experts", "capacity", "countsType",
             "quantMode", "rowIdxType"),
)  # fmt: skip
