"""Tokens are cut over the cores, and the weighted rows of their slots and addends added up."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.kernels.host_tilings import BF16, FP16, FP32, NONE, Call
from tests.kernels.tilings import shared
from tests.kernels.tilings.description import Description, Sizes
from tests.kernels.tilings.work import Cut, Work

KINDS = tuple(
    major + bias + scales
    for major in ("", "token-major-")
    for bias in ("", "bias-")
    for scales in ("", "no-scales-", "fp32-scales-")
)


def scales_dtype(sizes: Sizes) -> int:
    if "no-scales" in sizes.kind:
        return NONE
    return FP32 if "fp32-scales" in sizes.kind else sizes.dtype


def mode(sizes: Sizes) -> int:
    """The variant has a row for each place of each expert, here of one."""
    return 2 * ("token-major" in sizes.kind) + sizes.variant


def fit(sizes: Sizes) -> Sizes:
    return replace(sizes, top_k=1) if scales_dtype(sizes) == NONE else sizes


def call(sizes: Sizes) -> Call:
    return {
        "tokens": sizes.tokens,
        "topK": sizes.top_k,
        "hidden": sizes.hidden,
        "rows": sizes.slots,
        "biasRows": sizes.top_k if "bias" in sizes.kind else 0,
        "hasX1": 0,
        "hasX2": 0,
        "dropPadMode": mode(sizes),
        "scalesDtype": scales_dtype(sizes),
        **sizes.machine,
    }


def work(sizes: Sizes, data: Any) -> Work:
    found, slots, has_bias = Work(), data.slotsPerPart, "bias" in sizes.kind
    has_ranges = "ranges" in sizes.kind
    found.says["slots of a token"] = data.topK, sizes.top_k
    found.says["data type"] = data.dtype, sizes.dtype
    found.says["data type of the scales"] = data.scalesDtype, scales_dtype(sizes)
    found.says["slot-major"] = data.isSlotMajor, mode(sizes) < 2
    found.says["experts of the bias"] = data.biasRows, sizes.top_k * has_bias
    found.cuts["parts"] = Cut(sizes.top_k, slots)
    whole = slots == sizes.top_k or data.rows.batch == 1
    found.says["a token in parts is a batch"] = whole, True
    each = shared.shared_out(found, "blocks", data.usedCores, sizes.tokens, sizes.cores)
    shared.sums(
        found,
        sizes,
        data.rows,
        each,
        source_rows=sizes.slots,
        name_bytes=shared.INDEX_BYTES * (1 if data.isSlotMajor else slots),
        name_buffers=slots if data.isSlotMajor else 1,
        beside=(
            shared.element_bytes(scales_dtype(sizes)) * slots,
            shared.INDEX_BYTES * slots * (has_bias or has_ranges),
        ),
        wide_rows=2 + (has_bias or has_ranges),
        more_rows=has_ranges,
    )
    return found


RIGHT = {**call(Sizes(tokens=4, top_k=2, hidden=16)), "hasX1": 1, "hasX2": 1, "biasRows": 5}
BARE = call(Sizes(tokens=4, hidden=16, kind="no-scales-"))
OPERATOR = Description(
    call,
    work,
    {"right": RIGHT, "bare": BARE},
    fit,
    KINDS,
    changes={
        "data types": ({"dtype": FP16}, {"dtype": BF16, "scalesDtype": BF16}),
        "modes": tuple({"dropPadMode": one} for one in (1, 2, 3)),
        "addends": ({"hasX2": 0}, {"hasX1": 0, "hasX2": 0}),
        "least buffers": tuple(
            {"dtype": BF16, "scalesDtype": BF16, "ubBytes": ub} for ub in (383, 384)
        ),
    },
    checked=("tokens", "topK", "hidden", "rows", "biasRows", "dropPadMode"),
)
