"""MoeFinalizeRoutingV3 as plain loops: MoeFinalizeRoutingV4 with k 1."""

from __future__ import annotations

from typing import Any

from tests.definitions.moe_finalize_routing_v4 import moe_finalize_routing_v4


def moe_finalize_routing_v3(*tensors: Any, **how: Any) -> list[list[Any]]:
    """Return out (num_rows x H).

    Source: "aclnnMoeFinalizeRoutingV3" of ops-transformer, which has V4's words but for k: K is
    1 without scales. It is as ambiguous.
    """
    return moe_finalize_routing_v4(*tensors, **how, k=1)
