"""Calls of MoeInitRouting that its document names or works out, wrong ones, and those in doubt."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from cases.operators._interface import SORT, doubted
from cases.operators._moe_init_routing_call import (
    DOCUMENT,
    DTYPES,
    PERMUTE,
    SHUFFLED,
    SIGNATURE,
    TILING,
    Shape,
    call,
    row_numbers,
)
from cases.operators._moe_init_routing_v2_examples import ROWS, last_two_first
from cases.operators._token_permute import Call
from cases.operators._token_permute_examples import ADDRESSED, PATTERNS, at_lines, far
from cases.operators._token_permute_sizes import MOST_TOP_K
from cases.operators._values import bits
from conformance.call.case import Case
from conformance.draw.wide_keys import EXACT
from conformance.record.derive.rejections import rejections
from conformance.record.operator import Example, Quarantine
from conformance.record.variations import (
    in_mode,
    reshaped,
    retyped,
    right_calls,
    with_attributes,
    without_effect,
)
from conformance.values.fill import Fill

EXPERTS: Shape = (1, 2, 0, 1, 0, 2)
OTHER_ROWS: Shape = (4, 0, 5, 3, 1, 2)


def of_three(mode: str, made: Call = call, **how: Any) -> Case:
    """Three tokens of two experts each, as in the document's example."""
    return made(mode, "float32", **{"x": (3, 16), "top_k": 2, "experts": EXPERTS, **how})


def by_hand(made: Call, page: str) -> Iterator[Example]:
    """The example of a document with each number of active tokens, and other rows, as ``made``
    makes its calls."""
    told = bits("float32", *(value for row in ROWS for value in row))
    orders: dict[str, tuple[Shape | None, Shape, Shape]] = {
        "rows in columns": (None, (1, 2, 0, 1, 0, 2), (2, 0, 1, 4, 3, 5)),
        "rows in any order": (OTHER_ROWS, (2, 1, 1, 0, 0, 2), (4, 1, 5, 3, 2, 0)),
    }
    for (name, (rows, tokens, ranks)), active in (
        (order, active) for order in orders.items() for active in range(5)
    ):
        case = of_three(
            "active" if active < 3 else "dropless",
            made,
            **{"x": (3, 2), "rows": rows, "values": told, "active_num": active},
        )
        expected = {
            "expanded_x": tuple(float(v) for token in tokens[: 2 * active] for v in ROWS[token]),
            "expanded_row_idx": ranks,
            "expanded_expert_idx": (0, 0, 1, 1, 2, 2),
        }
        name_of_call = f"three tokens, {name}, activeNum {active}"
        yield Example(name_of_call, case, f"{page}, equations, by hand", expected)


def _shuffled(tokens: int, top_k: int) -> Shape:
    return tuple(row_numbers(SHUFFLED, tokens, top_k).tolist())


def odd(made: Call, page: str) -> Iterator[Example]:
    """Nothing to route, ids at the ends of their range, the most slots of a token; rows beyond 2^31
    elements."""
    yield Example("no tokens", made("dropless", "float16", x=(0, 8), top_k=2), page)
    ends = (EXACT, 1 - EXACT, 0, EXACT - 1, -1, 1 - EXACT)
    largest = of_three("dropless", made, experts=ends, fill=ADDRESSED)
    yield Example("largest and smallest expert", largest, f"{SORT}: as float32")
    several = of_three("dropless", made, fill=ADDRESSED)
    yield from without_effect(page, several, active_num=2**32 + 1)
    for top_k in (MOST_TOP_K, MOST_TOP_K + 1):
        experts = tuple(slot * 5 % 7 for slot in range(2 * top_k))
        given: dict[str, Any] = {"experts": experts, "rows": _shuffled(2, top_k)}
        case = made("active", "float16", x=(2, 8), top_k=top_k, active_num=1, **given)
        yield Example(f"top_k {top_k}", case, f"{page}: no limit of K is named")

    def of_tokens(mode: str, dtype: str, *, tokens: Shape, **how: Any) -> Case:
        return made(mode, dtype, x=tokens, top_k=1, **how)

    yield from far(of_tokens, "active", last_two_first)


def _patterns() -> Iterator[Example]:
    """Every kind of pattern."""
    for dtype in DTYPES:
        experts = tuple(slot * 5 % 16 for slot in range(32 * 8))
        given: dict[str, Any] = {"experts": experts, "rows": _shuffled(32, 8), "fill": PATTERNS}
        case = call("dropless", dtype, x=(32, 33), top_k=8, **given)
        yield Example(f"every kind of pattern {dtype}", case, "values are moved, inferred")


LATTICE = Fill(("lattice",), seed=1)
RIGHT = of_three("dropless", fill=LATTICE)
ACTIVE = of_three("active", fill=LATTICE, active_num=1, rows=OTHER_ROWS)
WRONG = {
    "x is float64": retyped(RIGHT, "x", "float64"),
    "every slot, activeNum 2": in_mode("active", with_attributes(RIGHT, active_num=2)),
    "experts of the active rows only": reshaped(ACTIVE, "expanded_expert_idx", (2,)),
}


def is_of_mode(case: Case) -> bool:
    """Whether activeNum leaves out tokens in active mode alone."""
    shape = case.inputs["x"].shape if "x" in case.inputs else ()
    few = bool(shape) and case.attributes["active_num"] < shape[0]
    return few == (case.mode == "active")


REJECTIONS = rejections(SIGNATURE, RIGHT, ACTIVE, wrong=WRONG, is_of_mode=is_of_mode)


def examples() -> tuple[Example, ...]:
    """Every example."""
    lines = f"{TILING}: sizes at which it takes another branch"
    return (
        *by_hand(call, DOCUMENT),
        *at_lines(PERMUTE, lines, "dropless", "active"),
        *odd(call, DOCUMENT),
        *_patterns(),
        *right_calls(DOCUMENT, RIGHT, ACTIVE),
    )


def quarantine(made: Call, page: str, tiling: str) -> tuple[Quarantine, ...]:
    """What sources leave open of calls as they are ``made``."""
    near = partial(made, "dropless", "float16", x=(4, 8), top_k=1, fill=ADDRESSED)
    found = {
        "neighbouring experts beyond 2^24": (
            near(experts=(2**24 + 1, 2**24, 5, 2**24 + 3)),
            "experts are sorted as fp32, where they are equal, and may come back rounded",
            SORT,
        ),
        "a row that two slots name": (
            near(experts=(3, 1, 2, 0), rows=(0, 1, 1, 3)),
            "a place of expandedRowIdx is written twice, another one never",
            page,
        ),
        "x without columns": (
            made("dropless", "float32", x=(3, 0), top_k=2, experts=EXPERTS),
            "some outputs are empty and others are not: copies of length 0",
            tiling,
        ),
        "top_k is 0": (
            made("dropless", "float32", x=(3, 4), top_k=0, rows=()),
            "no slots, and so no rows",
            tiling,
        ),
    }
    return doubted(found)


QUARANTINE = quarantine(call, DOCUMENT, TILING)
"""Rows beyond the slots have no place here: what they name lies outside of tensors."""
