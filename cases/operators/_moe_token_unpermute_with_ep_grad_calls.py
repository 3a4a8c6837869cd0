"""Calls of MoeTokenUnpermuteWithEpGrad that sources name, and that its interface must reject."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import product

from cases.operators._moe_token_unpermute_grad_call import (
    GRAD,
    INDICES,
    PROBS,
    PROBS_GRAD,
    TOKENS,
    TOKENS_GRAD,
    graded,
    weighted,
)
from cases.operators._moe_token_unpermute_grad_calls import PATTERNS
from cases.operators._moe_token_unpermute_with_ep_grad_call import (
    ACLNN,
    DTYPES,
    HOST,
    KERNELS,
    SIGNATURE,
    call,
    of_sum,
    stated,
    window,
)
from cases.operators._slot_sum_cases import GAUSSIAN, far_gradients, in_order
from cases.operators._slot_sum_ranges import NO_RANGE
from cases.operators._values import bits
from conformance.call.case import Case, Tensor
from conformance.record.derive.rejections import rejections
from conformance.record.operator import Example, Quarantine
from conformance.record.variations import (
    all_retyped,
    reshaped,
    right_calls,
    with_attributes,
    without,
)
from reference.moe_token_permute_with_ep import Range
from reference.permutation import MOST_TOPK

EQUATIONS = f"{ACLNN}, function: equations"
BY_HAND = f"{EQUATIONS}, by hand"
_ranked = partial(in_order, call)


def _weighted(
    mode: str, dtype: str, tokens: int, top_k: int, hidden: int, rows: int, probs: str = ""
) -> Case:
    """A call whose ranks are 0, 1, 2... but for the range's place; ``probs`` is their dtype."""
    case = _ranked(mode, dtype, tokens, top_k, hidden, rows)
    return weighted(case, probs or dtype, GAUSSIAN, GAUSSIAN)


def examples() -> tuple[Example, ...]:
    """The document's call, calls worked by hand, every pair of dtypes, limits, ranges, far ones."""
    right = right_calls(ACLNN, RIGHT, FEW_ROWS, UNRANGED, MOVED, BARE)
    far = far_gradients(call, GRAD, "head")
    return (*_by_hand(), *_moved(), *_limits(), *_ranges(), *far, *right)


def _by_hand() -> Iterator[Example]:
    ones = bits("float32", 1, 1, 1)
    printed = call(NO_RANGE, "float32", source=(3, 2), indices=(0, 1, 2), top_k=3, values=ones * 2)
    yield Example(
        "the document's",
        weighted(printed, "float32", ones, ones[:2]),
        f"{ACLNN}, example; its results, which it does not print, by hand",
        {TOKENS_GRAD: (1,) * 6, PROBS_GRAD: (2, 2, 2)},
    )
    for mode, ends in {
        "full": (0, 4),
        "head": (0, 2),
        "tail": (2, 4),
        "middle": (1, 3),
        NO_RANGE: None,
    }.items():
        within = ends or (0, 4)
        case = _of_four(mode, ends, within)
        yield Example(f"two tokens of two slots, {mode}", case, BY_HAND, _due(*within))


RANKS = (0, 2, 3, 1)
"""Of two tokens of two slots: no list of sources."""


def _due(start: int, end: int) -> dict[str, tuple[float, ...]]:
    """What `_of_four` comes to, whose range is from ``start`` to ``end``.

    Rows are 1 2, 3 4, 5 6 and 7 8, gradients 1 2 and 3 -1. A probability of 0 has a gradient, too.
    """
    probs_grad = zip(RANKS, (5, 17, 13, 5), strict=True)
    return {
        TOKENS_GRAD: (0.5, 1, 0, -0.0, 0.25, 0.5, 2.25, -0.75)[2 * start : 2 * end],
        PROBS_GRAD: tuple(of if start <= rank < end else 0 for rank, of in probs_grad),
    }


def _of_four(mode: str, ends: Range | None, within: Range) -> Case:
    """Two tokens of two slots, one of probability 0; the range comes to ``within``."""
    start, end = within
    case = of_sum(
        mode,
        "float32",
        source=(end - start, 2),
        indices=RANKS,
        top_k=2,
        rank_range=ends,
        values=bits("float32", *range(1 + 2 * start, 1 + 2 * end)),
    )
    case = replace(case, inputs={name: case.inputs[name] for name in (TOKENS, INDICES, GRAD)})
    probs = bits("float32", 0.5, 0.25, 0.75, 0)
    return weighted(case, "float32", probs, bits("float32", 1, 2, 3, -1))


def _moved() -> Iterator[Example]:
    """Without probabilities, with the tokens and without them."""
    grads = bits("float32", 1, 10, 2, 20, 3, 30)
    for mode, rows, found in (
        ("full", 3, (2, 20, 3, 30, 1, 10)),
        ("middle", 1, (3, 30)),
        (NO_RANGE, 3, (2, 20, 3, 30, 1, 10)),
    ):
        # In the middle, from the range's first rank on: 1 2 0 is 2 0 1 here.
        ranks = (1, 2, 0) if mode == "middle" else (2, 0, 1)
        case = call(mode, "float32", source=(rows, 2), indices=ranks, top_k=1, fill=GAUSSIAN)
        case = graded(case, grads)
        expected = {TOKENS_GRAD: found}
        yield Example(f"no probabilities, {mode}", case, BY_HAND, expected)
        bare = without(case, TOKENS)
        yield Example(f"neither probabilities nor tokens, {mode}", bare, BY_HAND, expected)
    for dtype in DTYPES:
        case = without(graded(_ranked("tail", dtype, 9, 1, 33, 5), PATTERNS), TOKENS)
        yield Example(f"every kind of pattern {dtype}", case, "values are moved, inferred")


