"""Slots are sorted, and rows and probabilities copied; with paddedMode nothing is sorted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.kernels.host_tilings import BF16, FP16, INT32, INT64, Call
from tests.kernels.tilings import moe_token_permute, shared
from tests.kernels.tilings.description import Description, Sizes
from tests.kernels.tilings.work import Work

TOKENS_OF_PADDED = 9


def is_padded(sizes: Sizes) -> bool:
    return "padded" in sizes.kind


def has_probs(sizes: Sizes) -> bool:
    return "probs" in sizes.kind


def fit(sizes: Sizes) -> Sizes:
    return replace(sizes, top_k=1) if is_padded(sizes) else moe_token_permute.fit(sizes)


def call(sizes: Sizes) -> Call:
    """One that keeps every row; with paddedMode one of so many rows."""
    probs = (sizes.tokens, sizes.top_k)
    whole: Call = {
        "tokens": (sizes.tokens, sizes.hidden),
        "indices": (sizes.tokens, sizes.top_k),
        "permuteTokensOut": (sizes.slots, sizes.hidden),
        "sortedIndicesOut": (sizes.slots,),
        "numOutTokens": 0,
        "indexDtype": INT32,
        **sizes.machine,
        "range": None,
        "probs": probs if has_probs(sizes) else None,
        "permuteProbsOut": (sizes.slots,) if has_probs(sizes) else None,
    }
    if not is_padded(sizes):
        return whole
    return {
        **whole,
        "tokens": (TOKENS_OF_PADDED, sizes.hidden),
        "indices": (sizes.tokens,),
        "probs": (TOKENS_OF_PADDED, 1) if has_probs(sizes) else None,
        "paddedMode": 1,
        "asDocument": 1,
    }


def work(sizes: Sizes, data: Any) -> Work:
    found, slots = Work(), data.slots
    found.says["probs"] = slots.hasProbs, has_probs(sizes)
    shared.ranks(found, slots, 0, sizes.slots)
    if is_padded(sizes):
        busy = shared.copies(found, sizes, slots, index_bytes=8)
        found.says["tokens"] = slots.tokens, TOKENS_OF_PADDED
        found.says["experts"] = data.experts, has_probs(sizes)
        found.workspace_bytes = slots.workspaceBytes
    else:
        busy = shared.copies(found, sizes, slots) + shared.sort(found, sizes, slots)
    found.launches["blocks"] = slots.usedCores, busy
    return found


def ranged(start: int, end: int, rows: int) -> Call:
    return {"range": (start, end), **of_rows(rows)}


def of_rows(rows: int) -> Call:
    return {"permuteTokensOut": (rows, 4), "permuteProbsOut": (rows,)}


RIGHT = call(Sizes(tokens=8, top_k=3, hidden=4, kind="-probs"))
PADDED = {**call(Sizes(tokens=6, hidden=4, kind="-padded-probs")), "probs": (9, 3)}
OPERATOR = Description(
    call,
    work,
    {"right": {**RIGHT, **ranged(5, 17, 12)}, "padded": PADDED},
    fit,
    ("", "-probs", "-padded", "-padded-probs"),
    more_limits=("hidden-padded", "batch-padded", "tokens-padded", "hidden-padded-probs",
                 "batch-padded-probs", "tokens-padded-probs"),
    checked=("asDocument",),
    least_hidden=0,
    most_tokens=30_000,
    changes={
        "data types": tuple({"dtype": one} for one in (FP16, BF16)),
        "wide indices": ({"indexDtype": INT64}, {**PADDED, "indexDtype": INT64}),
        "no probs": ({"probs": None, "permuteProbsOut": None},),
        "ranges": (
            *(ranged(*one, 24) for one in ((0, 0), (7, 7), (24, 24), (0, 24))),
            *(ranged(*one) for one in ((0, 9, 9), (9, 24, 15), (23, 24, 1), (17, 5, 12))),
            *(ranged(*one) for one in ((24, 0, 0), (1, 0, 23), (25, 24, 23), (13, 25, 12))),
            *({"range": (5, 17, 1)[:count]} for count in (0, 1, 3)),
        ),
        "numbers of rows": tuple(
            {**RIGHT, "numOutTokens": number, **of_rows(rows)}
            for number, rows in ((0, 24), (1, 1), (23, 23), (24, 24), (-1, 23), (25, 25))
        ),
        "ranks": ({**call(Sizes(tokens=8, hidden=1)), "tokens": (8,), "indices": (8,)},),
        "no slots": tuple(call(Sizes(tokens=n, top_k=k)) for n, k in ((0, 3), (8, 0))),
        "slots": tuple(call(one) for one in moe_token_permute.SLOTS),
        "padded": (
            {**PADDED, "probs": (9, 0)},
            {**PADDED, "probs": (9, 6)},
            {**PADDED, "tokens": (9,), "permuteTokensOut": (6, 1)},
            *({**call(Sizes(tokens=6, hidden=4, kind="-padded")), "tokens": (tokens, 4)}
              for tokens in (2**31, 2**31 + 1)),
            call(Sizes(tokens=0, kind="-padded")),
        ),
    },
)  # fmt: skip
