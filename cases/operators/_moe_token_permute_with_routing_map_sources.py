"""Sources and signature of MoeTokenPermuteWithRoutingMap.

CANN 8.1.RC1 has no operator of this name: there it is unavailable.
"""

from __future__ import annotations

from conformance.record.operator import AttributeParameter, TensorParameter

NAME = "moe_token_permute_with_routing_map"
README = "MoeTokenPermuteWithRoutingMap README"
FUNCTION = f"{README}, function: equations"
CONSTRAINTS = f"{README}, constraints"
KERNELS = "ops-transformer, moe_token_permute_with_routing_map/op_kernel"
HOST = "ops-transformer, moe_token_permute_with_routing_map/op_host/op_api"
TILING = "ops-transformer, moe_token_permute_with_routing_map/op_host, tiling"
INTERFACE = "ops-transformer, newer aclnnMoeTokenPermuteWithRoutingMap document"
DTYPES = ("float16", "bfloat16", "float32")

PARAMETERS = (
    TensorParameter("tokens", "tokens", "input"),
    TensorParameter("routing_map", "routingMap", "input", ("int8", "bool")),
    TensorParameter("probs", "probsOptional", "input", optional=True),
    AttributeParameter("num_out_tokens", "numOutTokens"),
    AttributeParameter("drop_and_pad", "dropAndPad", "bool"),
    TensorParameter("permute_tokens", "permuteTokensOut", "output"),
    TensorParameter("permute_probs", "permuteProbsOutOptional", "output", optional=True),
    TensorParameter("sorted_indices", "sortedIndicesOut", "output", "int32"),
)
"""In the order of the interface, which is not that of the README's table: there the indices stand
before the probs, and the tokens are called permutedTokensOut."""