def _limits() -> Iterator[Example]:
    for dtype, probs in product(DTYPES, DTYPES):
        case = _weighted("middle", dtype, 5, 3, 33, 11, probs)
        yield Example(f"{dtype} tokens, {probs} probabilities", case, f"{HOST}, definition")
    for dtype in DTYPES:
        most = _weighted("tail", dtype, 2, MOST_TOPK, 8, 1000)
        yield Example(f"topk_num {MOST_TOPK} {dtype}", most, f"{ACLNN}, status")
    yield Example("topk_num 1 with probabilities", SINGLE, ACLNN)
    yield Example("one element", _weighted("full", "float32", 1, 1, 1, 1), f"{ACLNN}, parameters")
    yield Example("one rank in the range", _weighted("middle", "bfloat16", 4, 2, 16, 1), ACLNN)
    more = _weighted("full", "float32", 4, 2, 16, 11)
    yield Example("more rows than ranks", more, f"{KERNELS}, index test")
    shaped = with_attributes(RIGHT, restore_shape=(4, 16))
    yield Example("restore_shape", shaped, f"{ACLNN}, parameters: no effect")
    empty = "interface behaviour for empty tensors, inferred"
    for name, mode, rows, hidden in (
        ("no rows, no probs", "head", 0, 8),
        ("hidden 0, no probs", "full", 2, 0),
    ):
        case = graded(_ranked(mode, "float32", 2, 1, hidden, rows), PATTERNS)
        yield Example(name, case, empty)


def _ranges() -> Iterator[Example]:
    """Ranges with a row behind their end, of no rank, and bounds below 0 or beyond the slots."""
    bounds = f"{HOST}: a bound below 0 counts from the slots, both are held to them"
    for dtype in DTYPES:
        near = with_attributes(_weighted("middle", dtype, 4, 2, 16, 5), rank_range=(1, 4))
        yield Example(f"ranks with a row behind the range's end {dtype}", near, EQUATIONS)
        good = _weighted("head", dtype, 4, 2, 16, 5)
        for ends in ((0, 0), (3, 3), (-1, -1), (9, 12)):
            case = with_attributes(good, rank_range=ends)
            source = EQUATIONS if 0 <= ends[0] <= 8 else bounds
            told = f"range {ends} selects nothing {dtype}"
            yield Example(told, case, source, {PROBS_GRAD: (0,) * 8})
    for mode, ends, within in (
        ("middle", (-3, -1), (1, 3)),
        ("middle", (1, -1), (1, 3)),
        ("tail", (-2, 4), (2, 4)),
        ("tail", (2, 9), (2, 4)),
        ("head", (-9, 2), (0, 2)),
        ("full", (-4, 2**40), (0, 4)),
        ("full", (-(2**40), 4), (0, 4)),
    ):
        case = _of_four(mode, ends, within)
        yield Example(f"range {ends} of 4 slots", case, bounds, _due(*within))


SINGLE = _weighted("head", "float16", 4, 1, 16, 3)
RIGHT = _weighted("middle", "float32", 4, 2, 16, 5)
FEW_ROWS = _weighted("middle", "float32", 4, 2, 16, 3)
UNRANGED = _weighted(NO_RANGE, "float32", 4, 2, 16, 8)
MOVED = graded(_ranked("middle", "float32", 4, 1, 16, 2), GAUSSIAN)
BARE = without(graded(_ranked("middle", "float32", 5, 1, 16, 3), GAUSSIAN), TOKENS)


def is_of_mode(case: Case) -> bool:
    """Whether a changed call is of its mode, and has one slot to a token without probabilities."""
    if PROBS not in case.inputs and case.attributes["topk_num"] != 1:
        return False  # in quarantine
    ends, indices = case.attributes["rank_range"], case.inputs.get(INDICES)
    if ends is None or len(ends) != 2 or indices is None or not indices.shape:
        return True
    start, end = window(case)
    return start > 0 and end < indices.size


WRONG = {
    "all floats are int32": all_retyped(RIGHT, "int32"),
    f"topk_num is {MOST_TOPK + 1}": _weighted("middle", "float32", 2, MOST_TOPK + 1, 8, 4),
    "range (4, 2)": with_attributes(RIGHT, rank_range=(4, 2)),
    "range (-1, -3)": with_attributes(RIGHT, rank_range=(-1, -3)),
    "padded_mode is true, no probs": with_attributes(MOVED, padded_mode=1),
}
REJECTIONS = rejections(
    SIGNATURE, RIGHT, FEW_ROWS, UNRANGED, BARE, wrong=WRONG, is_of_mode=is_of_mode
)


def quarantine() -> tuple[Quarantine, ...]:
    """Calls that the document rules out or is silent on, which do no harm."""
    moved = graded(_ranked("full", "float32", 4, 1, 16, 4), PATTERNS)
    twice = Tensor((4,), "int32", values=(0, 2, 2, 1))
    unasked = stated("without probs no gradient of theirs has an equation", "function: equations")
    either = stated("two gradients are assigned to one row: either may remain", "function")
    single = stated("topkNum is 1 without probs; the equation has no other")
    slots = graded(_ranked("full", "float32", 4, 2, 16, 8), PATTERNS)
    unread = stated("without probs no equation reads tokens", "function: equations")
    named = replace(moved, inputs={**moved.inputs, INDICES: twice})
    return (
        Quarantine("probs_grad without probs", without(SINGLE, PROBS), unasked),
        Quarantine("two slots name one row", named, either),
        Quarantine("other tokens without probs", reshaped(MOVED, TOKENS, (1, 8)), unread),
        Quarantine("topk_num 2 without probs", slots, single),
        Quarantine("topk_num 2 of one index", with_attributes(moved, topk_num=2), single),
    )
