"""Calls of MoeInitRoutingQuantV2: worked by hand, at limits, rejected, in quarantine."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from cases.operators._interface import SORT, doubted
from cases.operators._moe_init_routing_quant_v2_call import (
    DTYPES,
    ENDS,
    MODES,
    PAGE,
    SCALES,
    SIGNATURE,
    Shape,
    call,
)
from cases.operators._moe_init_routing_quant_v2_rows import PERMUTE
from cases.operators._moe_init_routing_v2_call import BEFORE, BEFORE_FLAG, COUNTS_FLAG
from cases.operators._moe_init_routing_v2_examples import EXPERTS, by_hand, last_two_first
from cases.operators._moe_init_routing_v2_examples import routed as v2_routed
from cases.operators._moe_init_routing_v3_call import BASES, QUANTISED, is_of_mode, parts
from cases.operators._moe_init_routing_v3_calls import FLOATS, TOKENS, quantised
from cases.operators._token_permute import Call
from cases.operators._token_permute_examples import at_lines, far
from cases.operators._token_permute_sizes import MOST_TOP_K
from cases.operators._values import bits
from conformance.call.case import Case
from conformance.draw.keys import LARGEST_KEY
from conformance.record.derive.rejections import rejections
from conformance.record.operator import Example, Quarantine
from conformance.record.variations import in_mode, reshaped, with_attributes, without_effect
from conformance.values.fill import Fill

ONE: dict[str, Any] = {"scale": FLOATS(1), "offset": FLOATS(0)}
"""A scale and an offset that change nothing."""

FACTORS, VALUES = (Fill(("gaussian",), seed) for seed in (2, 4))
routed = partial(v2_routed, made=call, fill=VALUES)


def examples() -> tuple[Example, ...]:
    """Every example."""
    lines = "MoeInitRoutingV3: sizes at which its host tiling takes another branch"
    asked = {"counts": "before"}
    return (
        _of_the_program(),
        *by_hand(_kept, PAGE),
        *quantised(call, f"{PAGE}, equations, by hand", SCALES, asked, BEFORE),
        *in_half(_kept, PAGE),
        *at_lines(PERMUTE, lines, "dropless_dynamic", "active_dynamic"),
        *_inside(),
        *_without_effect(),
        *far(_of_tokens, "active_dynamic", last_two_first),
    )


def _of_the_program() -> Example:
    """0.1, 0.2 and 0.3 times 0.3452, plus 1.8369: 1.871, 1.906 and 1.940."""
    case = call(
        "drop_pad_static",
        "float32",
        x=(3, 4),
        top_k=2,
        experts=(1, 2, 0, 1, 0, 2),
        expert_num=3,
        capacity=2,
        counts="before",
        scale=FLOATS(0.3452),
        offset=FLOATS(1.8369),
        values=FLOATS(*(row[0] for row in TOKENS for _ in range(4))),
    )
    due = {"expanded_x": (2,) * 24, "expanded_row_idx": (2, 4, 0, 3, 1, 5), BEFORE: (2, 2, 2)}
    return Example("the call of the document's program", case, f"{PAGE}, program, by hand", due)


def _kept(mode: str, dtype: str, **how: Any) -> Case:
    """A call whose static quantisation keeps small integers."""
    return call(f"{mode}{ENDS[0]}", dtype, **ONE, **how)


def in_half(made: Call, page: str) -> Iterator[Example]:
    """Values that become one integer whether they are computed in float32 or in halves: within
    int8, at its ends, and beyond both. ``made`` makes calls that change nothing else of them."""
    rows = (127, 128, 5000, -128, -129, -5000, 0.49, -0.51)
    due = {"expanded_x": (127, 127, 127, -128, -128, -128, 0, -1), "expanded_row_idx": (0,)}
    for dtype in DTYPES:
        case = made("dropless", dtype, x=(1, 8), top_k=1, values=bits(dtype, *rows))
        yield Example(f"values within int8 and beyond, {dtype}", case, f"{page}, by hand", due)


def _inside() -> Iterator[Example]:
    """A call just inside each limit, with each shape of a scale, and with nothing to route."""
    four = partial(routed, x=(4, 8), top_k=2, expert_num=3)
    padded = partial(four, "drop_pad_dynamic", "float16", counts="before")
    three = partial(call, "dropless_dynamic", "float32", x=(3, 8), top_k=2, fill=VALUES)
    cases = {
        "activeNum 1": four("active_dynamic", "bfloat16", active_num=1),
        "activeNum of every slot": four("active_static", "float16", active_num=8, **ONE),
        "activeNum beyond every slot": four("active_dynamic", "float32", active_num=9),
        "a capacity of all tokens but one": padded(capacity=3),
        "a capacity of all tokens": padded(capacity=4),
        "a capacity of all tokens, static": four("drop_pad_static", "float32", capacity=4, **ONE),
        "one expert of capacity 1": routed("drop_pad_dynamic", "float32", (2, 8), 1, 1, capacity=1),
        "drop/pad with an activeNum": padded(capacity=2, active_num=3),
        "no number of experts": three(experts=EXPERTS),
        "counts of one expert": routed(
            "dropless_dynamic", "float32", (5, 8), 1, 1, counts="cumsum"
        ),
        "counts of experts without slots": routed(
            "dropless_static", "bfloat16", (1, 8), 2, 300, counts="count", **ONE
        ),
        "factors of each expert": three(experts=EXPERTS, expert_num=4, scale=FACTORS),
        "factors for all experts": three(
            experts=EXPERTS, expert_num=4, scale=FACTORS, one_row=True
        ),
        "factors for any number of experts": three(experts=EXPERTS, scale=FACTORS, one_row=True),
        "an offset of dynamic quantisation": three(experts=EXPERTS, offset=FLOATS(100)),
        "largest expert": three(experts=(LARGEST_KEY, 0, LARGEST_KEY, 5, 1, 0)),
        "room for what is not asked for": four("dropless_static", "float32", counts="given", **ONE),
        "room for counts that drop/pad is not asked for": four(
            "drop_pad_dynamic", "float16", capacity=2, counts="given"
        ),
        "no tokens": call("dropless_static", "float16", x=(0, 8), top_k=2, **ONE),
        "no tokens, dynamic": call("dropless_dynamic", "bfloat16", x=(0, 8), top_k=2),
    }
    yield from (Example(name, case, f"{PAGE}, parameters") for name, case in cases.items())
    for top_k in (MOST_TOP_K, MOST_TOP_K + 1):
        case = routed("dropless_dynamic", "float16", (2, 8), top_k, 7, counts="count")
        yield Example(f"top_k {top_k}", case, f"{PAGE}: no limit of K is named")


def _without_effect() -> Iterator[Example]:
    """Calls in which attributes that their mode does not look at, or that choose, are otherwise."""
    for mode in MODES:
        base, _ = parts(mode)
        how = {BASES[1]: {"active_num": 6}, BASES[2]: {"capacity": 2}}.get(base, {})
        unheeded = {COUNTS_FLAG: (1, 2)} if base == BASES[2] else {BEFORE_FLAG: 1}
        others = {"active_num": 3} if base == BASES[2] else {"expert_capacity": 9, "expert_num": 5}
        others |= {"active_num": 7} if base == BASES[1] else {}
        yield from without_effect(PAGE, of_three(mode, **how), **others, **unheeded)
        for counts in ("count", "cumsum") if base != BASES[2] else ():
            case = of_three(mode, counts=counts, **how)
            yield Example(f"{counts} of all slots, {mode}", case, f"{PAGE}, parameters")


def _of_tokens(mode: str, dtype: str, *, tokens: Shape, **how: Any) -> Case:
    """A call of one expert for each token."""
    return call(mode, dtype, x=tokens, top_k=1, **how)


def of_three(mode: str, *, expert_num: int = 4, **how: Any) -> Case:
    """Three tokens of two experts each."""
    given: dict[str, Any] = {"x": (3, 16), "top_k": 2, "experts": EXPERTS, "fill": VALUES}
    given |= {"scale": FLOATS(0.5), "offset": FLOATS(3)} if mode.endswith(ENDS[0]) else {}
    return call(mode, "float32", expert_num=expert_num, **{**given, **how})


STATIC = of_three("dropless_static")
COUNTED = of_three("dropless_static", counts="count")
ACTIVE = of_three("active_static", active_num=4)
PADDED = of_three("drop_pad_static", capacity=2, counts="before")
DYNAMIC = of_three("dropless_dynamic", scale=FACTORS, offset=FLOATS(3))
SUMMED = of_three("active_dynamic", active_num=4, counts="cumsum", scale=FACTORS, one_row=True)
PLACES = of_three("drop_pad_dynamic", capacity=1, scale=FACTORS)
RIGHT = (STATIC, COUNTED, ACTIVE, PADDED, DYNAMIC, SUMMED, PLACES)
_padded = partial(of_three, "drop_pad_static")
WRONG = {
    "drop/pad without experts": _padded(capacity=2, expert_num=0),
    "drop/pad without a capacity": _padded(capacity=0),
    "a capacity beyond all tokens": _padded(capacity=4),
    "cumsum of no experts": of_three("dropless_dynamic", expert_num=0, counts="cumsum"),
    "counts of no experts": of_three("active_static", expert_num=0, counts="count", active_num=4),
    "every slot, activeNum 4": in_mode("active_static", with_attributes(STATIC, active_num=4)),
    "4 rows without activeNum": in_mode("dropless_static", with_attributes(ACTIVE, active_num=0)),
    "places of rank 2": reshaped(PADDED, "expanded_x", (4 * 2, 16)),
    "indices of the active rows only": reshaped(ACTIVE, "expanded_row_idx", (4,)),
    "static quantisation with a scale of each row": reshaped(STATIC, "scale", (4, 16)),
}
OWN_ENDS = {end: QUANTISED[end] for end in ENDS}
REJECTIONS = rejections(
    SIGNATURE, *RIGHT, wrong=WRONG, is_of_mode=partial(is_of_mode, ends=OWN_ENDS)
)


def quarantine() -> tuple[Quarantine, ...]:
    """What sources leave open."""
    special = Fill(("special",), seed=3)
    beyond = (2**24 + 1, 2**24, 5, 2**24 + 3)
    found = {
        "neighbouring experts beyond 2^24": (
            call("dropless_static", "float16", x=(4, 8), top_k=1, experts=beyond, **ONE),
            f"experts are sorted as fp32, where they are equal: any order of theirs ({SORT})",
        ),
        "infinities and NaN, static": (
            of_three("dropless_static", fill=special),
            "what quantised infinities and NaN become is not said",
        ),
        "infinities and NaN, dynamic": (
            of_three("dropless_dynamic", fill=special),
            "what quantised infinities and NaN become is not said",
        ),
        "x without columns": (
            of_three("dropless_dynamic", x=(3, 0)),
            "some outputs are empty and others are not: copies of length 0",
        ),
        "no tokens, and counts of them": (
            call("dropless_dynamic", "float16", x=(0, 8), top_k=2, expert_num=4, counts="count"),
            "some outputs are empty and others are not: counts of no slots",
        ),
        "top_k is 0": (
            call("dropless_dynamic", "float32", x=(3, 4), top_k=0, expert_num=4, counts="cumsum"),
            "no slots, and so no rows, but counts of them",
        ),
    }
    return doubted({name: (*one, PAGE) for name, one in found.items()})
