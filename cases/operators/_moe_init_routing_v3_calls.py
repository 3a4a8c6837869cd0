"""Calls of MoeInitRoutingV3: worked by hand, at lines of the vendor, rejected, in quarantine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from cases.operators._interface import TILING_FAILED, in_doubt
from cases.operators._moe_init_routing_v2_examples import routed as v2_routed
from cases.operators._moe_init_routing_v3_call import (
    BASES,
    COUNTS,
    DTYPES,
    FLAG,
    HOST,
    KERNELS,
    KINDS,
    MODES,
    PAGE,
    RANGE,
    SIGNATURE,
    TYPE,
    Shape,
    call,
    counts_shown,
    is_of_mode,
    parts,
    read,
)
from cases.operators._moe_init_routing_v3_rows import PERMUTE
from cases.operators._token_permute import Call
from cases.operators._token_permute_examples import ADDRESSED, PATTERNS, at_lines, far
from cases.operators._values import bits
from conformance.call.case import Case, Machine
from conformance.record.call_rules import Range
from conformance.record.clause import source_read
from conformance.record.derive.rejections import rejections
from conformance.record.operator import Example, Quarantine, Rejection
from conformance.record.variations import (
    in_mode,
    reshaped,
    retyped,
    with_attributes,
    without_effect,
)
from conformance.values.fill import Fill
from reference.moe_init_routing_v3 import MOST_EXPERTS, MOST_PAIRS

BY_HAND = f"{PAGE}, equations, by hand"
TOKENS = ((0.1, 0.1), (0.2, 0.2), (0.3, 0.3))
PRINTED: Shape = (1, 2, 0, 3, 0, 2, 1, 3, 0, 1, 3, 2)
FOREIGN: Shape = (-1, 2, 2, 0)
CHOSEN: Shape = (1, 2, 3, 1, 2, 3)
LATTICE = Fill(("lattice",), seed=1)
FLOATS = partial(bits, "float32")


def examples() -> tuple[Example, ...]:
    """Every example."""
    lines = at_lines(
        PERMUTE, f"{HOST}: sizes at which it takes another branch", "dropless", "active"
    )
    return (
        *_by_hand(),
        *quantised(call, BY_HAND, "expanded_scale", {}, COUNTS),
        *_in_parts(),
        *lines,
        *_inside(),
        *_without_effect(),
        *_of_bytes(),
        *_far(),
    )


def _by_hand() -> Iterator[Example]:
    case = call(
        "active",
        "float32",
        x=(3, 2),
        top_k=4,
        experts=PRINTED,
        expert_num=256,
        active=(0, 4),
        scattered=True,
        capacity=4,
        active_num=12,
        values=FLOATS(*(value for row in TOKENS for value in row)),
    )
    rows = np.array(TOKENS, np.float32)[[0, 1, 2] * 4].ravel().tolist()
    slots = (2, 4, 8, 0, 6, 9, 1, 5, 11, 3, 7, 10)
    due = {"expanded_x": tuple(rows), "expanded_row_idx": slots, COUNTS: (3, 3, 3, 3)}
    yield Example("the call of the document's program", case, f"{PAGE}, program, by hand", due)
    counts = {"count": (2.0,), "cumsum": (2.0,), "pairs": (2.0, 2.0, *[0.0] * 6)}
    for kind, scattered in product(counts, (False, True)):
        case = call(
            "dropless",
            "float32",
            x=(2, 1),
            top_k=2,
            experts=FOREIGN,
            expert_num=4,
            active=(2, 3),
            counts=kind,
            scattered=scattered,
            scale=FLOATS(5, 6),
            values=FLOATS(1, 2),
        )
        due = {"expanded_row_idx": (1, 2, 0, 0) if scattered else (-1, 0, 1, -1)}
        due |= {COUNTS: counts[kind], "expanded_x": (1, 2, 0, 0), "expanded_scale": (5, 6, 0, 0)}
        specified = {name: one for name, one in due.items() if name in _whole(kind, scattered)}
        name = f"ids of other cards, {kind}, {'scatter' if scattered else 'gather'}"
        yield Example(name, case, BY_HAND, specified)
    padded = _of_three("drop_pad", x=(3, 1), capacity=2, values=FLOATS(1, 2, 3), fill=None)
    due = {
        "expanded_x": (0, 0, 1, 2, 1, 3, 2, 3),
        "expanded_row_idx": (2, 4, 6, 3, 5, 7),
        COUNTS: (0, 2, 2, 2),
    }
    yield Example("three tokens of two experts, capacity 2", padded, BY_HAND, due)


def _whole(kind: str, scattered: bool) -> set[str]:
    """The outputs of that call of which every element is specified."""
    return {*(() if kind == "pairs" else (COUNTS,)), *(() if scattered else ("expanded_row_idx",))}


def quantised(
    made: Call, source: str, scales: str, asked: dict[str, Any], counts: str
) -> Iterator[Example]:
    """Rows whose values are no ties, one without a slot: as ``made`` makes calls whose scales are
    an output of that name. With places ``counts`` are what a call is ``asked`` for."""
    one = partial(made, dtype="float32", top_k=1, expert_num=2)
    rows = 127, 0.25, -1.75, 2.25, -254, 1.5, 3.5, 127.5
    dynamic = one("dropless_dynamic", x=(2, 4), experts=(1, 1), values=FLOATS(*rows))
    due: dict[str, tuple[float, ...]] = {
        "expanded_x": (127, 0, -2, 2, -127, 1, 2, 64),
        scales: (1, 2),
    }
    yield Example("rows divided by powers of two", dynamic, source, due)
    three: dict[str, Any] = {
        "x": (3, 4),
        "experts": (1, 0, 1),
        "capacity": 2,
        "values": FLOATS(*rows[:4], *[0] * 4, *rows[4:]),
        **asked,
    }
    due = {scales: (0, 0, 1, 2), "expanded_row_idx": (2, 0, 3), counts: (1, 2)}
    zeros = one("drop_pad_dynamic", **three)
    yield Example("a row of zeros and one without a slot, dynamic", zeros, source, due)
    static = one("drop_pad_static", **three, scale=FLOATS(0.5), offset=FLOATS(3.25))
    due = {"expanded_x": (*[3] * 4, *[0] * 4, 67, 3, 2, 4, -124, 4, 5, 67)}
    yield Example("a row of zeros and one without a slot, static", static, source, due)


def _in_parts() -> Iterator[Example]:
    """Long rows that are quantised."""
    scaled: dict[str, Any] = {"scale": FLOATS(0.25), "offset": FLOATS(1)}
    for hidden, mode in product((9345, 14_945), ("active_static", "active_dynamic")):
        how = {"fill": LATTICE, "active_num": 3, **(scaled if mode == "active_static" else {})}
        case = routed(mode, "bfloat16", (2, hidden), 2, 3, **how)
        yield Example(f"rows of {hidden}, {mode}", case, f"{HOST}: rows in parts")


routed = partial(v2_routed, made=call)


def _inside() -> Iterator[Example]:
    """A call just inside each limit, with nothing to route, and with every kind of pattern."""
    four = partial(routed, x=(4, 8), top_k=2, expert_num=3)
    cases = {
        "activeNum -1": four("dropless", "float16", active_num=-1),
        "activeNum 1": four("active", "bfloat16", active_num=1),
        "activeNum beyond every slot": four("active", "float32", active_num=9),
        "a capacity of all tokens but one": four("drop_pad", "float16", capacity=3),
        "drop/pad without counts": four("drop_pad", "float16", capacity=2, counts="off"),
        "a range that no slot is in": four("dropless", "float16", active=(1, 3), pattern=3),
        "one expert": four("dropless", "float32", expert_num=1),
        "the most experts": call(
            "dropless", "float16", x=(2, 8), top_k=1, experts=(10239, 0), expert_num=MOST_EXPERTS
        ),
        "the most experts of pairs": call(
            "dropless",
            "float16",
            x=(2, 8),
            top_k=1,
            experts=(5119, 0),
            expert_num=MOST_PAIRS,
            counts="pairs",
        ),
        "ids beyond 2^24": call(
            "dropless",
            "float32",
            x=(4, 8),
            top_k=1,
            experts=(2**24 + 1, 2, 2**31 - 1, 1),
            expert_num=4,
            active=(1, 4),
            fill=ADDRESSED,
        ),
        "no tokens": call("dropless", "float16", x=(0, 8), top_k=2, expert_num=4),
        "no tokens and no counts": reshaped(
            call("dropless", "float16", x=(0, 8), top_k=2, expert_num=4, counts="off"), COUNTS, (0,)
        ),
        "no tokens, dynamic": call("dropless_dynamic", "float16", x=(0, 8), top_k=2, expert_num=4),
    }
    yield from (Example(name, case, f"{PAGE}, parameters") for name, case in cases.items())
    for dtype, mode in product(DTYPES, ("dropless", "drop_pad")):
        how = {"capacity": 7} if mode == "drop_pad" else {"scale": PATTERNS}
        case = routed(mode, dtype, (400, 3), 8, 16, fill=PATTERNS, **how)
        yield Example(f"every kind of pattern {mode} {dtype}", case, "values are moved, inferred")


def _without_effect() -> Iterator[Example]:
    """Calls in which attributes that their mode does not look at, or that choose, are otherwise."""
    for mode in MODES:
        base, end = parts(mode)
        how: dict[str, Any] = {"capacity": 2} if base == BASES[2] else {"active": (1, 3)}
        how |= {"scale": FLOATS(0.5), "offset": FLOATS(3)} if end == "_static" else {}
        others = {"active_num": {"active": 7, "dropless": -1}.get(base, 3), TYPE: 0}
        if base != BASES[2]:
            others |= {"expert_capacity": 9, "expert_num": 5, "row_idx_type": 1}
        active_num = 6 if base == "active" else 0
        case = _of_three(mode, counts="off", active_num=active_num, **how)
        yield from without_effect(PAGE, case, **others)


def _of_bytes() -> Iterator[Example]:
    """Rows of one byte an element: odd lengths, one column, rows in parts, and a scale of each
    token, as a program has them that quantises before it sends."""
    sizes = {
        "odd rows": ((9, 33), 3, None),
        "one column": ((70, 1), 2, None),
        "one expert each": ((40, 64), 1, None),
        "rows in parts": ((3, 5001), 2, Machine(2, 4096)),
    }
    for (name, (x, top_k, machine)), mode in product(sizes.items(), ("dropless", "drop_pad")):
        values = tuple(np.random.default_rng(x[0]).integers(-128, 128, x[0] * x[1]).tolist())
        how = {"capacity": 2} if mode == "drop_pad" else {"scale": ADDRESSED, "counts": "cumsum"}
        case = routed(mode, "int8", x, top_k, 8, fill=None, values=values, machine=machine, **how)
        yield Example(f"int8, {name}, {mode}", case, f"{PAGE}, parameters")


def _far() -> Iterator[Example]:
    def made(mode: str, dtype: str, *, tokens: Shape, **how: Any) -> Case:
        return call(mode, dtype, x=tokens, top_k=1, expert_num=3, **how)

    def last_two_first(tokens: int) -> dict[str, Any]:
        return {"experts": (*(2 for _ in range(tokens - 2)), 1, 0), "active_num": 2}

    return far(made, "active", last_two_first)


def _of_three(mode: str, *, expert_num: int = 4, **how: Any) -> Case:
    """Three tokens of two experts each."""
    given = {"x": (3, 16), "experts": CHOSEN, "fill": LATTICE, **how}
    return call(mode, "float32", top_k=2, expert_num=expert_num, **given)


PLAIN = _of_three("dropless", scale=LATTICE)
PAIRS = _of_three("dropless", counts="pairs", active=(1, 3), scale=LATTICE)
ACTIVE = _of_three("active", active_num=4, counts="cumsum", scale=LATTICE)
PADDED = _of_three("drop_pad", capacity=2)
STATIC = _of_three("dropless_static", scale=FLOATS(0.5), offset=FLOATS(3))
DYNAMIC = _of_three("dropless_dynamic", scale=LATTICE, active=(1, 4))
PLACES = _of_three("drop_pad_dynamic", capacity=1, scale=LATTICE)
RIGHT = (PLAIN, PAIRS, ACTIVE, PADDED, STATIC, DYNAMIC, PLACES)


def _ranged(*ends: int, **how: Any) -> Case:
    return _of_three("dropless", active=ends, **how)


WRONG = {
    "x is float64": retyped(PLAIN, "x", "float64"),
    "drop/pad without a capacity": _of_three("drop_pad", capacity=0),
    "a capacity beyond all tokens": _of_three("drop_pad", capacity=4),
    "a range beyond the experts": _ranged(0, 5),
    "a range of no expert": _ranged(2, 2),
    "a range from -1": _ranged(-1, 3),
    f"a range of {MOST_EXPERTS + 1}": _ranged(0, MOST_EXPERTS + 1, expert_num=MOST_EXPERTS + 1),
    f"pairs of {MOST_PAIRS + 1}": _ranged(
        0, MOST_PAIRS + 1, expert_num=MOST_PAIRS + 1, counts="pairs"
    ),
    "drop/pad of some experts": _of_three("drop_pad", capacity=2, active=(0, 3), counts="off"),
    "drop/pad with pairs": with_attributes(PADDED, **{TYPE: KINDS["pairs"][0]}),
    "every slot, activeNum 4": in_mode("active", with_attributes(PLAIN, active_num=4)),
    "factors of no expert": reshaped(DYNAMIC, "scale", (0, 16)),
    "places of rank 2": reshaped(PADDED, "expanded_x", (4 * 2, 16)),
    "indices of the active rows only": reshaped(ACTIVE, "expanded_row_idx", (4,)),
    "a flag that asks for counts of another shape": with_attributes(
        replace(PAIRS, outputs={**PAIRS.outputs, COUNTS: PLAIN.outputs[COUNTS]}), **{FLAG: 1}
    ),
}
FAR_ENDS = (
    Range(RANGE, None, MOST_EXPERTS, read(f"a range ends at {MOST_EXPERTS} at most"), at=1),
    Range(
        "experts of pairs",
        None,
        MOST_PAIRS,
        read(f"with pairs a range ends at {MOST_PAIRS} at most"),
        of=lambda case: (
            case.attributes[RANGE][-1]
            if counts_shown(case) == ("pairs",) and case.attributes[RANGE]
            else None
        ),
    ),
)
REJECTIONS = (
    *rejections(SIGNATURE, *RIGHT, wrong=WRONG, is_of_mode=is_of_mode),
    Rejection(  # by the signature the rows of such a call have the data type of x
        "quantMode 2 with rows of int8",
        with_attributes(DYNAMIC, quant_mode=2),
        TILING_FAILED,
        read("quantMode 2 is of Ascend950 alone"),
    ),
)


def quarantine() -> tuple[Quarantine, ...]:
    """What sources leave open."""
    special = Fill(("special",), seed=3)
    found = {
        "drop/pad, not quantised, with a scale": (
            _of_three("drop_pad", capacity=2, scale=LATTICE),
            source_read("no kernel writes expandedScaleOut there; the document has it", KERNELS),
        ),
        "an id beyond all experts": (
            _of_three("dropless", expert_num=3),
            source_read("the slot is ranked and has a row, and is not counted", KERNELS),
        ),
        "a capacity of all tokens": (
            _of_three("drop_pad", capacity=3),
            in_doubt("the document has less than all tokens, the host takes as many", HOST),
        ),
        "no range": (
            with_attributes(_of_three("dropless"), **{RANGE: None}),
            in_doubt("the host takes a range of no numbers for all experts", HOST),
        ),
        "infinities and NaN, static": (
            _of_three("dropless_static", fill=special, scale=FLOATS(1), offset=FLOATS(0)),
            in_doubt("what quantised infinities and NaN become is not said", PAGE),
        ),
        "infinities and NaN, dynamic": (
            _of_three("dropless_dynamic", fill=special),
            in_doubt("what quantised infinities and NaN become is not said", PAGE),
        ),
        "x without columns": (
            _of_three("dropless", x=(3, 0)),
            in_doubt("some outputs are empty and others are not: copies of length 0", KERNELS),
        ),
        "top_k is 0": (
            call("dropless", "float32", x=(3, 4), top_k=0, expert_num=4),
            in_doubt("no slots, and so no rows, but counts of them", KERNELS),
        ),
    }
    return tuple(Quarantine(name, *one) for name, one in found.items())
