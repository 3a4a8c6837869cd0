"""Slots are sorted, and the rows of tokens copied to their ranks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.kernels.host_tilings import BF16, BYTES, FP16, INT8, INT32, INT64, Call
from tests.kernels.tilings import shared
from tests.kernels.tilings.description import Description, Sizes
from tests.kernels.tilings.work import Work

MOST_SLOTS = 16777214


def fit(sizes: Sizes) -> Sizes:
    return replace(sizes, tokens=min(sizes.tokens, MOST_SLOTS // sizes.top_k))


def call(sizes: Sizes) -> Call:
    """One that keeps every row."""
    return {
        "tokens": sizes.tokens,
        "topK": sizes.top_k,
        "hidden": sizes.hidden,
        "rows": sizes.slots,
        "indexDtype": INT32,
        **sizes.machine,
    }


def work(sizes: Sizes, data: Any) -> Work:
    found = Work()
    shared.ranks(found, data.slots, 0, sizes.slots)
    busy = shared.copies(found, sizes, data.slots) + shared.sort(found, sizes, data.slots)
    found.launches["blocks"] = data.slots.usedCores, busy
    return found


SLOTS = tuple(
    Sizes(tokens=tokens, top_k=top_k)
    for tokens, top_k in ((8, 512), (8, 513), (MOST_SLOTS, 1), (MOST_SLOTS + 1, 1), (2**61, 8))
)
OPERATOR = Description(
    call,
    work,
    {"right": {**call(Sizes(tokens=8, top_k=3, hidden=4)), "rows": 20}},
    fit,
    dtypes=(*BYTES, INT8),
    least_hidden=0,
    most_tokens=30_000,
    changes={
        "data types": tuple({"dtype": one} for one in (FP16, BF16, INT8)),
        "wide indices": ({"indexDtype": INT64},),
        "rows": tuple({"rows": rows} for rows in (0, 1, 23, 24)),
        "no columns": (call(Sizes(tokens=8, top_k=3, hidden=0)),),
        "no slots": (
            *(call(Sizes(tokens=n, top_k=k, hidden=4)) for n, k in ((0, 3), (5, 0))),
            {**call(Sizes(tokens=5, top_k=0, hidden=4)), "rows": 5},
        ),
        "slots": tuple(call(one) for one in SLOTS),
        "runs": tuple(
            call(Sizes(tokens=10_000, hidden=1, cores=cores)) for cores in (1, 2, 3, 4, 48)
        ),
    },
    checked=("tokens", "topK", "hidden", "rows"),
)
