"""Tokens are cut over the cores: single probabilities are gathered, and rows of slots added up."""

from __future__ import annotations

from typing import Any

from tests.kernels.host_tilings import BF16, FP16, Call
from tests.kernels.tilings import shared
from tests.kernels.tilings.description import Axis, Description, Sizes
from tests.kernels.tilings.work import Work


def call(sizes: Sizes) -> Call:
    """All ranks are in the range; the variant has no probs."""
    bare = sizes.variant
    return {
        "tokens": sizes.tokens,
        "topK": sizes.top_k,
        "hidden": sizes.hidden,
        "rows": sizes.slots,
        "probRows": 0 if bare else sizes.slots,
        "range": (0, sizes.slots),
        "hasProbs": not bare,
        **sizes.machine,
    }


def work(sizes: Sizes, data: Any) -> Work:
    found = Work()
    found.says["data type"] = data.dtype, sizes.dtype
    found.says["first rank"] = data.firstRank, 0
    found.says["slots with probs"] = data.probs.slots, 0 if sizes.variant else sizes.slots
    shared.sums_of_slots(found, sizes, data)
    shared.gather(found, sizes, data.probs, data.usedCores)
    return found


def of_rows(rows: int, *span: int) -> Call:
    return {"rows": rows, "probRows": rows, "range": span or None}


FAR, INT32_END = 2**63, 2**31
EMPTY = ((0, 0), (5, 4), (-3, -3), (FAR - 1, -FAR), (-FAR, 1 - FAR), (-INT32_END - 1, -INT32_END))
FULL = ((3, 4), (-8, 0), (900, 908), (-INT32_END, 1 - INT32_END), (INT32_END, INT32_END + 2))
OPERATOR = Description(
    call,
    work,
    {"right": call(Sizes(tokens=4, top_k=2, hidden=16))},
    axes={
        "probs-batch": Axis("tokens", "gathers", fixed={"top_k": 1, "cores": 1}),
        "probs": Axis("tokens", "gathers", fixed={"top_k": 1}),
    },
    more_limits=("probs-batch", "probs"),
    changes={
        "data types": ({"dtype": FP16}, {"dtype": BF16}),
        "ranges without ranks": (of_rows(0), *(of_rows(0, *span) for span in EMPTY)),
        "ranges": tuple(
            of_rows(end - start + more, start, end) for start, end in FULL for more in (-1, 0, 1)
        ),
        "a range of all int64": ({"range": (-FAR, FAR - 1)},),
        "no probs": ({"hasProbs": 0, "probRows": 0},),
        "no columns": (call(Sizes(tokens=4, top_k=2, hidden=0)),),
        "slots": tuple(call(Sizes(tokens=2, top_k=top_k)) for top_k in (512, 513)),
    },
    checked=("tokens", "topK", "hidden", "rows", "probRows", "range"),
)
