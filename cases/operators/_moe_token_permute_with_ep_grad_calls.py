"""Calls of MoeTokenPermuteWithEpGrad that sources name, and calls that its interface refuses."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from cases.operators._moe_token_permute_with_ep_grad_call import (
    DTYPES,
    GRAD,
    PROBS_IN,
    TENSORS,
    call,
    probed,
)
from cases.operators._storage_bits import bits
from conformance.call.case import Case
from conformance.draw.far import EDGES
from conformance.record.call_rules import MORE, FreeAxis, Freedom, Range
from conformance.record.clause import Clause, SourceClass, document, source_read
from conformance.record.operator import Example, Quarantine, Rejection
from conformance.record.variations import (
    all_retyped,
    in_mode,
    misshapen,
    refused,
    reranked,
    reshaped,
    resized,
    retyped,
    right_calls,
    stepped,
    with_attributes,
    without,
)
from conformance.values.fill import BITS, Fill
from reference.permutation import MOST_TOPK

README = "aclnnMoeTokenPermuteWithEpGrad document"
KERNELS = "ops-transformer, moe_token_permute_with_ep_grad/op_kernel"
HOST = "ops-transformer, moe_token_permute_with_ep_grad/op_host"
INTERFACE = "aclnn interfaces made from an operator's definition"
NULL, INVALID, TILING_FAILED = 161001, 161002, 561002
GAUSSIAN = Fill(("gaussian",), seed=1)
PATTERNS = Fill((BITS,), seed=1)
RANKS = (4, 0, 2, 1, 3, 5)
"""Experts 2 0, 1 0, 1 2 of three tokens: no list of sources, nor their own inverse."""


def in_order(
    mode: str, dtype: str, tokens: int, top_k: int, hidden: int, rows: int, probs: bool = True
) -> Case:
    """A call whose ranks are 0, 1, 2... but for the range's place."""
    indices = tuple(range(tokens * top_k))
    case = call(mode, dtype, source=(rows, hidden), indices=indices, top_k=top_k, fill=GAUSSIAN)
    return probed(case, PATTERNS) if probs else case


def examples() -> tuple[Example, ...]:
    """Calls worked by hand in every mode, limits, and calls that ask for little."""
    return (*_by_hand(), *_limits(), *_far(), *right_calls(README, RIGHT, FEW_ROWS))


def _by_hand() -> Iterator[Example]:
    by_hand = f"{README}, function: equations, by hand"
    routed = partial(call, dtype="float32", top_k=2)
    numbers, weights = (1, 2, 4, 8, 16, 32), (0.5, 1, 1.5, 2, 2.5, 3)

    def given(mode: str, rows: int, indices: tuple[int, ...]) -> Case:
        values = bits("float32", *numbers[:rows])
        case = routed(mode, source=(rows, 1), indices=indices, values=values)
        return probed(case, bits("float32", *weights[:rows]))

    yield Example(
        "ranks of a router",
        given("full", 6, RANKS),
        by_hand,
        {"out": (17, 6, 40), "probs_grad": (2.5, 0.5, 1.5, 1, 2, 3)},
    )
    # Ranks 0 to 3 of the six: slots 0 and 5 have others.
    yield Example(
        "the first four ranks of a router",
        given("head", 4, RANKS),
        by_hand,
        {"out": (1, 6, 8), "probs_grad": (0, 0.5, 1.5, 1, 2, 0)},
    )
    # Ranks 2 to 5: drawn from 0 on, so that 4 0 2 1 3 5 is 2 4 0 5 1 3 here.
    yield Example(
        "the last four ranks of a router",
        given("tail", 4, (2, 4, 0, 5, 1, 3)),
        by_hand,
        {"out": (4, 1, 10), "probs_grad": (1.5, 0, 0.5, 0, 1, 2)},
    )
    # Ranks 1 to 4: 4 0 2 1 3 5 is 3 4 1 0 2 5 here.
    yield Example(
        "the middle ranks of a router",
        given("middle", 4, (3, 4, 1, 0, 2, 5)),
        by_hand,
        {"out": (8, 3, 4), "probs_grad": (2, 0, 1, 0.5, 1.5, 0)},
    )

    printed = call(
        "tail",
        "float32",
        source=(3, 2),
        # From the range's first rank on, so that 1 2 3 0 is 0 1 2 3 here.
        indices=(0, 1, 2, 3),
        top_k=2,
        values=bits("float32", 1, 2, 3, 4, 5, 6),
    )
    yield Example(
        "two tokens of two slots, range 1 to 4",
        probed(printed, bits("float32", 0.5, 0.25, -0.75)),
        by_hand,
        {"out": (4, 6, 5, 6), "probs_grad": (0.5, 0.25, -0.75, 0)},
    )


