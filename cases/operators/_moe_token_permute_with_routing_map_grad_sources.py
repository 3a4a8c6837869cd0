"""Sources and signature of MoeTokenPermuteWithRoutingMapGrad.

CANN 8.1.RC1 has no operator of this name: there it is unavailable.
"""

from __future__ import annotations

from conformance.record.operator import AttributeParameter, TensorParameter

NAME = "moe_token_permute_with_routing_map_grad"
README = "MoeTokenPermuteWithRoutingMapGrad README"
FUNCTION = f"{README}, function: equations"
KERNELS = "ops-transformer, moe_token_permute_with_routing_map_grad/op_kernel"
HOST = "ops-transformer, moe_token_permute_with_routing_map_grad/op_host/op_api"
DTYPES = ("float16", "bfloat16", "float32")

PARAMETERS = (
    TensorParameter("permuted_token_output_grad", "permutedTokenOutputGrad", "input"),
    TensorParameter(
        "permuted_probs_output_grad", "permutedProbsOutputGradOptional", "input", optional=True
    ),
    TensorParameter("sorted_indices", "sortedIndices", "input", "int32"),
    TensorParameter("routing_map", "routingMapOptional", "input", ("int8", "bool"), optional=True),
    AttributeParameter("num_experts", "numExperts"),
    AttributeParameter("tokens_num", "tokensNum"),
    AttributeParameter("drop_and_pad", "dropAndPad", "bool"),
    TensorParameter("tokens_grad", "tokensGradOut", "output"),
    TensorParameter("probs_grad", "probsGradOutOptional", "output", optional=True),
)
"""In the order of the interface. The README calls the attributes experts_num and tokens_num, gives
the latter a floating dtype and the probs an integer one: its constraint on one dtype of all four
floating tensors, and the public host sources, say otherwise."""
