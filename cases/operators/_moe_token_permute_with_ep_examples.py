"""Calls of MoeTokenPermuteWithEp that sources name, and sizes at which the vendor changes path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cases.operators._moe_token_permute_with_ep_call import (
    DTYPES,
    PERMUTE,
    TILING,
    call,
    padded_call,
)
from cases.operators._token_permute_examples import ADDRESSED, CHIP, PATTERNS, at_lines, far, sized
from cases.operators._token_permute_sizes import MOST_PADDED_TOKENS, MOST_TOP_K
from cases.operators._values import bits
from conformance.call.case import numpy_dtype
from conformance.draw.keys import LARGEST_KEY
from conformance.record.operator import Example
from conformance.record.variations import without, without_effect

PRINTED = "ops-transformer, test_aclnn_moe_token_permute_with_ep.cpp"
TESTED = "ops-transformer, test_moe_token_permute_with_ep_tiling.cpp, accepted sizes"
LINES = f"{TILING}: sizes at which it takes another branch"
ALLOWED = f"{TILING}: just inside a limit that it checks"
INFERRED = "interface behaviour, inferred"
EXPERTS = (1, 2, 3, 1, 2, 3)
RANKS = (0, 2, 4, 1, 3, 5)
_sized = partial(sized, PERMUTE)


def examples() -> tuple[Example, ...]:
    """The printed example, the vendor's accepted sizes, limits, and calls that ask for nothing."""
    return (
        *_printed(),
        *_tested(),
        *_lines(),
        *_inside(),
        *_odd(),
        *_padded(),
        *far(call, "tail", _last_two),
    )


def _printed() -> Iterator[Example]:
    """Three tokens of two experts each, and the range [1, 5). numOutTokens is 6, without effect.

    The values of the tokens are those of their rows: the test prints none that can be read. It
    declares bfloat16 and gives float32 numbers, so both are called.
    """
    for dtype, named in (("bfloat16", ""), ("float32", ", float32")):
        case = call(
            "middle",
            dtype,
            tokens=(3, 2),
            top_k=2,
            indices=EXPERTS,
            index_dtype="int64",
            rank_range=(1, 5),
            num_out_tokens=6,
            values=bits(dtype, 1, 10, 2, 20, 3, 30),
            probs=bits(dtype, 0.1, 0.3, 0.4, 0.2, 0.5, 0.6),
        )
        tokens = (2.0, 20.0, 1.0, 10.0, 3.0, 30.0, 2.0, 20.0)
        probs = tuple(float(p) for p in np.array([0.2, 0.3, 0.5, 0.4], numpy_dtype(dtype)))
        expected = {"permute_tokens": tokens, "sorted_indices": RANKS, "permute_probs": probs}
        name = f"three tokens of two experts, range 1 to 5{named}"
        yield Example(name, case, PRINTED, expected)


def _tested() -> Iterator[Example]:
    small = _sized(
        "middle", "bfloat16", (2, 5), 3, index_dtype="int64", rank_range=(1, 5), probs=PATTERNS
    )
    large = _sized("head", "bfloat16", (4096, 5), 3, rank_range=(0, 4096), probs=PATTERNS)
    yield Example("2x5 top_k 3, range 1 to 5", small, TESTED)
    yield Example("4096x5 top_k 3, range 0 to 4096", large, TESTED)


def _lines() -> Iterator[Example]:
    """Every size at which the vendor's tiling branches on its chips."""
    yield from at_lines(PERMUTE, LINES, every="full", some="middle")
    tiny = _sized("tail", "float16", (4200, 1), 1, "descending", rank_range=(3, 4200))
    tiny = replace(tiny, machine=replace(CHIP, cores=1))
    yield Example("4200 tokens of one column on one core", tiny, LINES)


