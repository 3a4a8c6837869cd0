"""Calls of MoeTokenPermute that sources name, and calls that its interface rejects."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from cases.operators._interface import SORT, doubted
from cases.operators._moe_token_permute_call import (
    DOCUMENT,
    DTYPES,
    MOST_SLOTS,
    PERMUTE,
    SIGNATURE,
    TILING,
    Shape,
    call,
)
from cases.operators._token_permute_examples import ADDRESSED, PATTERNS, at_lines, far, sized
from cases.operators._token_permute_sizes import MOST_TOP_K
from cases.operators._values import bits
from conformance.call.case import Case, Machine
from conformance.draw.keys import LARGEST_KEY
from conformance.record.derive.rejections import rejections
from conformance.record.operator import Example
from conformance.record.variations import (
    in_mode,
    reshaped,
    retyped,
    right_calls,
    with_attributes,
    without_effect,
)
from conformance.values.fill import Fill

INFERRED = "interface behaviour, inferred"

EXPERTS: Shape = (1, 2, 3, 1, 2, 3)
RANKS = (0, 2, 4, 1, 3, 5)
NEAR: Shape = (2**24 + 1, 2**24, 5, 2**24 + 3)
LATTICE = Fill(("lattice",), seed=1)

_sized = partial(sized, PERMUTE)


def examples() -> tuple[Example, ...]:
    """A call worked by hand, the vendor's lines, limits, and calls that ask for little."""
    lines = at_lines(PERMUTE, f"{TILING}: sizes at which it takes another branch", "whole", "first")
    right = right_calls(TILING, RIGHT, ONE_SLOT)
    far_ones = far(call, "first", _last_two_first)
    return (*_by_hand(), *lines, *_inside(), *_odd(), *far_ones, *right)


def _by_hand() -> Iterator[Example]:
    """Three tokens of two experts each: the printed example of MoeTokenPermuteWithEp, all rows."""
    rows = ((1, 10), (2, 20), (3, 30))
    order = (0, 1, 0, 2, 1, 2)
    calls = {
        "all rows kept": ("whole", 0, "int64"),
        "4 rows kept": ("first", 4, "int32"),
        "1 row dropped": ("without_last", -1, "int64"),
    }
    for kind, (mode, number, index_dtype) in calls.items():
        case = call(
            mode,
            "float32",
            tokens=(3, 2),
            top_k=2,
            indices=EXPERTS,
            index_dtype=index_dtype,
            num_out_tokens=number,
            values=bits("float32", *(value for row in rows for value in row)),
        )
        kept = order[: case.outputs["permute_tokens"].shape[0]]
        tokens = tuple(float(value) for token in kept for value in rows[token])
        expected = {"permute_tokens": tokens, "sorted_indices": RANKS}
        name = f"three tokens of two experts, {kind}, float32"
        yield Example(name, case, f"{DOCUMENT}, equations, by hand", expected)


def _inside() -> Iterator[Example]:
    """A call just inside each limit that is checked."""
    cases = {
        f"top_k {MOST_TOP_K}": _sized("whole", "float16", (1, 8), MOST_TOP_K),
        "top_k 1 of two axes": _sized("whole", "float32", (5, 8), 1),
        "numOutTokens 1": _sized("first", "bfloat16", (4, 8), 2, num_out_tokens=1),
        "numOutTokens of every slot": _sized("first", "float16", (4, 8), 2, num_out_tokens=8),
        "numOutTokens beyond every slot": _sized("first", "float32", (4, 8), 2, num_out_tokens=9),
        "all rows but one left out": _sized(
            "without_last", "float32", (4, 8), 2, num_out_tokens=-7
        ),
        "every row left out": _sized("without_last", "float16", (4, 8), 2, num_out_tokens=-8),
        "more rows left out than there are": _sized(
            "without_last", "bfloat16", (4, 8), 2, num_out_tokens=-9
        ),
        "largest and smallest key": _sized(
            "whole", "float32", (3, 1), None, indices=(LARGEST_KEY, 0, -5)
        ),
        "tokens of three axes": THREE_AXES,
    }
    source = f"{TILING}: just inside a limit that it checks"
    yield from (Example(name, case, source) for name, case in cases.items())


