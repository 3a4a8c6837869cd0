"""MoeFinalizeRoutingV4: MoeFinalizeRoutingV2, with k and with experts that have no rows.

Missing coverage: that of MoeFinalizeRoutingV3; a k of 0 or less, which without scales divides by 0.
"""

from __future__ import annotations

from dataclasses import replace

from cases.operators._finalize_call import K
from cases.operators._finalize_later import later
from cases.operators._finalize_ranges import WITHOUT_ROWS
from cases.operators._finalize_signature import MODES, RANGES, Version
from cases.operators._torch_npu import added
from cases.operators.moe_finalize_routing_v2 import EITHER, FUNCTION
from cases.relations.finalized import version
from conformance.call.case import Case
from conformance.record.derive.torch_call import bound
from conformance.record.operator import Operator
from reference import moe_finalize_routing_v4 as reference

ONE, FORM, BASE = later("moe_finalize_routing_v4", Version(ranges=True, k=True), reference.formula)
BY_TORCH = bound(
    ONE.signature,
    "npu_moe_finalize_routing",
    ("out",),
    (added("where CANN has no aclnnMoeFinalizeRoutingV4 it calls aclnnMoeFinalizeRoutingV2"),),
    **FUNCTION,
    k=K,
)


def unreached(case: Case) -> str:
    """Why torch_npu does not make a call, or "" if it does."""
    return "torch_npu gives no ranges" if case.mode == WITHOUT_ROWS else ""


OPERATOR = Operator(
    **{
        **BASE,
        "relations": (
            *BASE["relations"],
            version("moe_finalize_routing_v2", MODES, K, *RANGES),
        ),
    },
    torch_npu=replace(BY_TORCH, unreached=unreached, two_phase=EITHER),
)
