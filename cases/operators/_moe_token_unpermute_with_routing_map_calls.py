"""Calls of MoeTokenUnpermuteWithRoutingMap that sources name, and that it must reject."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from cases.operators._interface import NULL
from cases.operators._map_sums import DROPLESS, DTYPES, MAP, PADDED, PROBS, PROBS_DTYPES
from cases.operators._moe_token_unpermute_with_routing_map_call import (
    ACLNN,
    FUNCTION,
    HOST,
    INDICES,
    KERNELS,
    OUT,
    OUT_INDEX,
    PERMUTE_PROBS,
    SIGNATURE,
    TOKEN_ID,
    call,
    follows,
    weighted,
)
from cases.operators._slot_sum_cases import GAUSSIAN, weighted_row_sum
from cases.operators._values import bits
from conformance.call.case import Case, Tensor
from conformance.record.clause import inferred, source_read
from conformance.record.derive.rejections import rejections
from conformance.record.operator import Example, Quarantine, Rejection
from conformance.record.variations import (
    in_mode,
    reshaped,
    retyped,
    right_calls,
    with_attributes,
    without,
)
from conformance.values.fill import BITS, Fill
from reference.permutation import MOST_TOPK

LATTICE, PATTERNS = Fill(("lattice",), seed=1, terms=2), Fill((BITS,), seed=7)
ONE_TOKEN = 16
"""Rows of the one token that they name: they are added one after another on a machine."""


def in_order(
    mode: str,
    dtype: str,
    tokens: int,
    top_k: int,
    hidden: int,
    probs: str = "",
    fill: Fill = LATTICE,
) -> Case:
    """A call whose slots name rows 0, 1, 2...; padded, every expert has all tokens, by rising id.

    ``probs`` are their data type; "": that of the tokens.
    """
    slots = tokens * top_k
    ids = tuple(i % tokens for i in range(slots)) if mode in PADDED else tuple(range(slots))
    count = tokens if mode in PADDED else slots
    made = call(mode, dtype, source=(count, hidden), indices=ids, top_k=top_k, fill=fill)
    return weighted(made, probs or dtype, fill, experts=top_k) if mode.endswith("probs") else made


row_sum = weighted_row_sum(call, "dropless_probs", weighted)


def examples() -> tuple[Example, ...]:
    """Calls worked by hand, every pair of data types, limits, and calls that ask for little."""
    return (*_by_hand(), *_pairs(), *_limits(), *right_calls(ACLNN, *RIGHT_CALLS))


def _by_hand() -> Iterator[Example]:
    """Two tokens, three experts: 0 and 2 of token 0, 0 and 1 of token 1; padded, 0 and 1 have both
    tokens, expert 2 has token 0 twice."""
    by_hand = f"{FUNCTION}, by hand"
    numbers = bits("float32", 1, 2, 4, 8)
    flat = partial(call, dtype="float32", source=(4, 1), top_k=2, values=numbers)
    probs = bits("float32", 0.5, 9, 3, 0.25, -1, 9)
    weigh = partial(weighted, probs_dtype="float32", probs=probs, experts=3)
    marks = (1, 0, 1, 1, 1, 0)
    for map_dtype in ("int8", "bool"):
        yield Example(
            f"selected by the map, {map_dtype}",
            weigh(
                flat("dropless_probs", indices=(0, 3, 1, 2)), routing_map=marks, map_dtype=map_dtype
            ),
            f"{by_hand}; {KERNELS}",
            {OUT: (0.5 + 24, 0.5 - 4), PERMUTE_PROBS: (0.5, 3, 0.25, -1)},
        )
    yield Example(
        "an unused slot",
        weigh(flat("dropless_probs", indices=(0, 4, 1, 2)), routing_map=marks),
        by_hand,
        {OUT: (0.5, 0.5 - 4), PERMUTE_PROBS: (0.5, 3, 0.25, -1)},
    )
    yield Example("no probs", flat("dropless", indices=(0, 3, 4, 2)), by_hand, {OUT: (9, 4)})
    numbers = bits("float32", 1, 2, 4, 8, 16, 32)
    ids = (0, 1, 1, 0, 0, 0)
    rows = partial(call, dtype="float32", source=(2, 1), indices=ids, values=numbers)
    order = {TOKEN_ID: (0, 0, 0, 0, 1, 1), OUT_INDEX: (0, 3, 4, 5, 1, 2)}
    yield Example("padded, no probs", rows("padded"), by_hand, {OUT: (57, 6), **order})
    weighed = weigh(rows("padded_probs"))
    found = {OUT: (0.5 + 72 + 48 + 96, 0.5 - 4), PERMUTE_PROBS: (0.5, 0.25, -1, 9, 3, 3)}
    yield Example("padded", weighed, by_hand, {**found, **order})
    vendor = "ops-transformer, test_aclnn_moe_token_unpermute_with_routing_map.cpp"
    ones = bits("float32", 1, 1, 1, 1)
    printed = call("padded_probs", "float32", source=(2, 2), indices=(1, 1), values=ones)
    printed = weighted(printed, "float32", ones, experts=2, routing_map=(1, 1, 1, 1))
    found = {OUT: (0, 0, 2, 2), OUT_INDEX: (0, 1), TOKEN_ID: (1, 1), PERMUTE_PROBS: (1, 1)}
    yield Example("call example", printed, vendor, found)


def _pairs() -> Iterator[Example]:
    """Every pair of data types of tokens and probs, and every kind of pattern of probs."""
    for mode, dtype in ((mode, dtype) for mode in (DROPLESS[1], PADDED[1]) for dtype in DTYPES):
        for probs in PROBS_DTYPES[dtype]:
            case = in_order(mode, dtype, 5, 3, 33, probs, GAUSSIAN)
            yield Example(f"{dtype} tokens, {probs} probs, {mode}", case, f"{ACLNN}, parameters")
        moved = in_order(mode, dtype, 32, 4, 8)
        moved = replace(moved, inputs={**moved.inputs, PROBS: _filled(moved.inputs[PROBS])})
        yield Example(f"every kind of pattern {dtype}, {mode}", moved, FUNCTION)


def _filled(probs: Tensor) -> Tensor:
    return replace(probs, fill=PATTERNS)


def _limits() -> Iterator[Example]:
    constraints, empty = f"{ACLNN}, constraints", f"{HOST}, empty indices"
    wide = in_order("dropless_probs", "bfloat16", 2, MOST_TOPK, 8, "float32")
    yield Example(f"top_k {MOST_TOPK}", wide, constraints)
    yield Example("no probs, top_k 512", in_order("dropless", "float16", 2, 512, 8), constraints)
    one = call("padded", "float16", source=(3, 8), indices=(1,) * ONE_TOKEN, fill=GAUSSIAN)
    yield Example("all rows of one token", one, constraints)
    right = in_order("dropless_probs", "float16", 4, 2, 16)
    other = with_attributes(right, restore_shape=(7, 3))
    yield Example("another restore_shape beside probs", other, f"{KERNELS}: it is not read")
    beyond = in_order("dropless", "float32", 2, 2, 8)
    indices = replace(beyond.inputs[INDICES], values=(0, 4, 1, 9))
    beyond = replace(beyond, inputs={**beyond.inputs, INDICES: indices})
    yield Example("indices beyond the rows", beyond, f"{KERNELS}, index test")
    room = in_mode("dropless", without(RIGHT, PROBS))
    yield Example("a map and room for probs, but no probs", room, f"{HOST}: not looked at")
    for mode in (*DROPLESS, *PADDED):
        for name, hidden, slots in (
            ("hidden 0", 0, 4),
            ("no rows", 8, 0),
            ("no rows, no columns", 0, 0),
        ):
            if slots or mode in ("dropless", "padded"):
                case = call(
                    mode, "float32", source=(2, hidden), indices=tuple(range(2)) * (slots // 2)
                )
                case = case if slots else _of_tokens(case, 2)
                if mode.endswith("probs"):
                    case = weighted(case, "float32", LATTICE, experts=2)
                yield Example(f"{name}, {mode}", case, empty)


def _of_tokens(case: Case, tokens: int) -> Case:
    """The case without rows, of so many tokens."""
    hidden = case.outputs[OUT].shape[1]
    return with_attributes(reshaped(case, OUT, (tokens, hidden)), restore_shape=(tokens, hidden))


def quarantine() -> tuple[Quarantine, ...]:
    """Calls of which sources differ, or say nothing, that do no harm."""
    short = in_order("dropless_probs", "float32", 3, 2, 8)
    marks = replace(short.inputs[MAP], values=(1, 0, 1, 1, 1, 1))
    indices = replace(short.inputs[INDICES], values=(0, -1, 1, 2, 3, 4))
    short = replace(short, inputs={**short.inputs, MAP: marks, INDICES: indices})
    bare = without(in_order("padded_probs", "float32", 2, 2, 8), MAP)
    many = call("padded", "float32", source=(2, 8), indices=(0, 1, 0, 1, 0), fill=LATTICE)
    many = weighted(replace(many, mode="padded_probs"), "float32", LATTICE, experts=1)
    return (
        Quarantine(
            "short row and probs",
            short,
            inferred(
                "the kernel takes probs from the whole map without gaps: after a row of fewer"
                " experts each token has its neighbour's",
                f"{KERNELS}, inferred",
            ),
        ),
        Quarantine(
            "padded probs without a map",
            bare,
            follows("no equation reads the map; the parameters ask for it beside probs"),
        ),
        Quarantine(
            "a capacity above the tokens",
            many,
            source_read("it is warned of, and refused later", HOST),
        ),
    )


RIGHT = in_order("dropless_probs", "float32", 4, 2, 16)
PADDED_RIGHT = in_order("padded_probs", "float32", 4, 2, 16)
BARE = in_order("dropless", "float32", 4, 2, 16)
PADDED_BARE = in_order("padded", "float32", 4, 2, 16)
MIXED = in_order("dropless_probs", "bfloat16", 4, 2, 16, "float32")
RIGHT_CALLS = (RIGHT, PADDED_RIGHT, BARE, PADDED_BARE, MIXED)
WRONG = {
    "map is uint8": retyped(RIGHT, MAP, "uint8"),
    "8 rows, 3 tokens": _of_tokens(BARE, 3),
    "float32 tokens, bfloat16 probs": retyped(RIGHT, PROBS, "bfloat16"),
}
REJECTIONS = (
    *rejections(SIGNATURE, *RIGHT_CALLS, wrong=WRONG),
    *(
        Rejection(
            f"neither probs nor restore_shape, {case.mode}",
            with_attributes(case, restore_shape=None),
            NULL,
            source_read("one of the two must be given: it has the number of tokens", HOST),
        )
        for case in (BARE, PADDED_BARE)
    ),
)