def _limits() -> Iterator[Example]:
    inferred = "interface behaviour for empty tensors, inferred"
    for dtype in DTYPES:
        moved = in_order("full", dtype, 32, 8, 33, 256)
        yield Example(f"num_topk 512 {dtype}", in_order("tail", dtype, 2, 512, 8, 1000), README)
        yield Example(f"every kind of pattern {dtype}", moved, "values are moved, inferred")
    yield Example("num_topk 1", in_order("middle", "float32", 4, 1, 16, 2), README)
    yield Example("no probabilities", in_order("head", "float16", 4, 2, 16, 3, False), README)
    yield Example("one rank in the range", in_order("middle", "bfloat16", 4, 2, 16, 1), README)
    more = in_order("full", "float32", 4, 2, 16, 11)
    yield Example("more rows than ranks", more, f"{KERNELS}, index test")
    for dtype in DTYPES:
        left = with_attributes(in_order("middle", dtype, 4, 2, 16, 5), rank_range=(1, 4))
        yield Example(f"ranks with a row behind the range's end {dtype}", left, f"{README}: range")
    yield Example("hidden 0", in_order("full", "float32", 2, 2, 0, 4, False), inferred)
    # As of a device on which no rank fell. The kernel's source agrees with the equations.
    nothing = {"out": (0,) * 64, "probs_grad": (0,) * 8}
    for dtype in DTYPES:
        good = in_order("head", dtype, 4, 2, 16, 5)
        for rank_range in ((0, 0), (3, 3), (4, 2)):
            called = with_attributes(good, rank_range=rank_range)
            name = f"range {rank_range} selects nothing {dtype}"
            yield Example(name, called, f"{README}, function: equations", nothing)


