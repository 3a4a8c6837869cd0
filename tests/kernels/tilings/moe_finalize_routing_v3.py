"""Tokens are cut as those of MoeFinalizeRoutingV4, with one slot each without scales."""

from __future__ import annotations

from dataclasses import replace

from tests.kernels.tilings import moe_finalize_routing_v2 as v2
from tests.kernels.tilings import moe_finalize_routing_v4 as v4

LIMITS = tuple(one for one in v4.OPERATOR.more_limits if not one.endswith("no-scales-slots"))
OPERATOR = replace(
    v4.OPERATOR,
    calls={"right": v4.RIGHT, "bare": v2.BARE},
    fit=v2.fit,
    more_limits=LIMITS,
    changes={},
)
