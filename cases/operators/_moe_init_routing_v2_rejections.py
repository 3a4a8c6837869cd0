"""Calls that the interface of MoeInitRoutingV2 must refuse, with the status of each."""

from __future__ import annotations

from functools import partial
from typing import Any

from cases.operators._moe_init_routing_v2_call import (
    BEFORE,
    COUNTS,
    COUNTS_FLAG,
    TENSORS,
    call,
)
from cases.operators._moe_init_routing_v2_examples import EXPERTS
from cases.operators._moe_init_routing_v2_sources import HOST, INTERFACE, README
from conformance.call.case import Case
from conformance.record.call_rules import FreeAttribute, Freedom, Range, extent
from conformance.record.clause import Clause, SourceClass, document, source_read
from conformance.record.operator import Rejection
from conformance.record.variations import (
    in_mode,
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
from conformance.values.fill import Fill

NULL, INVALID, TILING_FAILED = 161001, 161002, 561002


def of_three(mode: str, *, expert_num: int = 4, **how: Any) -> Case:
    """Three tokens of two experts each."""
    return call(
        mode,
        "float32",
        x=(3, 16),
        top_k=2,
        experts=EXPERTS,
        expert_num=expert_num,
        fill=Fill(("lattice",), seed=1),
        **how,
    )


PLAIN, COUNTED = of_three("dropless"), of_three("dropless", counts="count")
ACTIVE = of_three("active", active_num=4)
PADDED = of_three("drop_pad", capacity=2, counts="before")
UNCOUNTED = of_three("drop_pad", capacity=2)
ONE_PLACE = of_three("drop_pad", capacity=1)
RIGHT = (PLAIN, COUNTED, ACTIVE, PADDED, UNCOUNTED, ONE_PLACE)
FREEDOMS: tuple[Freedom, ...] = (
    FreeAttribute(COUNTS_FLAG, document("0 to 2 choose what is counted", README)),
)
RANGES = (
    Range("drop_pad_mode", 0, 1, source_read("dropPadMode is 0 or 1", HOST)),
    Range(COUNTS_FLAG, 0, 2, document("expertTokensCountOrCumsumFlag is 0, 1 or 2", README)),
    Range(
        "active_num",
        0,
        None,
        source_read("activeNum is 0 or more, on Ascend910B and 910_93", HOST),
    ),
    Range("expert_capacity", 0, None, source_read("expertCapacity is 0 or more", HOST)),
    Range("expert_num", 0, None, source_read("expertNum is 0 or more", HOST)),
    Range(
        "expert_capacity",
        1,
        extent("x", 0),
        document("no capacity exceeds the number of tokens", README),
        modes=("drop_pad",),
    ),
)


def rejections() -> tuple[Rejection, ...]:
    """Every rule of the document and of the host tiling, broken once, with its status."""
    broken: dict[int, dict[Clause, dict[str, Case]]] = {
        NULL: {
            Clause("the tensor is required", INTERFACE, SourceClass.INFERRED): {
                f"{tensor.name} is null": without(PLAIN, tensor.name)
                for tensor in TENSORS
                if not tensor.optional
            },
        },
        INVALID: _dtypes(),
        TILING_FAILED: {**_numbers(), **_inputs(), **_outputs()},
    }
    return refused(broken)


def _read(rule: str) -> Clause:
    return source_read(rule, HOST)


def _dtypes() -> dict[Clause, dict[str, Case]]:
    """Calls whose dtypes are none that the document lists together."""
    types = "x float16, bfloat16 or float32; experts, row indices and counts int32"
    integers = retyped(retyped(PLAIN, "x", "int32"), "expanded_x", "int32")
    return {
        document(types, f"{README}, parameters"): {
            "everything is int32": integers,
            "x is float64": retyped(PLAIN, "x", "float64"),
            "experts are int64": retyped(PLAIN, "expert_idx", "int64"),
            "experts are float32": retyped(PLAIN, "expert_idx", "float32"),
            "row indices are int64": retyped(PLAIN, "expanded_row_idx", "int64"),
            "counts are int64": retyped(COUNTED, COUNTS, "int64"),
            "counts before capacity are int64": retyped(PADDED, BEFORE, "int64"),
        },
        Clause("x and its copies share one dtype", INTERFACE, SourceClass.INFERRED): {
            f"{name} of another dtype": retyped(PLAIN, name, "float16")
            for name in ("x", "expanded_x")
        },
    }


def _numbers() -> dict[Clause, dict[str, Case]]:
    """Calls with attributes outside their range, or that do not go together."""
    drop_pad = partial(of_three, "drop_pad")
    return {
        _read("dropPadMode is 0 or 1"): {
            f"dropPadMode is {told}": with_attributes(PLAIN, drop_pad_mode=value)
            for told, value in (("-1", -1), ("2", 2), ("2^32", 2**32))
        }
        | {"drop_pad_mode is 2, drop_pad": with_attributes(PADDED, drop_pad_mode=2)},
        document("expertTokensCountOrCumsumFlag is 0, 1 or 2", f"{README}, parameters"): {
            f"count flag is {told}": with_attributes(COUNTED, **{COUNTS_FLAG: value})
            for told, value in (("-1", -1), ("3", 3), ("2^32 + 2", 2**32 + 2))
        },
        _read("activeNum is 0 or more, on Ascend910B and 910_93"): {
            "activeNum is -1": with_attributes(PLAIN, active_num=-1),
            "activeNum is -1 in drop/pad": with_attributes(PADDED, active_num=-1),
        },
        _read("expertCapacity and expertNum are 0 or more"): {
            "expertCapacity is -1": with_attributes(PLAIN, expert_capacity=-1),
            "expertNum is -1": with_attributes(PLAIN, expert_num=-1),
            "expertCapacity is -1 in drop/pad": with_attributes(PADDED, expert_capacity=-1),
            "expertNum is -1 in drop/pad": with_attributes(PADDED, expert_num=-1),
        },
        document("drop/pad has experts and a capacity", f"{README}, constraints"): {
            "drop/pad without experts": drop_pad(capacity=2, expert_num=0),
            "drop/pad without a capacity": drop_pad(capacity=0),
        },
        document("no capacity exceeds the number of tokens", f"{README}, constraints"): {
            "a capacity beyond all tokens": drop_pad(capacity=4),
        },
        _read("counts are of one expert or more"): {
            "cumsum of no experts": of_three("dropless", expert_num=0, counts="cumsum"),
            "counts of no experts": of_three("active", expert_num=0, counts="count", active_num=4),
        },
    }


def _inputs() -> dict[Clause, dict[str, Case]]:
    """Calls whose inputs are not [tokens, hidden] and [tokens, K]."""
    return {
        document("x and expertIdx have two axes", f"{README}, constraints"): {
            f"{name} of rank {len(shape)}": reshaped(PLAIN, name, shape)
            for name, shapes in (
                ("x", ((3, 4, 4),)),
                ("expert_idx", ((6,),)),
            )
            for shape in shapes
        }
        | reranked(PLAIN, "x", "expert_idx"),
        document("x and expertIdx have as many rows", f"{README}, constraints"): {
            **resized(PLAIN, "x", "expert_idx"),
        },
    }


def _outputs() -> dict[Clause, dict[str, Case]]:
    """Calls whose outputs have not the shape that inputs and attributes ask for."""
    rows, padded = partial(reshaped, PLAIN, "expanded_x"), partial(reshaped, PADDED, "expanded_x")
    active = partial(with_attributes, ACTIVE)
    asked_for = "a tensor takes the counts that a flag asks for"
    return {
        _read("expandedXOut is [rows, hidden]"): {
            **misshapen(PLAIN, "expanded_x"),
            **resized(ACTIVE, "expanded_x"),
            **stepped(ACTIVE, "active_num"),
            "expanded rows of rank 1": rows((6 * 16,)),
            "expanded rows of rank 3": rows((3, 2, 16)),
            "every slot, activeNum 4": in_mode("active", with_attributes(PLAIN, active_num=4)),
            "4 rows, activeNum 3": active(active_num=3),
            "4 rows without activeNum": in_mode("dropless", active(active_num=0)),
            "4 rows, activeNum 2^32 + 4": active(active_num=2**32 + 4),
        },
        _read("in drop/pad mode expandedXOut is [experts, capacity, hidden]"): {
            **misshapen(PADDED, "expanded_x"),
            **stepped(PADDED, "expert_capacity", "expert_num"),
            "places of rank 2": padded((4 * 2, 16)),
            "places of rank 4": padded((4, 2, 1, 16)),
        },
        _read("expandedRowIdxOut is [slots], also where rows are left out"): {
            **misshapen(PLAIN, "expanded_row_idx"),
            **resized(PADDED, "expanded_row_idx"),
            "indices of the active rows only": reshaped(ACTIVE, "expanded_row_idx", (4,)),
            "indices of rank 2": reshaped(PLAIN, "expanded_row_idx", (3, 2)),
        },
        _read("counts are [experts]"): {
            **misshapen(COUNTED, COUNTS),
            **misshapen(PADDED, BEFORE),
            "counts of rank 2": reshaped(COUNTED, COUNTS, (2, 2)),
        },
        Clause(asked_for, f"{HOST}: it reads their shape, inferred", SourceClass.INFERRED): {
            "counts without a tensor": without(COUNTED, COUNTS),
            "counts before capacity without a tensor": without(PADDED, BEFORE),
        },
    }
