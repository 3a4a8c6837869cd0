"""Tokens are cut over the cores, and the rows of their slots added up."""

from __future__ import annotations

from typing import Any

from tests.kernels.host_tilings import BF16, FP16, Call
from tests.kernels.tilings import shared
from tests.kernels.tilings.description import Description, Sizes
from tests.kernels.tilings.work import Work


def call(sizes: Sizes) -> Call:
    return {
        "tokens": sizes.tokens,
        "topK": sizes.top_k,
        "hidden": sizes.hidden,
        "rows": sizes.slots,
        **sizes.machine,
    }


def work(sizes: Sizes, data: Any) -> Work:
    found = Work()
    shared.sums_of_slots(found, sizes, data)
    return found


OPERATOR = Description(
    call,
    work,
    {"right": call(Sizes(tokens=4, top_k=2, hidden=16))},
    changes={
        "data types": ({"dtype": FP16}, {"dtype": BF16}),
        "slots": tuple(call(Sizes(tokens=2, top_k=top_k)) for top_k in (512, 513)),
    },
    checked=("tokens", "topK", "hidden", "rows"),
)
