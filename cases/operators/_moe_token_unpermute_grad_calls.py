"""Calls of MoeTokenUnpermuteGrad that sources name, and calls that its interface refuses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import product

from cases.operators._moe_token_unpermute_grad_call import (
    DTYPES,
    GRAD,
    PROBS,
    PROBS_GRAD,
    TENSORS,
    TOKENS,
    TOKENS_GRAD,
    call,
    graded,
    weighted,
)
from cases.operators._slot_sum_far import far_gradients
from cases.operators._storage_bits import bits
from conformance.call.case import Case, Tensor
from conformance.record.call_rules import FreeAttribute, Freedom, Range, extent
from conformance.record.clause import Clause, document, source_read
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
    with_attributes,
    without,
)
from conformance.values.fill import BITS, Fill
from reference.permutation import MOST_TOPK

ACLNN = "aclnnMoeTokenUnpermuteGrad document"
KERNELS = "ops-transformer, moe_token_unpermute_grad/op_kernel"
HOST = "ops-transformer, moe_token_unpermute_grad/op_host"
NULL, INVALID, TILING_FAILED = 161001, 161002, 561002
GAUSSIAN = Fill(("gaussian",), seed=1)
LATTICE = Fill(("lattice",), seed=1, terms=2**20)
PATTERNS = Fill((BITS,), seed=1)


def _ranked(mode: str, dtype: str, tokens: int, top_k: int, hidden: int, rows: int) -> Case:
    """A call whose ranks are 0, 1, 2..., without probabilities."""
    indices = tuple(range(tokens * top_k))
    return call(mode, dtype, source=(rows, hidden), indices=indices, top_k=top_k, fill=GAUSSIAN)


def _weighted(dtype: str, tokens: int, top_k: int, hidden: int, probs_dtype: str = "") -> Case:
    case = _ranked("whole", dtype, tokens, top_k, hidden, tokens * top_k)
    return weighted(case, probs_dtype or dtype, GAUSSIAN, GAUSSIAN)


def examples() -> tuple[Example, ...]:
    """Calls worked by hand, every pair of dtypes, limits, bits of every kind, little or far."""
    right = right_calls(ACLNN, RIGHT, UNEVEN, SINGLE)
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
    moved = call("single", "float32", source=(3, 2), indices=(2, 0, 1), top_k=1, fill=GAUSSIAN)
    yield Example(
        "rows without probabilities",
        graded(moved, bits("float32", 1, 10, 2, 20, 3, 30)),
        by_hand,
        {"permuted_tokens_grad": (2, 20, 3, 30, 1, 10)},
    )
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
SINGLE = graded(_ranked("single", "float32", 4, 1, 16, 4), GAUSSIAN)
FREEDOMS: tuple[Freedom, ...] = tuple(
    FreeAttribute(name, source_read("host sources do not look at it", HOST))
    for name in ("padded_mode", "restore_shape")
)
RANGES = (
    Range(
        "top_k",
        1,
        MOST_TOPK,
        source_read(f"top_k is 1 to {MOST_TOPK}", HOST),
        of=extent(PROBS, 1),
    ),
)


def rejections() -> tuple[Rejection, ...]:
    """What the tiling checks, and what the document rules out beside it, broken once each."""
    good, shaped = RIGHT, partial(misshapen, RIGHT)
    required = [tensor.name for tensor in TENSORS if not tensor.optional]
    checked: dict[int, dict[Clause, dict[str, Case]]] = {
        NULL: {
            document("input and output tensors are no null pointers", f"{ACLNN}, status"): {
                f"{name} is null": without(good, name) for name in required
            },
        },
        INVALID: {
            source_read("float types, one for tokens and gradients; indices int32", HOST): {
                "indices are int64": retyped(good, "sorted_indices", "int64"),
                "indices are float32": retyped(good, "sorted_indices", "float32"),
                "tokens are int32": retyped(good, TOKENS, "int32"),
                "gradient has another dtype": retyped(good, GRAD, "float16"),
                "gradient of tokens has another dtype": retyped(good, TOKENS_GRAD, "float16"),
                "probs are int32": retyped(good, PROBS, "int32"),
                "all floats are int32": all_retyped(good, "int32"),
                "tokens and gradients are int32": all_retyped(SINGLE, "int32"),
                "probs and their gradient are int32": retyped(
                    retyped(good, PROBS, "int32"), PROBS_GRAD, "int32"
                ),
                "gradient of probs has another dtype": retyped(good, PROBS_GRAD, "float16"),
            },
        },
        TILING_FAILED: {
            source_read("there are rows, columns, tokens and slots", HOST): {
                "no rows": in_mode("uneven", _sized(good, rows=0)),
                "hidden 0": _sized(good, hidden=0),
                "no tokens": in_mode("uneven", _sized(good, tokens=0)),
                "top_k is 0": in_mode("uneven", _sized(good, top_k=0)),
                "no tokens, no probs": _without_probs(_sized(good, 0, 1)),
            },
            source_read(f"top_k is at most {MOST_TOPK}", HOST): {
                f"top_k is {MOST_TOPK + 1}": _weighted("float32", 2, MOST_TOPK + 1, 8),
            },
        },
    }
    unchecked: dict[int, dict[Clause, dict[str, Case]]] = {
        NULL: {
            document("probs have a gradient", f"{ACLNN}, parameters"): {
                "probs_grad is null, probs are given": without(good, PROBS_GRAD),
            },
        },
        TILING_FAILED: {
            document("tokens and gradients have two axes, indices one", f"{ACLNN}, parameters"): {
                **reranked(good, TOKENS, GRAD, "sorted_indices", PROBS),
                "indices of rank 2": reshaped(good, "sorted_indices", (4, 2)),
                "probs of rank 1": reshaped(good, PROBS, (8,)),
            },
            document("an index and a probability for every slot", f"{ACLNN}, parameters"): {
                **resized(good, "sorted_indices", PROBS),
                **resized(SINGLE, "sorted_indices"),
                "10 indices for 4 tokens of 2 slots": reshaped(UNEVEN, "sorted_indices", (10,)),
                "8 tokens without probs, gradient of 4": _without_probs(good),
            },
            document("the gradient is [tokens, hidden]", f"{ACLNN}, parameters"): {
                **resized(good, GRAD),
                **resized(SINGLE, GRAD),
            },
            document("outputs have the shapes of what they are gradients of", f"{ACLNN}"): {
                **shaped(TOKENS_GRAD, PROBS_GRAD),
                **resized(UNEVEN, TOKENS, TOKENS_GRAD),
                **resized(SINGLE, TOKENS_GRAD),
                "gradient of rows of rank 1": reshaped(good, TOKENS_GRAD, (128,)),
                "gradient of probs of rank 1": reshaped(good, PROBS_GRAD, (8,)),
            },
        },
    }
    return (*refused(checked), *refused(unchecked, checked_by_cann=False))


def _without_probs(good: Case) -> Case:
    return in_mode("single", without(without(good, PROBS), PROBS_GRAD))


def _sized(good: Case, tokens: int = 4, top_k: int = 2, rows: int = 8, hidden: int = 16) -> Case:
    """The call with other sizes, one of them 0: there is always an output that is not empty."""
    shapes = {
        TOKENS: (rows, hidden),
        GRAD: (tokens, hidden),
        "sorted_indices": (tokens * top_k,),
        PROBS: (tokens, top_k),
        TOKENS_GRAD: (rows, hidden),
        PROBS_GRAD: (tokens, top_k),
    }
    for name, shape in shapes.items():
        good = reshaped(good, name, shape)
    return good


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
