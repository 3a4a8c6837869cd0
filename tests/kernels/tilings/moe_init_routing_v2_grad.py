"""Tokens are cut over the cores, and the rows of their slots added up in bins."""

from __future__ import annotations

from typing import Any

from tests.kernels.host_tilings import BF16, FP16, Call
from tests.kernels.tilings import shared
from tests.kernels.tilings.description import Axis, Description, Sizes
from tests.kernels.tilings.work import BLOCK_BYTES, COPY_BLOCKS, Cut, Work, round_up

MOST_BINS = 64


def call(sizes: Sizes) -> Call:
    """The variant has places of experts."""
    return {
        "tokens": sizes.tokens,
        "topK": sizes.top_k,
        "hidden": sizes.hidden,
        "dropPadMode": int(sizes.variant),
        **sizes.machine,
    }


def work(sizes: Sizes, data: Any) -> Work:
    found, size, batch = Work(), shared.element_bytes(sizes.dtype), data.tokensPerBatch
    columns = round_up(data.tileColumns, BLOCK_BYTES // size)
    found.says["tokens"] = data.tokens, sizes.tokens
    found.says["slots of a token"] = data.topK, sizes.top_k
    found.says["hidden"] = data.hidden, sizes.hidden
    bins = 1 << max(0, sizes.top_k.bit_length() - 2)
    found.says["bins"] = data.bins, min(bins, MOST_BINS)
    found.cuts["cores"] = Cut(sizes.tokens, data.tokensPerCore)
    found.cuts["batches"] = Cut(data.tokensPerCore, batch, COPY_BLOCKS)
    found.cuts["tiles"] = shared.tiles(sizes, data.tileColumns)
    found.says["rows of a batch are whole"] = batch == 1 or data.tileColumns == sizes.hidden, True
    found.counts |= {"bins": data.bins, "share": data.tokensPerCore}
    found.buffers["rows"] = [
        2 * columns * size,
        0 if size == 4 else 4 * columns,
        4 * columns * data.bins * batch,
        2 * columns * size * batch,
    ]
    found.launches["blocks"] = data.usedCores, [found.cuts["cores"].count]
    return found


RIGHT = call(Sizes(tokens=4, top_k=2, hidden=16))
ACTIVE = {**RIGHT, "activeNum": 5}
PADDED = call(Sizes(tokens=4, top_k=2, hidden=16, variant=True))
OPERATOR = Description(
    call,
    work,
    {"right": RIGHT, "active": ACTIVE, "padded": PADDED},
    axes={"bins": Axis(says="bins")},
    checked=("tokens", "topK", "hidden", "dropPadMode", "activeNum"),
    changes={
        "keys": tuple(
            {**of, "dtype": dtype} for of in (RIGHT, ACTIVE, PADDED) for dtype in (FP16, BF16)
        ),
        "active beyond all slots": ({"activeNum": 99},),
        "numbers of the other mode": ({**PADDED, "activeNum": 7},),
    },
)
