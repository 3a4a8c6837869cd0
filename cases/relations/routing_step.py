"""A call of MoeInitRoutingV3 as one step of a relation: rows in the order of their experts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.operators._moe_init_routing_v3_call import COUNTS, FLAG, KINDS, RANGE, SIGNATURE, TYPE
from cases.operators._workloads import CHIP
from conformance.call.case import Case
from conformance.record.derive.calls import Fields, call
from conformance.relations.axes import held

OPERATOR = SIGNATURE.operator
SLOTS = COUNTS
"""The output that has the slots of each expert."""


def routing(
    x: NDArray[Any],
    expert_idx: NDArray[Any],
    experts: int,
    more: Mapping[str, NDArray[Any]],
    counts: str = "count",
) -> Case:
    """The call for x [tokens, hidden] and the experts of their slots [tokens, top_k], of so many.

    ``more`` are further inputs by name, such as the scale of each token; ``counts`` is one of those
    of MoeInitRoutingV3.
    """
    arrays = {"x": x, "expert_idx": expert_idx.astype(np.int32), **more}
    sizes = {"token": len(x), "slot": expert_idx.shape[1], "hidden": x.shape[1]}
    kind, asked = KINDS[counts]
    attributes = {"expert_num": experts, "quant_mode": -1, TYPE: kind, FLAG: asked}
    given: Fields = {name: {} for name in arrays}
    empty = call(
        SIGNATURE,
        "dropless",
        x.dtype.name,
        sizes,
        given,
        machine=CHIP,
        **attributes,
        **{RANGE: (0, experts)},
    )
    inputs = {name: held(tensor, arrays[name]) for name, tensor in empty.inputs.items()}
    return replace(empty, inputs=inputs)
