"""Mistakes that show only where tensors are no whole contiguous storages: layout finds them."""

from __future__ import annotations

from tests.kernels.mutants import Mutant

MUTANTS: dict[str, tuple[Mutant, ...]] = {
    "moe_token_permute": (
        Mutant(
            "indices-of-two-axes-are-taken-as-contiguous",
            "moe_token_permute/aclnn_moe_token_permute.cpp",
            "    Operand experts(std::move(call.indices), &plan);",
            "    if (call.indices.shape.size() == 2) {\n"
            "        call.indices.strides = {call.indices.shape[1], 1};\n"
            "    }\n"
            "    Operand experts(std::move(call.indices), &plan);",
        ),
    ),
    "moe_token_unpermute": (
        Mutant(
            "probs-begin-where-their-storage-does",
            "moe_token_unpermute/aclnn_moe_token_unpermute.cpp",
            "    Operand weights(std::move(tensors.probs), &plan);",
            "    const auto before = static_cast<uint64_t>(tensors.probs.offset);\n"
            "    tensors.probs.data = static_cast<uint8_t*>(tensors.probs.data) -\n"
            "                         before * opapi::BytesOf(tensors.probs.dtype);\n"
            "    Operand weights(std::move(tensors.probs), &plan);",
            modes=("whole", "uneven"),
        ),
    ),
    "moe_token_permute_with_routing_map": (
        Mutant(
            "permuted-probs-are-written-side-by-side",
            "moe_token_permute_with_routing_map/aclnn_moe_token_permute_with_routing_map.cpp",
            "          permuteProbs_(std::move(call.permuteProbs), plan),",
            "          permuteProbs_((call.permuteProbs.strides.assign(1, 1),\n"
            "                         std::move(call.permuteProbs)), plan),",
        ),
    ),
    "moe_init_routing_v2_grad": (
        Mutant(
            "steps-from-row-to-row-by-the-stride-of-columns",
            "moe_init_routing_v2_grad/aclnn_moe_init_routing_v2_grad.cpp",
            "    opapi::Operand sourceRows(std::move(tensors.gradExpandedX), &plan);",
            "    if (!tensors.gradExpandedX.IsContiguous()) {\n"
            "        std::swap(tensors.gradExpandedX.strides.front(),\n"
            "                  tensors.gradExpandedX.strides.back());\n"
            "    }\n"
            "    opapi::Operand sourceRows(std::move(tensors.gradExpandedX), &plan);",
        ),
    ),
    "moe_token_permute_grad": (
        Mutant(
            "an-axis-of-size-1-must-have-the-stride-of-c-order",
            "moe_token_permute_grad/aclnn_moe_token_permute_grad.cpp",
            "    status = opapi::CheckDense(phases.plan, {&tensors.out});",
            "    if (tensors.out.strides.back() != 1) {\n"
            '        return opapi::Fail(ACLNN_ERR_PARAM_INVALID, "out must be contiguous");\n'
            "    }\n"
            "    status = opapi::CheckDense(phases.plan, {&tensors.out});",
        ),
    ),
}
"""By operator: entries that take tensors for what they were in every other call."""
