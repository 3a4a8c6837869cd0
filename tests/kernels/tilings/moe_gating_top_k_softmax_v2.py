"""Rows are cut over the cores; those of few experts into batches, those of many into pieces."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.kernels.host_tilings import BF16, FP16, Call
from tests.kernels.tilings import shared
from tests.kernels.tilings.description import AXES, Axis, Description, Sizes
from tests.kernels.tilings.work import REPEATS, Cut, Work, round_up

KEYS_AT_ONCE = shared.KEYS_AT_ONCE
LANE_BYTES = 24
LONGEST = 20_000
"""Experts of a row that no buffer has at once."""

KINDS = ("", "pieces-")
AXES_OF_GATING = {
    "experts": Axis("experts", "pieces"),
    "two-pieces": Axis("experts", "pieces", 2),
    "batch": replace(AXES["batch"], given="experts"),
    "tokens": replace(AXES["tokens"], given="experts"),
}
LIMITS = ("ub-bytes", "pieces-ub-bytes", "experts", "two-pieces", "batch", "tokens", "cores")


def fit(sizes: Sizes) -> Sizes:
    least = LONGEST if sizes.kind == "pieces-" else sizes.top_k
    return replace(sizes, experts=max(sizes.experts, least))


def rows_of(sizes: Sizes) -> dict[str, int]:
    """The fields of a call of either operator."""
    return {"rows": sizes.tokens, "experts": sizes.experts, "k": sizes.top_k, **sizes.machine}


def call(sizes: Sizes) -> Call:
    return {"renorm": 0, "resultFlag": int(sizes.variant), **rows_of(sizes)}


def gating(work: Work, sizes: Sizes, cut: Any) -> None:
    """shared/gating/gating_tiling.h."""
    rows = shared.shared_out(work, "blocks", cut.usedCores, sizes.tokens, sizes.cores)
    best, padded = (round_up(each, KEYS_AT_ONCE) for each in (sizes.top_k, sizes.experts))
    is_short = sizes.experts <= KEYS_AT_ONCE
    at_once = cut.lanesAtOnce // KEYS_AT_ONCE if is_short else 1
    left = max(0, sizes.experts - cut.lanesAtOnce)
    work.says["data type"] = cut.dtype, sizes.dtype
    work.says["rows"] = cut.rows, sizes.tokens
    work.says["experts"] = cut.experts, sizes.experts
    work.says["k"] = cut.k, sizes.top_k
    work.says["lanes of no sort"] = cut.lanesAtOnce % KEYS_AT_ONCE, 0
    work.says["lanes are of experts"] = cut.lanesAtOnce <= padded * at_once, True
    work.says["lanes beside the best"] = left == 0 or cut.lanesAtOnce > best, True
    work.cuts["lanes"] = Cut(cut.lanesAtOnce, cut.lanesAtOnce, REPEATS * KEYS_AT_ONCE)
    work.cuts["batches"] = Cut(rows, at_once, REPEATS)
    work.counts["pieces"] = 1 + (-(-left // (cut.lanesAtOnce - best)) if left else 0)
    work.buffers["lanes"] = [LANE_BYTES * cut.lanesAtOnce]


def work(sizes: Sizes, data: Any) -> Work:
    found = Work()
    found.says["renorm"] = data.renorm, 0
    found.says["softmax of all"] = data.hasResult, int(sizes.variant)
    gating(found, sizes, data.gating)
    return found


SHORT, LONG = Sizes(tokens=4, top_k=2, experts=8), Sizes(tokens=4, top_k=40, experts=200, ub=2304)
OPERATOR = Description(
    call,
    work,
    {"right": call(SHORT), "pieces": call(LONG)},
    fit,
    KINDS,
    axes=AXES_OF_GATING,
    more_limits=LIMITS,
    changes={
        "data types": ({"dtype": BF16}, {"dtype": FP16}),
        "result": ({"resultFlag": 1}, {"resultFlag": 1, "renorm": 1}),
        "k": tuple(
            call(replace(LONG, top_k=k, experts=2000, ub=ub))
            for k, ub in ((64, 2304), (65, 2304), (1024, 25344), (1024, 25343))
        ),
    },
    checked=("rows", "experts", "k", "renorm", "resultFlag"),
)
