"""Calls of MoeTokenUnpermuteWithRoutingMapGrad that sources name, and that it must reject."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from cases.operators._map_sums import DROPLESS, DTYPES, MAP, PADDED, PROBS, PROBS_DTYPES
from cases.operators._moe_token_unpermute_with_routing_map_grad_call import (
    ACLNN,
    FUNCTION,
    GRAD,
    KERNELS,
    OUT_INDEX,
    PROBS_GRAD,
    SIGNATURE,
    TILING,
    TOKEN_ID,
    TOKENS_GRAD,
    call,
    stated,
    weighted,
)
from cases.operators._slot_grads import with_data
from cases.operators._slot_sum_cases import GAUSSIAN
from cases.operators._values import bits
from conformance.call.case import Case, Tensor
from conformance.record.clause import inferred
from conformance.record.derive.rejections import rejections
from conformance.record.operator import Example, Quarantine
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

PATTERNS = Fill((BITS,), seed=7)
TORCH = "op-plugin, the autograd formula of npu_moe_token_unpermute_with_routing_map"


def in_order(mode: str, dtype: str, tokens: int, top_k: int, hidden: int, probs: str = "") -> Case:
    """A call whose slots name rows 0, 1, 2...; padded, every expert has all tokens, by rising id.

    ``probs`` are their data type; "": that of the tokens.
    """
    slots = tokens * top_k
    ids = tuple(i % tokens for i in range(slots)) if mode in PADDED else tuple(range(slots))
    count = tokens if mode in PADDED else slots
    made = call(mode, dtype, source=(count, hidden), indices=ids, top_k=top_k, fill=GAUSSIAN)
    if not mode.endswith("probs"):
        return made
    return weighted(made, probs or dtype, GAUSSIAN, experts=top_k, tokens=GAUSSIAN)


def examples() -> tuple[Example, ...]:
    """Calls worked by hand, every pair of data types, limits, and what no draw makes."""
    return (*_by_hand(), *_pairs(), *_limits(), *right_calls(ACLNN, *RIGHT_CALLS))


def _by_hand() -> Iterator[Example]:
    """Two tokens, three experts: 0 and 2 of token 0, 0 and 1 of token 1; padded, experts 0 and 1
    have both tokens, expert 2 too, in another order.
    """
    by_hand, f32 = f"{FUNCTION}, by hand", partial(bits, "float32")
    probs, grads = f32(0.5, 9, 3, 0.25, -1, 9), f32(1, 2, 3, -1)
    marks = (1, 0, 1, 1, 1, 0)
    weigh = partial(weighted, probs_dtype="float32", probs=probs, experts=3)
    flat = partial(call, "dropless_probs", "float32", source=(4, 2), top_k=2)
    rows = f32(1, 2, 3, 4, 5, 6, 7, 8)
    for map_dtype in ("int8", "bool"):
        case = flat(indices=(0, 3, 1, 2))
        case = weigh(case, map_dtype=map_dtype, routing_map=marks, tokens=rows)
        found = {
            TOKENS_GRAD: (0.5, 1, 0.75, -0.25, -3, 1, 3, 6),
            PROBS_GRAD: (5, 0, 23, 5, 9, 0),
        }
        case = with_data(case, {GRAD: grads})
        yield Example(f"selected by the map, {map_dtype}", case, by_hand, found)
    short = weigh(flat(indices=(0, 4, 1, 2)), routing_map=(0, 0, 1, 1, 1, 0), tokens=rows)
    short = with_data(short, {GRAD: grads})
    yield Example("a token of fewer experts", short, f"{ACLNN}, function")
    moved = call("dropless", "float32", source=(4, 1), indices=(2, 0, 1, 3), top_k=2)
    moved = with_data(moved, {GRAD: f32(1, 2)})
    yield Example("no probs", moved, by_hand, {TOKENS_GRAD: (1, 2, 1, 2)})
    padded = partial(call, dtype="float32", source=(2, 1), indices=(0, 1, 0, 1, 1, 0))
    case = with_data(padded("padded"), {GRAD: f32(1, 2)})
    yield Example("padded, no probs", case, by_hand, {TOKENS_GRAD: (1, 2, 1, 2, 2, 1)})
    case = weigh(padded("padded_probs"), tokens=f32(1, 2, 4, 8, 16, 32))
    found = {TOKENS_GRAD: (0.5, 0.5, 9, -2, 18, 3), PROBS_GRAD: (1, 4, 32, 4, 16, 32)}
    case = with_data(case, {GRAD: f32(1, 2)})
    yield Example("padded", case, by_hand, found)
    entries = {OUT_INDEX: (3, 0, 5, 4, 2, 1), TOKEN_ID: (1, 0, 0, 1, 0, 1)}
    yield Example("padded, entries in another order", with_data(case, entries), by_hand, found)
    vendor = "ops-transformer, test_aclnn_moe_token_unpermute_with_routing_map_grad.cpp"
    ones = f32(1, 1)
    printed = call("dropless_probs", "float32", source=(2, 2), indices=(0, 1), top_k=2)
    printed = weighted(printed, "float32", ones, experts=2, tokens=ones + ones)
    found = {TOKENS_GRAD: (1, 1, 1, 1), PROBS_GRAD: (2, 2)}
    yield Example("call example", with_data(printed, {GRAD: ones}), vendor, found)


def _pairs() -> Iterator[Example]:
    """Every pair of data types of tokens and probs, and every kind of pattern of gradients."""
    for mode, dtype in ((mode, dtype) for mode in (DROPLESS[1], PADDED[1]) for dtype in DTYPES):
        for probs in PROBS_DTYPES[dtype]:
            case = in_order(mode, dtype, 5, 3, 33, probs)
            yield Example(f"{dtype} tokens, {probs} probs, {mode}", case, f"{ACLNN}, parameters")
    for mode, dtype in ((mode, dtype) for mode in (DROPLESS[0], PADDED[0]) for dtype in DTYPES):
        moved = with_data(in_order(mode, dtype, 32, 4, 8), {GRAD: PATTERNS})
        yield Example(f"every kind of pattern {dtype}, {mode}", moved, FUNCTION)


def _limits() -> Iterator[Example]:
    constraints = f"{ACLNN}, constraints"
    wide = in_order("dropless_probs", "bfloat16", 2, MOST_TOPK, 8, "float32")
    yield Example(f"top_k {MOST_TOPK}", wide, constraints)
    yield Example("one element", in_order("dropless_probs", "float32", 1, 1, 1), constraints)
    other = with_attributes(RIGHT, restore_shape=(7, 3))
    yield Example("another restore_shape", other, f"{TILING}: it is not read")
    for case in (RIGHT, BARE):
        ranks = replace(case.inputs[TOKEN_ID], values=case.inputs[OUT_INDEX].values)
        case = replace(case, inputs={**case.inputs, TOKEN_ID: ranks})
        yield Example(f"ranks in place of token ids, {case.mode}", case, TORCH)
    gap = with_data(RIGHT, {OUT_INDEX: (0, 1, -1, 3, 4, 5, 6, 7)})
    yield Example("an unused slot before one in use", gap, f"{KERNELS}, index test")
    none = call("dropless_probs", "float16", source=(1, 8), indices=(1,) * 6, top_k=2)
    none = weighted(none, "float16", GAUSSIAN, experts=3, tokens=GAUSSIAN)
    yield Example("no slot is used", none, f"{ACLNN}, function")


def _of_one_expert(case: Case) -> Case:
    """The call with one expert, for all of its slots, or rows."""
    for name in (MAP, PROBS, PROBS_GRAD):
        case = reshaped(case, name, (case.inputs[GRAD].shape[0], 1))
    return case


def quarantine() -> tuple[Quarantine, ...]:
    """Calls of which sources differ, or say nothing, that do no harm."""
    bare = replace(BARE, outputs={**BARE.outputs, PROBS_GRAD: Tensor((4, 2), "float32")})
    full = in_mode("dropless", without(without(RIGHT, PROBS), PROBS_GRAD))
    return (
        Quarantine(
            "two slots name one row",
            with_data(BARE, {OUT_INDEX: (0, 1, 1, 3, 4, 5, 6, 7)}),
            stated("two gradients are assigned to one row: either may remain", "function"),
        ),
        Quarantine(
            "a token twice in one expert",
            with_data(PADDED_RIGHT, {TOKEN_ID: (0, 0, 1, 1, 2, 2, 2, 3)}),
            stated("two sums are assigned to one prob: either may remain", "function"),
        ),
        Quarantine(
            "probs_grad without probs",
            bare,
            stated("without probs it is a null pointer", "parameters"),
        ),
        Quarantine(
            "map and tokens without probs",
            full,
            stated("without probs they are null pointers", "parameters"),
        ),
        Quarantine(
            "hidden 0, no probs",
            in_order("dropless", "float32", 4, 2, 0),
            inferred("without an output element nothing is done", "interface: empty tensors"),
        ),
        Quarantine(
            "a short row whose last slot names a row",
            with_data(RIGHT, {MAP: (1, 0, 1, 1, 1, 1, 1, 1)}),
            inferred("no expert gives that slot a prob", FUNCTION),
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
    "float32 tokens, bfloat16 probs": retyped(RIGHT, PROBS, "bfloat16"),
    f"top_k is {MOST_TOPK + 1}": in_order("dropless_probs", "float32", 2, MOST_TOPK + 1, 8),
    "map is null, padded": without(PADDED_RIGHT, MAP),
    "2 slots of a token, 1 expert": _of_one_expert(RIGHT),
    "capacity 8, 4 tokens": _of_one_expert(PADDED_RIGHT),
}
REJECTIONS = rejections(SIGNATURE, *RIGHT_CALLS, wrong=WRONG)
