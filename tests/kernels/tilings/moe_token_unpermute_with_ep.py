"""Tokens are cut over the cores, and the weighted rows of slots in a range of ranks added up."""

from __future__ import annotations

from typing import Any

from tests.kernels.host_tilings import BF16, FP16, Call
from tests.kernels.tilings import moe_token_unpermute as unpermute
from tests.kernels.tilings.description import Description, Sizes
from tests.kernels.tilings.moe_token_permute_with_ep_grad import EMPTY, FAR, FULL
from tests.kernels.tilings.work import Work


def call(sizes: Sizes) -> Call:
    """All ranks are in the range; the variant has no range."""
    return {**unpermute.call(sizes), "range": None if sizes.variant else (0, sizes.slots)}


def work(sizes: Sizes, data: Any) -> Work:
    found = unpermute.work(sizes, data)
    found.says["first rank"] = data.firstRank, 0
    return found


def of_rows(rows: int, *span: int) -> Call:
    return {"rows": rows, "range": span or None}


RIGHT = call(Sizes(tokens=4, top_k=2, hidden=16))
BARE = call(Sizes(tokens=4, top_k=2, hidden=16, kind="no-probs-"))
OPERATOR = Description(
    call,
    work,
    {"right": RIGHT, "no probs": BARE},
    kinds=unpermute.KINDS,
    changes={
        "data types": ({"dtype": BF16}, {"dtype": FP16, "probsDtype": BF16}),
        "no range": tuple(of_rows(rows) for rows in (0, 7, 9)),
        "ranges without ranks": tuple(of_rows(0, *span) for span in EMPTY),
        "ranges": tuple(
            of_rows(end - start + more, start, end) for start, end in FULL for more in (-1, 0, 1)
        ),
        "a range of all int64": ({"range": (-FAR, FAR - 1)},),
        "slots": tuple(
            call(Sizes(tokens=2, top_k=top_k, variant=variant))
            for top_k in (512, 513)
            for variant in (False, True)
        ),
    },
    checked=("tokens", "topK", "hidden", "rows", "range"),
)
