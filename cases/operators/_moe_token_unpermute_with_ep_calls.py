"""The signature of MoeTokenUnpermuteWithEp, and its calls: weighted sums over a range of ranks.

Some are those that sources name, and that it must reject.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import product

from cases.operators._interface import REQUIRED, checked, in_document, typed, unchecked
from cases.operators._moe_token_unpermute_calls import DTYPES as DTYPES
from cases.operators._moe_token_unpermute_calls import LATTICE, weighted
from cases.operators._slot_sum import TokenSum, slot_sum_call
from cases.operators._slot_sum_cases import (
    GAUSSIAN,
    far_examples,
    in_order,
    moved_rows,
    with_infinities,
)
from cases.operators._slot_sum_ranges import (
    NO_RANGE,
    RANGED,
    far_ranks,
    is_of_middle,
    kept,
    ranged_call,
    window,
)
from cases.operators._values import bits
from conformance.call.case import Case
from conformance.record.clause import inferred, source_read
from conformance.record.derive.rejections import rejections
from conformance.record.operator import Example, Quarantine
from conformance.record.signature import Form, Signature, flag, integers, number, tensor
from conformance.record.sizes import Size, function
from conformance.record.variations import in_mode, reshaped, right_calls, with_attributes, without
from reference.moe_token_permute_with_ep import Range
from reference.permutation import MOST_TOPK

NAME = "moe_token_unpermute_with_ep"
ACLNN = "aclnnMoeTokenUnpermuteWithEp document"
KERNELS = "ops-transformer, moe_token_unpermute_with_ep/op_kernel"
HOST = "ops-transformer, moe_token_unpermute_with_ep/op_host"
MODES = (*RANGED, NO_RANGE)
TOKENS, INDICES, PROBS = "permuted_tokens", "sorted_indices", "probs"

stated = in_document(ACLNN)
FALLS_BACK = stated("without a range the call is one of MoeTokenUnpermute", "constraints")
NO_TOPK = stated("without a range numTopk is ignored", "constraints")
BEYOND = source_read("rows beyond those of the range are not read", KERNELS)
PAST = source_read("without a range, slots from the last row on add nothing", KERNELS)
IGNORED = stated("restoreShape takes effect with paddedMode alone")
HELD = source_read("a range of two numbers, with a row for every rank, as all are read", KERNELS)

TOKEN, HIDDEN = Size("token"), Size("hidden")
SLOT = Size("slot", least=1, most=MOST_TOPK)
KEPT = function("kept", kept, "rank_range", free=BEYOND)
OF_PROBS = Size("slot", least=1, most=MOST_TOPK, default=1)
ROW = Size("row", free=PAST)
indices = partial(tensor, INDICES, dtype="int32")
probs = partial(tensor, PROBS, TOKEN, dtype=DTYPES, optional=True, acl="probsOptional")

SIGNATURE = Signature(
    NAME,
    (
        tensor(TOKENS, KEPT, HIDDEN),
        indices(TOKEN * SLOT),
        probs(SLOT),
        number("num_topk", SLOT),
        integers("rank_range", acl="rangeOptional", count=2),
        flag("padded_mode", most=0),
        integers("restore_shape", free=IGNORED, acl="restoreShapeOptional"),
        tensor("out", TOKEN, HIDDEN, role="output"),
    ),
    rules=(
        REQUIRED,
        typed(source_read("float types, one for tokens and out; indices int32", HOST)),
        unchecked(stated("paddedMode is false"), "padded_mode", kinds=("attribute",)),
        replace(
            unchecked(stated(f"top_k is 1 to {MOST_TOPK}", "constraints"), "slot"),
            kinds=("limit",),
            modes=(NO_RANGE,),
        ),
        checked(
            source_read(f"top_k is 1 to {MOST_TOPK}, where there are probs", HOST),
            *("num_topk", "slot"),
            kinds=("attribute", "limit"),
        ),
        checked(source_read("probs are [tokens, num_topk]", HOST), PROBS),
        unchecked(stated("tokens have two axes, indices one"), TOKENS, INDICES, kinds=("rank",)),
        unchecked(stated("the indices are num_topk for every token"), INDICES),
        unchecked(HELD, "rank_range", "kept", kinds=("attribute", "extent")),
        unchecked(stated("out is [tokens, hidden]"), "out"),
    ),
    forms={
        NO_RANGE: Form(
            {"rank_range": None},
            (tensor(TOKENS, ROW, HIDDEN), indices(TOKEN * OF_PROBS, numbers=ROW), probs(OF_PROBS)),
            (number("num_topk", free=NO_TOPK),),
        )
    },
)
of_sum = slot_sum_call(SIGNATURE, TOKENS, INDICES)
call = ranged_call(of_sum)
SUM = TokenSum(call, uneven=MODES[1:], window=window)


RANKS = (4, 0, 2, 1, 3, 5)
"""Experts 2 0, 1 0, 1 2 of three tokens: no list of sources, nor their own inverse."""

EQUATIONS = f"{ACLNN}, function: equations"
BY_HAND = f"{EQUATIONS}, by hand"


def _ranked(
    mode: str, dtype: str, tokens: int, top_k: int, hidden: int, rows: int, probs: str | None = ""
) -> Case:
    """A call whose ranks are 0, 1, 2... but for the range's place.

    ``probs`` is their dtype, "" that of the tokens, None: there are none.
    """
    case = in_order(call, mode, dtype, tokens, top_k, hidden, rows)
    return case if probs is None else weighted(case, probs or dtype, GAUSSIAN, top_k)


def examples() -> tuple[Example, ...]:
    """The document's call, calls worked by hand in every mode, limits, and little or far ones."""
    right = right_calls(ACLNN, RIGHT, FEW_ROWS, BARE, UNRANGED, MOVED)
    return (*_by_hand(), *_zeros(), *_limits(), *_ranges(), *_unranged(), *_far(), *right)


