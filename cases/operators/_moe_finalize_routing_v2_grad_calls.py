"""Calls of MoeFinalizeRoutingV2Grad that sources name, and calls that its interface refuses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cases.operators._moe_finalize_routing_v2_grad_call import (
    BIAS,
    DTYPES,
    EXPERTS,
    GRAD,
    ROWS,
    SCALES,
    SCALES_GRAD,
    X_GRAD,
    Bias,
    Rows,
    X,
    call,
    graded,
    scaled,
)
from cases.operators._slot_sum_far import far_gradients
from cases.operators._storage_bits import bits
from conformance.call.case import Case, Tensor
from conformance.record.call_rules import FreeAxis, Freedom, Range
from conformance.record.clause import Clause, SourceClass, document, source_read
from conformance.record.operator import Example, Quarantine, Rejection
from conformance.record.variations import (
    all_retyped,
    in_mode,
    refused,
    reranked,
    reshaped,
    resized,
    retyped,
    right_calls,
    stepped,
    with_attributes,
    without,
    without_effect,
)
from conformance.values.fill import BITS, Fill

README = "MoeFinalizeRoutingV2Grad README"
KERNELS = "ops-transformer, moe_finalize_routing_v2_grad/op_kernel"
HOST = "ops-transformer, moe_finalize_routing_v2_grad/op_host"
PROTOTYPE = "ops-transformer, moe_finalize_routing_v2_grad/op_graph, prototype: attributes"
EMPTY = "interface behaviour for empty tensors: without an output element nothing is done, inferred"
NULL, INVALID, TILING_FAILED = 161001, 161002, 561002
GAUSSIAN = Fill(("gaussian",), seed=1)
LATTICE = Fill(("lattice",), seed=1)
BIASED = Bias(LATTICE, 1)


def _made(
    mode: str, dtype: str, tokens: int, top_k: int, hidden: int, rows: int, biased: bool = False
) -> Case:
    """A call whose indices are 0, 1, 2..., with scales."""
    indices = tuple(range(tokens * top_k))
    case = call(mode, dtype, source=(rows, hidden), indices=indices, top_k=top_k, fill=GAUSSIAN)
    return scaled(case, GAUSSIAN, GAUSSIAN, BIASED if biased else None)


def examples() -> tuple[Example, ...]:
    """Calls worked by hand in every mode, bits of every kind, small calls, far rows."""
    right = right_calls(README, RIGHT, ACTIVE, PADDED, ONE_PLACE, BIASED_PADDED, SINGLE)
    return (*_by_hand(), *_others(), *far_gradients(call, GRAD), *right)


def _by_hand() -> Iterator[Example]:
    by_hand = f"{README}, function: equations, by hand"
    gradient, scales = bits("float32", 1, 2, 3, -1), bits("float32", 0.5, 0.25, 0.75, 0)
    numbers = bits("float32", 1, 2, 3, 4, 5, 6, 7, 8)
    # Rows 1 2, 3 4, 5 6, 7 8; gradients 1 2 and 3 -1; slots name rows 0 2 and 3 1.
    for mode, name in (("dropless", "a row for every slot"), ("drop_pad", "two experts")):
        case = call(mode, "float32", source=(4, 2), indices=(0, 2, 3, 1), top_k=2, values=numbers)
        expected = {
            X_GRAD: (0.5, 1, 0, -0.0, 0.25, 0.5, 2.25, -0.75),
            SCALES_GRAD: (5, 17, 13, 5),
        }
        yield Example(name, scaled(case, scales, gradient), by_hand, expected)
    dropped = call(
        "drop_pad", "float32", source=(4, 2), indices=(0, 2, 4, 1), top_k=2, values=numbers
    )
    yield Example(
        "a slot without a row, and a row without a slot",
        scaled(dropped, scales, gradient),
        by_hand,
        {X_GRAD: (0.5, 1, 0, -0.0, 0.25, 0.5, 0, 0), SCALES_GRAD: (5, 17, 0, 5)},
    )
    biased = call(
        "drop_pad", "float32", source=(4, 2), indices=(0, 2, 1, 4), top_k=2, values=numbers
    )
    # The bias of the dropped slot is at right angles to its token's gradient.
    yield Example(
        "two tokens of two slots, one dropped, with a bias",
        scaled(
            biased,
            bits("float32", 0.5, 0.25, 2, 4),
            gradient,
            Rows((0, 1, 0, 1), bits("float32", 10, 0, 20, 60)),
        ),
        by_hand,
        {X_GRAD: (0.5, 1, 6, -2, 0.25, 0.5, 0, 0), SCALES_GRAD: (15, 157, 35, 0)},
    )
    moved = call("single", "float32", source=(3, 2), indices=(2, 0, 1), top_k=1, fill=GAUSSIAN)
    yield Example(
        "rows without scales",
        graded(moved, bits("float32", 1, 10, 2, 20, 3, 30)),
        by_hand,
        {X_GRAD: (2, 20, 3, 30, 1, 10)},
    )


def _others() -> Iterator[Example]:
    for dtype in DTYPES:
        moved = call(
            "single", dtype, source=(9, 33), indices=tuple(range(9)), top_k=1, fill=LATTICE
        )
        patterns = graded(moved, Fill((BITS,), seed=1))
        yield Example(f"every kind of pattern {dtype}", patterns, "values are moved, inferred")
        places = call(
            "drop_pad", dtype, source=(114, 33), indices=tuple(range(2, 130)), top_k=1, fill=LATTICE
        )
        dropped = in_mode("single", graded(places, Fill((BITS,), seed=2)))
        yield Example(f"places without scales, and slots without a place {dtype}", dropped, KERNELS)
        biased = _made("dropless", dtype, 5, 3, 33, 15, biased=True)
        yield Example(f"a bias for every slot {dtype}", biased, f"{HOST}, definition")
        yield Example(f"the first 7 rows {dtype}", _made("active", dtype, 5, 3, 33, 7), KERNELS)
        yield Example(f"places {dtype}", _made("drop_pad", dtype, 5, 3, 33, 18, True), KERNELS)
    for active_num, told in ((8, "of every slot"), (9, "beyond every slot")):
        every = with_attributes(_made("active", "float16", 4, 2, 8, 8), active_num=active_num)
        yield Example(f"activeNum {told}", every, f"{README}, parameters: min(activeNum, slots)")
    for case in (_made("dropless", "float16", 4, 2, 8, 8), _made("active", "float16", 4, 2, 8, 6)):
        yield from without_effect(README, case, expert_num=3, expert_capacity=2)
    padded = _made("drop_pad", "float16", 4, 2, 8, 9)
    yield from without_effect(README, padded, active_num=5)
    moved = graded(call("single", "float32", source=(4, 8), indices=(2, 0, 3, 1), top_k=1), LATTICE)
    yield from without_effect(README, moved, expert_num=3, expert_capacity=2)
    bias = {BIAS: Tensor((2, 8), "float32", fill=LATTICE)}
    alone = replace(moved, inputs={**moved.inputs, **bias})
    yield Example("a bias without scales", alone, README)
    yield Example("one element", _made("dropless", "float32", 1, 1, 1, 1), README)
    unused = without(
        graded(call("single", "float16", source=(4, 8), indices=(0, 1, 2, 3), top_k=1), LATTICE),
        X,
    )
    yield Example("no rows given, and none needed", unused, f"{README}, parameters")
    bare = graded(call("single", "float32", source=(3, 0), indices=(2, 0, 1), top_k=1), LATTICE)
    yield Example("hidden 0 without scales", bare, EMPTY)


def quarantine() -> tuple[Quarantine, ...]:
    """Calls of which the document says nothing."""
    none = replace(
        _made("dropless", "float32", 4, 2, 8, 8),
        inputs={
            GRAD: Tensor((0, 8), "float32"),
            ROWS: Tensor((0,), "int32"),
            X: Tensor((0, 8), "float32"),
            SCALES: Tensor((0, 2), "float32"),
        },
        outputs={X_GRAD: Tensor((0, 8), "float32"), SCALES_GRAD: Tensor((0, 2), "float32")},
    )
    asked = Clause("a call without tokens has nothing to do", EMPTY, SourceClass.INFERRED)
    below = source_read("an index below -1 names no row; the document begins at -1", KERNELS)
    every = with_attributes(_made("dropless", "float32", 4, 2, 8, 8), active_num=-1)
    negative = source_read("activeNum below 1 means all; the document begins at 0", HOST)
    unasked = document("expertIdx is in the equation for the bias only", f"{README}, function")
    return (
        Quarantine("no tokens", none, asked),
        Quarantine("activeNum -1", every, negative),
        Quarantine("experts without a bias", without(RIGHT, BIAS), unasked),
        *(Quarantine(f"index {index}", _naming(index), below) for index in (-2, -(2**31))),
    )


def _naming(index: int) -> Case:
    """Four tokens of two slots, of which the third has this index, and eleven places."""
    case = _made("drop_pad", "float32", 4, 2, 8, 11)
    named = (*range(2), index, *range(3, 8))
    return replace(case, inputs={**case.inputs, ROWS: Tensor((8,), "int32", values=named)})


RIGHT = _made("dropless", "float32", 4, 2, 16, 8, biased=True)
ACTIVE = _made("active", "float32", 4, 2, 16, 6)
PADDED = _made("drop_pad", "float32", 4, 2, 16, 9)
ONE_PLACE = _made("drop_pad", "float32", 4, 2, 16, 1)
BIASED_PADDED = _made("drop_pad", "float32", 4, 2, 16, 9, biased=True)
SINGLE = graded(
    call("single", "float32", source=(4, 16), indices=(2, 0, 1, 3), top_k=1, fill=GAUSSIAN),
    GAUSSIAN,
)
FREEDOMS: tuple[Freedom, ...] = (
    FreeAxis(BIAS, 2, 0, document("a row for each expert, which indices name", PROTOTYPE)),
)
RANGES = (
    Range("drop_pad_mode", 0, 1, source_read("dropPadMode is 0 or 1", HOST)),
    Range(
        "expert_num",
        1,
        None,
        source_read("drop/pad has experts", HOST),
        modes=("drop_pad",),
    ),
    Range(
        "expert_capacity",
        1,
        None,
        source_read("drop/pad has places", HOST),
        modes=("drop_pad",),
    ),
)


def rejections() -> tuple[Rejection, ...]:
    """What the host sources check, and what shapes forbid beside it, broken once each."""
    good, padded, biased = RIGHT, PADDED, BIASED_PADDED
    broken: dict[int, dict[Clause, dict[str, Case]]] = {
        NULL: {
            source_read("the tensor is required", HOST): {
                f"{name} is null": without(good, name) for name in (GRAD, ROWS, X_GRAD)
            },
            source_read("scales have a gradient", HOST): {
                "grad_scales is null, scales are given": without(good, SCALES_GRAD),
            },
        },
        INVALID: {
            document("float types, one for all; indices int32", f"{README}, parameters"): {
                "indices are int64": retyped(good, ROWS, "int64"),
                "experts are int64": retyped(good, EXPERTS, "int64"),
                "gradient is int32": retyped(good, GRAD, "int32"),
                "all floats are int32": all_retyped(good, "int32"),
                **{
                    f"{name} of another dtype": retyped(good, name, "float16")
                    for name in (GRAD, X, SCALES, BIAS, X_GRAD, SCALES_GRAD)
                },
            },
        },
        TILING_FAILED: {
            source_read("dropPadMode is 0 or 1", HOST): {
                "drop_pad_mode is -1": with_attributes(good, drop_pad_mode=-1),
                "drop_pad_mode is 2": with_attributes(good, drop_pad_mode=2),
                "drop_pad_mode is 2, drop_pad": with_attributes(padded, drop_pad_mode=2),
            },
            source_read("drop/pad has experts, each with places", HOST): {
                "drop/pad without experts": with_attributes(padded, expert_num=0),
                "drop/pad without places": with_attributes(padded, expert_capacity=0),
                "no experts, no rows": with_attributes(
                    _all_reshaped(padded, {X: (0, 3, 16), X_GRAD: (0, 3, 16)}), expert_num=0
                ),
                "no places, no rows": with_attributes(
                    _all_reshaped(padded, {X: (3, 0, 16), X_GRAD: (3, 0, 16)}), expert_capacity=0
                ),
            },
            document("with drop/pad a bias has expert_num rows", PROTOTYPE): {
                **resized(biased, BIAS),
            },
            Clause("scales and places have a gradient", EMPTY, SourceClass.INFERRED): {
                "hidden 0 with scales": _made("dropless", "float32", 4, 2, 0, 8),
                "no tokens for places": replace(
                    padded,
                    inputs={
                        GRAD: Tensor((0, 16), "float32"),
                        ROWS: Tensor((0,), "int32"),
                        X: padded.inputs[X],
                        SCALES: Tensor((0, 2), "float32"),
                    },
                    outputs={**padded.outputs, SCALES_GRAD: Tensor((0, 2), "float32")},
                ),
            },
            source_read("scales need rows, a bias experts", HOST): {
                "scales without rows": without(good, X),
                "a bias without experts": without(good, EXPERTS),
            },
            source_read("ranks of the tensors", HOST): {
                **reranked(good, *good.inputs, *good.outputs),
                **reranked(padded, X, X_GRAD),
                "gradient of rank 1": reshaped(good, GRAD, (64,)),
                "indices of rank 2": reshaped(good, ROWS, (4, 2)),
                "rows of rank 2 in drop/pad": reshaped(padded, X, (9, 16)),
                "scales of rank 1": reshaped(good, SCALES, (8,)),
            },
            source_read("an index and a scale for every slot", HOST): {
                **resized(good, ROWS, SCALES),
                **resized(SINGLE, ROWS),
                **resized(padded, ROWS),
                "10 indices, 4 tokens of 2 slots, drop/pad": reshaped(padded, ROWS, (10,)),
                "scales and their gradient of 3 tokens for 4": _all_reshaped(
                    padded, {SCALES: (3, 2), SCALES_GRAD: (3, 2)}
                ),
                "no slots, drop/pad": _all_reshaped(
                    padded, {ROWS: (0,), SCALES: (4, 0), SCALES_GRAD: (4, 0)}
                ),
                "two slots for each token, and no scales": in_mode("single", _without_scales(good)),
                "two slots for each token, and a gradient of scales alone": in_mode(
                    "single", without(good, SCALES)
                ),
            },
            source_read("shapes follow from the gradient, the slots and the attributes", HOST): {
                **resized(good, GRAD, X, BIAS, EXPERTS, X_GRAD, SCALES_GRAD, free=FREEDOMS),
                **resized(padded, X, X_GRAD),
                **resized(ACTIVE, X, X_GRAD),
                **resized(SINGLE, GRAD, X_GRAD),
                **stepped(padded, "expert_num", "expert_capacity"),
                **stepped(ACTIVE, "active_num"),
                "a bias of no rows": reshaped(good, BIAS, (0, 16)),
                "gradient of other places": reshaped(padded, X_GRAD, (9, 1, 16)),
            },
        },
    }
    return refused(broken)


def _all_reshaped(case: Case, shapes: dict[str, tuple[int, ...]]) -> Case:
    for name, shape in shapes.items():
        case = reshaped(case, name, shape)
    return case


def _without_scales(good: Case) -> Case:
    """The call without scales and all that goes with them."""
    bare = good
    for name in (SCALES, EXPERTS, BIAS, SCALES_GRAD):
        bare = without(bare, name)
    rows = Tensor(bare.inputs[ROWS].shape, "int32", values=bare.inputs[ROWS].values)
    return replace(bare, inputs={**bare.inputs, ROWS: rows})
