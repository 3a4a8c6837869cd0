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
    rows, pairs = (sizes.slots, sizes.hidden), (sizes.tokens, sizes.top_k)
    has_bias = "bias" in sizes.kind
    return {
        "expandedX": (1, *rows) if sizes.variant else rows,
        "expandedRowIdx": rows[:1],
        "out": (sizes.tokens, sizes.hidden),
        "scales": None if scales_dtype(sizes) == NONE else pairs,
        "bias": (sizes.top_k, sizes.hidden) if has_bias else None,
        "expertIdx": pairs if has_bias else None,
        "dropPadMode": mode(sizes),
        "scalesDtype": scales_dtype(sizes),
        **sizes.machine,
    }


def work(sizes: Sizes, data: Any) -> Work:
    found, slots, has_bias = Work(), data.slotsPerPart, "bias" in sizes.kind
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
            shared.INDEX_BYTES * slots * has_bias,
        ),
        wide_rows=2 + has_bias,
    )
    return found


ADDENDS = {"x1": (4, 16), "x2": (4, 16)}
OF_BIAS = {"bias": (5, 16), "expertIdx": (4, 2)}
RIGHT = {**call(Sizes(tokens=4, top_k=2, hidden=16)), **ADDENDS, **OF_BIAS}
PADDED = {**RIGHT, "expandedX": (5, 3, 16), "dropPadMode": 1}
BARE = call(Sizes(tokens=4, hidden=16, kind="no-scales-"))
OPERATOR = Description(
    call,
    work,
    {"right": RIGHT, "padded": PADDED, "bare": BARE},
    fit,
    KINDS,
    changes={
        "data types": ({"dtype": FP16}, {"dtype": BF16, "scalesDtype": BF16}),
        "modes": (
            *({"dropPadMode": one} for one in (2, 3, 4)),
            *({**PADDED, "dropPadMode": one} for one in (2, 3)),
            {**PADDED, "expandedX": (5, 16, 3)},
        ),
        "scales": ({"scales": (4, 2**62 + 2)},),
        "what may be absent": (
            {"x1": None, "x2": None},
            {"bias": None, "expertIdx": None},
            {**BARE, "expertIdx": (4, 2)},
        ),
        "experts of the bias": tuple({"bias": (experts, 16)} for experts in (1, 2, 1000)),
        "least buffers": tuple(
            {"dtype": BF16, "scalesDtype": BF16, "ubBytes": ub} for ub in (383, 384)
        ),
    },
)
