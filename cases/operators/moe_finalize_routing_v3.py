"""MoeFinalizeRoutingV3: MoeFinalizeRoutingV2, with experts that have no rows.

Missing coverage: that of MoeFinalizeRoutingV2; calls with ranges on an NPU; alphas other than 0, 1,
2 and 4, ranges beside extremes, workloads and rows far apart, and tensors of a range that are null.
"""

from __future__ import annotations

from cases.operators._finalize_later import later
from cases.operators._finalize_signature import MODES, Version
from cases.operators._torch_npu import BINDINGS
from cases.relations.finalized import version
from conformance.record.operator import Operator
from reference import moe_finalize_routing_v3 as reference

NAME = "moe_finalize_routing_v3"
ONE, FORM, BASE = later(NAME, Version(ranges=True), reference.formula)
OPERATOR = Operator(
    **{
        **BASE,
        "relations": (*BASE["relations"], version("moe_finalize_routing_v4", MODES, k=1)),
    },
    torch_npu=BINDINGS[NAME],
)
