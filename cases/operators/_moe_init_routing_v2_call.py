"""Calls of MoeInitRoutingV2 from the sizes that matter."""

from __future__ import annotations

from conformance.call.case import Case, Machine, Tensor
from conformance.record.operator import TensorParameter
from conformance.values.fill import Fill

Shape = tuple[int, ...]
NAME = "moe_init_routing_v2"
DTYPES = ("float16", "bfloat16", "float32")
COUNTS, BEFORE = "expert_tokens_count_or_cumsum", "expert_tokens_before_capacity"
COUNTS_FLAG, BEFORE_FLAG = f"{COUNTS}_flag", f"{BEFORE}_flag"
TENSORS = (
    TensorParameter("x", "x", "input"),
    TensorParameter("expert_idx", "expertIdx", "input", "int32"),
    TensorParameter("expanded_x", "expandedXOut", "output"),
    TensorParameter("expanded_row_idx", "expandedRowIdxOut", "output", "int32"),
    TensorParameter(COUNTS, "expertTokensCountOrCumsumOutOptional", "output", "int32", True),
    TensorParameter(BEFORE, "expertTokensBeforeCapacityOutOptional", "output", "int32", True),
)

ASKED = {
    "absent": (),
    "given": (),
    "cumsum": ((COUNTS_FLAG, 1),),
    "count": ((COUNTS_FLAG, 2),),
    "before": ((BEFORE_FLAG, 1),),
}
"""What a call says of counts: no tensors, tensors that no flag asks for, or what one asks for."""


def call(
    mode: str,
    dtype: str,
    *,
    x: Shape,
    top_k: int,
    experts: Shape | None = None,
    active_num: int = 0,
    capacity: int = 0,
    expert_num: int = 0,
    counts: str = "absent",
    fill: Fill | None = None,
    values: Shape | None = None,
    held: Shape | None = None,
    machine: Machine | None = None,
) -> Case:
    """A case; ``experts`` None are zeros. ``held`` lists the only rows of x that exist."""
    slots = x[0] * top_k
    rows: Shape = (min(slots, active_num) if active_num > 0 else slots,)
    if mode == "drop_pad":
        rows = (expert_num, capacity)
    outputs = {
        "expanded_x": Tensor((*rows, *x[1:]), dtype),
        "expanded_row_idx": Tensor((slots,), "int32"),
    }
    named = {"absent": (), "given": (COUNTS, BEFORE), "before": (BEFORE,)}.get(counts, (COUNTS,))
    outputs |= {name: Tensor((expert_num,), "int32") for name in named}
    attributes = {
        "active_num": active_num,
        "expert_capacity": capacity,
        "expert_num": expert_num,
        "drop_pad_mode": int(mode == "drop_pad"),
        COUNTS_FLAG: 0,
        BEFORE_FLAG: 0,
    }
    return Case(
        NAME,
        mode,
        dtype,
        attributes | dict(ASKED[counts]),
        {
            "x": Tensor(x, dtype, values, fill, rows=held),
            "expert_idx": Tensor((x[0], top_k), "int32", values=experts),
        },
        outputs,
        machine,
    )


def counts_shown(case: Case) -> tuple[str, ...]:
    """What a case says of counts, as `ASKED` names it."""
    for name, flags in ASKED.items():
        if flags and all(case.attributes[flag] == value for flag, value in flags):
            return (name,)
    return ("given",) if {COUNTS, BEFORE} & case.outputs.keys() else ("absent",)
