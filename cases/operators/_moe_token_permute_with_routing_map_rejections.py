"""Calls of MoeTokenPermuteWithRoutingMap that are refused, and some of which nothing is judged.

Not called anywhere: a map whose rows have another number of ones than topK, or an int8 map of other
numbers than 0 and 1. No host sees what a map holds, and by what is read of the vendor's kernels
they may write beyond the outputs there. Nor an output for probs without probs, at which the host
sources follow a null pointer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from cases.operators._interface import in_doubt
from cases.operators._moe_token_permute_with_routing_map_call import (
    HOST,
    INTERFACE,
    LEAST_REFUSED,
    NUMBER,
    README,
    SIGNATURE,
    TILING,
    TOP_K_LIMIT,
    TOP_K_OF_THE_HOST,
    call,
)
from cases.operators._moe_token_permute_with_routing_map_examples import sized
from cases.operators._token_permute_examples import ADDRESSED
from conformance.call.case import Case, Tensor
from conformance.record.call_rules import Freedom, Range, Unseen, extent
from conformance.record.clause import source_read
from conformance.record.derive.rejections import freedoms, rejections
from conformance.record.operator import Quarantine
from conformance.record.variations import in_mode, retyped, with_attributes, without
from conformance.values.fill import Fill

LATTICE = Fill(("lattice",), seed=1)


RIGHT = sized("dropless", "float32", 4, 16, 2, experts=5, number=9, probs=LATTICE, fill=LATTICE)
PADDED = sized("drop_pad", "float32", 4, 16, 2, experts=3, number=7, probs=LATTICE)
EVEN, SHORT = (
    sized("dropless", "float32", 4, 16, 2, experts=5, number=number, fill=LATTICE)
    for number in (8, 11)
)
RIGHT_CALLS = (RIGHT, PADDED, EVEN, SHORT)
FREEDOMS: tuple[Freedom, ...] = (
    *freedoms(SIGNATURE),
    Unseen("permute_probs", "probs", source_read("room without probs is not looked at", HOST)),
)


def _top_k(case: Case) -> int | None:
    """The experts of a token by numOutTokens; None if there is no token."""
    count = extent("tokens", 0)(case)
    return case.attributes["num_out_tokens"] // count if count else None


RANGES = (
    Range(
        "num_out_tokens",
        0,
        lambda case: case.inputs["routing_map"].size if "routing_map" in case.inputs else None,
        source_read(NUMBER, HOST),
    ),
    Range(
        "topK",
        None,
        TOP_K_OF_THE_HOST,
        source_read(TOP_K_LIMIT, TILING),
        of=_top_k,
        modes=("dropless",),
    ),
)


def _whole(mode: str, number: int) -> Case:
    """Four tokens that all of five experts have, and all rows, by a number that is too large."""
    case = sized(mode, "float32", 4, 16, 5, experts=5, pattern="same experts", fill=LATTICE)
    return with_attributes(case, num_out_tokens=number)


def _unread(mode: str, tokens: int, experts: int, number: int, **given: Any) -> Case:
    """A call whose map is never read: it has too many tokens, experts or rows."""
    none = np.zeros((tokens, experts), np.bool_)
    return call(
        mode, "float16", tokens=(tokens, 1), routing_map=none, num_out_tokens=number, **given
    )


WRONG = {
    "probs are given, and permute_probs is null, padded": without(PADDED, "permute_probs"),
    "tokens are float64": retyped(RIGHT, "tokens", "float64"),
    "map is uint8": retyped(RIGHT, "routing_map", "uint8"),
    "numOutTokens is 21 of 20": _whole("dropless", 21),
    "numOutTokens is 21 of 20, padded": _whole("drop_pad", 21),
    "rows of the other mode": in_mode("drop_pad", with_attributes(RIGHT, drop_and_pad=1)),
    "2^24 - 1 tokens": _unread("drop_pad", LEAST_REFUSED, 1, 1, fill=LATTICE, held=(0,)),
    "2^24 - 1 experts": _unread("dropless", 1, LEAST_REFUSED, 1),
    f"topK is {TOP_K_OF_THE_HOST + 1}": sized("dropless", "float16", 3, 1, TOP_K_OF_THE_HOST + 1),
    "2^24 - 1 rows": _unread("dropless", LEAST_REFUSED // 255, 255, LEAST_REFUSED),
}
REJECTIONS = rejections(SIGNATURE, *RIGHT_CALLS, wrong=WRONG)


def quarantine() -> tuple[Quarantine, ...]:
    """What sources leave open, of calls that do no harm."""
    mixed = sized("dropless", "bfloat16", 4, 8, 2, probs=LATTICE)
    for name in ("probs", "permute_probs"):
        tensors = {**mixed.inputs, **mixed.outputs}
        mixed = retyped(mixed, name, "float32") if name in tensors else mixed
    axes = sized("dropless", "float16", 4, 15, 2)
    axes = replace(
        axes,
        inputs={**axes.inputs, "tokens": Tensor((4, 3, 5), "float16", fill=ADDRESSED)},
        outputs={**axes.outputs, "permute_tokens": Tensor((8, 3, 5), "float16")},
    )
    most = sized("dropless", "float32", 3, 8, TOP_K_OF_THE_HOST)
    more = sized("drop_pad", "float32", 1, 8, 1, experts=513, number=513, pattern="same experts")
    both = f"{README}; {TILING}"
    below = in_doubt("topK is below 512 by the document; the tiling takes 512", both)
    alone = in_doubt(
        "the document limits topK without padding only; the tiling in both modes", both
    )
    newer = in_doubt("refused by older host sources, allowed by newer ones", f"{HOST}; {INTERFACE}")
    two = in_doubt("tokens have two axes by the newer document, which no host checks", INTERFACE)
    return (
        Quarantine(f"topK is {TOP_K_OF_THE_HOST}", most, below),
        Quarantine("padded, more than 512 rows for a token", more, alone),
        Quarantine("bfloat16 tokens with float32 probs", mixed, newer),
        Quarantine("tokens of three axes", axes, two),
    )
