"""Calls of MoeTokenPermuteWithRoutingMapGrad that sources name, and that it must reject."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cases.operators._interface import INVALID
from cases.operators._moe_token_permute_with_routing_map_grad_call import (
    DTYPES,
    FIRST,
    FUNCTION,
    GRAD,
    HOST,
    INDICES,
    KERNELS,
    MAP,
    PROBS,
    PROBS_GRAD,
    README,
    SIGNATURE,
    TOKENS_GRAD,
    call,
    follows,
)
from cases.operators._values import bits
from conformance.call.case import Case, Machine
from conformance.draw.machines import UB_BYTES
from conformance.record.clause import source_read
from conformance.record.derive.rejections import rejections
from conformance.record.operator import Example, Quarantine, Rejection
from conformance.record.variations import (
    reshaped,
    retyped,
    right_calls,
    with_attributes,
    without,
    without_effect,
)
from conformance.values.fill import BITS, Fill
from reference.permutation import MOST_TOPK

GAUSSIAN, PATTERNS = Fill(("gaussian",), seed=1), Fill((BITS,), seed=7)
MANY_ROWS = 2**15 + 1


def row_sum(dtype: str, x: NDArray[np.generic]) -> Case:
    """One token whose slots are the rows of ``x`` [slots, columns]."""
    slots, columns = x.shape
    stored = np.ascontiguousarray(x).view(f"u{x.dtype.itemsize}").reshape(-1)
    indices = tuple(range(slots))
    return call(
        "dropless",
        dtype,
        grad=(slots, columns),
        indices=indices,
        tokens=1,
        experts=slots,
        values=tuple(stored.tolist()),
    )


def by_hand(mode: str, dtype: str, map_kind: str = "int8") -> Case:
    """Two tokens, three experts: a call that a person can work out.

    Experts 0 and 2 of token 0, 0 and 1 of token 1; padded, two rows of expert 0 and two of 1.
    """
    padded = mode == "drop_pad"
    return call(
        mode,
        dtype,
        grad=(4, 2),
        indices=(0, 1, 1, 0) if padded else (0, 3, 1, 2),
        tokens=2,
        experts=2 if padded else 3,
        probs="both",
        map_kind=map_kind,
        map_values=(1, 0, 1, 1) if padded else (1, 0, 1, 1, 1, 0),
        probs_values=bits(dtype, 1, 2, 3, 4),
        values=bits(dtype, 1, 10, 2, 20, 4, 40, 8, 80),
    )


UNPADDED_RESULT = {
    "tokens_grad": (9.0, 90.0, 6.0, 60.0),
    "probs_grad": (1.0, 0.0, 4.0, 2.0, 3.0, 0.0),
}
PADDED_RESULT = {"tokens_grad": (9.0, 90.0, 6.0, 60.0), "probs_grad": (1.0, 4.0, 2.0, 3.0)}


def in_order(
    dtype: str,
    tokens: int,
    top_k: int,
    hidden: int,
    probs: str = "neither",
    probs_fill: Fill = GAUSSIAN,
) -> Case:
    """A call without padding whose ranks are 0, 1, 2... and whose tokens go to all experts."""
    rows = tokens * top_k
    return call(
        "dropless",
        dtype,
        grad=(rows, hidden),
        indices=tuple(range(rows)),
        tokens=tokens,
        experts=max(top_k, 1),
        probs=probs,
        map_kind="absent" if probs == "neither" else "bool",
        map_values=(1,) * (tokens * max(top_k, 1)),
        probs_fill=probs_fill,
        fill=GAUSSIAN,
    )


def patterns(mode: str, dtype: str) -> Case:
    """A call whose probs have every kind of storage pattern; 64 tokens, 4 experts each."""
    if mode == "dropless":
        return in_order(dtype, 64, 4, 8, "both", PATTERNS)
    return call(
        mode,
        dtype,
        grad=(256, 8),
        indices=(*range(64), *range(63, -1, -1), *range(64), *range(1, 64), 0),
        tokens=64,
        experts=4,
        probs="both",
        map_kind="bool",
        map_values=(1,) * 256,
        probs_fill=PATTERNS,
        fill=GAUSSIAN,
    )


def examples() -> tuple[Example, ...]:
    """Calls worked out by hand; the sizes of the vendor's call example; limits; empty calls."""
    rows, experts = 4096, 256
    sizes = call(
        "drop_pad",
        "float32",
        grad=(rows, 8),
        indices=tuple(range(rows)),
        tokens=rows,
        experts=experts,
        probs="both",
        map_kind="int8",
        map_values=(1,) * (rows * experts),
        values=bits("float32", 1) * (rows * 8),
        probs_values=bits("float32", 1) * rows,
    )
    vendor = "ops-transformer, test_aclnn_moe_token_permute_with_routing_map_grad.cpp, sizes"
    padded = by_hand("drop_pad", "bfloat16")
    # On the smallest machine, as a person would want a case of so many rows.
    many_rows = call(
        "drop_pad",
        "float32",
        grad=(MANY_ROWS, 1),
        indices=tuple(reversed(range(MANY_ROWS))),
        tokens=MANY_ROWS,
        experts=1,
        fill=GAUSSIAN,
        machine=Machine(1, UB_BYTES[0]),
    )
    no_rows = call("dropless", "float16", grad=(0, 4), indices=(), tokens=3, experts=2)
    return (
        *(
            Example(f"worked out {dtype} {kind}", by_hand("dropless", dtype, kind), FUNCTION, one)
            for one in (UNPADDED_RESULT,)
            for dtype, kind in (("float16", "int8"), ("bfloat16", "bool"), ("float32", "int8"))
        ),
        Example("worked out, padded", padded, FUNCTION, PADDED_RESULT),
        Example("call example with hidden 8", sizes, vendor),
        Example("rows that 15 bits do not number", many_rows, f"{README}, int32 indices, inferred"),
        *(
            Example(f"every kind of pattern {mode} {dtype}", patterns(mode, dtype), FUNCTION)
            for mode in ("dropless", "drop_pad")
            for dtype in DTYPES
        ),
        *(
            Example(f"topK 512 {dtype}", in_order(dtype, 2, 512, 8, "both"), README)
            for dtype in DTYPES
        ),
        Example("one token of one expert", in_order("float16", 1, 1, 3, "both"), README),
        Example("neither probs nor map", in_order("float32", 4, 2, 16), README),
        *without_effect(f"{README}: of probs", in_order("float16", 4, 2, 16), num_experts=3),
        Example("hidden 0", in_order("float32", 2, 2, 0), f"{HOST}, empty tensors"),
        Example("hidden 0 with probs", in_order("float32", 2, 2, 0, "both"), f"{HOST}, empty"),
        Example("no rows", no_rows, f"{HOST}, empty tensors"),
        *right_calls(README, RIGHT, PADDED),
        *(
            Example(f"{told}, {case.mode}", without(case, lost), f"{README}, optional tensors")
            for lost, told in ((PROBS, "probs_grad of nothing"), (PROBS_GRAD, "no probs_grad"))
            for case in (RIGHT, PADDED)
        ),
    )


