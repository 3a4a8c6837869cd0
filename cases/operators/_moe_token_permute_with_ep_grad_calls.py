"""The signature of MoeTokenPermuteWithEpGrad, and its calls: sums over a range of ranks.

Some are those that sources name, and that it must reject.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from hypothesis.strategies import SearchStrategy

from cases.operators._interface import INTERFACE, REQUIRED, checked, null, typed, unchecked
from cases.operators._slot_sum import TokenSum, slot_sum_call
from cases.operators._slot_sum_cases import in_order
from cases.operators._slot_sum_ranges import (
    RANGED,
    far_ranks,
    is_of_middle,
    kept,
    ranged_call,
    window,
)
from cases.operators._values import bits
from conformance.call.case import Case, Tensor
from conformance.draw.built import built
from conformance.record.clause import document, inferred, source_read
from conformance.record.derive.rejections import rejections
from conformance.record.operator import Example, Quarantine
from conformance.record.signature import Signature, flag, integers, number, tensor
from conformance.record.sizes import Size, function
from conformance.record.variations import in_mode, reshaped, right_calls, with_attributes, without
from conformance.values.fill import BITS, Fill
from reference.permutation import MOST_TOPK

Shape = tuple[int, ...]
NAME = "moe_token_permute_with_ep_grad"
README = "aclnnMoeTokenPermuteWithEpGrad document"
KERNELS = "ops-transformer, moe_token_permute_with_ep_grad/op_kernel"
HOST = "ops-transformer, moe_token_permute_with_ep_grad/op_host"
DTYPES = ("float16", "bfloat16", "float32")
GRAD, PROBS_IN = "permuted_tokens_output_grad", "permuted_probs_output_grad"
MODES = tuple(RANGED)
INDICES, PROBS_GRAD = "sorted_indices", "probs_grad"


follows = partial(inferred, source=f"{README}, function: equations")


TOKEN, SLOT, HIDDEN = Size("token"), Size("slot", least=1), Size("hidden")
BEYOND = source_read("rows beyond those of the range are not read", KERNELS)
KEPT = function("kept", kept, "rank_range", free=BEYOND)
AT_LEAST_ONE = source_read("num_topk is 1 or more", HOST)
TWO_AND_ONE = source_read("the gradient of tokens has two axes, that of probs one", HOST)
NOT_PADDED = document("paddedMode is false", f"{README}, constraints")
probs = partial(tensor, optional=True)


SIGNATURE = Signature(
    NAME,
    (
        tensor(GRAD, KEPT, HIDDEN),
        tensor(INDICES, TOKEN * SLOT, dtype="int32"),
        probs(PROBS_IN, KEPT, acl="permutedProbsOutputGradOptional"),
        number("num_topk", SLOT),
        integers("rank_range", acl="rangeOptional", count=2),
        flag("padded_mode", most=0),
        tensor("out", TOKEN, HIDDEN, role="output", acl="tokenGradOut"),
        probs(PROBS_GRAD, TOKEN, SLOT, role="output", beside=PROBS_IN, acl="probsGradOut"),
    ),
    rules=(
        null(inferred("gradients of probs go somewhere", INTERFACE), PROBS_GRAD),
        REQUIRED,
        typed(source_read("float types, one for all; indices int32", HOST)),
        checked(AT_LEAST_ONE, "num_topk", kinds=("attribute",)),
        checked(TWO_AND_ONE, GRAD, PROBS_IN, kinds=("rank",)),
        unchecked(NOT_PADDED, "padded_mode", kinds=("attribute",)),
        unchecked(follows("the indices are num_topk for every token"), INDICES),
        unchecked(follows("a gradient for every row's probability"), PROBS_IN),
        unchecked(
            follows("a range of two numbers, with a row for every rank"),
            "rank_range",
            "kept",
            kinds=("attribute", "extent"),
        ),
        unchecked(document("out is [tokens, hidden]", f"{README}, parameters"), "out"),
        unchecked(follows("probs_grad is [tokens, num_topk]")),
    ),
)
of_sum = slot_sum_call(SIGNATURE, GRAD, INDICES)


call = ranged_call(of_sum)
SUM = TokenSum(call, uneven=MODES[1:], window=window)


def probed(case: Case, probs: Fill | Shape | None) -> Case:
    """The case with a gradient for every row's probability: a recipe, or storage bits."""
    if probs is None:
        return case
    rows, tokens = case.inputs[GRAD].shape[0], case.outputs["out"].shape[0]
    fills = {"fill": probs} if isinstance(probs, Fill) else {"values": probs}
    shape = (tokens, case.attributes["num_topk"])
    return replace(
        case,
        inputs={**case.inputs, PROBS_IN: Tensor((rows,), case.dtype, **fills)},
        outputs={**case.outputs, PROBS_GRAD: Tensor(shape, case.dtype)},
    )


