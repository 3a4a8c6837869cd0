"""Calls of MoeTokenPermuteWithRoutingMap: worked out by hand, at limits, and for nothing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from cases.operators._moe_token_permute_with_routing_map_call import (
    CONSTRAINTS,
    DTYPES,
    FUNCTION,
    HOST,
    MODES,
    README,
    Mask,
    call,
)
from cases.operators._moe_token_permute_with_routing_map_maps import MAP_DTYPES, mask
from cases.operators._moe_token_permute_with_routing_map_sizes import MOST_TOP_K
from cases.operators._token_permute_examples import ADDRESSED, CHIP, PATTERNS, far
from cases.operators._token_permute_sizes import LISTS_OF_ONE_MERGE, one_core_slots, row_columns
from cases.operators._values import bits
from conformance.call.case import Case, numpy_dtype
from conformance.record.chips import USABLE_UB_BYTES
from conformance.record.operator import Example
from conformance.record.variations import without
from conformance.values.fill import Fill

PRINTED = "ops-transformer, test_aclnn_moe_token_permute_with_routing_map.cpp"
VENDOR_SORT = "ops-transformer, tiling of the sorts that MoeTokenPermuteWithEp has too, sizes"
CARRIED = "ops-transformer, host sources: just inside a limit that they check"
INFERRED = "interface behaviour, inferred"


def given(*rows: str) -> Mask:
    """A map from a row of 0 and 1 for every token."""
    return np.array([[mark == "1" for mark in row] for row in rows])


def by_hand(
    mode: str, dtype: str, map_dtype: str = "int8", number: int | None = None, probs: bool = True
) -> Case:
    """Three tokens and three experts; padded, a capacity of two.

    Expert 0 has token 1; expert 1 has tokens 0 and 2, expert 2 all three.
    """
    return call(
        mode,
        dtype,
        tokens=(3, 2),
        routing_map=given("011", "101", "011"),
        num_out_tokens=6 if number is None else number,
        map_dtype=map_dtype,
        probs=bits(dtype, 1, 2, 3, 4, 5, 6, 7, 8, 9) if probs else None,
        values=bits(dtype, 1, 10, 2, 20, 3, 30),
    )


UNPADDED_RESULT = {
    "permute_tokens": (2.0, 20.0, 1.0, 10.0, 3.0, 30.0, 1.0, 10.0, 2.0, 20.0, 3.0, 30.0),
    "sorted_indices": (1.0, 3.0, 0.0, 4.0, 2.0, 5.0),
    "permute_probs": (4.0, 2.0, 8.0, 3.0, 6.0, 9.0),
}
"""Rows of token 1; of 0 and 2; of 0, 1 and 2. Token 0 has rows 1 and 3, 1 has 0 and 4, 2 has 2 and
5."""

PADDED_RESULT = {
    "permute_tokens": (2.0, 20.0, 1.0, 10.0, 1.0, 10.0, 3.0, 30.0, 1.0, 10.0, 2.0, 20.0),
    "sorted_indices": (1.0, 0.0, 0.0, 2.0, 0.0, 1.0),
    "permute_probs": (4.0, 1.0, 2.0, 8.0, 3.0, 6.0),
}
"""Expert 0 is filled up with token 0 and its probability, expert 1 is full, 2 drops token 2."""


def examples() -> tuple[Example, ...]:
    """Every example of the record."""
    return (
        *_worked_out(),
        *_printed(),
        *_lines(),
        *_inside(),
        *_nothing(),
        *_patterns(),
        *far(call, "drop_pad", _last_two),
        *_many(),
    )


def _worked_out() -> Iterator[Example]:
    kinds = (("float16", "int8"), ("bfloat16", "bool"), ("float32", "int8"))
    for (mode, result), (dtype, kind) in product(
        (("dropless", UNPADDED_RESULT), ("drop_pad", PADDED_RESULT)), kinds
    ):
        yield Example(f"worked out {mode} {dtype}", by_hand(mode, dtype, kind), FUNCTION, result)
        bare = by_hand(mode, dtype, kind, probs=False)
        expected = {name: one for name, one in result.items() if name != "permute_probs"}
        yield Example(f"worked out {mode} {dtype}, no probs", bare, FUNCTION, expected)
    two = call(
        "dropless",
        "float32",
        tokens=(2, 2),
        routing_map=given("101", "110"),
        num_out_tokens=4,
        probs=bits("float32", 0.75, 0, 0.25, 0.5, 0.125, 0),
        values=bits("float32", 1, 10, 2, 20),
    )
    # Expert 0 has both tokens, 1 has token 1, 2 has token 0.
    expected = {
        "permute_tokens": (1.0, 10.0, 2.0, 20.0, 2.0, 20.0, 1.0, 10.0),
        "permute_probs": (0.75, 0.5, 0.125, 0.25),
        "sorted_indices": (0.0, 3.0, 1.0, 2.0),
    }
    yield Example("two tokens of two experts each, float32", two, FUNCTION, expected)
    for mode, number in (("dropless", 8), ("drop_pad", 7)):
        result = UNPADDED_RESULT if mode == "dropless" else PADDED_RESULT
        case = by_hand(mode, "float32", number=number)
        yield Example(f"numOutTokens {number} for 6 rows, {mode}", case, FUNCTION, result)


def _printed() -> Iterator[Example]:
    """Three tokens that both of two experts have, all of whose values are equal. The program prints
    what it gets, so the results are those of the equations.
    """
    tokens = (0.1, 0.2, 0.3)
    case = call(
        "dropless",
        "float32",
        tokens=(3, 4),
        routing_map=given("11", "11", "11"),
        num_out_tokens=6,
        values=bits("float32", *(value for value in tokens for _ in range(4))),
    )
    rows = tuple(float(np.float32(value)) for value in tokens * 2 for _ in range(4))
    expected = {"permute_tokens": rows, "sorted_indices": (0.0, 3.0, 1.0, 4.0, 2.0, 5.0)}
    yield Example("call example", case, f"{PRINTED}, sizes and inputs", expected)


def sized(
    mode: str,
    dtype: str,
    tokens: int,
    hidden: int,
    top_k: int = 1,
    *,
    experts: int | None = None,
    pattern: str = "shuffled",
    number: int | None = None,
    probs: Fill | None = None,
    fill: Fill = ADDRESSED,
    map_dtype: str = "int8",
) -> Case:
    """A call of sizes; tokens tell their place."""
    experts = top_k + 2 if experts is None else experts
    generator = np.random.default_rng(tokens)
    return call(
        mode,
        dtype,
        tokens=(tokens, hidden),
        routing_map=mask(pattern, tokens, experts, top_k, generator),
        num_out_tokens=tokens * top_k if number is None else number,
        map_dtype=map_dtype,
        probs=probs,
        fill=fill,
    )


def _lines() -> Iterator[Example]:
    """Every size at which the vendor's sorts and copies branch on its chips."""
    core = one_core_slots(CHIP)
    merge = LISTS_OF_ONE_MERGE * core
    sizes = (1, 31, 32, 33, core - 1, core, core + 1, core + 32, merge, merge + 1)
    for at, slots in enumerate(sizes):
        dtype, kind = DTYPES[at % 3], MAP_DTYPES[at % 2]
        pattern = "shuffled" if slots > 2 else "same experts"
        case = sized("dropless", dtype, slots, 1, pattern=pattern, map_dtype=kind, probs=PATTERNS)
        yield Example(f"{slots} slots", case, VENDOR_SORT)
        padded = sized("drop_pad", dtype, slots, 1, pattern=pattern, number=6, map_dtype=kind)
        if slots >= 2:
            yield Example(f"{slots} tokens of an expert", padded, VENDOR_SORT)
    for dtype, usable in product(("float16", "float32"), USABLE_UB_BYTES.values()):
        row = row_columns(usable, numpy_dtype(dtype).itemsize)
        for hidden in (row, row + 1):
            case = sized("dropless", dtype, 2, hidden, 2, pattern="falling")
            yield Example(f"rows of {hidden} {dtype}", case, VENDOR_SORT)


