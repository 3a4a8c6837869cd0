"""Slots are cut over the cores: rows of a range of ranks with weights, or rows that are moved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.kernels.host_tilings import Call
from tests.kernels.tilings import moe_token_unpermute_grad as unpermute
from tests.kernels.tilings.description import Sizes
from tests.kernels.tilings.moe_token_permute_with_ep_grad import FAR
from tests.kernels.tilings.work import Work


def call(sizes: Sizes) -> Call:
    """All ranks are in the range, in two ways to say it; the variant has no range."""
    span = (-sizes.slots, sizes.slots) if sizes.tokens % 2 else (0, sizes.slots + 1)
    return {**unpermute.call(sizes), "range": None if sizes.variant else span}


def work(sizes: Sizes, data: Any) -> Work:
    found = unpermute.work(sizes, data)
    found.says["first rank of the range"] = data.firstRank, 0
    return found


def of_rows(rows: int, *span: int) -> Call:
    return {"rows": rows, "range": span or None}


RIGHT = call(Sizes(tokens=4, top_k=2, hidden=16))
BARE = call(Sizes(tokens=4, hidden=16, kind="no-probs-"))
WRAPPED = ((2, 5), (-6, 5), (2, -3), (-6, -3), (-9, 3), (5, FAR - 1), (-FAR, -5))
EMPTY = ((3, 3), (-1, -1), (0, 0), (8, 8), (9, 8), (FAR - 1, 9), (-FAR, -8), (-9, -FAR))
REVERSED = ((4, 3), (-1, -2), (-1, 2), (6, -3), (9, 7), (FAR - 1, -FAR))
OPERATOR = replace(
    unpermute.OPERATOR,
    call=call,
    work=work,
    calls={"right": RIGHT, "no probs": BARE},
    changes={
        "data types": unpermute.OPERATOR.changes["data types"],
        "no range": (of_rows(1), of_rows(9), {**BARE, "range": None}),
        "ranges of three ranks": tuple(of_rows(3, *span) for span in WRAPPED),
        "a row less": (of_rows(2, -6, 5),),
        "ranges without ranks": tuple(of_rows(1, *span) for span in EMPTY),
        "ranges that end before their start": tuple(of_rows(8, *span) for span in REVERSED),
        "no probs, ranges": tuple({**BARE, **of_rows(2, *span)} for span in ((1, 3), (-3, -1))),
        "slots": tuple(call(Sizes(tokens=2, top_k=top_k)) for top_k in (512, 513)),
    },
    checked=("tokens", "topK", "hidden", "rows", "range"),
)
