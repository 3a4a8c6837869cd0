"""Calls of the kernel of MoeInitRoutingV3, and what their answers must be, by its loops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case, Machine, Tensor, numpy_dtype
from conformance.devices.device import Device
from conformance.record.operator import AttributeParameter, TensorParameter
from tests.definitions.moe_init_routing_v3 import moe_init_routing_v3 as loops
from tests.kernels.gating_calls import answer, interface, stored, tensor_of

Array = NDArray[Any]
TWO_CORES = Machine(2, 196352)

COUNTS, SCALES = "expert_tokens_count_or_cumsum", "expanded_scale"
ATTRIBUTES = (
    AttributeParameter("active_num", "activeNum"),
    AttributeParameter("expert_capacity", "expertCapacity"),
    AttributeParameter("expert_num", "expertNum"),
    AttributeParameter("drop_pad_mode", "dropPadMode"),
    AttributeParameter("expert_tokens_num_type", "expertTokensNumType"),
    AttributeParameter("expert_tokens_num_flag", "expertTokensNumFlag", "bool"),
    AttributeParameter("quant_mode", "quantMode"),
    AttributeParameter("active_expert_range", "activeExpertRangeOptional", "int array"),
    AttributeParameter("row_idx_type", "rowIdxType"),
)
OPERATOR = interface(
    "moe_init_routing_v3",
    "MoeInitRoutingV3",
    (
        TensorParameter("x", "x", "input"),
        TensorParameter("expert_idx", "expertIdx", "input", "int32"),
        TensorParameter("scale", "scaleOptional", "input", "float32", optional=True),
        TensorParameter("offset", "offsetOptional", "input", "float32", optional=True),
        *ATTRIBUTES,
        TensorParameter("expanded_x", "expandedXOut", "output"),
        TensorParameter("expanded_row_idx", "expandedRowIdxOut", "output", "int32"),
        TensorParameter(COUNTS, "expertTokensCountOrCumsumOut", "output", "int64"),
        TensorParameter(SCALES, "expandedScaleOut", "output", "float32"),
    ),
)
UNQUANTISED, STATIC, DYNAMIC = -1, 0, 1


@dataclass(frozen=True)
class Routing:
    """One call: ``x`` [tokens, hidden], rounded to ``dtype``, ``idx`` [tokens, top_k] of experts.

    ``counts``: the kind of counts, None for none; ``capacity``: of drop/pad, None for dropless.
    """

    x: Array
    idx: Array
    experts: int
    dtype: str = "float32"
    span: tuple[int, int] | None = None
    scale: Array | None = None
    offset: float | None = None
    quant: int = UNQUANTISED
    active: int = 0
    capacity: int | None = None
    counts: int | None = 1
    by_rank: bool = False
    machine: Machine = TWO_CORES

    def attributes(self) -> dict[str, Any]:
        return {
            "active_num": self.active,
            "expert_capacity": self.capacity or 0,
            "expert_num": self.experts,
            "drop_pad_mode": int(self.capacity is not None),
            "expert_tokens_num_type": self.counts or 0,
            "expert_tokens_num_flag": int(self.counts is not None),
            "quant_mode": self.quant,
            "active_expert_range": self.span,
            "row_idx_type": int(self.by_rank),
        }

    def case(self) -> Case:
        hidden, slots = self.x.shape[1], self.idx.size
        rows = slots if self.active <= 0 else min(self.active, slots)
        shape, scales = (rows, hidden), rows
        if self.capacity is not None:
            shape, scales = (self.experts, self.capacity, hidden), self.experts * self.capacity
        start, end = self.span or (0, self.experts)
        counts = (self.experts, 2) if self.counts == 2 else (end - start,)
        inputs = {
            "x": tensor_of(self.x, self.dtype),
            "expert_idx": Tensor(self.idx.shape, "int32", tuple(self.idx.reshape(-1).tolist())),
        }
        if self.scale is not None:
            inputs["scale"] = tensor_of(self.scale, "float32")
        if self.offset is not None:
            inputs["offset"] = tensor_of(np.array([self.offset]), "float32")
        outputs = {
            "expanded_x": Tensor(shape, self.dtype if self.quant < 0 else "int8"),
            "expanded_row_idx": Tensor((slots,), "int32"),
            COUNTS: Tensor(counts, "int64"),
            SCALES: Tensor((scales,), "float32"),
        }
        return Case(OPERATOR.name, "all", self.dtype, self.attributes(), inputs, outputs,
                    self.machine)  # fmt: skip


def told(device: Device, routing: Routing) -> str:
    """How the kernel's answer differs from that of the loops; "" if it does not."""
    case = routing.case()
    wide = stored(routing.x, routing.dtype).astype(np.float32)
    scale = None if routing.scale is None else routing.scale.astype(np.float32)
    offset = None if routing.offset is None else [routing.offset]
    expected = loops(wide, routing.idx, scale, offset, **routing.attributes())
    idle: list[str] = []
    wanted: dict[str, list[Any]] = {}
    for name, tensor in case.outputs.items():
        width = routing.x.shape[1] if name == "expanded_x" else 1
        lines = expected.get(name, [None] * (tensor.size // width if width else 0))
        if name == "expanded_x" and routing.capacity is not None:
            lines = [line for block in lines for line in block]
        wanted[name] = [number for line in lines for number in flat(line, width)]
        if None in wanted[name]:
            idle.append(name)
    got = answer(device, OPERATOR, case, tuple(idle))
    for name, numbers in wanted.items():
        kind = numpy_dtype(case.outputs[name].dtype)
        there = got[name].reshape(-1)
        for at, number in enumerate(numbers):
            if number is None:
                continue
            signs = np.signbit([there[at], number]) if name == SCALES else [0, 0]
            if np.array(number).astype(kind) != there[at] or signs[0] != signs[1]:
                return f"{name}[{at}] is {there[at]}, not {number}"
    return ""


def flat(line: Any, width: int) -> list[Any]:
    return [None] * width if line is None else list(line) if isinstance(line, list) else [line]