def _by_hand() -> Iterator[Example]:
    printed = of_sum(
        "middle",
        "float32",
        source=(4, 2),
        indices=(2, 0, 4, 1, 5, 3),
        top_k=2,
        rank_range=(1, 5),
        values=bits("float32", 2, 2, 1, 1, 3, 3, 2, 2),
    )
    yield Example(
        "the document's",
        weighted(printed, "float32", bits("float32", *[1.0] * 6)),
        f"{ACLNN}, example; its results, which it does not print, by hand",
        {"out": (1, 1, 4, 4, 3, 3)},
    )
    for mode, (name, ends, out) in {
        "full": ("ranks of a router", (0, 6), (16 * 0.5 + 1 * 2, 4 + 2 * 0.25, 8 * 3 - 32)),
        "head": ("the first four ranks of a router", (0, 4), (1 * 2, 4 + 2 * 0.25, 8 * 3)),
        "tail": ("the last four ranks of a router", (2, 6), (4 * 0.5, 1, 2 * 3 - 8)),
        "middle": ("the middle ranks of a router", (1, 5), (8 * 0.5, 2 + 1 * 0.25, 4 * 3)),
    }.items():
        yield Example(name, _routed(mode, ends), BY_HAND, {"out": out})
    bare = without(_routed("middle", (1, 5)), PROBS)
    told = "the middle ranks of a router, no probabilities"
    yield Example(told, bare, BY_HAND, {"out": (8, 2 + 1, 4)})


def _routed(mode: str, ends: Range | None, rows: int = 6) -> Case:
    rows = ends[1] - ends[0] if ends else rows
    values = bits("float32", *(2.0**row for row in range(rows)))
    case = of_sum(
        mode, "float32", source=(rows, 1), indices=RANKS, top_k=2, rank_range=ends, values=values
    )
    return weighted(case, "float32", bits("float32", 0.5, 2, 1, 0.25, 3, -1))


def _zeros() -> Iterator[Example]:
    infinite = with_infinities(call, "full")
    yield Example(
        "two tokens of two slots, one of probability zero",
        weighted(infinite, "float32", bits("float32", 0.5, 0.25, 0.75, 0)),
        f"{KERNELS}, probability test",
        {"out": (1.75, 2.5, 5.25, 6)},
    )


def _limits() -> Iterator[Example]:
    for dtype, probs in product(DTYPES, DTYPES):
        case = _ranked("middle", dtype, 5, 3, 33, 11, probs)
        yield Example(f"{dtype} tokens, {probs} probabilities", case, f"{HOST}, definition")
    for dtype in DTYPES:
        most = _ranked("tail", dtype, 2, MOST_TOPK, 8, 1000)
        bare = _ranked("head", dtype, 4, 2, 16, 3, None)
        yield Example(f"num_topk {MOST_TOPK} {dtype}", most, f"{ACLNN}, constraints")
        yield Example(f"no probabilities {dtype}", bare, EQUATIONS)
    full = _ranked("full", "bfloat16", 2, MOST_TOPK, 8, 1024, None)
    yield Example(f"num_topk {MOST_TOPK}, no probabilities", full, f"{ACLNN}, constraints")
    yield Example("num_topk 1", _ranked("middle", "float32", 4, 1, 16, 2), ACLNN)
    yield Example("one rank in the range", _ranked("middle", "bfloat16", 4, 2, 16, 1), ACLNN)
    yield Example("more rows than ranks", _ranked("full", "float32", 4, 2, 16, 11), KERNELS)
    shaped = with_attributes(RIGHT, restore_shape=(4, 16))
    yield Example("restore_shape", shaped, f"{ACLNN}, parameters: no effect")


