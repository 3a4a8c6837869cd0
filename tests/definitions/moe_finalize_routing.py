"""MoeFinalizeRouting as plain loops: MoeFinalizeRoutingV2 in its first mode."""

from __future__ import annotations

from typing import Any

from tests.definitions.moe_finalize_routing_v2 import moe_finalize_routing_v2


def moe_finalize_routing(
    expanded_x: Any,
    expanded_row_idx: Any,
    x1: Any,
    x2: Any,
    bias: Any,
    scales: Any,
    expert_idx: Any,
) -> list[list[Any]]:
    """Return out (num_rows x H).

    Source: "aclnnMoeFinalizeRouting" of ops-transformer, which has the equation of V2 and no
    dropPadMode. It is as ambiguous, but for what V2 need not be given; x2Optional is among the
    required inputs of its table: chosen by its name to be None or not.
    """
    if x1 is None or bias is None or scales is None or expert_idx is None:
        raise ValueError("x1, bias, scales and expandedExpertIdx are required")
    if len(bias) < len(scales[0]):
        raise ValueError("fewer experts than a token selects")
    return moe_finalize_routing_v2(
        expanded_x, expanded_row_idx, x1, x2, bias, scales, expert_idx, drop_pad_mode=0
    )
