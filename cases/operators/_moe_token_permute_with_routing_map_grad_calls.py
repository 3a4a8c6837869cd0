"""Calls of MoeTokenPermuteWithRoutingMapGrad: how one is made, examples, what must be rejected."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cases.operators._moe_token_permute_with_routing_map_grad_sources import (
    DTYPES,
    FUNCTION,
    HOST,
    KERNELS,
    NAME,
    README,
)
from conformance.call.case import Case, Machine, Tensor
from conformance.draw.layouts import strides_of
from conformance.draw.machines import UB_BYTES
from conformance.record.call_rules import Range
from conformance.record.clause import Clause, SourceClass, document, source_read
from conformance.record.operator import Example, Quarantine, Rejection
from conformance.record.variations import (
    all_retyped,
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
    without_effect,
)
from conformance.values.fill import BITS, Fill
from reference.moe_token_permute_with_routing_map_grad import MOST_TOPK

Shape = tuple[int, ...]
GAUSSIAN, PATTERNS = Fill(("gaussian",), seed=1), Fill((BITS,), seed=7)
MANY_ROWS = 2**15 + 1
GRAD, PROBS, MAP = "permuted_token_output_grad", "permuted_probs_output_grad", "routing_map"


def call(
    mode: str,
    dtype: str,
    *,
    grad: tuple[int, int],
    indices: Shape,
    tokens: int,
    experts: int,
    probs: str = "neither",
    map_kind: str = "absent",
    map_values: Shape = (),
    probs_fill: Fill | None = None,
    probs_values: Shape | None = None,
    layout: str = "contiguous",
    fill: Fill | None = None,
    values: Shape | None = None,
    unread: Shape = (),
    machine: Machine | None = None,
) -> Case:
    """A case from what matters of it; ``probs`` and ``map_kind`` as in the module of maps."""
    rows, hidden = grad
    inputs = {GRAD: Tensor(grad, dtype, values, fill, unread)}
    if probs in ("both", "input only"):
        inputs[PROBS] = Tensor((rows,), dtype, probs_values, probs_fill)
    inputs["sorted_indices"] = Tensor((len(indices),), "int32", values=indices)
    routes = (tokens, experts)
    if map_kind != "absent":
        map_dtype = "bool" if map_kind == "bool" else "int8"
        inputs[MAP] = Tensor(routes, map_dtype, values=map_values)
    sums = (tokens, hidden)
    outputs = {"tokens_grad": Tensor(sums, dtype, strides=strides_of(layout, sums))}
    if probs in ("both", "output only"):
        outputs["probs_grad"] = Tensor(routes, dtype, strides=strides_of(layout, routes))
    return Case(
        operator=NAME,
        mode=mode,
        dtype=dtype,
        attributes={
            "num_experts": experts,
            "tokens_num": tokens,
            "drop_and_pad": int(mode == "drop_pad"),
        },
        inputs=inputs,
        outputs=outputs,
        machine=machine,
    )


def row_sum(dtype: str, x: NDArray[np.generic]) -> Case:
    """One token whose slots are the rows of ``x`` [slots, columns]."""
    slots, columns = x.shape
    stored = np.ascontiguousarray(x).view(f"u{x.dtype.itemsize}").reshape(-1)
    indices = tuple(range(slots))
    return call(
        "dropless",
        dtype,
        grad=(slots, columns),
        indices=indices,
        tokens=1,
        experts=slots,
        values=tuple(stored.tolist()),
    )


def numbers(dtype: str, *values: float) -> Shape:
    """The storage bits of values that every dtype holds exactly."""
    if dtype == "float16":
        return tuple(int(np.float16(value).view(np.uint16)) for value in values)
    shift = 16 if dtype == "bfloat16" else 0
    return tuple(int(np.float32(value).view(np.uint32)) >> shift for value in values)


def by_hand(mode: str, dtype: str, map_kind: str = "int8") -> Case:
    """Two tokens, three experts: a call that a person can work out.

    Experts 0 and 2 of token 0, 0 and 1 of token 1; padded, two rows of expert 0 and two of 1.
    """
    padded = mode == "drop_pad"
    return call(
        mode,
        dtype,
        grad=(4, 2),
        indices=(0, 1, 1, 0) if padded else (0, 3, 1, 2),
        tokens=2,
        experts=2 if padded else 3,
        probs="both",
        map_kind=map_kind,
        map_values=(1, 0, 1, 1) if padded else (1, 0, 1, 1, 1, 0),
        probs_values=numbers(dtype, 1, 2, 3, 4),
        values=numbers(dtype, 1, 10, 2, 20, 4, 40, 8, 80),
    )


UNPADDED_RESULT = {
    "tokens_grad": (9.0, 90.0, 6.0, 60.0),
    "probs_grad": (1.0, 0.0, 4.0, 2.0, 3.0, 0.0),
}
PADDED_RESULT = {"tokens_grad": (9.0, 90.0, 6.0, 60.0), "probs_grad": (1.0, 4.0, 2.0, 3.0)}


def in_order(
    dtype: str,
    tokens: int,
    top_k: int,
    hidden: int,
    probs: str = "neither",
    probs_fill: Fill = GAUSSIAN,
) -> Case:
    """A call without padding whose ranks are 0, 1, 2... and whose tokens go to all experts."""
    rows = tokens * top_k
    return call(
        "dropless",
        dtype,
        grad=(rows, hidden),
        indices=tuple(range(rows)),
        tokens=tokens,
        experts=max(top_k, 1),
        probs=probs,
        map_kind="absent" if probs == "neither" else "bool",
        map_values=(1,) * (tokens * max(top_k, 1)),
        probs_fill=probs_fill,
        fill=GAUSSIAN,
    )


def patterns(mode: str, dtype: str) -> Case:
    """A call whose probs have every kind of storage pattern; 64 tokens, 4 experts each."""
    if mode == "dropless":
        return in_order(dtype, 64, 4, 8, "both", PATTERNS)
    return call(
        mode,
        dtype,
        grad=(256, 8),
        indices=(*range(64), *range(63, -1, -1), *range(64), *range(1, 64), 0),
        tokens=64,
        experts=4,
        probs="both",
        map_kind="bool",
        map_values=(1,) * 256,
        probs_fill=PATTERNS,
        fill=GAUSSIAN,
    )


def examples() -> tuple[Example, ...]:
    """Calls worked out by hand; the sizes of the vendor's call example; limits; empty calls."""
    experts, capacity = 256, 16
    rows = experts * capacity
    sizes = call(
        "drop_pad",
        "float32",
        grad=(rows, 8),
        indices=tuple(range(rows)),
        tokens=rows,
        experts=experts,
        probs="both",
        map_kind="int8",
        map_values=(1,) * (rows * experts),
        values=numbers("float32", 1) * (rows * 8),
        probs_values=numbers("float32", 1) * rows,
    )
    vendor = "ops-transformer, test_aclnn_moe_token_permute_with_routing_map_grad.cpp, sizes"
    padded = by_hand("drop_pad", "bfloat16")
    # On the smallest machine, as a person would want a case of so many rows.
    many_rows = call(
        "drop_pad",
        "float32",
        grad=(MANY_ROWS, 1),
        indices=tuple(reversed(range(MANY_ROWS))),
        tokens=MANY_ROWS,
        experts=1,
        fill=GAUSSIAN,
        machine=Machine(1, UB_BYTES[0]),
    )
    no_rows = call("dropless", "float16", grad=(0, 4), indices=(), tokens=3, experts=2)
    return (
        *(
            Example(f"worked out {dtype} {kind}", by_hand("dropless", dtype, kind), FUNCTION, one)
            for one in (UNPADDED_RESULT,)
            for dtype, kind in (("float16", "int8"), ("bfloat16", "bool"), ("float32", "int8"))
        ),
        Example("worked out, padded", padded, FUNCTION, PADDED_RESULT),
        Example("call example with hidden 8", sizes, vendor),
        Example("rows that 15 bits do not number", many_rows, f"{README}, int32 indices, inferred"),
        *(
            Example(f"every kind of pattern {mode} {dtype}", patterns(mode, dtype), FUNCTION)
            for mode in ("dropless", "drop_pad")
            for dtype in DTYPES
        ),
        *(
            Example(f"topK 512 {dtype}", in_order(dtype, 2, 512, 8, "both"), README)
            for dtype in DTYPES
        ),
        Example("one token of one expert", in_order("float16", 1, 1, 3, "both"), README),
        Example("neither probs nor map", in_order("float32", 4, 2, 16), README),
        *without_effect(f"{README}: of probs", in_order("float16", 4, 2, 16), num_experts=3),
        Example("hidden 0", in_order("float32", 2, 2, 0), f"{HOST}, empty tensors"),
        Example("hidden 0 with probs", in_order("float32", 2, 2, 0, "both"), f"{HOST}, empty"),
        Example("no rows", no_rows, f"{HOST}, empty tensors"),
        *right_calls(README, RIGHT, PADDED),
        *(
            Example(f"{told}, {case.mode}", without(case, lost), f"{README}, optional tensors")
            for lost, told in ((PROBS, "probs_grad of nothing"), ("probs_grad", "no probs_grad"))
            for case in (RIGHT, PADDED)
        ),
    )


