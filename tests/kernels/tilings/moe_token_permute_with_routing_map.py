"""The routing map is walked, then rows are copied: those of tokens, or those of experts' places."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.kernels.host_tilings import BF16, FP16, Call
from tests.kernels.tilings import shared
from tests.kernels.tilings.description import Description, Sizes
from tests.kernels.tilings.work import Work, round_up

MOST_TOP_K, MOST_ROWS = 512, 16777214


def is_padded(sizes: Sizes) -> bool:
    return "padded" in sizes.kind


def rows_of(sizes: Sizes) -> int:
    return sizes.experts * sizes.capacity if is_padded(sizes) else sizes.slots


def fit(sizes: Sizes) -> Sizes:
    """At most 512 rows to a token, and no more to an expert than there are tokens."""
    if not is_padded(sizes):
        tokens = min(sizes.tokens, MOST_ROWS // sizes.top_k)
        return replace(sizes, tokens=tokens, experts=max(sizes.experts, sizes.top_k))
    experts = min(sizes.experts, sizes.tokens * MOST_TOP_K)
    most = min(sizes.tokens, sizes.tokens * MOST_TOP_K // experts, MOST_ROWS // experts)
    return replace(sizes, experts=experts, top_k=1, places=min(sizes.capacity, most))


def call(sizes: Sizes) -> Call:
    grid = (sizes.tokens, sizes.experts) if "probs" in sizes.kind else None
    rows = (rows_of(sizes),)
    return {
        "tokens": (sizes.tokens, sizes.hidden),
        "routingMap": (sizes.tokens, sizes.experts),
        "probs": grid,
        "permuteTokensOut": (*rows, sizes.hidden),
        "permuteProbsOut": rows if grid else None,
        "sortedIndicesOut": rows,
        "numOutTokens": rows[0],
        "dropAndPad": int(is_padded(sizes)),
        **sizes.machine,
    }


def work(sizes: Sizes, data: Any) -> Work:
    found, slots, cut, padded = Work(), data.slots, data.map, is_padded(sizes)
    prob = shared.element_bytes(sizes.dtype) if "probs" in sizes.kind else 0
    found.says["probs"] = data.hasProbs, prob > 0
    found.says["places of an expert"] = data.capacity, sizes.capacity if padded else 0
    shared.ranks(found, slots, 0, rows_of(sizes))
    copied = rows_of(sizes) if padded else sizes.tokens
    busy = shared.copies(found, sizes, slots, copied=copied, top_k=1 if padded else sizes.top_k)
    at_once, experts = cut.tileTokens, cut.tileExperts
    named = 1 if padded else min(sizes.top_k, experts)
    # Of each token its row of the map, its probs, those of a run, names, and what was found.
    buffers = [
        at_once * (round_up(experts, 32) + round_up(experts * prob, 32)),
        at_once * prob,
        shared.INDEX_BYTES * at_once * named,
        0 if padded else 32,
    ]
    found.launches["map"] = cut.usedCores, [shared.walk(found, sizes, cut, buffers)]
    found.launches["blocks"] = slots.usedCores, [*busy, cut.usedCores]
    found.counts["share"] = found.counts["share"] if padded else slots.tokensPerCore
    kept = [(data.foundOffset, shared.INDEX_BYTES * sizes.tokens)]
    keeps = not padded and experts < sizes.experts
    found.workspace = [(0, shared.INDEX_BYTES * sizes.experts * slots.usedCores), *kept * keeps]
    found.workspace_bytes = slots.workspaceBytes
    return found


def shaped(tokens: int, experts: int, each: int, hidden: int = 8, **more: Any) -> Call:
    """A call of so many rows to a token, or with "-padded" to an expert."""
    made = Sizes(tokens=tokens, experts=experts, top_k=each, places=each, hidden=hidden, **more)
    return call(made)


RIGHT = shaped(4, 3, 2, 16, kind="-probs")
PADDED = shaped(5, 4, 2, 16, kind="-padded-probs")


def of_rows(number: int, rows: int) -> Call:
    """So many rows of the output."""
    return {
        "numOutTokens": number,
        "permuteTokensOut": (rows, 16),
        "permuteProbsOut": (rows,),
        "sortedIndicesOut": (rows,),
    }


FAR = 2**62
OPERATOR = Description(
    call,
    work,
    {"right": RIGHT, "padded": PADDED},
    fit,
    ("", "-padded", "-probs", "-padded-probs"),
    most_tokens=30_000,
    changes={
        "keys": tuple(
            {**of, "dtype": dtype} for of in (RIGHT, PADDED) for dtype in (FP16, BF16)
        ),
        "numbers of rows": (
            *(of_rows(*one) for one in ((12, 12), (11, 8), (9, 8), (0, 0), (-1, 0), (13, 12))),
            *({**PADDED, **of_rows(*one)} for one in ((11, 8), (12, 12), (3, 0), (20, 20))),
        ),
        "nothing to do": (
            shaped(0, 5, 0), shaped(5, 0, 0, kind="-padded"), shaped(5, 4, 2, 0),
            shaped(5, 4, 2, 0, kind="-padded-probs"), {**shaped(5, 4, 0), "numOutTokens": 4},
        ),
        "rows of a token": (
            shaped(4, 512, 512), shaped(4, 600, 513), shaped(1, 512, 1, kind="-padded"),
            shaped(2, 2052, 1, kind="-padded"),
        ),
        "rows": (shaped(5592404, 3, 3), shaped(5592405, 3, 3)),
        "sizes of the map": (
            shaped(16777214, 1, 0), shaped(16777215, 1, 0), shaped(4, 16777214, 1),
            shaped(1, 16777215, 0), shaped(0, FAR, 0, kind="-padded"),
        ),
        "ranks": ({"tokens": (4, 2, 8), "permuteTokensOut": (8, 4, 4)}, {"tokens": ()}),
        "no probs": ({"probs": None, "permuteProbsOut": (1, 2)},),
    },
)  # fmt: skip
