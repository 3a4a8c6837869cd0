"""Slots are cut over the cores: rows with scales, or rows that are only moved; zeros first."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.kernels.host_tilings import BF16, FP16, Call
from tests.kernels.tilings import shared
from tests.kernels.tilings.description import Axis, Description, Sizes
from tests.kernels.tilings.moe_token_unpermute_grad import BATCH
from tests.kernels.tilings.work import BLOCK_BYTES, Cut, Work


def is_bare(sizes: Sizes) -> bool:
    return sizes.kind == "no-scales-"


def fit(sizes: Sizes) -> Sizes:
    return replace(sizes, top_k=1) if is_bare(sizes) else sizes


def rows_of(sizes: Sizes) -> int:
    return sizes.experts * sizes.capacity if sizes.variant else sizes.slots


def call(sizes: Sizes) -> Call:
    """As many rows as slots; the variant as many as experts have places."""
    return {
        "tokens": sizes.tokens,
        "topK": sizes.top_k,
        "hidden": sizes.hidden,
        "rows": sizes.slots,
        "experts": sizes.experts if sizes.variant else 0,
        "capacity": sizes.capacity if sizes.variant else 0,
        "dropPadMode": int(sizes.variant),
        "hasScales": int(not is_bare(sizes)),
        "hasBias": int(sizes.kind == "bias-"),
        **sizes.machine,
    }


def work(sizes: Sizes, data: Any) -> Work:
    found, slots, has_bias = Work(), data.slots, sizes.kind == "bias-"
    found.says["data type"] = data.dtype, sizes.dtype
    found.says["scales"] = data.hasScales, not is_bare(sizes)
    found.says["bias"] = data.hasBias, has_bias
    found.says["slots"] = slots.slots, sizes.slots
    found.says["slots of a token"] = slots.topK, sizes.top_k
    found.says["columns"] = slots.hidden, sizes.hidden
    found.says["rows"] = slots.rows, rows_of(sizes)
    size = shared.element_bytes(sizes.dtype)
    if is_bare(sizes):
        busy = shared.copies(found, sizes, data.copies)
        found.counts["slots at once"] = data.copies.tokensPerBatch
        shared.ranks(found, data.copies, 0, rows_of(sizes))
    else:
        busy = [shared.weighted(found, sizes, slots, size, has_bias)]
    zeros = rows_of(sizes) * sizes.hidden if sizes.variant else 0
    found.says["zeros"] = data.zeroedElements, zeros
    if sizes.variant:
        busy.append(min(-(-zeros * size // BLOCK_BYTES), sizes.cores))
        each = -(-zeros // data.usedCores)
        found.cuts["zeros"] = Cut(
            each, data.zerosAtOnce, multiple=BLOCK_BYTES // size, rounded=True
        )
        found.buffers["zeros"] = [data.zerosAtOnce * size]
    else:
        found.says["zeros at once"] = data.zerosAtOnce, 0
    found.launches["blocks"] = data.usedCores, busy
    return found


RIGHT = call(Sizes(kind="bias-", tokens=4, top_k=2, hidden=16))
BARE = call(Sizes(kind="no-scales-", tokens=4, hidden=16))
PADDED = call(Sizes(kind="bias-", tokens=4, top_k=2, hidden=16, experts=3, places=5, variant=True))


OPERATOR = Description(
    call,
    work,
    {
        "right": RIGHT,
        "padded": PADDED,
        "no scales": BARE,
    },
    fit,
    ("", "bias-", "no-scales-"),
    axes={
        "batch": BATCH,
        "zeros": Axis(
            "places", "zeros", fixed={"variant": True, "tokens": 3, "top_k": 1, "hidden": 1}
        ),
    },
    changes={
        "data types": ({"dtype": FP16}, {"dtype": BF16}),
        "active rows": tuple({**of, "rows": rows} for rows in (1, 3) for of in (RIGHT, BARE)),
        "places": tuple(
            {**PADDED, "experts": of, "capacity": n} for of, n in ((1, 1), (1, 8), (9, 1), (300, 2))
        ),
    },
    checked=("tokens", "topK", "hidden", "rows", "experts", "capacity", "dropPadMode"),
)
