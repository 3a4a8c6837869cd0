"""Tokens are cut over the cores, and the rows of their slots added; padded, after a sort."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.kernels.host_tilings import BF16, FP16, FP32, NONE, Call
from tests.kernels.tilings import shared
from tests.kernels.tilings.description import AXES, Axis, Description, Sizes
from tests.kernels.tilings.work import Cut, Work

PAD, WIDE, BARE = "pad-", "fp32-probs-", "no-probs-"
MOST_LISTED = 1 << 18


def probs_dtype(sizes: Sizes) -> int:
    """Padded, one of two forms of call has none."""
    if sizes.kind == BARE or (sizes.kind == PAD and sizes.variant):
        return NONE
    return FP32 if sizes.kind == WIDE else sizes.dtype


def slots_of(sizes: Sizes) -> int:
    return sizes.experts * sizes.capacity if sizes.kind == PAD else sizes.slots


def fit(sizes: Sizes) -> Sizes:
    """Rows are counted by 31 bits."""
    places = min(sizes.places, 10**9 // sizes.experts)
    return replace(sizes, places=places, top_k=1 if sizes.kind == PAD else sizes.top_k)


def call(sizes: Sizes) -> Call:
    has_probs = probs_dtype(sizes) != NONE
    return {
        "tokens": sizes.tokens,
        "hidden": sizes.hidden,
        "slots": slots_of(sizes),
        "experts": sizes.experts * has_probs,
        "padded": int(sizes.kind == PAD),
        "restored": sizes.hidden,
        "probsDtype": probs_dtype(sizes),
        **sizes.machine,
    }


def work(sizes: Sizes, data: Any) -> Work:
    found, probs, slots = Work(), probs_dtype(sizes), slots_of(sizes)
    padded = sizes.kind == PAD
    found.says["data type"] = data.dtype, sizes.dtype
    found.says["data type of the probs"] = data.probsDtype, probs
    found.says["padded"] = data.padded, padded
    found.says["slots"] = data.slots, slots
    found.says["slots of a token"] = data.topK, 0 if padded else sizes.top_k
    found.says["experts"] = data.experts, sizes.experts * (probs != NONE)
    found.says["places"] = data.capacity, sizes.capacity * (padded and probs != NONE)
    busy = min(sizes.tokens, sizes.cores)
    share = found.counts["share"] = -(-sizes.tokens // busy)
    width = shared.INDEX_BYTES * (1 if padded else sizes.top_k)
    beside = shared.INDEX_BYTES if padded else shared.element_bytes(probs) * sizes.top_k
    shared.sums(found, sizes, data.rows, slots if padded else share, source_rows=slots,
                name_bytes=width, beside=(beside,))  # fmt: skip
    keeps = [busy]
    if padded:
        one = replace(sizes, tokens=slots, top_k=1)
        keeps += shared.sort(found, one, Sorted(data))
        found.workspace = found.workspace[1:]
    found.launches["blocks"] = data.usedCores, keeps
    each = -(-slots // data.usedCores) if padded else share * sizes.top_k
    if padded or probs != NONE:
        found.cuts["lists"] = Cut(each, data.listBatch, MOST_LISTED)
        found.buffers["lists"] = [shared.INDEX_BYTES * data.listBatch] * 2
    return found


class Sorted:
    """The sort as those of slots have it, whose order lies in the workspace before its pairs."""

    def __init__(self, data: Any) -> None:
        self.sort = data.sort
        self.pairsOffset, self.pairsBytes = 0, data.pairsBytes
        self.workspaceBytes = data.workspaceBytes


ONE_EXPERT = {"kind": PAD, "tokens": 5, "experts": 1}
ALONE = {**ONE_EXPERT, "cores": 1}
RIGHT = call(Sizes(tokens=4, top_k=2, experts=3, hidden=16))
PADDED = call(Sizes(kind=PAD, tokens=4, experts=3, places=3, hidden=16))
UNWEIGHED = call(Sizes(kind=BARE, tokens=4, top_k=2, hidden=16))
ROWS = ("four-buffers", "three-buffers", "hidden", "ub-bytes")
OPERATOR = Description(
    call,
    work,
    {"right": RIGHT, "padded": PADDED, "no probs": UNWEIGHED},
    fit,
    ("", WIDE, BARE, PAD),
    axes={
        "pad-batch": Axis("places", "batches", fixed=ALONE),
        "pad-list": Axis("places", "lists", fixed=ALONE),
        **{
            f"{PAD}{name}": replace(AXES[name], size="places", fixed=ONE_EXPERT)
            for name in ("sort", "merge-1", "merge-2", "runs")
        },
    },
    more_limits=(
        *(f"{kind}{name}" for kind in ("", WIDE, BARE) for name in (*ROWS, "batch", "tokens")),
        *("cores", *(f"{PAD}{name}" for name in (*ROWS, "batch", "list"))),
        *(f"{PAD}{name}" for name in ("sort", "merge-1", "merge-2", "runs")),
    ),
    most_tokens=30_000,
    checked=("tokens", "hidden", "experts", "padded"),
    changes={
        "data types": tuple(
            {**RIGHT, "dtype": one, "probsDtype": other}
            for one, other in ((FP16, FP16), (BF16, BF16), (BF16, FP32))
        ),
        "slots": (
            *({**RIGHT, "slots": n} for n in (0, 7, 9, 2048, 2052, 2**31, 2**62)),
            *({**PADDED, "slots": n} for n in (0, 8, 10, 2**31)),
            {**PADDED, "experts": 0},
            {**PADDED, "slots": 7, "probsDtype": NONE},
        ),
        "tokens": tuple({**PADDED, "tokens": n} for n in (2**24, 2**24 + 1)),
        "no columns": tuple({**one, "hidden": 0, "restored": 0} for one in (RIGHT, PADDED)),
    },
)
