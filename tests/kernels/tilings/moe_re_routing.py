"""Rows that leave are cut over the cores; what is moved at once is cut by the buffer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.kernels.host_tilings import BF16, FP16, INT8, INT32, INT64, Call
from tests.kernels.tilings import shared
from tests.kernels.tilings.description import AXES, Description, Sizes
from tests.kernels.tilings.work import BLOCK_BYTES, Cut, Work, round_up

MOST_TILE = 255 * 64 * 4
"""Bytes that one addition of int32 takes."""


def call(sizes: Sizes) -> Call:
    """One of as many ranks as slots, or more experts."""
    return {
        "rows": sizes.tokens,
        "hidden": sizes.hidden,
        "ranks": sizes.top_k,
        "experts": max(sizes.top_k, sizes.experts),
        "countDtype": INT64 if sizes.variant else INT32,
        **sizes.machine,
    }


def work(sizes: Sizes, data: Any) -> Work:
    """moe_re_routing_tiling.h."""
    found = Work()
    row_bytes = sizes.hidden * shared.element_bytes(sizes.dtype)
    found.cuts["cores"] = Cut(sizes.tokens, data.rowsPerCore)
    found.launches["blocks"] = data.usedCores, [max(1, found.cuts["cores"].count)]
    for name, wanted in {
        "rows": sizes.tokens,
        "rowBytes": row_bytes,
        "ranks": sizes.top_k,
        "experts": max(sizes.top_k, sizes.experts),
        "countWords": 1 + sizes.variant,
        "cursorBytes": round_up(4 * sizes.top_k, BLOCK_BYTES),
    }.items():
        found.says[name] = getattr(data, name), wanted
    found.says["whole blocks"] = data.tileBytes % BLOCK_BYTES, 0
    found.says["no more than one addition takes"] = data.tileBytes > MOST_TILE, False
    found.counts["share"] = data.rowsPerCore
    found.counts["tiles"] = -(-row_bytes // data.tileBytes)
    found.counts["batches"] = -(-4 * data.rowsPerCore // data.tileBytes)
    found.buffers["tiles"] = [data.cursorBytes, *[data.tileBytes] * 6]
    return found


RIGHT = Sizes(tokens=10, top_k=3, hidden=5, experts=4)
OPERATOR = Description(
    call,
    work,
    {"right": call(RIGHT), "many ranks": call(replace(RIGHT, top_k=100, ub=4096))},
    dtypes=(FP16, BF16, INT8),
    axes={name: AXES[name] for name in ("hidden", "batch", "tokens", "cores")},
    changes={
        "data types": tuple({"dtype": one} for one in (FP16, BF16, INT8)),
        "wide counts": ({"countDtype": INT64},),
        "rows": tuple({"rows": rows, "ubBytes": ub} for rows in (0, 1, 5000) for ub in (223, 224)),
    },
    checked=("rows", "hidden", "ranks", "experts"),
)