def _inside() -> Iterator[Example]:
    """A call just inside each limit that is checked."""
    one, most = (1, 8), MOST_TOP_K
    cases = {
        f"top_k {most}": _sized("full", "float16", one, most, rank_range=(0, most), probs=PATTERNS),
        "top_k 1 of two axes": _sized("full", "float32", (5, 8), 1, rank_range=(0, 5)),
        "range of the last rank": _sized("tail", "float32", (4, 8), 2, rank_range=(7, 8)),
        "range of the first rank": _sized("head", "float16", (4, 8), 2, rank_range=(0, 1)),
        "empty range at 0": _sized("equal", "float16", (4, 8), 2, rank_range=(0, 0)),
        "empty range at the end": _sized("equal", "bfloat16", (4, 8), 2, rank_range=(8, 8)),
        "range from the last rank backwards": _sized(
            "reversed", "float32", (4, 8), 2, rank_range=(8, 1), probs=PATTERNS
        ),
        "largest and smallest key": _sized(
            "full", "float32", (3, 1), None, rank_range=(0, 3), indices=(LARGEST_KEY, 0, -5)
        ),
        "probs of one axis": _sized(
            "tail", "bfloat16", (5, 8), None, rank_range=(1, 5), probs=PATTERNS
        ),
        "range of every rank": _sized("full", "bfloat16", (4, 8), 2, rank_range=(0, 8)),
        "tokens of three axes": _sized("middle", "float16", (4, 3, 5), 2, rank_range=(2, 7)),
    }
    yield from (Example(name, case, ALLOWED) for name, case in cases.items())
    for case in {case.mode: case for case in cases.values()}.values():
        yield from without_effect(f"{INFERRED}: a range wins", case, num_out_tokens=3)


def _odd() -> Iterator[Example]:
    given = _sized("middle", "float32", (3, 4), 2, rank_range=(1, 4), probs=PATTERNS)
    empty = call("equal", "float16", tokens=(0, 8), top_k=2, rank_range=(0, 0))
    null = _sized("no_range", "bfloat16", (3, 4), 2, probs=PATTERNS)
    yield Example("probabilities of three rows", given, TILING)
    yield Example("room for probabilities that are not given", without(given, "probs"), TILING)
    yield Example("no tokens", empty, INFERRED)
    yield Example("no range and no number of tokens", null, TILING)
    for dtype in DTYPES:
        patterns = _sized(
            "full", dtype, (32, 33), 8, rank_range=(0, 256), fill=PATTERNS, probs=PATTERNS
        )
        yield Example(f"every kind of pattern {dtype}", patterns, "values are moved, inferred")


def _padded() -> Iterator[Example]:
    source = "aclnnMoeTokenPermuteWithEp document, equations of paddedMode"
    sizes: dict[str, Any] = {"tokens": (3, 4), "indices": (2, 0, 0, 1), "fill": ADDRESSED}
    yield from without_effect(source, padded_call("float32", **sizes), num_out_tokens=3)
    with_probs = padded_call("float16", **sizes, experts=2, probs=PATTERNS, index_dtype="int64")
    yield Example("padded, probabilities of two experts", with_probs, INFERRED)
    named = padded_call("bfloat16", tokens=(3, 4), indices=(1, 2), experts=1, probs=PATTERNS)
    yield Example("padded, probabilities of one expert", named, INFERRED)
    shared = padded_call("float32", tokens=(3, 4), indices=(1, 2), experts=2, probs=PATTERNS)
    yield Example("padded, an expert for every row", shared, INFERRED)
    last = MOST_PADDED_TOKENS - 1
    far = padded_call(
        "float16", tokens=(last + 1, 1), indices=(last, last), held=(last,), fill=ADDRESSED
    )
    yield Example("padded, the last token that an int32 names", far, INFERRED)
    for number in (1, 6, 7, -5, -6):
        numbered = _sized("num_out_tokens", "bfloat16", (3, 4), 2, num_out_tokens=number)
        yield Example(f"no range, numOutTokens {number} of 6", numbered, INFERRED)
    lasting = _sized("num_out_tokens", "float32", (3, 4), 2, num_out_tokens=-2)
    yield Example("no range, all tokens but 2", lasting, INFERRED)


def _last_two(tokens: int) -> dict[str, Any]:
    """A range keeps the last two slots."""
    return {"indices": tuple(range(tokens)), "rank_range": (tokens - 2, tokens)}