def with_probs(
    cases: SearchStrategy[Case], probs: SearchStrategy[Fill | None]
) -> SearchStrategy[Case]:
    """Cases with and without probabilities."""
    return built(probed, cases, probs)


PATTERNS = Fill((BITS,), seed=1)
RANKS = (4, 0, 2, 1, 3, 5)
"""Experts 2 0, 1 0, 1 2 of three tokens: no list of sources, nor their own inverse."""


def _ranked(
    mode: str, dtype: str, tokens: int, top_k: int, hidden: int, rows: int, probs: bool = True
) -> Case:
    """A call whose ranks are 0, 1, 2... but for the range's place."""
    case = in_order(call, mode, dtype, tokens, top_k, hidden, rows)
    return probed(case, PATTERNS) if probs else case


def examples() -> tuple[Example, ...]:
    """Calls worked by hand in every mode, limits, and calls that ask for little."""
    return (*_by_hand(), *_limits(), *far_ranks(call), *right_calls(README, RIGHT, FEW_ROWS))


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
    empty = "interface behaviour for empty tensors, inferred"
    for dtype in DTYPES:
        moved = _ranked("full", dtype, 32, 8, 33, 256)
        yield Example(f"num_topk 512 {dtype}", _ranked("tail", dtype, 2, 512, 8, 1000), README)
        yield Example(f"every kind of pattern {dtype}", moved, "values are moved, inferred")
    yield Example("num_topk 1", _ranked("middle", "float32", 4, 1, 16, 2), README)
    yield Example("no probabilities", _ranked("head", "float16", 4, 2, 16, 3, False), README)
    yield Example("one rank in the range", _ranked("middle", "bfloat16", 4, 2, 16, 1), README)
    more = _ranked("full", "float32", 4, 2, 16, 11)
    yield Example("more rows than ranks", more, f"{KERNELS}, index test")
    for dtype in DTYPES:
        left = with_attributes(_ranked("middle", dtype, 4, 2, 16, 5), rank_range=(1, 4))
        yield Example(f"ranks with a row behind the range's end {dtype}", left, f"{README}: range")
    yield Example("hidden 0", _ranked("full", "float32", 2, 2, 0, 4, False), empty)
    # As of a device on which no rank fell. The kernel's source agrees with the equations.
    nothing = {"out": (0,) * 64, "probs_grad": (0,) * 8}
    for dtype in DTYPES:
        good = _ranked("head", dtype, 4, 2, 16, 5)
        for rank_range in ((0, 0), (3, 3), (4, 2)):
            called = with_attributes(good, rank_range=rank_range)
            name = f"range {rank_range} selects nothing {dtype}"
            yield Example(name, called, f"{README}, function: equations", nothing)


RIGHT = _ranked("middle", "float32", 4, 2, 16, 5)
FEW_ROWS = _ranked("middle", "float32", 4, 2, 16, 3)


BARE = _ranked("middle", "float32", 4, 2, 16, 5, probs=False)
REJECTIONS = rejections(
    SIGNATURE,
    RIGHT,
    FEW_ROWS,
    wrong={"padded_mode is true, no probs": with_attributes(BARE, padded_mode=1)},
    is_of_mode=is_of_middle,
)


def quarantine() -> tuple[Quarantine, ...]:
    """Calls on which document and sources differ, or of which only the sources speak."""
    over = _ranked("full", "float32", 2, MOST_TOPK + 1, 8, 1026)
    good = _ranked("head", "float32", 4, 2, 16, 5)
    bare = _ranked("head", "float32", 4, 2, 16, 5, probs=False)
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

    slots = reshaped(_ranked("middle", "float32", 4, 1, 16, 2), "probs_grad", (4,))
    unasked = follows("without gradients of rows' probabilities probs_grad has no equation")
    single = follows("of one slot for each token probs_grad may have one axis, as probs may")
    narrow = follows("some outputs are empty and others are not: copies of length 0")
    nothing = follows("a call without tokens, and so with an empty range, has nothing to do")
    return (
        Quarantine("no tokens", _ranked("head", "float32", 0, 2, 8, 0, False), nothing),
        Quarantine("num_topk 1, probs_grad of one axis", slots, single),
        Quarantine("tokens without columns", _ranked("middle", "float32", 4, 2, 0, 5), narrow),
        Quarantine("range (-1, 3)", ranged((-1, 3)), beyond),
        Quarantine("range (4, 9)", ranged((4, 9)), beyond),
        Quarantine(f"num_topk {MOST_TOPK + 1}", over, most),
        Quarantine("probs_grad of nothing", without(RIGHT, PROBS_IN), unasked),
        Quarantine("no range", with_attributes(bare, rank_range=None), absent),
    )
