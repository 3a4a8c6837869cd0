"""Experts or entries are cut over the cores; entries that are counted at once by the buffer."""

from __future__ import annotations

from typing import Any

from tests.kernels.host_tilings import INT32, Call
from tests.kernels.tilings.description import AXES, Description, Sizes
from tests.kernels.tilings.work import BLOCK_BYTES, Cut, Work, round_up


def call(sizes: Sizes) -> Call:
    """One of as many entries as tokens."""
    return {"entries": sizes.tokens, "experts": sizes.experts, **sizes.machine}


def work(sizes: Sizes, data: Any) -> Work:
    """moe_compute_expert_tokens_tiling.h."""
    found = Work()
    special = (sizes.tokens, sizes.experts) == (65536, 8)
    by_entries = sizes.tokens > 12000 and sizes.experts <= 256 and not special
    found.cuts["share"] = Cut(sizes.tokens if by_entries else sizes.experts, data.share)
    found.launches["blocks"] = data.usedCores, [found.cuts["share"].count]
    for name, wanted in {
        "entries": sizes.tokens,
        "experts": sizes.experts,
        "isByEntries": by_entries,
    }.items():
        found.says[name] = getattr(data, name), wanted
    tile = 4 * data.tileEntries
    found.says["whole blocks"] = tile % BLOCK_BYTES, 0
    found.counts["batches"] = -(-sizes.tokens // data.tileEntries)
    sums = BLOCK_BYTES + round_up(-(-data.tileEntries // 64) * 4, BLOCK_BYTES)
    found.buffers["tiles"] = [tile, tile, tile, sums, 64 * 4]
    return found


OPERATOR = Description(
    call,
    work,
    {"right": call(Sizes(tokens=10, experts=4, dtype=INT32))},
    dtypes=(INT32,),
    axes={"batch": AXES["batch"]},
    changes={
        "entries": tuple({"entries": n, "ubBytes": ub} for n in (0, 12001) for ub in (415, 416)),
        "experts": tuple({"entries": 65536, "experts": n} for n in (8, 9, 256, 257)),
    },
    checked=("entries", "experts"),
)