def _inside() -> Iterator[Example]:
    """A call just inside each limit that is checked."""
    for dtype in DTYPES:
        case = sized("dropless", dtype, 3, 8, MOST_TOP_K, probs=PATTERNS)
        yield Example(f"topK {MOST_TOP_K} {dtype}", case, CONSTRAINTS)
    one = partial(sized, hidden=3, experts=1, pattern="same experts")
    cases = {
        "one token of one expert": one("dropless", "float16", 1, probs=PATTERNS),
        "one token of one expert, padded": one("drop_pad", "bfloat16", 1),
        "numOutTokens of the whole map": sized(
            "dropless", "float32", 5, 8, 3, experts=3, pattern="same experts", probs=PATTERNS
        ),
        "numOutTokens of the whole map, padded": sized(
            "drop_pad", "float16", 5, 8, 3, experts=4, number=20, probs=PATTERNS
        ),
        "numOutTokens one short of another row for each": sized(
            "dropless", "bfloat16", 5, 8, 3, experts=5, number=19
        ),
        "numOutTokens one short of another row for each, padded": sized(
            "drop_pad", "float32", 7, 8, 3, experts=5, number=19, probs=PATTERNS
        ),
    }
    yield from (Example(name, case, CARRIED) for name, case in cases.items())


def _nothing() -> Iterator[Example]:
    """Calls without rows, and calls whose rows have no columns: they succeed."""
    none, full = given("00", "00", "00"), given("01", "10", "01")
    no_tokens, no_experts = np.zeros((0, 2), np.bool_), np.zeros((3, 0), np.bool_)
    for mode in MODES:
        for name, tokens, routing_map, number in (
            ("numOutTokens 0", (3, 8), none, 0),
            ("no tokens", (0, 8), no_tokens, 0),
            ("no experts", (3, 8), no_experts, 0),
            ("hidden 0", (3, 0), full, 6 if mode == "drop_pad" else 3),
        ):
            case = call(
                mode, "float16", tokens=tokens, routing_map=routing_map, num_out_tokens=number
            )
            yield Example(f"{name}, {mode}", case, f"{HOST}, empty tensors")
    few = call("dropless", "float32", tokens=(3, 8), routing_map=none, num_out_tokens=2)
    yield Example("numOutTokens 2 of 3 tokens", few, FUNCTION)
    for mode in MODES:
        room = sized(mode, "float32", 4, 8, 2, experts=3, number=8, probs=PATTERNS)
        yield Example(f"room for probabilities, {mode}", room, INFERRED)
        name = f"room for probabilities that are not given, {mode}"
        yield Example(name, without(room, "probs"), INFERRED)
    few = call("drop_pad", "float32", tokens=(3, 8), routing_map=full, num_out_tokens=1)
    yield Example("numOutTokens 1 of 2 experts, padded", few, FUNCTION)


def _patterns() -> Iterator[Example]:
    for mode, dtype in product(MODES, DTYPES):
        case = sized(mode, dtype, 32, 33, 4, experts=8, probs=PATTERNS, fill=PATTERNS)
        source = f"{README}: values are moved, inferred"
        yield Example(f"every kind of pattern {mode} {dtype}", case, source)


def _last_two(tokens: int) -> dict[str, Any]:
    """One expert has the last two tokens."""
    return {"routing_map": np.arange(tokens)[:, None] >= tokens - 2, "num_out_tokens": 2}


def _many() -> Iterator[Example]:
    """Tokens whose numbers 16 bits do not hold."""
    tokens = 2**16 + 3
    held = (1, 2, tokens - 2, tokens - 1)
    how = {"fill": ADDRESSED, "held": held, **_last_two(tokens)}
    case = call("drop_pad", "float32", tokens=(tokens, 8), **how)
    yield Example(f"token {tokens - 1} of one expert", case, "int64 shape, inferred")
