"""The texts that clauses of MoeFinalizeRoutingV2 refer to."""

from __future__ import annotations

README = "MoeFinalizeRoutingV2 README"
PAGE = "aclnnMoeFinalizeRoutingV2 document, CANN 8.0"
KERNELS = "ops-transformer, moe_finalize_routing_v2/op_kernel"
HOST = "ops-transformer, moe_finalize_routing_v2/op_host"
INTERFACE = "aclnn interfaces made from an operator's definition"