def _ranges() -> Iterator[Example]:
    """Ranges with a row behind their end, of no rank, and of ranks that no slot has."""
    nothing = {"out": (0,) * 64}
    for dtype in DTYPES:
        near = with_attributes(_ranked("middle", dtype, 4, 2, 16, 5), rank_range=(1, 4))
        yield Example(f"ranks with a row behind the range's end {dtype}", near, EQUATIONS)
        good = _ranked("head", dtype, 4, 2, 16, 5)
        for ends in ((0, 0), (3, 3), (4, 2)):
            case = with_attributes(good, rank_range=ends)
            yield Example(f"range {ends} selects nothing {dtype}", case, EQUATIONS, nothing)
    good = in_mode("middle", _ranked("head", "float32", 4, 2, 16, 5))
    for ends in ((-1, 3), (4, 9)):
        case = with_attributes(good, rank_range=ends)
        yield Example(f"range {ends}", case, f"{EQUATIONS}; {KERNELS}, index test")


def _unranged() -> Iterator[Example]:
    """Without a range: by hand, and every numTopk alike."""
    routed = _routed(NO_RANGE, None)
    out = {"out": (16 * 0.5 + 1 * 2, 4 + 2 * 0.25, 8 * 3 - 32)}
    for top_k in (2, 0, 5, 513):
        case = with_attributes(routed, num_topk=top_k)
        told = f"ranks of a router, no range, num_topk {top_k}"
        yield Example(told, case, f"{FALLS_BACK.source}, by hand", out)
    dropped = {"out": (1 * 2, 4 + 2 * 0.25, 8 * 3)}
    told = "dropped tail of a router, no range"
    yield Example(told, _routed(NO_RANGE, None, 4), f"{KERNELS}, index test", dropped)
    for top_k in (1, MOST_TOPK):
        case = _ranked(NO_RANGE, "float16", 2, top_k, 8, 2 * top_k)
        yield Example(f"top_k {top_k}, no range", case, FALLS_BACK.source)
    yield Example(
        "rows without probabilities, no range",
        with_attributes(moved_rows(call, NO_RANGE), num_topk=3),
        f"{FALLS_BACK.source}, by hand",
        {"out": (3, 30, 1, 10, 2, 20)},
    )


def _far() -> Iterator[Example]:
    for example in (*far_ranks(call), *far_examples(call, NO_RANGE, DTYPES)):
        yield replace(example, case=weighted(example.case, example.case.dtype, LATTICE))


RIGHT = weighted(in_order(call, "middle", "float32", 4, 2, 16, 5), "float32", LATTICE)
FEW_ROWS = weighted(in_order(call, "middle", "float32", 4, 2, 16, 3), "float32", LATTICE)
BARE = in_order(call, "middle", "float32", 4, 2, 16, 5)
UNRANGED = weighted(in_order(call, NO_RANGE, "float32", 4, 2, 16, 8), "float32", LATTICE)
MOVED = in_order(call, NO_RANGE, "float32", 4, 1, 16, 4)


def is_of_mode(case: Case) -> bool:
    """Whether a changed call has a range as its mode says."""
    return case.mode == NO_RANGE or is_of_middle(case)


def _of_top_k(top_k: int) -> Case:
    return weighted(_ranked("middle", "float32", 2, top_k, 8, 4, None), "float32", LATTICE, top_k)


WRONG = {
    "padded_mode is true, no probs": with_attributes(BARE, padded_mode=1),
    f"top_k is {MOST_TOPK + 1}": _of_top_k(MOST_TOPK + 1),
    "8 tokens without probs and range, out of 4": without(UNRANGED, PROBS),
}
REJECTIONS = rejections(
    SIGNATURE, RIGHT, FEW_ROWS, BARE, UNRANGED, MOVED, wrong=WRONG, is_of_mode=is_of_mode
)


def quarantine() -> tuple[Quarantine, ...]:
    """Calls that the document rules out with no status, which do no harm."""
    empty = stated("permutedTokens and sortedIndices that are empty are not supported")
    over = _ranked("full", "float32", 2, MOST_TOPK + 1, 8, 2 * MOST_TOPK + 2, None)
    most = stated(f"topK_num is at most {MOST_TOPK}; no source checks it without probs")
    minus = inferred(
        "index -1 beside probability 0: a kernel may read row -1 before it looks at the probability"
        " (vllm-ascend, issues 10579 and 3297)",
        f"{KERNELS}, probability test, inferred",
    )
    rows = call(NO_RANGE, "float32", source=(3, 8), indices=(-1, 1, 0, 2), top_k=2, fill=GAUSSIAN)
    unused = weighted(rows, "float32", bits("float32", 0, 0.5, 0.75, 0.25))
    nothing = reshaped(with_attributes(RIGHT, rank_range=(3, 3)), "permuted_tokens", (0, 16))
    return (
        Quarantine("no tokens", _ranked("head", "float32", 0, 2, 8, 0), empty),
        Quarantine("hidden 0", _ranked("full", "float32", 2, 2, 0, 4), empty),
        Quarantine("no rows, and a range of none", in_mode("head", nothing), empty),
        Quarantine(f"num_topk {MOST_TOPK + 1}, no probabilities", over, most),
        Quarantine("index -1 beside probability 0, no range", unused, minus),
    )
