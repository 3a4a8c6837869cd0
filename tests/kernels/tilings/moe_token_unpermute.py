"""Tokens are cut over the cores, and the weighted rows of their slots added up."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.kernels.host_tilings import BF16, FP16, FP32, NONE, Call
from tests.kernels.tilings import shared
from tests.kernels.tilings.description import Description, Sizes
from tests.kernels.tilings.work import Work

KINDS = ("", "fp32-probs-", "16-bit-probs-", "no-probs-")


def probs_dtype(sizes: Sizes) -> int:
    of_kind = {"": sizes.dtype, "fp32-probs-": FP32, "16-bit-probs-": FP16, "no-probs-": NONE}
    return of_kind[sizes.kind]


def fit(sizes: Sizes) -> Sizes:
    return replace(sizes, top_k=1) if probs_dtype(sizes) == NONE else sizes


def call(sizes: Sizes) -> Call:
    return {
        "tokens": sizes.tokens,
        "topK": sizes.top_k,
        "hidden": sizes.hidden,
        "rows": sizes.slots,
        "probsDtype": probs_dtype(sizes),
        **sizes.machine,
    }


def work(sizes: Sizes, data: Any) -> Work:
    probs = probs_dtype(sizes)
    found = Work()
    found.says["data type"] = data.dtype, sizes.dtype
    found.says["data type of the probs"] = data.probsDtype, probs
    shared.sums_of_slots(found, sizes, data, beside=(shared.element_bytes(probs) * sizes.top_k,))
    return found


RIGHT = call(Sizes(tokens=4, top_k=2, hidden=16))
BARE = call(Sizes(tokens=4, hidden=16, kind="no-probs-"))
OPERATOR = Description(
    call,
    work,
    {"right": RIGHT, "no probs": BARE},
    fit,
    KINDS,
    changes={
        "data types": ({"dtype": BF16}, {"dtype": FP16, "probsDtype": BF16}),
        "slots": tuple(call(Sizes(tokens=2, top_k=top_k)) for top_k in (512, 513)),
    },
    checked=("tokens", "topK", "hidden", "rows"),
)
