"""Rows are cut over the cores, and into batches of whole rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.kernels.host_tilings import BF16, FP16, Call
from tests.kernels.tilings import shared
from tests.kernels.tilings.description import AXES, Axis, Description, Sizes
from tests.kernels.tilings.work import COPY_BLOCKS, Cut, Work, round_up

GRANULE = 16
EXPERT_BYTES, SLOT_BYTES = 8, 16
MOST_EXPERTS = 2048


def fit(sizes: Sizes) -> Sizes:
    experts = min(max(sizes.top_k, sizes.experts, 2), MOST_EXPERTS)
    return replace(sizes, experts=experts)


def call(sizes: Sizes) -> Call:
    return {"rows": sizes.tokens, "experts": sizes.experts, "k": sizes.top_k, **sizes.machine}


def work(sizes: Sizes, data: Any) -> Work:
    """moe_gating_top_k_backward_tiling.h."""
    found = Work()
    rows = shared.shared_out(found, "blocks", data.usedCores, sizes.tokens, sizes.cores)
    for name, wanted in {
        "dtype": sizes.dtype,
        "rows": sizes.tokens,
        "experts": sizes.experts,
        "k": sizes.top_k,
    }.items():
        found.says[name] = getattr(data, name), wanted
    found.cuts["row"] = Cut(sizes.experts, sizes.experts)
    found.cuts["batches"] = Cut(rows, data.batch, COPY_BLOCKS)
    found.buffers["rows"] = [
        EXPERT_BYTES * round_up(sizes.experts, GRANULE) * data.batch,
        SLOT_BYTES * round_up(sizes.top_k, GRANULE) * data.batch,
    ]
    return found


SHORT, LONG = Sizes(tokens=4, top_k=2, experts=8), Sizes(tokens=4, top_k=40, experts=200, ub=4096)
OPERATOR = Description(
    call,
    work,
    {"right": call(SHORT), "long": call(LONG)},
    fit,
    axes={
        "experts": Axis("experts", "row"),
        **{name: replace(AXES[name], given="experts") for name in ("batch", "tokens")},
    },
    more_limits=("ub-bytes", "experts", "batch", "tokens", "cores"),
    changes={
        "data types": ({"dtype": BF16}, {"dtype": FP16}),
        "numbers": ({"routedScalingFactor": 1e39, "eps": 1e-60},),
        "rows": tuple({"rows": rows, "ubBytes": ub} for rows in (3, 5000) for ub in (384, 2303)),
    },
    checked=("rows", "experts", "k"),
)
