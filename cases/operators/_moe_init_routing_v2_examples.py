"""Calls of MoeInitRoutingV2 worked by hand, at lines of the vendor, and just inside each limit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from cases.operators._moe_init_routing_v2_call import (
    BEFORE,
    BEFORE_FLAG,
    COUNTS,
    COUNTS_FLAG,
    DTYPES,
    HOST,
    INFERRED,
    KERNELS,
    README,
    Shape,
    call,
)
from cases.operators._moe_init_routing_v2_rows import PERMUTE
from cases.operators._token_permute import Call
from cases.operators._token_permute_examples import ADDRESSED, PATTERNS, at_lines, far
from cases.operators._token_permute_sizes import MOST_TOP_K
from cases.operators._values import bits
from conformance.call.case import Case
from conformance.draw.keys import LARGEST_KEY
from conformance.record.operator import Example
from conformance.record.variations import with_attributes, without_effect

ROWS = ((1, 10), (2, 20), (3, 30))
EXPERTS: Shape = (1, 2, 3, 1, 2, 3)
"""Of three tokens with two experts each; no slot has expert 0."""

RANKS = (0, 2, 4, 1, 3, 5)
UNEVEN: Shape = (0, 2, 0, 3, 0, 2)
"""The same with three slots of expert 0 and none of expert 1."""

_ASKED = (
    ("", "before"),
    (", cumsum asked for", "cumsum, before"),
    (", counts asked for", "count, before"),
)
"""What else a call of drop/pad asks for, which has counts before the capacity alone."""


def examples() -> tuple[Example, ...]:
    """Every example."""
    lines = at_lines(
        PERMUTE, f"{HOST}: sizes at which it takes another branch", "dropless", "active"
    )
    return (
        *by_hand(call, README),
        *lines,
        *_inside(),
        *_odd(),
        *far(call_of_tokens, "active", last_two_first),
    )


def by_hand(made: Call, page: str) -> Iterator[Example]:
    """Three tokens of two experts each, in every mode and with every count, as ``made`` makes a
    call of the document ``page``."""
    equations = f"{page}, equations, by hand"
    dropped = f"{page}, function: drop mode, by hand"
    order = (0, 1, 0, 2, 1, 2)
    counts, sums = (0, 2, 2, 2), (0, 2, 4, 6)
    listed: dict[str, tuple[str, dict[str, Any], tuple[int, ...], dict[str, Shape]]] = {
        "all rows": ("dropless", {}, order, {}),
        "all rows, cumsum": ("dropless", {"counts": "cumsum"}, order, {COUNTS: sums}),
        "all rows, counts": ("dropless", {"counts": "count"}, order, {COUNTS: counts}),
        "4 rows": ("active", {"active_num": 4}, order[:4], {}),
        "4 rows, cumsum of all slots": (
            "active",
            {"active_num": 4, "counts": "cumsum"},
            order[:4],
            {COUNTS: sums},
        ),
        "1 row, counts of all slots": (
            "active",
            {"active_num": 1, "counts": "count"},
            order[:1],
            {COUNTS: counts},
        ),
        **{
            f"all rows, {told}, counts before capacity asked for": (
                "dropless",
                {"counts": f"{kind}, before"},
                order,
                {COUNTS: due},
            )
            for kind, told, due in (("cumsum", "cumsum", sums), ("count", "counts", counts))
        },
    }
    for kind, (mode, how, kept, more) in listed.items():
        case = _of_three(made, mode, EXPERTS, **how)
        expected = {"expanded_x": _moved(*kept), "expanded_row_idx": RANKS, **more}
        yield Example(f"three tokens of two experts, {kind}", case, equations, expected)
    for name, experts, capacity, tokens, places, before in (
        ("capacity 1", EXPERTS, 1, (None, 0, 0, 1), (1, 2, 3, -1, -1, -1), counts),
        (
            "capacity 2, uneven experts",
            UNEVEN,
            2,
            (0, 1, None, None, 0, 2, 1, None),
            (0, 4, 1, 6, -1, 5),
            (3, 0, 2, 1),
        ),
    ):
        expected = {"expanded_x": _moved(*tokens), "expanded_row_idx": places, BEFORE: before}
        for others, asked in _ASKED if capacity > 1 else _ASKED[:1]:
            case = _of_three(made, "drop_pad", experts, capacity=capacity, counts=asked)
            yield Example(f"three tokens of two experts, {name}{others}", case, dropped, expected)
    # Expert 1 drops its third slot, expert 2 has one slot for two rows.
    how = {"capacity": 2, "counts": "before", "expert_num": 3}
    full = _of_three(made, "drop_pad", (1, 0, 1, 2, 0, 1), **how)
    expected = {
        "expanded_x": _moved(0, 2, 0, 1, 1, None),
        "expanded_row_idx": (2, 0, 3, 4, 1, -1),
        BEFORE: (2, 3, 1),
    }
    yield Example("three tokens of two experts, two rows of each expert", full, dropped, expected)


def _of_three(made: Call, mode: str, experts: Shape, **how: Any) -> Case:
    values = bits("float32", *(value for row in ROWS for value in row))
    sizes: dict[str, Any] = {"x": (3, 2), "top_k": 2, "expert_num": 4}
    return made(mode, "float32", experts=experts, values=values, **{**sizes, **how})


def _moved(*tokens: int | None) -> tuple[float, ...]:
    """The rows of tokens, and zeros for None."""
    return tuple(float(v) for token in tokens for v in ((0, 0) if token is None else ROWS[token]))


def routed(
    mode: str,
    dtype: str,
    x: Shape,
    top_k: int,
    expert_num: int,
    pattern: int = 5,
    made: Call = call,
    **how: Any,
) -> Case:
    """A call of sizes whose slots take the experts in turn, ``pattern`` apart; rows tell theirs."""
    experts = tuple(slot * pattern % expert_num for slot in range(x[0] * top_k))
    how = {"fill": ADDRESSED, "experts": experts, **how}
    return made(mode, dtype, x=x, top_k=top_k, expert_num=expert_num, **how)


def _inside() -> Iterator[Example]:
    """A call just inside each limit, and with values that have no effect in its mode."""
    cases = {
        "activeNum 1": routed("active", "bfloat16", (4, 8), 2, 3, active_num=1),
        "activeNum of every slot": routed("active", "float16", (4, 8), 2, 3, active_num=8),
        "activeNum beyond every slot": routed("active", "float32", (4, 8), 2, 3, active_num=9),
        "a capacity of all tokens but one": routed(
            "drop_pad", "float16", (4, 8), 2, 3, capacity=3, counts="before"
        ),
        "one expert of capacity 1": routed("drop_pad", "float32", (2, 8), 1, 1, capacity=1),
        "drop/pad with an activeNum": routed(
            "drop_pad", "bfloat16", (4, 8), 2, 3, capacity=2, active_num=3
        ),
        "no number of experts": call(
            "dropless", "float32", x=(3, 8), top_k=2, experts=EXPERTS, fill=ADDRESSED
        ),
        "counts of one expert": routed("dropless", "float32", (5, 8), 1, 1, counts="cumsum"),
        "counts of experts without slots": routed(
            "dropless", "bfloat16", (1, 8), 2, 300, counts="count"
        ),
        "largest and smallest key": call(
            "dropless",
            "float32",
            x=(3, 1),
            top_k=1,
            experts=(LARGEST_KEY, 0, -5),
            fill=ADDRESSED,
        ),
    }
    yield from (Example(name, case, f"{README}, constraints") for name, case in cases.items())
    plain = routed("dropless", "float16", (4, 8), 2, 3)
    yield from without_effect(README, plain, expert_capacity=9, expert_num=4, **{BEFORE_FLAG: 1})
    every = routed("active", "float16", (4, 8), 2, 3, active_num=8, counts="cumsum")
    yield from without_effect(
        README, every, active_num=9, expert_capacity=9, expert_tokens_count_or_cumsum_flag=2
    )
    few = routed("active", "bfloat16", (4, 8), 2, 3, active_num=5)
    yield Example("activeNum 5", few, README)
    yield Example("activeNum 5 of other experts", with_attributes(few, expert_num=4), README)
    padded = routed("drop_pad", "float16", (4, 8), 2, 3, capacity=2)
    yield from without_effect(README, padded, active_num=3, **{COUNTS_FLAG: (1, 2)})
    for top_k in (MOST_TOP_K, MOST_TOP_K + 1):
        case = routed("dropless", "float16", (2, 8), top_k, 7, counts="count")
        yield Example(f"top_k {top_k}", case, f"{README}: no limit of K is named")


def _odd() -> Iterator[Example]:
    """Nothing to route, room for counts that no flag asks for, and every kind of pattern."""
    yield Example("no tokens", call("dropless", "float16", x=(0, 8), top_k=2), INFERRED)
    unasked = f"{KERNELS}: outputs that no flag asks for stay as they are"
    yield Example(
        "room for counts that are not asked for",
        routed("dropless", "float32", (3, 8), 2, 4, counts="given"),
        unasked,
    )
    yield Example(
        "room for counts that drop/pad is not asked for",
        routed("drop_pad", "float16", (3, 8), 2, 4, capacity=2, counts="given"),
        unasked,
    )
    counted = routed("active", "bfloat16", (3, 8), 2, 4, active_num=5, counts="cumsum")
    outputs = {**counted.outputs, BEFORE: counted.outputs[COUNTS]}
    yield Example("room for one more count", replace(counted, outputs=outputs), unasked)
    for dtype in DTYPES:
        patterns = routed("dropless", dtype, (32, 33), 8, 16, fill=PATTERNS)
        yield Example(f"every kind of pattern {dtype}", patterns, "values are moved, inferred")
        dropped = routed("drop_pad", dtype, (32, 33), 8, 16, capacity=7, fill=PATTERNS)
        yield Example(f"patterns of drop/pad {dtype}", dropped, "values are moved, inferred")


def call_of_tokens(mode: str, dtype: str, *, tokens: Shape, **how: Any) -> Case:
    """A call of one expert for each token."""
    return call(mode, dtype, x=tokens, top_k=1, **how)


def last_two_first(tokens: int) -> dict[str, Any]:
    """The last two tokens come first and are active."""
    return {"experts": (*(2 for _ in range(tokens - 2)), 1, 0), "active_num": 2}
