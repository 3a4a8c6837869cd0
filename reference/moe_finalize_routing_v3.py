"""MoeFinalizeRoutingV3: MoeFinalizeRoutingV4 with k 1, so that without scales a token has one slot.

Source: aclnnMoeFinalizeRoutingV4 document, which says what it has more than V3.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from reference import moe_finalize_routing_v4 as with_k


def formula(**given: Any) -> NDArray[Any]:
    """As in MoeFinalizeRoutingV4, without the parameter k."""
    return with_k.formula(**given, k=1)
