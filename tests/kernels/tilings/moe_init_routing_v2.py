"""Slots are sorted and rows copied; experts are counted, and with drop/pad places filled."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.kernels.host_tilings import BF16, FP16, Call
from tests.kernels.tilings import shared
from tests.kernels.tilings.description import Axis, Description, Sizes
from tests.kernels.tilings.moe_token_permute import MOST_SLOTS
from tests.kernels.tilings.work import Cut, Work, round_up

PAD = "-pad"
MOST_ROWS = 2**31


def pads(sizes: Sizes) -> bool:
    return sizes.kind == PAD


def fit(sizes: Sizes) -> Sizes:
    tokens = min(sizes.tokens, MOST_SLOTS // sizes.top_k)
    most = min(tokens, MOST_ROWS // sizes.experts)
    return replace(sizes, tokens=tokens, places=min(sizes.capacity, most))


def rows_of(sizes: Sizes) -> int:
    return sizes.experts * sizes.capacity if pads(sizes) else sizes.slots


def call(sizes: Sizes) -> Call:
    """One that keeps every row, or has the places of experts, and counts all experts."""
    padded = pads(sizes)
    return {
        "tokens": sizes.tokens,
        "topK": sizes.top_k,
        "hidden": sizes.hidden,
        "rows": sizes.slots,
        "experts": sizes.experts,
        "capacity": sizes.capacity if padded else 0,
        "countOrCumsumFlag": int(not padded),
        "beforeCapacityFlag": int(padded),
        **sizes.machine,
    }


def counted_otherwise(*calls: Call) -> tuple[Call, ...]:
    """Each call with every pair of flags."""
    return tuple(
        {**of, "countOrCumsumFlag": flag, "beforeCapacityFlag": before}
        for of in calls
        for flag in (0, 1, 2)
        for before in (0, 1)
    )


def work(sizes: Sizes, data: Any) -> Work:
    found, slots, padded, counts = Work(), data.slots, pads(sizes), data.counted
    shared.ranks(found, slots, 0, rows_of(sizes))
    busy = shared.copies(found, sizes, slots) + shared.sort(found, sizes, slots)
    entries = sizes.experts + padded
    found.says["experts"] = counts.experts, sizes.experts
    found.says["places of an expert"] = data.capacity, sizes.capacity if padded else 0
    found.says["what is counted"] = counts.counts, 1 + padded
    found.cuts["entries"] = Cut(entries, counts.tileEntries)
    found.cuts["counted"] = Cut(sizes.slots, counts.partSlots)
    entry_bytes = shared.INDEX_BYTES * counts.tileEntries
    found.buffers["count"] = [entry_bytes, *[shared.INDEX_BYTES * counts.partSlots] * (1 + padded)]
    found.buffers["fill"] = [entry_bytes, data.zeroBytes]
    found.counts["zeros"] = data.zeroBytes // shared.element_bytes(sizes.dtype)
    full = not padded and slots.sort.runs == 1 and slots.tileColumns == sizes.hidden
    found.says["every core sorts all slots"] = data.key // 100 % 10, full
    if padded:
        busy.append(Cut(rows_of(sizes), -(-rows_of(sizes) // sizes.cores)).count)
        found.says["an expert has both of its ends"] = counts.tileEntries >= 2, True
        found.says["a zero"] = data.zeroBytes >= 32, True
        found.workspace.append((data.startsOffset, shared.INDEX_BYTES * entries))
    if full:
        list_bytes = shared.INDEX_BYTES * sizes.slots
        lists = range(2 * slots.usedCores)
        found.workspace = [(round_up(list_bytes, 512) * at, list_bytes) for at in lists]
        found.says["bytes of a list"] = slots.pairsOffset, round_up(list_bytes, 512)
    found.launches["blocks"] = slots.usedCores, busy
    return found


RIGHT = call(Sizes(tokens=8, top_k=3, hidden=4, experts=5))
PADDED = call(Sizes(kind=PAD, tokens=8, top_k=3, hidden=4, experts=5, places=2))
NO_COLUMNS = {"kind": PAD, "tokens": 2**15, "hidden": 0, "places": 2**15}
FAR = 2**61
OPERATOR = Description(
    call,
    work,
    {"right": {**RIGHT, "rows": 20}, "padded": PADDED},
    fit,
    ("", PAD),
    axes={
        "experts": Axis("experts", "entries"),
        "part": Axis("tokens", "counted", fixed={"kind": PAD, "cores": 1}),
        "zeros": Axis(says="zeros", fixed={"kind": PAD}),
    },
    more_limits=("experts", "experts-pad", "part", "zeros"),
    least_hidden=0,
    most_tokens=30_000,
    changes={
        "keys": tuple(
            {**call(Sizes(kind=kind, hidden=hidden, tokens=tokens)), "dtype": dtype}
            for kind in ("", PAD)
            for tokens, hidden in ((3, 5), (3, 50_000), (8161, 5))
            for dtype in (FP16, BF16)
        ),
        "active rows": tuple({"rows": rows} for rows in (1, 23, 24)),
        "what is counted": counted_otherwise(RIGHT, PADDED),
        "no slots": (
            {**call(Sizes(tokens=0, top_k=3, experts=7)), "countOrCumsumFlag": 0, "experts": 0},
            call(Sizes(tokens=0, top_k=3, experts=7)),
            call(Sizes(tokens=5, top_k=0, experts=7)),
            call(Sizes(kind=PAD, tokens=5, top_k=0, experts=7, places=2, cores=48)),
        ),
        "slots": tuple(
            call(Sizes(tokens=n, top_k=k)) for n, k in ((3, 513), (MOST_SLOTS, 1),
                                                        (MOST_SLOTS + 1, 1), (FAR, 8))
        ),
        "rows": tuple(call(Sizes(experts=n, **NO_COLUMNS)) for n in (2**16, 2**16 + 1, FAR)),
        "places": tuple({**PADDED, "capacity": n} for n in (1, 8)),
    },
    checked=("tokens", "topK", "hidden", "rows", "experts", "capacity",
             "countOrCumsumFlag", "beforeCapacityFlag"),
)  # fmt: skip
