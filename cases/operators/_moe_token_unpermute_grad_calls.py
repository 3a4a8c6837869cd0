"""Calls of MoeTokenUnpermuteGrad that sources name, and calls that its interface must reject."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import product

from cases.operators._interface import NULL
from cases.operators._moe_token_unpermute_calls import is_of_mode
from cases.operators._moe_token_unpermute_grad_call import (
    ACLNN,
    DTYPES,
    GRAD,
    HOST,
    INDICES,
    KERNELS,
    PROBS,
    PROBS_GRAD,
    SIGNATURE,
    TOKENS,
    call,
    graded,
    stated,
    weighted,
)
from cases.operators._slot_sum_cases import GAUSSIAN, far_gradients, in_order
from cases.operators._values import bits
from conformance.call.case import Case, Tensor
from conformance.record.clause import document, source_read
from conformance.record.derive.calls import call as call_of
from conformance.record.derive.rejections import rejections
from conformance.record.operator import Example, Quarantine, Rejection
from conformance.record.variations import (
    all_retyped,
    in_mode,
    reshaped,
    right_calls,
    with_attributes,
    without,
)
from conformance.record.versions import Versions
from conformance.values.fill import BITS, Fill
from reference.permutation import MOST_TOPK

PATTERNS = Fill((BITS,), seed=1)
_ranked = partial(in_order, call)


def _weighted(dtype: str, tokens: int, top_k: int, hidden: int, probs_dtype: str = "") -> Case:
    case = _ranked("whole", dtype, tokens, top_k, hidden, tokens * top_k)
    return weighted(case, probs_dtype or dtype, GAUSSIAN, GAUSSIAN)


def examples() -> tuple[Example, ...]:
    """Calls worked by hand, every pair of dtypes, limits, bits of every kind, little or far."""
    right = right_calls(ACLNN, RIGHT, UNEVEN, MOVED)
    return (*_by_hand(), *_pairs(), *_limits(), *far_gradients(call, GRAD), *right)


def _by_hand() -> Iterator[Example]:
    """Two tokens of two slots, ranks 0 2 and 3 1: no list of sources."""
    by_hand = f"{ACLNN}, function, by hand"
    ranks, numbers = (0, 2, 3, 1), (1, 2, 3, 4, 5, 6, 7, 8)
    probs = bits("float32", 0.5, 0.25, 0.75, 0)

    def given(mode: str, rows: int) -> Case:
        values = bits("float32", *numbers[: 2 * rows])
        case = call(mode, "float32", source=(rows, 2), indices=ranks, top_k=2, values=values)
        return weighted(case, "float32", probs, bits("float32", 1, 2, 3, -1))

    # Rows 1 2, 3 4, 5 6, 7 8; gradients 1 2 and 3 -1. A probability of 0 has a gradient, too.
    yield Example(
        "two tokens of two slots, one of probability zero",
        given("whole", 4),
        by_hand,
        {
            "permuted_tokens_grad": (0.5, 1, 0, -0.0, 0.25, 0.5, 2.25, -0.75),
            "probs_grad": (5, 17, 13, 5),
        },
    )
    made = call("single", "float32", source=(3, 2), indices=(2, 0, 1), top_k=1, fill=GAUSSIAN)
    moved = graded(made, bits("float32", 1, 10, 2, 20, 3, 30))
    rows = {"permuted_tokens_grad": (2, 20, 3, 30, 1, 10)}
    yield Example("rows without probabilities", moved, by_hand, rows)
    yield Example("neither tokens nor probabilities", without(moved, TOKENS), by_hand, rows)
    yield Example("a slot that has no row", given("uneven", 3), f"{KERNELS}, index test")


def _pairs() -> Iterator[Example]:
    """Every pair of dtypes of tokens and probabilities."""
    for dtype, probs_dtype in product(DTYPES, DTYPES):
        case = _weighted(dtype, 5, 3, 33, probs_dtype)
        yield Example(f"{dtype} tokens, {probs_dtype} probabilities", case, f"{HOST}, definition")


def _limits() -> Iterator[Example]:
    constraints = f"{ACLNN}, constraints"
    for dtype in DTYPES:
        moved = graded(_ranked("single", dtype, 9, 1, 33, 9), PATTERNS)
        yield Example(f"top_k {MOST_TOPK} {dtype}", _weighted(dtype, 2, MOST_TOPK, 8), constraints)
        yield Example(f"every kind of pattern {dtype}", moved, "values are moved, inferred")
    one = _weighted("float16", 4, 1, 16)
    more = weighted(_ranked("uneven", "float32", 3, 2, 8, 9), "float32", GAUSSIAN, GAUSSIAN)
    yield Example("top_k 1 with probabilities", one, ACLNN)
    yield Example("more rows than slots", more, f"{KERNELS}, index test")
    yield Example("one element", _weighted("float32", 1, 1, 1), constraints)
    for name, rows, hidden in (("no rows, no probs", 0, 8), ("hidden 0, no probs", 2, 0)):
        empty = graded(_ranked("single", "float32", 2, 1, hidden, rows), PATTERNS)
        yield Example(name, empty, "interface behaviour for empty tensors, inferred")


RIGHT = _weighted("float32", 4, 2, 16)
UNEVEN = weighted(_ranked("uneven", "float32", 4, 2, 16, 6), "float32", GAUSSIAN, GAUSSIAN)
MOVED = graded(_ranked("single", "float32", 4, 1, 16, 4), GAUSSIAN)


def _sized(mode: str, **sizes: int) -> Case:
    """RIGHT with other sizes, in a mode that allows them."""
    known = {"row": 8, "hidden": 16, "token": 4, "slot": 2, **sizes}
    given = {name: {"dtype": "float32"} for name in (TOKENS, PROBS, PROBS_GRAD)}
    made = call_of(SIGNATURE, mode, "float32", known, given)
    return replace(made, inputs={name: made.inputs[name] for name in RIGHT.inputs})


def _without_probs(good: Case) -> Case:
    return in_mode("single", without(without(good, PROBS), PROBS_GRAD))


WRONG = {
    "all floats are int32": all_retyped(RIGHT, "int32"),
    "tokens and gradients are int32": all_retyped(MOVED, "int32"),
    "no tokens": _sized("uneven", token=0),
    "top_k is 0": _sized("uneven", slot=0),
    f"top_k is {MOST_TOPK + 1}": _weighted("float32", 2, MOST_TOPK + 1, 8),
    "no tokens, no probs": _without_probs(_sized("single", token=0, slot=1)),
    "10 indices for 4 tokens of 2 slots": reshaped(UNEVEN, INDICES, (10,)),
    "8 tokens without probs, gradient of 4": _without_probs(RIGHT),
}

BARE = Versions(
    source_read(
        "without probs permutedTokens may be null in the sources of 2026-07, and those of 2025-11"
        " refuse it",
        f"{HOST}, op_api",
    ),
    after="9.0",
)
NEEDED = Rejection(
    "permuted_tokens is null, single",
    without(MOVED, TOKENS),
    NULL,
    stated("input and output tensors are no null pointers", "status"),
    versions=replace(BARE, after="", until="9.0"),
    lifted=True,
)
REJECTIONS = (
    *rejections(SIGNATURE, RIGHT, UNEVEN, MOVED, wrong=WRONG, is_of_mode=is_of_mode),
    NEEDED,
)


def quarantine() -> tuple[Quarantine, ...]:
    """Calls that the document rules out or is silent on, which do no harm."""
    good = _weighted("float16", 4, 2, 16)
    moved = graded(_ranked("single", "float32", 4, 1, 16, 4), PATTERNS)
    twice = Tensor((4,), "int32", values=(0, 2, 2, 1))
    silent = "{}; host sources do not look at it"
    return (
        Quarantine(
            "padded_mode",
            with_attributes(good, padded_mode=1),
            document(silent.format("only false is supported"), f"{ACLNN}, parameters; {HOST}"),
        ),
        Quarantine(
            "restore_shape",
            with_attributes(good, restore_shape=(4, 16)),
            document(silent.format("only null is supported"), f"{ACLNN}, parameters; {HOST}"),
        ),
        Quarantine(
            "probs_grad without probs",
            replace(moved, outputs={**moved.outputs, PROBS_GRAD: Tensor((4, 1), "float32")}),
            document("only probs are optional; without them no gradient has an equation", ACLNN),
        ),
        Quarantine(
            "two slots name one row",
            replace(moved, inputs={**moved.inputs, "sorted_indices": twice}),
            document("two gradients are assigned to one row: either may remain", ACLNN),
        ),
    )
