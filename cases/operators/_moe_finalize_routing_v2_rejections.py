"""Calls that the interface of MoeFinalizeRoutingV2 refuses: every rule broken once."""

from __future__ import annotations

from functools import partial

from cases.operators._moe_finalize_routing_v2_call import MODES, TENSORS, drops
from cases.operators._moe_finalize_routing_v2_calls import in_order
from cases.operators._moe_finalize_routing_v2_sources import HOST, INTERFACE, PAGE, README
from conformance.call.case import Case
from conformance.record.call_rules import MORE, FreeAxis, Freedom, Range
from conformance.record.clause import Clause, SourceClass, document, source_read
from conformance.record.operator import Rejection
from conformance.record.variations import (
    all_retyped,
    misshapen,
    refused,
    reranked,
    reshaped,
    resized,
    retyped,
    with_attributes,
    without,
)

NULL, INVALID, TILING_FAILED = 161001, 161002, 561002
Broken = dict[int, dict[Clause, dict[str, Case]]]


FEWER_BIASES = source_read("the bias has a row for each slot of a token, or more", HOST)
ANY_ROWS = source_read("rows that indices name; their number is not compared", HOST)
FREEDOMS: tuple[Freedom, ...] = (
    FreeAxis("expanded_x", 2, 0, ANY_ROWS),
    FreeAxis("expanded_x", 3, 0, ANY_ROWS),
    FreeAxis("expanded_x", 3, 1, ANY_ROWS),
    FreeAxis("bias", 2, 0, FEWER_BIASES, (MORE,)),
)
RANGES = (Range("drop_pad_mode", 0, 3, document("dropPadMode is 0 to 3", PAGE)),)


def right() -> tuple[Case, ...]:
    """A call of each mode with everything, and one without scales."""
    plain = in_order("dropless_columns", "float32", 4, 1, 16, scales=False, bias=False)
    return (*map(_good, MODES), plain)


def rejections() -> tuple[Rejection, ...]:
    """What the tiling checks, and what the document rules out beside it.

    CANN's own tiling is known to check the first alone.
    """
    return (*refused(_checked()), *refused(_unchecked(), checked_by_cann=False))


def _good(mode: str = "dropless_columns") -> Case:
    """Four tokens of two slots, 16 columns, with everything."""
    return in_order(mode, "float32", 4, 2, 16)


def _without_slots(good: Case) -> Case:
    """The call with no slot of a token, in all tensors that have an axis of slots."""
    for name, shape in (("expanded_row_idx", (0,)), ("scales", (4, 0)), ("expert_idx", (4, 0))):
        good = reshaped(good, name, shape)
    return good


def _checked() -> Broken:
    good = _good()
    pad = _good("drop_pad_rows")
    half = in_order("dropless_columns", "float16", 4, 2, 16)
    return {
        NULL: {
            Clause("the tensor is required", INTERFACE, SourceClass.INFERRED): {
                f"{tensor.name} is null": without(good, tensor.name)
                for tensor in TENSORS
                if not tensor.optional
            },
        },
        INVALID: {
            source_read(
                "one float type for all but scales, which may be float32 beside bfloat16; indices"
                " int32",
                HOST,
            ): {
                "indices are int64": retyped(good, "expanded_row_idx", "int64"),
                "indices are float32": retyped(good, "expanded_row_idx", "float32"),
                "experts are int64": retyped(good, "expert_idx", "int64"),
                "all floats are int32": all_retyped(good, "int32"),
                "rows are int32": retyped(good, "expanded_x", "int32"),
                "rows and out are int32": retyped(
                    retyped(good, "expanded_x", "int32"), "out", "int32"
                ),
                "float32 scales beside float16": retyped(half, "scales", "float32"),
                "float16 scales beside float32": retyped(good, "scales", "float16"),
                **{
                    f"{name} of another dtype": retyped(good, name, "bfloat16")
                    for name in ("x1", "x2", "bias", "out")
                },
            },
        },
        TILING_FAILED: {
            source_read("dropPadMode is 0 to 3", f"{HOST}; {PAGE}, parameters"): {
                f"drop_pad_mode is {value}": with_attributes(good, drop_pad_mode=value)
                for value in (-1, 4, 2**32)
            },
            source_read(
                "expanded_x has two axes without drop, and three with it",
                f"{HOST}; {PAGE}, parameters",
            ): {
                f"rows of rank {rank}, {mode}": reshaped(
                    _good(mode), "expanded_x", {1: (8,), 2: (8, 16), 3: (2, 4, 16)}[rank]
                )
                for mode in MODES
                for rank in ((1, 2) if drops(mode) else (1, 3))
            }
            | reranked(good, "expanded_x")
            | reranked(pad, "expanded_x"),
            source_read("x2 is given beside x1 only", HOST): {"x2 without x1": without(good, "x1")},
            source_read("a bias is given beside expert_idx only", HOST): {
                "a bias without experts": without(good, "expert_idx"),
            },
            source_read("the bias has a row for each slot of a token, at least one", HOST): {
                "a bias of 1 row for 2 slots": reshaped(good, "bias", (1, 16)),
                "a bias of no rows": reshaped(good, "bias", (0, 16)),
            },
        },
    }


def _unchecked() -> Broken:
    good, pad = _good(), _good("drop_pad_rows")
    plain = right()[-1]
    shaped = partial(misshapen, good, free=FREEDOMS)
    parameters = f"{PAGE}, parameters"
    equation = f"{README}, function: equation"
    return {
        TILING_FAILED: {
            document("expanded_row_idx has one axis, an index for each slot", parameters): {
                **shaped("expanded_row_idx"),
                **resized(plain, "expanded_row_idx"),
                "indices of rank 2": reshaped(good, "expanded_row_idx", (4, 2)),
                "8 indices without scales, out of 4": reshaped(plain, "expanded_row_idx", (8,)),
            },
            document("scales are [tokens, top_k]", equation): {
                **shaped("scales"),
                "scales of rank 1": reshaped(good, "scales", (8,)),
                "two slots for each token, and no scales": without(good, "scales"),
                "scales of no slots": _without_slots(good),
            },
            document("x1 and x2 are [tokens, hidden]", equation): {
                **shaped("x1", "x2"),
                "x1 of rank 1": reshaped(good, "x1", (64,)),
                "x2 of rank 1": reshaped(good, "x2", (64,)),
            },
            document("the bias is [experts, hidden]", equation): {
                **resized(good, "bias", axes=(1,)),
                **reranked(good, "bias"),
                "a bias of rank 1": reshaped(good, "bias", (32,)),
                "a bias of rank 3": reshaped(good, "bias", (2, 1, 16)),
            },
            document("expert_idx is [tokens, top_k]", equation): {
                **shaped("expert_idx"),
                "experts of rank 1": reshaped(good, "expert_idx", (8,)),
            },
            document("out is [tokens, hidden]", equation): {
                **shaped("out"),
                **resized(plain, "out"),
                **resized(good, "expanded_x", free=FREEDOMS),
                **resized(pad, "expanded_x", free=FREEDOMS),
                "out of rank 1": reshaped(good, "out", (64,)),
                "out of rank 3": reshaped(good, "out", (4, 1, 16)),
                **resized(pad, "out"),
            },
        },
    }