def _odd() -> Iterator[Example]:
    every = _sized("first", "float32", (4, 8), 2, num_out_tokens=8)
    yield from without_effect(f"{TILING}: all rows, if fewer", every, num_out_tokens=10)
    yield Example("no tokens", call("whole", "float16", tokens=(0, 8), top_k=2), INFERRED)
    many = call(
        "whole", "int8", tokens=(2, 5), top_k=MOST_TOP_K, fill=PATTERNS, machine=Machine(1, 1024)
    )
    yield Example("more slots than a buffer holds", many, f"{TILING}: slots of a token in parts")
    for dtype in DTYPES:
        patterns = _sized("whole", dtype, (32, 33), 8, fill=PATTERNS)
        yield Example(f"every kind of pattern {dtype}", patterns, "values are moved, inferred")


def _last_two_first(tokens: int) -> dict[str, Any]:
    """The last two tokens come first and are kept."""
    return {"indices": (*(2 for _ in range(tokens - 2)), 1, 0), "num_out_tokens": 2}


def _slots(tokens: Shape, top_k: int) -> Case:
    """A call that is rejected for its number of slots; all indices are 0."""
    return call("first", "float16", tokens=tokens, top_k=top_k, num_out_tokens=1)


def _copied(tokens: Shape, copies: Shape) -> Case:
    """A call that keeps all slots, and whose copies may have another rank than their tokens."""
    every = call("whole", "float32", tokens=tokens, top_k=2, indices=EXPERTS, fill=LATTICE)
    return reshaped(every, "permute_tokens", copies)


RIGHT = call(
    "first", "float32", tokens=(3, 16), top_k=2, indices=EXPERTS, num_out_tokens=4, fill=LATTICE
)
ONE_SLOT = _sized("whole", "float32", (3, 16), None, indices=EXPERTS[:3])
THREE_AXES = _sized("first", "float16", (4, 3, 5), 2, num_out_tokens=7)
WRONG = {
    "tokens are float64": retyped(RIGHT, "tokens", "float64"),
    f"top_k is {MOST_TOP_K + 1}": _slots((2, 1), MOST_TOP_K + 1),
    "2^24 - 1 slots": _slots(((MOST_SLOTS + 1) // 255, 1), 255),
    "tokens of one axis, and their copies": _copied((3,), (6,)),
    "every slot, numOutTokens 4": reshaped(RIGHT, "permute_tokens", (6, 16)),
    "4 rows, numOutTokens -4 of 6": in_mode(
        "without_last", with_attributes(RIGHT, num_out_tokens=-4)
    ),
    "ranks of the rows only": reshaped(RIGHT, "sorted_indices", (4,)),
}


def is_of_mode(case: Case) -> bool:
    """Whether numOutTokens has the sign of the mode."""
    number = case.attributes["num_out_tokens"]
    return case.mode == ("first" if number > 0 else "without_last" if number else "whole")


REJECTIONS = rejections(SIGNATURE, RIGHT, ONE_SLOT, THREE_AXES, wrong=WRONG, is_of_mode=is_of_mode)


QUARANTINE = doubted(
    {
        "neighbouring keys beyond 2^24": (
            call("whole", "float16", tokens=(4, 8), indices=NEAR, fill=ADDRESSED),
            "keys are sorted as fp32, where they are equal: any order of theirs",
            SORT,
        ),
        "tokens without columns": (
            call("first", "float32", tokens=(3, 0), top_k=2, indices=EXPERTS, num_out_tokens=3),
            "some outputs are empty and others are not: copies of length 0",
            TILING,
        ),
        "copies of two axes of tokens of one": (
            _copied((3,), (6, 1)),
            "a token of no further axis is one column",
            TILING,
        ),
        "copies of two axes of tokens of three": (
            _copied((3, 3, 5), (6, 15)),
            "axes behind the first count together as columns",
            TILING,
        ),
        "top_k is 0": (
            call("whole", "float32", tokens=(3, 4), top_k=0),
            "no slots, and so no rows: MoeTokenPermuteWithEp refuses it",
            TILING,
        ),
    }
)