def _far() -> Iterator[Example]:
    """Calls whose last row begins beyond an edge, and whose last but one lies across it.

    As no rank is beyond the slots, these are many; but all others have rank 0, before the range.
    """
    tokens = 64
    ranks = tokens * MOST_TOPK
    last = ranks - 2
    named = {0: last, MOST_TOPK + 7: last - 1, ranks - 1: 0}
    indices = tuple(named.get(slot, ranks - 1) for slot in range(ranks))
    for edge, dtype in zip(EDGES, ("bfloat16", "float16"), strict=True):
        case = call(
            "tail",
            dtype,
            source=(last + 1, 16 * (edge // (16 * last) + 1)),
            indices=indices,
            top_k=MOST_TOPK,
            fill=Fill(("address",), seed=4),
            rows=tuple(sorted(named.values())),
        )
        name = f"rows beyond 2^{edge.bit_length() - 1} elements {dtype}"
        yield Example(name, case, "int64 shape and int32 indices of the interface, inferred")


RIGHT = in_order("middle", "float32", 4, 2, 16, 5)
FEW_ROWS = in_order("middle", "float32", 4, 2, 16, 3)
IN_RANGE = source_read("rows beyond those of the range are not read", KERNELS)
FREEDOMS: tuple[Freedom, ...] = (
    FreeAxis(GRAD, 2, 0, IN_RANGE, (MORE,)),
    FreeAxis(PROBS_IN, 1, 0, IN_RANGE, (MORE,)),
)
RANGES = (Range("num_topk", 1, None, source_read("num_topk is 1 or more", HOST)),)


def rejections() -> tuple[Rejection, ...]:
    """What the tiling checks, and what the document rules out beside it, broken once each."""
    good, bare = RIGHT, in_order("middle", "float32", 4, 2, 16, 5, probs=False)
    required = [tensor for tensor in TENSORS if not tensor.optional]
    checked: dict[int, dict[Clause, dict[str, Case]]] = {
        NULL: {
            Clause("the tensor is required", INTERFACE, SourceClass.INFERRED): {
                f"{tensor.name} is null": without(good, tensor.name) for tensor in required
            },
            Clause("gradients of probs go somewhere", INTERFACE, SourceClass.INFERRED): {
                "probs_grad is null, and its rows are given": without(good, "probs_grad"),
            },
        },
        INVALID: {
            source_read("float types, one for all; indices int32", HOST): {
                "indices are int64": retyped(good, "sorted_indices", "int64"),
                "indices are float32": retyped(good, "sorted_indices", "float32"),
                "gradient is int32": retyped(good, GRAD, "int32"),
                "all floats are int32": all_retyped(good, "int32"),
                **{
                    f"{name} of another dtype": retyped(good, name, "float16")
                    for name in (GRAD, PROBS_IN, "out", "probs_grad")
                },
            },
        },
        TILING_FAILED: {
            source_read("num_topk is 1 or more", HOST): {
                "num_topk is 0": with_attributes(good, num_topk=0),
                "num_topk is -2": with_attributes(good, num_topk=-2),
            },
            source_read("the gradient of tokens has two axes, that of probs one", HOST): {
                **reranked(good, GRAD, PROBS_IN),
            },
        },
    }
    unchecked: dict[int, dict[Clause, dict[str, Case]]] = {
        TILING_FAILED: {
            document("paddedMode is false", f"{README}, constraints"): {
                "padded_mode is true": with_attributes(good, padded_mode=1),
                "padded_mode is true, no probs": with_attributes(bare, padded_mode=1),
            },
            _inferred("the indices are num_topk for every token"): {
                **stepped(good, "num_topk"),
                **misshapen(FEW_ROWS, "sorted_indices"),
                "indices of rank 2": reshaped(good, "sorted_indices", (4, 2)),
            },
            _inferred("a range of two numbers, with a row for every rank"): {
                "range of no numbers": with_attributes(good, rank_range=()),
                "range of 1 number": with_attributes(good, rank_range=(1,)),
                "range of 3 numbers": with_attributes(good, rank_range=(1, 5, 6)),
                "range (1, 7) of 5 rows": with_attributes(good, rank_range=(1, 7)),
                "range (1, 5 + 2^32)": with_attributes(good, rank_range=(1, 5 + 2**32)),
            },
            _inferred("a gradient for every row's probability"): {
                **resized(good, PROBS_IN, free=FREEDOMS),
            },
            document("out is [tokens, hidden]", f"{README}, parameters"): {
                **misshapen(good, "out"),
                **resized(good, GRAD, free=FREEDOMS),
                "out of rank 1": reshaped(good, "out", (64,)),
            },
            _inferred("probs_grad is [tokens, num_topk]"): {
                **misshapen(good, "probs_grad"),
                "probs_grad of rank 1": reshaped(good, "probs_grad", (8,)),
            },
        },
    }
    return (*refused(checked), *refused(unchecked, checked_by_cann=False))


def quarantine() -> tuple[Quarantine, ...]:
    """Calls on which document and sources differ, or of which only the sources speak."""
    over = in_order("full", "float32", 2, MOST_TOPK + 1, 8, 1026)
    good = in_order("head", "float32", 4, 2, 16, 5)
    bare = in_order("head", "float32", 4, 2, 16, 5, probs=False)
    most = document(
        f"num_topk is at most {MOST_TOPK}; no host source checks it", f"{README}, constraints"
    )
    absent = document(
        "without a range the call is one of MoeTokenPermuteGrad; the kernel has range (0, 0) then,"
        " and zeros everywhere",
        f"{README}, constraints; {KERNELS}",
    )
    beyond = source_read("a range of ranks that no slot has; no document says so", KERNELS)

    def ranged(given: tuple[int, int]) -> Case:
        return in_mode("middle", with_attributes(good, rank_range=given))

    slots = reshaped(in_order("middle", "float32", 4, 1, 16, 2), "probs_grad", (4,))
    unasked = _inferred("without gradients of rows' probabilities probs_grad has no equation")
    single = _inferred("of one slot for each token probs_grad may have one axis, as probs may")
    narrow = _inferred("some outputs are empty and others are not: copies of length 0")
    nothing = _inferred("a call without tokens, and so with an empty range, has nothing to do")
    return (
        Quarantine("no tokens", in_order("head", "float32", 0, 2, 8, 0, False), nothing),
        Quarantine("num_topk 1, probs_grad of one axis", slots, single),
        Quarantine("tokens without columns", in_order("middle", "float32", 4, 2, 0, 5), narrow),
        Quarantine("range (-1, 3)", ranged((-1, 3)), beyond),
        Quarantine("range (4, 9)", ranged((4, 9)), beyond),
        Quarantine(f"num_topk {MOST_TOPK + 1}", over, most),
        Quarantine("probs_grad of nothing", without(RIGHT, PROBS_IN), unasked),
        Quarantine("no range", with_attributes(bare, rank_range=None), absent),
    )


def _inferred(rule: str) -> Clause:
    return Clause(rule, f"{README}, function: equations", SourceClass.INFERRED)
