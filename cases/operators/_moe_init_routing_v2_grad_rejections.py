"""Calls of MoeInitRoutingV2Grad that must be rejected."""

from __future__ import annotations

from functools import partial

from cases.operators._moe_init_routing_v2_grad_call import (
    README,
    TENSORS,
    TILING,
    Shape,
    call,
    identity_call,
    stated,
)
from conformance.call.case import Case
from conformance.record.call_rules import FreeAxis, Freedom, Range, Ranks
from conformance.record.clause import Clause, SourceClass, source_read
from conformance.record.operator import Rejection
from conformance.record.variations import (
    misshapen,
    refused,
    reranked,
    reshaped,
    resized,
    retyped,
    stepped,
    with_attributes,
    without,
)

NULL, INVALID, TILING_FAILED = 161001, 161002, 561002


def sized(mode: str, grad: Shape, slots: int, top_k: int, out: Shape, active: int = 0) -> Case:
    """A call whose indices are all 0."""
    case = call(mode, "float32", grad=grad, indices=(0,) * slots, top_k=top_k, out=out)
    return with_attributes(case, active_num=active)


RIGHT = identity_call("dropless", "float32", (8, 16), 8, 2)
ACTIVE = sized("active", (6, 16), 8, 2, (4, 16), 6)
PADDED = sized("drop_pad", (2, 4, 16), 8, 2, (4, 16))
PLACES = source_read("rows of experts and places are not compared with the indices", TILING)
FREEDOMS: tuple[Freedom, ...] = (
    FreeAxis("grad_expanded_x", 3, 0, PLACES),
    FreeAxis("grad_expanded_x", 3, 1, PLACES),
    Ranks("grad_expanded_x", 2, 3, stated("without drop/pad the rank is 2 or 3")),
    Ranks("expanded_row_idx", 1, None, source_read("the first axis alone is compared", TILING)),
)
RANGES = (
    Range("drop_pad_mode", 0, 1, stated("drop_pad_mode is 0 or 1")),
    Range("top_k", 1, None, stated("top_k is above 0")),
    Range("active_num", 0, None, stated("active_num is 0 or more")),
)


def rejections() -> tuple[Rejection, ...]:
    """Every rule that the interface checks, broken once; and the vendor's rejected sizes."""
    good, shaped = RIGHT, partial(misshapen, free=FREEDOMS)
    empty = sized("dropless", (8, 0), 8, 2, (4, 0))
    types = "float16, bfloat16 or float32, the same for input and output; indices int32"
    ranks_rule = "grad_expanded_x has rank 2 or 3, and rank 3 in drop/pad mode"
    broken: dict[int, dict[Clause, dict[str, Case]]] = {
        NULL: {
            stated("the tensor is required"): {
                f"{tensor.name} is null": without(good, tensor.name) for tensor in TENSORS
            },
        },
        INVALID: {
            Clause("the indices have an axis", f"{README}, inferred", SourceClass.INFERRED): {
                "indices of rank 0": reshaped(good, "expanded_row_idx", ()),
            },
            stated(types): {
                "indices are int64": retyped(good, "expanded_row_idx", "int64"),
                "gradient is int32": retyped(good, "grad_expanded_x", "int32"),
                "gradient and out are int32": retyped(
                    retyped(good, "grad_expanded_x", "int32"), "grad_x", "int32"
                ),
                "empty out of another dtype": retyped(empty, "grad_x", "float16"),
                "out has another dtype": retyped(good, "grad_x", "float16"),
            },
        },
        TILING_FAILED: {
            stated("drop_pad_mode is 0 or 1"): {
                "drop_pad_mode is -1": with_attributes(good, drop_pad_mode=-1),
                "drop_pad_mode is 2": with_attributes(good, drop_pad_mode=2),
                "drop_pad_mode is 2^32": with_attributes(good, drop_pad_mode=2**32),
            },
            stated("top_k is above 0"): {
                "top_k is 0": with_attributes(good, top_k=0),
                "top_k is -2": with_attributes(good, top_k=-2),
                "top_k is 2^32 + 2": with_attributes(good, top_k=2**32 + 2),
            },
            stated("active_num is 0 or more"): {
                "active_num is -1": with_attributes(good, active_num=-1),
                "active_num is -1 in drop/pad": sized("drop_pad", (2, 4, 16), 8, 2, (4, 16), -1),
            },
            stated(ranks_rule): {
                **reranked(good, "grad_expanded_x", free=FREEDOMS),
                **{
                    f"gradient of rank {rank} in drop/pad": reshaped(
                        PADDED, "grad_expanded_x", (2, 4, 16, 1)[:rank]
                    )
                    for rank in (0, 2, 4)
                },
                "gradient of rank 4": sized("dropless", (2, 2, 2, 16), 8, 2, (4, 16)),
                "gradient of rank 1": sized("dropless", (8,), 8, 2, (4, 8)),
                "drop/pad with rank 2": sized("drop_pad", (8, 16), 8, 2, (4, 16)),
            },
            source_read("dropless: as many rows of grad_expanded_x as indices", TILING): {
                **resized(good, "expanded_row_idx", "grad_expanded_x"),
                **resized(PADDED, "grad_expanded_x", free=FREEDOMS),
                "a row too many": sized("dropless", (196608, 2), 196607, 1, (196607, 2)),
                "a row too few": sized("dropless", (7, 16), 8, 2, (4, 16)),
            },
            stated("active: as many rows of grad_expanded_x as active_num"): {
                **resized(ACTIVE, "grad_expanded_x"),
                **stepped(ACTIVE, "active_num"),
                "2 rows, active_num 1": sized("active", (2, 16), 8, 2, (4, 16), 1),
                "40 rows, active_num 30": sized("active", (40, 512), 80, 1, (80, 512), 30),
                "40 rows, active_num 41": sized("active", (40, 512), 80, 1, (80, 512), 41),
                "40 rows, active_num 40 + 2^32": sized(
                    "active", (40, 512), 80, 1, (80, 512), 40 + 2**32
                ),
            },
            stated("out is [tokens, hidden]"): {
                **shaped(good, "grad_x"),
                **resized(PADDED, "grad_x"),
                "out too narrow": sized("active", (40, 512), 80, 1, (80, 510), 40),
                "out of 10 rows for 64": sized("active", (40, 512), 640, 10, (10, 512), 40),
                "out of rank 3": sized("dropless", (8, 16), 8, 2, (4, 1, 16)),
            },
            source_read("no dim of the indices, or of dropless rows, is 0", TILING): {
                "indices of shape [8, 0]": reshaped(good, "expanded_row_idx", (8, 0)),
                "dropless rows of shape [8, 16, 0]": sized("dropless", (8, 16, 0), 8, 2, (4, 16)),
            },
            stated("top_k divides the number of indices"): {
                **stepped(good, "top_k"),
                "8 indices, top_k 3": sized("dropless", (8, 16), 8, 3, (2, 16)),
                "8 indices, top_k 3 in drop/pad": sized("drop_pad", (2, 4, 16), 8, 3, (2, 16)),
            },
        },
    }
    return refused(broken)
