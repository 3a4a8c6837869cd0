"""Tokens are cut as those of MoeFinalizeRoutingV2, with x1, a bias and scales."""

from __future__ import annotations

from dataclasses import replace

from tests.kernels.host_tilings import BF16, FP16
from tests.kernels.tilings import moe_finalize_routing_v2 as v2
from tests.kernels.tilings.description import Sizes

RIGHT = {**v2.call(Sizes("bias-", tokens=4, top_k=2, hidden=16)), "hasX1": 1, "hasX2": 1}
OPERATOR = replace(
    v2.OPERATOR,
    calls={"right": RIGHT},
    kinds=("bias-",),
    changes={
        "data types": tuple({"dtype": one, "scalesDtype": one} for one in (FP16, BF16)),
        "addends": ({"hasX2": 0},),
        "least buffers": tuple(
            {"dtype": BF16, "scalesDtype": BF16, "ubBytes": ub} for ub in (383, 384)
        ),
    },
)