NULL, INVALID, TILING_FAILED = 161001, 161002, 561002


def inferred(text: str) -> Clause:
    """A clause that follows from the equations, and that no document spells out."""
    return Clause(text, FUNCTION, SourceClass.INFERRED)


def sized(case: Case, tokens: int, experts: int) -> Case:
    """The same rows for another number of tokens and experts; map and outputs go with them."""
    case = with_attributes(case, tokens_num=tokens, num_experts=experts)
    for name in (MAP, "probs_grad"):
        case = reshaped(case, name, (tokens, experts))
    return reshaped(case, "tokens_grad", (tokens, case.outputs["tokens_grad"].shape[1]))


RIGHT = in_order("float32", 4, 2, 16, "both")
PADDED = by_hand("drop_pad", "float32")
RANGES = (
    Range("num_experts", 1, None, source_read("num_experts is above 0", HOST)),
    Range("tokens_num", 1, None, source_read("tokens_num is above 0", HOST)),
)


def rejections() -> tuple[Rejection, ...]:
    """What the interface refuses, broken once each.

    CANN checks neither the outputs nor that sizes agree: there such a call writes where it should
    not. Its status where topK is too large is an inner one, 561xxx, which nobody promises.
    """
    good, padded, bare = RIGHT, PADDED, in_order("float32", 4, 2, 16)
    checked: dict[int, dict[Clause, dict[str, Case]]] = {
        NULL: {
            source_read("the tensor is required", HOST): {
                f"{name} is null": without(good, name)
                for name in (GRAD, "sorted_indices", "tokens_grad")
            },
            source_read("probs need a routing map", HOST): {
                "no map for probs": without(good, MAP),
                "no map for probs, padded": without(padded, MAP),
                "no map for probs, no room": without(without(good, MAP), "probs_grad"),
            },
        },
        INVALID: {
            source_read("num_experts and tokens_num are above 0, checked before all else", HOST): {
                "num_experts is 0": with_attributes(good, num_experts=0),
                "num_experts is -1": with_attributes(good, num_experts=-1),
                "num_experts is 0, no probs": with_attributes(bare, num_experts=0),
                "tokens_num is 0": with_attributes(good, tokens_num=0),
                "tokens_num is -4": with_attributes(good, tokens_num=-4),
                "tokens_num is 0 and the gradient null": with_attributes(
                    without(good, GRAD), tokens_num=0
                ),
            },
            document("float16, bfloat16 or float32, one for all; indices int32", README): {
                "gradient is int32": retyped(good, GRAD, "int32"),
                "all are int32": all_retyped(good, "int32"),
                "probs have another dtype": retyped(good, PROBS, "float16"),
                "indices are int64": retyped(good, "sorted_indices", "int64"),
            },
            source_read("the map is int8 or bool", HOST): {
                "map is uint8": retyped(good, MAP, "uint8"),
                "map is int32": retyped(good, MAP, "int32"),
            },
            source_read("the gradient and the map have two axes, the probs one", HOST): {
                **reranked(good, GRAD, MAP, PROBS),
                "map of rank 1": reshaped(good, MAP, (8,)),
                "map of rank 1, no probs": reshaped(
                    without(without(good, PROBS), "probs_grad"), MAP, (8,)
                ),
            },
        },
    }
    top_k_of_513 = in_order("float32", 2, MOST_TOPK + 1, 1)
    unchecked: dict[int, dict[Clause, dict[str, Case]]] = {
        INVALID: {
            document("float16, bfloat16 or float32, one for all; indices int32", README): {
                "tokens_grad has another dtype": retyped(good, "tokens_grad", "float16"),
                "probs_grad has another dtype": retyped(good, "probs_grad", "float16"),
            },
            document("probs_grad is [tokens_num, num_experts]", FUNCTION): {
                **misshapen(good, "probs_grad"),
                **resized(padded, "probs_grad"),
                "probs_grad of rank 1": reshaped(good, "probs_grad", (8,)),
            },
            inferred("tokens_grad is [tokens_num, hidden]"): {
                **misshapen(good, "tokens_grad"),
                "tokens_grad of rank 1": reshaped(good, "tokens_grad", (64,)),
            },
            document("an index for every row", f"{README}, parameters"): {
                **misshapen(good, "sorted_indices"),
                **resized(padded, "sorted_indices"),
            },
            inferred("as many probs as rows, a map [tokens_num, num_experts]"): {
                **resized(good, PROBS, MAP),
                **resized(padded, PROBS),
            },
            inferred("tokens share the rows evenly; padded, experts do"): {
                **resized(good, GRAD),
                **stepped(good, "num_experts", "tokens_num"),
                **stepped(padded, "num_experts", "tokens_num"),
                "8 rows, 3 tokens": sized(good, tokens=3, experts=2),
                "4 rows, 3 experts, padded": sized(padded, tokens=2, experts=3),
            },
        },
        TILING_FAILED: {
            document(f"topK is at most {MOST_TOPK} without padding", f"{README}, constraints"): {
                "topK is 513": top_k_of_513,
            },
        },
    }
    return (*refused(checked), *refused(unchecked, checked_by_cann=False))


def quarantine() -> tuple[Quarantine, ...]:
    """Calls of which no source says what they give, but that do no harm."""
    padded = by_hand("drop_pad", "float32")
    twice = replace(
        padded,
        inputs={**padded.inputs, "sorted_indices": Tensor((4,), "int32", values=(0, 0, 1, 0))},
    )
    good = in_order("float32", 2, 2, 8)
    beyond = replace(
        good, inputs={**good.inputs, "sorted_indices": Tensor((4,), "int32", values=(0, 4, 1, 9))}
    )
    return (
        Quarantine(
            "a token twice in one expert",
            twice,
            inferred("two rows of an expert have one place in probs_grad: either may remain"),
        ),
        Quarantine(
            "ranks beyond the rows",
            beyond,
            source_read("a rank from the number of rows on adds nothing, undocumented", KERNELS),
        ),
    )
