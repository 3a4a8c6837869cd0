"""Slots are sorted, and each row of the output is fetched from its token."""

from __future__ import annotations

from typing import Any

from tests.kernels.host_tilings import BF16, FP16, Call
from tests.kernels.tilings import shared
from tests.kernels.tilings.description import Description, Sizes
from tests.kernels.tilings.moe_token_permute import MOST_SLOTS, fit
from tests.kernels.tilings.work import Work


def call(sizes: Sizes) -> Call:
    """One with a row for every slot."""
    return {
        "tokens": sizes.tokens,
        "topK": sizes.top_k,
        "hidden": sizes.hidden,
        "rows": sizes.slots,
        **sizes.machine,
    }


def work(sizes: Sizes, data: Any) -> Work:
    found, slots = Work(), data.slots
    shared.ranks(found, slots, 0, sizes.slots)
    busy = shared.copies(found, sizes, slots, copied=sizes.slots, top_k=1)
    found.says["slots of a token"] = slots.topK, sizes.top_k
    found.launches["blocks"] = slots.usedCores, busy + shared.sort(found, sizes, slots)
    return found


RIGHT = {**call(Sizes(tokens=8, top_k=3, hidden=4)), "rows": 15}
OPERATOR = Description(
    call,
    work,
    {"right": RIGHT},
    fit,
    least_hidden=0,
    most_tokens=30_000,
    changes={
        "data types": tuple({"dtype": one} for one in (FP16, BF16)),
        "rows": tuple({"rows": rows} for rows in (0, 1, 24)),
        "no columns": (call(Sizes(tokens=8, top_k=3, hidden=0)),),
        "no slots": tuple(call(Sizes(tokens=n, top_k=k, hidden=4)) for n, k in ((0, 3), (5, 0))),
        "slots": tuple(
            call(Sizes(tokens=n, top_k=k))
            for n, k in ((8, 513), (MOST_SLOTS, 1), (MOST_SLOTS + 1, 1), (2**61, 8))
        ),
    },
    checked=("tokens", "topK", "hidden", "rows"),
)
