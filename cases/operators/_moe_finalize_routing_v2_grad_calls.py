"""Calls of MoeFinalizeRoutingV2Grad that sources name, and calls that its interface must reject."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cases.operators._moe_finalize_routing_v2_grad_call import (
    BIAS,
    DTYPES,
    EMPTY,
    EXPERTS,
    GRAD,
    HOST,
    KERNELS,
    MODES,
    README,
    ROWS,
    SCALES,
    SCALES_GRAD,
    SIGNATURE,
    X_GRAD,
    Bias,
    Rows,
    X,
    call,
    graded,
    scaled,
)
from cases.operators._slot_sum_cases import GAUSSIAN, far_gradients, in_order
from cases.operators._values import bits
from conformance.call.case import Case, Tensor
from conformance.record.clause import document, inferred, source_read
from conformance.record.derive.rejections import rejections
from conformance.record.operator import Example, Quarantine
from conformance.record.variations import (
    in_mode,
    reshaped,
    right_calls,
    with_attributes,
    without,
    without_effect,
)
from conformance.values.fill import BITS, Fill

LATTICE = Fill(("lattice",), seed=1)
BIASED = Bias(LATTICE, 1)


def _made(
    mode: str, dtype: str, tokens: int, top_k: int, hidden: int, rows: int, biased: bool = False
) -> Case:
    """A call whose indices are 0, 1, 2..., with scales."""
    case = in_order(call, mode, dtype, tokens, top_k, hidden, rows)
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
    asked = inferred("a call without tokens has nothing to do", EMPTY)
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


def _reshaped(case: Case, shapes: dict[str, tuple[int, ...]], **attributes: int) -> Case:
    for name, shape in shapes.items():
        case = reshaped(case, name, shape)
    return with_attributes(case, **attributes)


def _without(case: Case, *names: str) -> Case:
    """The call without scales and these tensors."""
    for name in (SCALES, *names):
        case = without(case, name)
    return in_mode("single", case)


def is_of_mode(case: Case) -> bool:
    """Whether it has places as its mode says, and with scales is cut as its mode says."""
    padded, cut = case.attributes["drop_pad_mode"] == 1, case.attributes["active_num"] > 0
    agrees = case.mode not in MODES[:2] or cut == (case.mode == "active")
    return agrees and (case.mode == "drop_pad" or not padded)


WRONG = {
    "no experts, no rows": _reshaped(PADDED, {X: (0, 3, 16), X_GRAD: (0, 3, 16)}, expert_num=0),
    "no places, no rows": _reshaped(PADDED, {X: (3, 0, 16), X_GRAD: (3, 0, 16)}, expert_capacity=0),
    "rows of rank 2 in drop/pad": reshaped(PADDED, X, (9, 16)),
    "10 indices, 4 tokens of 2 slots, drop/pad": reshaped(PADDED, ROWS, (10,)),
    "scales and their gradient of 3 tokens for 4": _reshaped(
        PADDED, {SCALES: (3, 2), SCALES_GRAD: (3, 2)}
    ),
    "two slots for each token, and no scales": _without(RIGHT, EXPERTS, BIAS, SCALES_GRAD),
    "two slots for each token, and a gradient of scales alone": _without(RIGHT),
    "gradient of other places": reshaped(PADDED, X_GRAD, (9, 1, 16)),
}
# Without scales nothing looks at the rows.
RIGHTS = (RIGHT, ACTIVE, PADDED, BIASED_PADDED, without(SINGLE, X))
REJECTIONS = rejections(SIGNATURE, *RIGHTS, wrong=WRONG, is_of_mode=is_of_mode)