def sized(case: Case, tokens: int, experts: int) -> Case:
    """The same rows for another number of tokens and experts; map and outputs go with them."""
    case = with_attributes(case, tokens_num=tokens, num_experts=experts)
    for name in (MAP, PROBS_GRAD):
        case = reshaped(case, name, (tokens, experts))
    return reshaped(case, TOKENS_GRAD, (tokens, case.outputs[TOKENS_GRAD].shape[1]))


RIGHT = in_order("float32", 4, 2, 16, "both")
PADDED = by_hand("drop_pad", "float32")
BARE = in_order("float32", 4, 2, 16)
WRONG = {
    "no map for probs, padded": without(PADDED, MAP),
    "no map for probs, no room": without(without(RIGHT, MAP), PROBS_GRAD),
    "num_experts is 0, no probs": with_attributes(BARE, num_experts=0),
    "map is uint8": retyped(RIGHT, MAP, "uint8"),
    "map of rank 1, no probs": reshaped(without(without(RIGHT, PROBS), PROBS_GRAD), MAP, (8,)),
    "8 rows, 3 tokens": sized(RIGHT, tokens=3, experts=2),
    "4 rows, 3 experts, padded": sized(PADDED, tokens=2, experts=3),
    f"topK is {MOST_TOPK + 1}": in_order("float32", 2, MOST_TOPK + 1, 1),
}
REJECTIONS = (
    *rejections(SIGNATURE, RIGHT, PADDED, wrong=WRONG),
    # By a signature a null pointer counts before an attribute.
    Rejection(
        "tokens_num is 0 and the gradient null",
        with_attributes(without(RIGHT, GRAD), tokens_num=0),
        INVALID,
        source_read(FIRST, HOST),
    ),
)


def _named(case: Case, *indices: int) -> Case:
    tensor = replace(case.inputs[INDICES], values=indices)
    return replace(case, inputs={**case.inputs, INDICES: tensor})


def quarantine() -> tuple[Quarantine, ...]:
    """Calls of which no source says what they give, but that do no harm."""
    return (
        Quarantine(
            "a token twice in one expert",
            _named(PADDED, 0, 0, 1, 0),
            follows("two rows of an expert have one place in probs_grad: either may remain"),
        ),
        Quarantine(
            "ranks beyond the rows",
            _named(in_order("float32", 2, 2, 8), 0, 4, 1, 9),
            source_read("a rank from the number of rows on adds nothing, undocumented", KERNELS),
        ),
    )
